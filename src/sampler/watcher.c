/* SPDX-License-Identifier: BSD-2-Clause */
/* watcher.c - the watcher, a thread that scans for new threads. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "copies/copies.h"
#include "os/env.h"
#include "os/fd.h"
#include "os/process.h"
#include "os/syscalls.h"
#include "os/threads.h"
#include "ring/clock.h"
#include "sampler/sampler.h"
#include "sampler/state.h"
#include "sampler/thread_scan.h"
#include "sampler/tick_signal.h"
#include "session/session.h"
#include "unwind/unwind.h"

#define MS         INT64_C(1000000)
#define PERIOD_NS  (50 * MS)
#define BEGIN_NS   (2000 * MS)
#define REFRESH_NS (10 * MS) /* longer than a fork; later rounds retry */

/* Number of seccomp filters at the start of sampling, inherited by children. */
static uint32_t filters;

/* Return the number of filters, or UINT32_MAX if the number is unknown. */
static uint32_t filters_now(void)
{
	struct syc_thread_status about;
	struct syc_thread_list *const tasks = &syc_sampler->tasks;
	const int dir = syc_thread_list_open();
	int r = dir;

	if (dir >= 0) {
		syc_thread_list_begin(tasks, dir);
		r = syc_thread_list_read_mask(tasks, gettid(), &about);
		syc_thread_list_close(dir);
	}
	return r == 0 ? about.filters : UINT32_MAX;
}

/* Do one round.  Returns false if this round was the last. */
static bool look_once(struct syc_sampler *s, int own_dir)
{
	const int dir = s->owns_table ? own_dir : syc_thread_list_open();

	if (dir < 0) {
		s->result = dir;
		s->why = "cannot read /proc/self/task";
		return false;
	}
	if (syc_state_take(&s->refreshing, REFRESH_NS)) {
		syc_unwind_refresh();
		syc_tid_lock_give(&s->refreshing);
	}
	if (syc_handover_is_due()) {
		s->why = "another copy of the library samples";
		return false;
	}
	/* A filter that was installed since may forbid the sampler's calls */
	if (!syc_state_has_filter(s) && filters_now() != filters)
		__atomic_store_n(&s->is_boxed, true, __ATOMIC_RELAXED);
	/* Library threads must not keep a process alive */
	bool goes_on = syc_unwatched_keep_signal() && syc_scan_threads(dir);
	if (goes_on && s->is_waited_for && s->may_change_signal)
		goes_on = syc_unwatched_change_signal();
	if (!s->owns_table)
		syc_thread_list_close(dir);
	return goes_on;
}

/*
 * Give the watcher a private fd table, if the kernel supports private tables.
 * Without a private table, the watcher would keep pipes open that the program
 * closes.
 */
static bool open_in_own_table(int *ret_dir)
{
	if (!syc_private_fds_make(NULL, 0))
		return false;
	*ret_dir = syc_thread_list_open();
	return true;
}

static void *run_watcher(void *nothing)
{
	struct syc_sampler *const s = syc_sampler;
	int dir = -1;

	(void)nothing;
	syc_library_thread_begin(SYC_THREAD_SAMPLER);
	s->watcher_tid = gettid();
	s->owns_table = open_in_own_table(&dir);
	bool goes_on = look_once(s, dir) && s->result == 0;
	if (goes_on)
		__atomic_store_n(&s->watcher, SYC_WATCHER_RUNS,
		                 __ATOMIC_RELEASE);
	syc_futex_wake(&s->watcher);
	while (goes_on) {
		syc_futex_wait(&s->must_end, 0, PERIOD_NS);
		goes_on =
			__atomic_load_n(&s->must_end, __ATOMIC_ACQUIRE) == 0 &&
			look_once(s, dir);
	}
	__atomic_store_n(&s->is_on, 0, __ATOMIC_SEQ_CST);
	syc_scan_stop_all(true);
	if (syc_handover_is_due()) {
		syc_children_forget();
		syc_claim_give(SYC_CLAIM_SAMPLER);
		syc_handover_done();
	}
	uint32_t *const ended = &s->watcher;
	__atomic_store_n(ended, SYC_WATCHER_ENDED, __ATOMIC_RELEASE);
	syc_futex_wake(ended);
	/* If only library threads remain, end the process as its threads
	 * ended */
	int status;
	if (syc_last_thread_is_caller(&status) && status != 0)
		syc_last_thread_end(status);
	return NULL;
}

int syc_watcher_start(bool waits)
{
	struct syc_sampler *const s = syc_sampler;
	const int64_t deadline = syc_clock_kernel() + BEGIN_NS;
	const uint32_t before = s->watcher;

	s->must_end = 0;
	s->result = 0;
	__atomic_store_n(&s->watcher, SYC_WATCHER_BEGINS, __ATOMIC_RELEASE);
	const int r = syc_library_thread_make(run_watcher, NULL);
	if (r != 0) {
		__atomic_store_n(&s->watcher, before, __ATOMIC_RELEASE);
		s->why = "cannot create the thread that finds threads";
		return r;
	}
	while (waits &&
	       __atomic_load_n(&s->watcher, __ATOMIC_ACQUIRE) ==
	               SYC_WATCHER_BEGINS &&
	       syc_clock_kernel() < deadline)
		syc_futex_wait(&s->watcher, SYC_WATCHER_BEGINS, 100 * MS);
	return waits && __atomic_load_n(&s->watcher, __ATOMIC_ACQUIRE) ==
	                               SYC_WATCHER_ENDED
	               ? s->result
	               : 0;
}

int syc_watcher_stop(int64_t wait_ns)
{
	struct syc_sampler *const s = syc_sampler;
	const int64_t deadline = syc_clock_kernel() + wait_ns;

	__atomic_store_n(&s->is_on, 0, __ATOMIC_SEQ_CST);
	if (s->watcher == SYC_WATCHER_LATER) {
		syc_unwatched_stop();
	} else {
		__atomic_store_n(&s->must_end, 1, __ATOMIC_RELEASE);
		syc_futex_wake(&s->must_end);
	}
	for (;;) {
		const uint32_t watcher =
			__atomic_load_n(&s->watcher, __ATOMIC_ACQUIRE);

		if (watcher == SYC_WATCHER_ENDED || watcher == SYC_WATCHER_NONE)
			break;
		if (syc_clock_kernel() >= deadline)
			return -ETIMEDOUT;
		syc_futex_wait(&s->watcher, watcher, 100 * MS);
	}
	/* A thread that began a sample before is_on was 0 ends the sample
	 * soon */
	while (syc_scan_is_busy()) {
		if (syc_clock_kernel() >= deadline)
			return -ETIMEDOUT;
		syc_futex_nap();
	}
	s->watcher = SYC_WATCHER_NONE;
	return 0;
}

void syc_watcher_note_filters(void)
{
	filters = filters_now();
}
