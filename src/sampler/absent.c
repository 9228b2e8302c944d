/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * absent.c - the public functions of the sampler and the unwinder for machines
 * that the unwinder does not support: all fail.
 */
#include <errno.h>
#include <string.h>

#include <syscap/runtime.h>
#include <syscap/sampler.h>

int syscap_sampler_start(struct syscap_sampler_options *options)
{
	(void)options;
	return -ENOTSUP;
}

int syscap_sampler_stop(void)
{
	return -ENOENT;
}

void syscap_sampler_get_stats(struct syscap_sampler_stats *stats)
{
	const size_t size = stats->size;

	memset(stats, 0, size);
	stats->size = size;
}

int syscap_catch_crashes(void)
{
	return -ENOTSUP;
}

int syscap_backtrace(uint64_t *addrs, unsigned n, void *leave_out)
{
	(void)addrs;
	(void)n;
	(void)leave_out;
	return 0;
}

int syscap_readable(const void *at, size_t n)
{
	(void)at;
	(void)n;
	return 0;
}

int syscap_stack_push(struct syscap_stack_sink *sink,
                      const struct syscap_stack_frame *frame)
{
	(void)sink;
	(void)frame;
	return 0;
}

void *syscap_stack_scratch(struct syscap_stack_sink *sink, size_t *ret_size)
{
	(void)sink;
	*ret_size = 0;
	return NULL;
}

struct syscap_attachment *
syscap_attach_thread(const struct syscap_provider *provider, void *thread_data)
{
	(void)provider;
	(void)thread_data;
	return NULL;
}

void syscap_detach_thread(struct syscap_attachment *attachment)
{
	(void)attachment;
}

int syscap_safepoint(struct syscap_attachment *attachment)
{
	(void)attachment;
	return 0;
}

size_t syscap_handles_pending(struct syscap_attachment *attachment,
                              const uint64_t **ret_handles)
{
	(void)attachment;
	(void)ret_handles;
	return 0;
}

int syscap_sample_push(struct syscap_attachment *attachment,
                       const struct syscap_regs *regs, uint32_t weight)
{
	(void)attachment;
	(void)regs;
	(void)weight;
	return -ENOTSUP;
}
