/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bridge.h - what syscap._events, which holds the library, hands to
 * syscap._walker: there is one copy of the library in a process, and the
 * walker can be built for one version of Python without it.
 */
#ifndef SYSCAP_PYTHON_BRIDGE_H
#define SYSCAP_PYTHON_BRIDGE_H

#include <syscap/runtime.h>

#define BRIDGE_NAME "syscap._events.bridge"

/* What stands first is called in signal handlers too: pointers, so that
 * nothing is looked up there. */
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
	/* Not there: events/thread.h */
	void (*meet)(void);
	void (*begin)(PyObject *thread);
};

#endif
