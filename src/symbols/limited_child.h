/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * limited_child.h - a child process with limits, for libraries that are not
 * safe with untrusted input: the C++ demangler, libdw.
 *
 * The child is a fork of this process with limits on memory and CPU time, and
 * answers messages.  If the input breaks the child, the child ends, and the
 * parent notices.  The child also ends if the parent ends or stops it.  Context
 * of all functions: offline, one thread.
 */
#ifndef SYC_SYMBOLS_LIMITED_CHILD_H
#define SYC_SYMBOLS_LIMITED_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/** All zero: no child. */
struct syc_limited_child {
	pid_t pid;
	int fd; /* socket to the child */
	/* CPU time of the children that were stopped before. */
	double seconds_used;
};

struct syc_limited_child_work {
	unsigned long memory; /* bytes, in addition to the inherited memory */
	unsigned seconds;     /* total CPU time; 0: no limit */
	/*
	 * Runs in the child and answers messages on @fd.  Returns when the
	 * parent closes the socket.
	 */
	void (*serve)(void *data, int fd);
	void *data;
};

bool syc_limited_child_start(struct syc_limited_child *child,
                             const struct syc_limited_child_work *work);

/** Stop the child, if there is one. */
void syc_limited_child_stop(struct syc_limited_child *child);

/**
 * Send a message and wait for the answer.  Returns the length of the answer; 0
 * or less: the child has ended and must be stopped.  If @len is 0, only waits.
 */
ssize_t syc_limited_child_ask(const struct syc_limited_child *child,
                              const void *message, size_t len, void *answer,
                              size_t size);

/* ------------------------------------------------------------ in the child */

/** From now on the child has @seconds of CPU time. */
void syc_limited_child_give(unsigned seconds);

/** No more files can be opened.  Open files stay open. */
void syc_limited_child_close_files(void);

#endif
