/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * connection.h - a recorder that is found by name: one connection for each
 * ring.
 *
 * For processes that have not inherited the control socket, or have lost it.  A
 * connection is there while a thread waits for its ring: then it is closed, and
 * the program has no descriptor of ours.  An answer that is late is the one
 * exception: one connection of the process may be parked, for whoever looks
 * next.  Whatever the program does to its number is noticed.
 */
#ifndef SYC_EMIT_CONNECTION_H
#define SYC_EMIT_CONNECTION_H

#include <stdbool.h>
#include <stdint.h>

struct sockaddr_un;
struct syc_control_socket;

/**
 * Take @path, of SYSCAP_RECORDER.  False: it is not the path of anything.
 *
 * Context: setup.
 */
bool syc_connection_adopt(const char *path, struct sockaddr_un *ret_address);

/**
 * Ask for a ring, and wait for it until @deadline (ns; 0: not at all), and for
 * nothing else; look whether one that was asked for has come.
 *
 * They return a descriptor (close-on-exec), or -ETIMEDOUT: no answer yet; and
 * other errors.  -ENOENT of the second: nobody has asked.  None is for good.
 * The connection is in *noted meanwhile, where a forked child finds it.
 *
 * Context: any-thread, signal-safe; cancellation is off.
 */
int syc_connection_ask(struct syc_control_socket *noted, int64_t deadline);
int syc_connection_look(void);

/**
 * Send @message as syc_control_send_message() does, over a connection just for
 * that, which is in *noted meanwhile.  -ECONNREFUSED: nobody listens there any
 * more.  -ENOENT: here it leads to nobody.  -EACCES: to nobody of our user.
 *
 * Context: any-thread, signal-safe; cancellation is off.
 */
int syc_connection_send(struct syc_control_socket *noted, const char *message,
                        int fd);

/** In a forked child: close what the parent had noted, if it is that.
 * signal-safe. */
void syc_connection_drop(struct syc_control_socket *noted);

/** In a forked child: close what its parent's threads wait on, and what is
 * parked.  signal-safe. */
void syc_connection_forget(void);

#endif
