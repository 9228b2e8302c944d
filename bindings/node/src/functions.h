/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * functions.h - functions that the addon for V8's frames gets from syscap.node.
 *
 * Only syscap.node contains the library: a second copy would have its own
 * sampler, without attached threads.
 */
#ifndef SN_FUNCTIONS_H
#define SN_FUNCTIONS_H

#include <stddef.h>
#include <stdint.h>

#include <syscap/runtime.h>

struct sn_functions {
	uint32_t size; /* sizeof: both addons must agree */
	struct syscap_attachment *(*attach_thread)(
		const struct syscap_provider *provider, void *thread_data);
	void (*detach_thread)(struct syscap_attachment *attachment);
	int (*stack_push)(struct syscap_stack_sink *sink,
	                  const struct syscap_stack_frame *frame);
	void *(*stack_scratch)(struct syscap_stack_sink *sink,
	                       size_t *ret_size);
	int (*readable)(const void *at, size_t n);
	/* 0: no space */
	int (*code_add)(int64_t time, uintptr_t start, size_t len,
	                const char *name);
	int (*code_move)(int64_t time, uintptr_t from, uintptr_t to,
	                 size_t len);
	int (*is_active)(void);
	int64_t (*clock)(void);
	/* True if stacks must hold only the runtime's frames */
	int (*is_managed)(void);
};

#endif
