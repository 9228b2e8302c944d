/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * limited_child.h - a child process for code that nobody answers for: the C++
 * runtime's demangler, libdw.
 *
 * It is a copy of this process, with limits of memory and time, that answers
 * messages.  Whatever the input makes of it, it ends, and that is seen.  It
 * ends too when we do, or stop it.  Context of all: offline, one thread.
 */
#ifndef SYC_SYMBOLS_LIMITED_CHILD_H
#define SYC_SYMBOLS_LIMITED_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/** All zero: there is none. */
struct syc_limited_child {
	pid_t pid;
	int fd; /* to it */
	/* Of a processor, by those before that were stopped. */
	double seconds_used;
};

struct syc_limited_child_work {
	unsigned long memory; /* bytes, beside what it has from us */
	unsigned seconds;     /* of a processor, in all; 0: no limit */
	/* Runs in the child, to answer what comes on @fd; returns at the end. */
	void (*serve)(void *data, int fd);
	void *data;
};

bool syc_limited_child_start(struct syc_limited_child *child,
                             const struct syc_limited_child_work *work);

/** Nothing happens where there is none. */
void syc_limited_child_stop(struct syc_limited_child *child);

/**
 * Send a message and wait for what is answered.  Its length, or what is not
 * above 0: the child is gone and should be stopped.  @len may be 0: only wait.
 */
ssize_t syc_limited_child_ask(const struct syc_limited_child *child,
                              const void *message, size_t len, void *answer,
                              size_t size);

/* ------------------------------------------------------------ in the child */

/** From here on it has @seconds of a processor, else it ends. */
void syc_limited_child_give(unsigned seconds);

/** No file can be opened any more; those that are open stay so. */
void syc_limited_child_close_files(void);

#endif
