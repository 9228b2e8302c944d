/* SPDX-License-Identifier: BSD-2-Clause */
/* lazy_init.c - decision at the first event whether events are recorded. */
#define _GNU_SOURCE
#include "sysprof_compat/lazy_init.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include <syscap.h>

#include "copies/copies.h"
#include "emit/process.h"
#include "os/env.h"
#include "os/signals.h"
#include "os/syscalls.h"
#include "os/threads.h"

#define WAIT_MS 5000 /* for the deciding thread, on a busy machine */

/* The process that deferred the decision.  A vfork() child, which runs in its
 * parent's memory, must not decide. */
static int32_t deferring_pid;

const char syc_lazy_init_link = 1;

static void defer_in_child(void)
{
	deferring_pid = getpid();
}

static bool has_variable(void)
{
	return syc_env_get(SYC_ENV_CONTROL_FD) != NULL ||
	       syc_env_get(SYC_ENV_TRACE_FD) != NULL;
}

static bool is_open(void)
{
	return __atomic_load_n(&syc_active, __ATOMIC_ACQUIRE) ==
	       SYC_INIT_DEFERRED;
}

static void change_active(int from, int to)
{
	__atomic_compare_exchange_n(&syc_active, &from, to, false,
	                            __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

/* Defer the decision if neither variable was set at load. */
__attribute__((constructor)) static void defer_decision(void)
{
	syc_setup_run();
	if (syc_process_is_there() || has_variable())
		return;
	deferring_pid = getpid();
	pthread_atfork(NULL, NULL, defer_in_child);
	syc_setup_decide = syc_lazy_init_decide;
	change_active(0, SYC_INIT_DEFERRED);
}

static bool may_be_handler(void)
{
	uintptr_t low, high;

	syc_stack_bounds(&low, &high);
	return syc_handler_may_run(low, high);
}

/* Decide again.  Handlers must not call this function. */
static __attribute__((noinline)) void look_again(void)
{
	if (has_variable())
		syc_setup_again();
}

/*
 * Decide in the first caller, with all signals blocked.  Other threads of the
 * process wait for the deciding thread, because otherwise their first event
 * would be lost without a report.  A child that was forked during the wait does
 * not wait.
 */
static void decide_late(void)
{
	static int32_t decider; /* process of the first caller */
	const int32_t before =
		__atomic_exchange_n(&decider, deferring_pid, __ATOMIC_ACQUIRE);

	if (before != 0)
		for (int i = 0; i < WAIT_MS && is_open() && before == getpid();
		     i++)
			syc_futex_nap();
	else if (deferring_pid == getpid() && !may_be_handler())
		look_again();
	change_active(SYC_INIT_DEFERRED, 0);
}

void syc_lazy_init_decide(void)
{
	struct syc_undisturbed before;

	if (!is_open())
		return;
	const int saved = errno;
	syc_undisturbed_begin(&before);
	decide_late();
	syc_undisturbed_end(&before);
	errno = saved;
}
