/* SPDX-License-Identifier: BSD-2-Clause */
/* collector_stacks.c - allocations and samples, with their stacks and names. */
#define _GNU_SOURCE
#include <syscap.h>

#define SYSPROF_DROPIN_NO_INLINE
#include <sysprof-6/sysprof-collector.h>

#include "emit/ring_source.h"
#include "emit/sample.h"
#include "sysprof_compat/lazy_init.h"

SYC_EMITS_ADDRESSES;

void sysprof_collector_allocate(SysprofCaptureAddress alloc_addr,
                                int64_t alloc_size,
                                SysprofBacktraceFunc backtrace_func,
                                void *backtrace_data)
{
	syc_lazy_init_check();
	syc_allocation(alloc_addr, alloc_size, backtrace_func, backtrace_data);
}

void sysprof_collector_sample(SysprofBacktraceFunc backtrace_func,
                              void *backtrace_data)
{
	syc_lazy_init_check();
	syc_sample(backtrace_func, backtrace_data, false);
}

void sysprof_collector_trace(SysprofBacktraceFunc backtrace_func,
                             void *backtrace_data, bool entering)
{
	syc_lazy_init_check();
	syc_sample(backtrace_func, backtrace_data, entering);
}
