/* SPDX-License-Identifier: BSD-2-Clause */
/* sink.c - what a provider calls while it walks. */
#define _GNU_SOURCE
#include "sample/sink.h"

#include "stack/unwind.h"

int syscap_stack_push(struct syscap_stack_sink *sink,
                      const struct syscap_stack_frame *frame)
{
	if (sink->n >= sink->max) {
		sink->is_full = true;
		return 0;
	}
	sink->frames[sink->n++] = *frame;
	return 1;
}

void *syscap_stack_scratch(struct syscap_stack_sink *sink, size_t *ret_size)
{
	*ret_size = sizeof(sink->scratch);
	return sink->scratch;
}

int syscap_readable(const void *at, size_t n)
{
	return syc_unwind_readable(at, n);
}
