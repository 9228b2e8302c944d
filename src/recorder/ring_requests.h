/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ring_requests.h - requests for rings, by the control socket that the command
 * inherits, and by processes that find the recorder by name.
 *
 * Processes that find the recorder by name connect to a socket, and receive
 * rings.
 *
 * The socket is in a separate directory, mode 0700, which other users cannot
 * enter.  The recorder removes the directory at the end.  The next recorder
 * removes the directory of a killed recorder.
 *
 * A caller is one connection, on which one thread usually requests one ring,
 * and then hangs up.  A process connects at an event, so the recorder can
 * report processes without a ring.  No function waits.  No caller can block
 * other callers, because the recorder drops callers that were silent longest.
 */
#ifndef SYC_RECORDER_RING_REQUESTS_H
#define SYC_RECORDER_RING_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/un.h>

#include "recorder/recorder.h"

/*
 * The recorder's end of the control socket, which receives requests and arenas,
 * and sends rings.
 *
 * All processes of a recording share the other end.  The kernel reports the
 * writer of each message (SO_PASSCRED), and never puts bytes of two writers
 * into one message.  So the recorder reassembles requests separately for each
 * sender, and invalid data of one sender does not disturb another sender.
 *
 * Replies carry no name.  Any reply answers any request, so that an unfetched
 * reply serves the next process.  No function waits.
 */

/**
 * Sender of a message, or 0 if unknown, and the fd in the message, or -1 unless
 * the message has exactly one fd.  The fd belongs to the last byte.
 */
struct syc_control_origin {
	int32_t pid;
	int fd;
};

/**
 * A reserved fd, which is closed to receive an fd.  If the fd table is full, an
 * arriving fd is lost without notice to its sender.
 */
struct syc_control_spare {
	int of; /* the fd that the spare fd duplicates */
	int fd; /* the spare fd, or -1 */
};

/** Open a spare fd, if possible. */
void syc_control_spare_keep(struct syc_control_spare *spare);
void syc_control_spare_close(struct syc_control_spare *spare);

/**
 * Read one message into @bytes, like recv(2).  The caller closes a received fd,
 * and then calls syc_control_spare_keep().
 */
ssize_t syc_control_message_read(int socket, void *bytes, size_t size,
                                 struct syc_control_spare *spare,
                                 struct syc_control_origin *ret_origin);

/** Send a reply with the ring @fd, or without a ring if @fd is -1.  Returns 0
 * or -errno. */
int syc_control_message_reply(int socket, int fd);

/** Return whether the same reply may succeed later. */
bool syc_control_message_may_retry(int r);

struct syc_control_server;

/** Actions for received messages. */
struct syc_control_hooks {
	/*
	 * Returns the fd of a ring, which the caller sends and closes.  After
	 * -EAGAIN the sender gets no reply, and after another -errno a reply
	 * without a ring.  @may_retry: after -EMFILE, the caller calls again
	 * with fewer fds open.
	 */
	int (*request)(void *context, int32_t pid, bool may_retry);
	/*
	 * Accept the rings that @pid hands over in @fd, which the caller
	 * closes.  @fd is -1 if the fd did not arrive.  @is_late: whether @pid
	 * announced the rings before.  Messages by two sockets may arrive in
	 * either order.
	 */
	void (*take)(void *context, int32_t pid, int fd, bool is_late);
	/*
	 * Store that @pid cannot send its arena yet, and may end without
	 * sending it.
	 */
	void (*late)(void *context, int32_t pid);
	/* Store that @pid could not send its arena, and ends. */
	void (*lost)(void *context, int32_t pid);
	void *context;
};

/**
 * Create the recorder's and the command's socket.  Both sockets are
 * non-blocking, and close-on-exec until the command gets its socket.
 */
int syc_control_server_pair(int *ret_ours, int *ret_command);

/** Create a server, which takes ownership of the socket @fd. */
int syc_control_server_new(int fd, const struct syc_control_hooks *hooks,
                           struct syc_console *console,
                           struct syc_control_server **ret_server);
void syc_control_server_free(struct syc_control_server *server);

/** Read a bounded number of requests.  Returns false if no process can send
 * more. */
bool syc_control_server_read(struct syc_control_server *server);

/** Send due replies.  Returns true if some replies still wait. */
bool syc_control_server_write(struct syc_control_server *server);

/** Return whether every ring that was sent has been fetched. */
bool syc_control_server_fetched(const struct syc_control_server *server);

/** Send no more rings, and reply to all requests without a ring. */
void syc_control_server_refuse(struct syc_control_server *server);

struct syc_listener {
	int fd; /* -1: no listener exists */
	struct sockaddr_un name;
};

/**
 * Create the directory, in $XDG_RUNTIME_DIR, else in $TMPDIR or /tmp, and
 * listen.  Returns 0, or -errno without a directory left behind.
 */
int syc_listener_open(struct syc_listener *ret_listener);

/** Stop accepting connections, and remove the socket's name and directory. */
void syc_listener_close(struct syc_listener *listener);

struct syc_callers;

/**
 * Create the set of callers of @listener, an fd that the calling function
 * keeps.  @epoll watches the callers, with @data and the number of a caller as
 * data.  Number 0 means new connections.
 */
int syc_callers_new(int listener, int epoll, uint64_t data,
                    const struct syc_control_hooks *hooks,
                    struct syc_console *console,
                    struct syc_callers **ret_callers);
void syc_callers_free(struct syc_callers *callers);

/** Handle an event, by epoll's data. */
void syc_callers_take(struct syc_callers *callers, uint64_t data);

/**
 * Send due replies, and listen again after a pause.  Called once per pass.
 * Returns true if some replies still wait.
 */
bool syc_callers_look(struct syc_callers *callers);

/** Return whether every ring that was sent has been fetched. */
bool syc_callers_fetched(const struct syc_callers *callers);

/**
 * Register the connected processes, send no more rings, and hang up.  Returns
 * the number of processes that never got a ring. @is_known returns whether a
 * pid has other rings.
 */
unsigned syc_callers_end(struct syc_callers *callers,
                         bool (*is_known)(void *context, int32_t pid),
                         void *context);

#endif
