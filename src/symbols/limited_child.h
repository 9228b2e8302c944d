/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * limited_child.h - child process with limits, for libraries that are unsafe
 * with untrusted input or may hang: the C++ demangler, libdw and libdebuginfod.
 *
 * The child is a fork of this process with limits on memory and CPU time, and
 * answers messages.  If the input crashes the child, the parent detects the
 * exit.  The child also ends if the parent ends, or stops the
 * child.  Context of all functions: offline, one thread.
 */
#ifndef SYC_SYMBOLS_LIMITED_CHILD_H
#define SYC_SYMBOLS_LIMITED_CHILD_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/** A limited child.  A zero-initialized struct has none. */
struct syc_limited_child {
	pid_t pid;
	int fd; /* socket to the child */
	/* CPU time of the children that were stopped before. */
	double seconds_used;
};

struct syc_limited_child_work {
	unsigned long memory; /* bytes, in addition to the inherited memory */
	unsigned seconds;     /* total CPU time, or 0 without a limit */
	/*
	 * Function that answers messages on @fd, in the child, and returns when
	 * the parent closes the socket.
	 */
	void (*serve)(void *data, int fd);
	void *data;
};

bool syc_limited_child_start(struct syc_limited_child *child,
                             const struct syc_limited_child_work *work);

/** Stop the child, if any. */
void syc_limited_child_stop(struct syc_limited_child *child);

/**
 * Send a message, unless @len is 0, and wait for the answer.  Returns the
 * length of the answer.  If the length is 0 or less, the child has ended, and
 * the caller must stop the child.
 */
ssize_t syc_limited_child_ask(const struct syc_limited_child *child,
                              const void *message, size_t len, void *answer,
                              size_t size);

/* ------------------------------------------------------------ in the child */

/** Give the child @seconds of CPU time from now on. */
void syc_limited_child_give(unsigned seconds);

/** Prevent the child from opening more files.  Open files stay open. */
void syc_limited_child_close_files(void);

#endif
