/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sampler.c - start and stop of sampling, and its hand-over to another copy.
 */
#define _GNU_SOURCE
#include "sampler/sampler.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/text.h"
#include "copies/copies.h"
#include "emit/process.h"
#include "emit/recorder.h"
#include "emit/sample.h"
#include "os/env.h"
#include "os/process.h"
#include "os/seccomp_state.h"
#include "os/signals.h"
#include "os/syscalls.h"
#include "os/threads.h"
#include "ring/clock.h"
#include "sampler/state.h"
#include "sampler/thread_scan.h"
#include "sampler/tick.h"
#include "sampler/tick_signal.h"
#include "unwind/unwind.h"

/* Greatest wait for another copy, whose watcher checks every 50 ms. */
#define WAIT_MS 1000

static bool offers;

void syc_handover_offer(void)
{
	if (!syc_block_is_there())
		return;
	offers = true;
	__atomic_store_n(&syc_block->sampler_yields, SYC_YIELDS_LATER,
	                 __ATOMIC_RELAXED);
}

void syc_handover_note_signal(int signal)
{
	if (offers)
		__atomic_store_n(&syc_block->sampler_yields, (uint32_t)signal,
		                 __ATOMIC_RELAXED);
}

bool syc_handover_is_due(void)
{
	return offers && __atomic_load_n(&syc_block->sampler_wanted,
	                                 __ATOMIC_RELAXED) != 0;
}

void syc_handover_done(void)
{
	offers = false;
	/* Pairs with the load in syc_handover_ask(): the claim is free */
	__atomic_store_n(&syc_block->sampler_yields, 0, __ATOMIC_RELEASE);
}

bool syc_handover_ask(void)
{
	const int signal =
		syc_block_is_there()
			? (int)__atomic_load_n(&syc_block->sampler_yields,
	                                       __ATOMIC_RELAXED)
			: 0;

	if (signal == 0)
		return false;
	__atomic_store_n(&syc_block->sampler_wanted, 1, __ATOMIC_RELAXED);
	/* A copy without a watcher also checks when it gets its signal.  The
	 * signal must be harmless by default, because the other copy may have
	 * just ended. */
	if (syc_signals_is_harmless(signal))
		syscall(SYS_tgkill, getpid(), gettid(), signal);
	for (int i = 0; i < WAIT_MS; i++) {
		if (__atomic_load_n(&syc_block->sampler_yields,
		                    __ATOMIC_ACQUIRE) == 0)
			return true;
		syc_futex_nap();
	}
	return false;
}

#define MS           INT64_C(1000000)
#define LIFE_WAIT_NS (5000 * MS)
#define STOP_NS      (2000 * MS)
#define EXIT_LIFE_NS (20 * MS)
#define EXIT_NS      (100 * MS)
#define FORK_WAIT_NS (50 * MS)
#define DEFAULT_HZ   1000u
#define MAX_HZ       20000u
#define MIN_DEPTH    32u
#define MAX_SHARE    10u

/* --------------------------------------------------------------- options */

static const char *check_options(struct syscap_sampler_options *o)
{
	if (o->hz == 0)
		o->hz = DEFAULT_HZ;
	if (o->max_depth == 0)
		o->max_depth = SYC_STACK_MAX;
	if (o->max_share == 0)
		o->max_share = MAX_SHARE;
	if (o->clock == SYSCAP_SAMPLER_AUTO)
		o->clock = SYSCAP_SAMPLER_CPU;
	if (o->hz > MAX_HZ)
		return "hz must be 1 to 20000";
	if (o->clock > SYSCAP_SAMPLER_PERF)
		return "unknown clock";
	if (o->max_depth < MIN_DEPTH || o->max_depth > SYC_STACK_MAX)
		return "max_depth must be 32 to 512";
	if (o->max_share > 100)
		return "max_share must be 1 to 100 percent";
	if (o->stacks > SYSCAP_SAMPLER_NATIVE)
		return "unknown kind of stacks";
	return NULL;
}

static int refuse_start(struct syscap_sampler_options *o, const char *why,
                        int r)
{
	syc_text_field(o->message, sizeof(o->message), why);
	syc_diag_say("sampling is off", why);
	return r;
}

/* Return the reason why the first round started no timer. */
static const char *explain_no_timer(int r)
{
	if (syc_sampler->why != NULL)
		return syc_sampler->why;
	if (syc_sampler->clock == SYSCAP_SAMPLER_PERF)
		return r == -EPERM || r == -EACCES
		               ? "perf_event_open() is not allowed: "
		                 "/proc/sys/kernel/perf_event_paranoid is "
		                 "above 2, or seccomp forbids the call"
		               : "perf_event_open() failed";
	return r == -EPERM || r == -ENOSYS || r == -EACCES
	               ? "timer_create() is forbidden by seccomp"
	               : "timer_create() failed";
}

/* ---------------------------------------------------------- start, stop */

static void fill_sampler(const struct syscap_sampler_options *o, int signal)
{
	struct syc_sampler *const s = syc_sampler;

	/* syscap_sampler_get_stats() may read these fields at any time */
	__atomic_store_n(&s->clock, o->clock, __ATOMIC_RELAXED);
	__atomic_store_n(&s->hz, o->hz, __ATOMIC_RELAXED);
	__atomic_store_n(&s->signal, signal, __ATOMIC_RELAXED);
	syc_handover_note_signal(signal);
	s->period_ns = 1000000000 / o->hz;
	s->max_share = o->max_share;
	s->may_change_signal =
		o->signal == 0 && o->clock != SYSCAP_SAMPLER_PERF;
	memset(&s->take, 0, sizeof(s->take));
	s->take.max_depth = o->max_depth;
	s->take.stacks = o->stacks;
	s->why = NULL;
}

/* Start sampling.  The caller holds `life`, and has blocked signals. */
static int start_sampling(struct syscap_sampler_options *o, bool with_children)
{
	struct syc_sampler *const s = syc_sampler;
	int r;

	if (s->watcher == SYC_WATCHER_ENDED)
		s->watcher = SYC_WATCHER_NONE; /* the watcher has ended */
	if (s->watcher != SYC_WATCHER_NONE)
		return refuse_start(o, "this process is sampled already",
		                    -EALREADY);
	r = syc_unwind_prepare();
	if (r != 0)
		return refuse_start(o, "the stack cannot be walked", r);
	r = syc_names_prepare(); /* otherwise a handler would make the table */
	if (r != 0)
		return refuse_start(o, "no memory for names", r);
	if (!syc_claim_take(SYC_CLAIM_SAMPLER))
		return refuse_start(
			o, "another copy of this library samples this process",
			-EALREADY);
	const char *why = "no signal is free";
	/* Children inherit the library's handler, and may reset it */
	const int signal = syc_signals_choose(
		o->clock, o->signal,
		with_children ? SYC_SIGNALS_HARMLESS : SYC_SIGNALS_REAL_TIME,
		&s->tasks);
	r = signal;
	if (r == -EINVAL)
		why = o->clock == SYSCAP_SAMPLER_PERF
		              ? "perf events need " SYC_TICK_SIGNAL_NAME
		              : "the signal must be SIGPROF or a real-time "
		                "signal";
	if (signal < 0)
		goto fail;
	fill_sampler(o, signal);
	syc_tick_prepare();
	syc_unwatched_note_recorder();
	syc_target_init();
	__atomic_store_n(&s->pid, getpid(), __ATOMIC_RELAXED);
	r = syc_signals_install(signal, syc_tick_handle);
	why = "sigaction() failed";
	if (r != 0)
		goto fail;
	__atomic_store_n(&s->is_on, 1, __ATOMIC_SEQ_CST);
	/* If an interposer reports threads, no library thread is made, because
	 * many programs check whether they have a single thread */
	if (syc_unwatched_is_preferred()) {
		r = syc_unwatched_start(false);
	} else {
		syc_watcher_note_filters();
		r = syc_watcher_start(true);
	}
	if (r != 0) {
		why = explain_no_timer(r);
		syc_watcher_stop(STOP_NS);
		goto fail;
	}
	return 0;
fail:
	__atomic_store_n(&s->is_on, 0, __ATOMIC_SEQ_CST);
	syc_claim_give(SYC_CLAIM_SAMPLER);
	return refuse_start(o, why, r);
}

/* Prepare the state of this process.  Fails in a vfork() child, because its
 * memory is the parent's. */
static int prepare_process(void)
{
	if (syc_setup_prepare() != 0 || syc_state_map() != 0)
		return -ENOMEM;
	const int32_t pid =
		__atomic_load_n(&syc_sampler->pid, __ATOMIC_RELAXED);
	return pid == 0 || pid == getpid() ? 0 : -EPERM;
}

int syc_sampler_begin(struct syscap_sampler_options *o, bool with_children)
{
	struct syc_undisturbed before;
	int r;

	const char *const wrong = check_options(o);
	if (wrong != NULL)
		return refuse_start(o, wrong, -EINVAL);
	r = prepare_process();
	if (r != 0)
		return refuse_start(
			o,
			r == -EPERM ? "a vfork() child cannot be sampled"
				    : "no memory",
			r);
	syc_undisturbed_begin(&before);
	if (!syc_state_take(&syc_sampler->life, LIFE_WAIT_NS)) {
		r = refuse_start(o, "another start or stop is in progress",
		                 -EBUSY);
	} else {
		syc_thread_list_note_starter(&syc_sampler->tasks, &before.mask);
		r = start_sampling(o, with_children);
		syc_thread_list_note_starter(&syc_sampler->tasks, NULL);
		if (r == 0) {
			syc_sampler_metadata_describe(o->message,
			                              sizeof(o->message));
			syc_diag_say("sampling is on", o->message);
			syc_children_remember(with_children);
		}
		syc_tid_lock_give(&syc_sampler->life);
	}
	if (r == 0)
		/* @with_children is true if the environment started sampling */
		syc_sampler_metadata_begin(with_children &&
		                           syc_unwatched_is_interposed());
	syc_undisturbed_end(&before);
	return r;
}

static int end_sampling(int64_t life_ns, int64_t stop_ns)
{
	struct syc_sampler *const s = syc_sampler;
	struct syc_undisturbed before;
	int r = -EBUSY;

	if (s == NULL || __atomic_load_n(&s->pid, __ATOMIC_RELAXED) != getpid())
		return -ENOENT;
	syc_undisturbed_begin(&before);
	if (syc_state_take(&syc_sampler->life, life_ns)) {
		r = -ENOENT;
		if (s->watcher != SYC_WATCHER_NONE) {
			const bool ended = s->watcher == SYC_WATCHER_ENDED;

			r = syc_watcher_stop(stop_ns);
			if (r == 0) {
				syc_claim_give(SYC_CLAIM_SAMPLER);
				syc_children_forget();
				r = ended ? -ENOENT : 0;
			}
		}
		syc_tid_lock_give(&syc_sampler->life);
	}
	syc_undisturbed_end(&before);
	return r;
}

int syc_sampler_end(void)
{
	const int r = end_sampling(LIFE_WAIT_NS, STOP_NS);

	if (r == 0)
		syc_diag_say("sampling is off",
		             "syscap_sampler_stop() was called");
	return r;
}

/* ------------------------------------------------------------ fork, exit */

/*
 * Start sampling in a child of fork(), without a library thread.  The
 * application's allocator may still be locked, because its fork handler may run
 * after the library's handler.  A process with several threads can't enter some
 * namespaces, and a child that calls exec needs no thread.  A timer for the
 * child's only thread costs some microseconds, and the timer's ticks find other
 * threads.
 */
static void begin_child(void)
{
	struct syc_sampler *const s = syc_sampler;
	const int saved = errno;

	if (s == NULL || syc_seccomp_is_closed() || s->pid == getpid())
		return;
	if (s->pid != 0) { /* the memory was not wiped */
		memset(s, 0, sizeof(*s));
		syc_target_wipe();
	}
	if (!syc_children_take_over()) {
		errno = saved;
		return;
	}
	__atomic_store_n(&s->is_on, 1, __ATOMIC_SEQ_CST);
	if (syc_unwatched_start(true) != 0) {
		__atomic_store_n(&s->is_on, 0, __ATOMIC_SEQ_CST);
		s->watcher = SYC_WATCHER_NONE;
		syc_claim_give(SYC_CLAIM_SAMPLER);
	}
	errno = saved;
}

/*
 * Take the lock `refreshing`.  The watcher holds this lock while it reads the
 * loader's list, under the loader's lock.  If a fork copies the held loader's
 * lock, the child's first dlopen() waits forever, because glibc does not
 * release the copy.  So a fork waits for the watcher.  If the forking thread
 * itself holds the lock, in dl_iterate_phdr(), the watcher waits for the
 * forking thread, so the fork's wait ends early.
 */
static void begin_fork(void)
{
	const int saved = errno;

	if (syc_seccomp_is_closed())
		return;
	syc_sampler_metadata_flush(); /* before a child inherits the delayed
	                               * report */
	if (syc_sampler != NULL)
		syc_state_take(&syc_sampler->refreshing, FORK_WAIT_NS);
	errno = saved;
}

/* Release the lock, which is zero in a child, because the lock's memory was
 * wiped. */
static void end_fork(void)
{
	const int saved = errno;

	if (syc_sampler != NULL && !syc_seccomp_is_closed())
		syc_tid_lock_give(&syc_sampler->refreshing);
	errno = saved;
}

void syc_sampler_watch_forks(void)
{
	pthread_atfork(begin_fork, end_fork, begin_child);
}

/* Later ticks find is_on cleared, or take a sample that is not recorded.  In
 * both cases the ticks use only memory that stays mapped. */
__attribute__((destructor)) static void end_at_exit(void)
{
	const struct syc_sampler *const s = syc_sampler;

	if (syc_seccomp_is_closed())
		return;
	const bool was_on = s != NULL && s->pid == getpid() && s->is_on != 0;

	end_sampling(EXIT_LIFE_NS, EXIT_NS);
	/* A seccomp filter may forbid opening a file */
	if (was_on && syc_sampler_metadata_end() && !syc_state_has_filter(s))
		syc_process_maps_report();
}
