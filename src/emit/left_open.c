/* SPDX-License-Identifier: BSD-2-Clause */
/* left_open.c - whether something is recorded, left open until the first event.
 */
#define _GNU_SOURCE
#include "emit/left_open.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include <syscap.h>

#include "copies/copies.h"
#include "emit/process.h"
#include "emit/setup.h"
#include "os/env.h"
#include "os/signals.h"
#include "os/syscalls.h"
#include "os/threads.h"

#define WAIT_MS 5000 /* a busy machine may let nobody run for long */

static int32_t who; /* left it open: not a vfork() child, which only borrows */

static void leave_open_in_child(void)
{
	who = getpid();
}

static bool has_variable(void)
{
	return syc_env_get(SYC_ENV_CONTROL_FD) != NULL ||
	       syc_env_get(SYC_ENV_TRACE_FD) != NULL;
}

static bool is_open(void)
{
	return __atomic_load_n(&syc_active, __ATOMIC_ACQUIRE) == SYC_LEFT_OPEN;
}

static void change_active(int from, int to)
{
	__atomic_compare_exchange_n(&syc_active, &from, to, false,
	                            __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

void syc_left_open_begin(void)
{
	syc_setup_run();
	if (syc_process_is_there() || has_variable())
		return;
	who = getpid();
	pthread_atfork(NULL, NULL, leave_open_in_child);
	syc_setup_decide = syc_left_open_decide;
	change_active(0, SYC_LEFT_OPEN);
}

static bool may_be_handler(void)
{
	uintptr_t low, high;

	syc_stack_bounds(&low, &high);
	return syc_handler_may_run(low, high);
}

/* Not to be called in a handler. */
static __attribute__((noinline)) void look_again(void)
{
	if (has_variable())
		syc_setup_again();
}

/*
 * The first caller decides, with all signals blocked; other threads of its
 * process wait for it, or their first event would be lost untold.  A child that
 * was forked meanwhile has nobody to wait for.
 */
static void decide_late(void)
{
	static int32_t decider; /* who it was the first caller of */
	const int32_t before =
		__atomic_exchange_n(&decider, who, __ATOMIC_ACQUIRE);

	if (before != 0)
		for (int i = 0; i < WAIT_MS && is_open() && before == getpid();
		     i++)
			syc_futex_nap();
	else if (who == getpid() && !may_be_handler())
		look_again();
	change_active(SYC_LEFT_OPEN, 0);
}

void syc_left_open_decide(void)
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
