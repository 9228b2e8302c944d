/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bridge.h - functions of the library that syscap._events exports to
 * syscap._walker.
 *
 * A process has only one copy of the library, in syscap._events.  The walker is
 * built without the library, for each version of Python.
 */
#ifndef SYSCAP_PYTHON_BRIDGE_H
#define SYSCAP_PYTHON_BRIDGE_H

#include <syscap/runtime.h>

#define BRIDGE_NAME "syscap._events.bridge"

/* Signal handlers also call the first functions, by pointers, which need
 * no look-up. */
struct bridge {
	size_t size;
	struct syscap_attachment *(*attach)(
		const struct syscap_provider *provider, void *thread_data);
	void (*detach)(struct syscap_attachment *attachment);
	int (*push)(struct syscap_stack_sink *sink,
	            const struct syscap_stack_frame *frame);
	void *(*scratch)(struct syscap_stack_sink *sink, size_t *ret_size);
	uint64_t (*intern)(const char *name, size_t len);
	int (*readable)(const void *at, size_t n);
	/* Handlers do not call this function (events/thread.h) */
	void (*meet)(void);
	void (*begin)(PyObject *thread);
};

#endif
