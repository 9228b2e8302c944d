/* SPDX-License-Identifier: BSD-2-Clause */
/* interposed.c - what the sampler is told of by functions that stand between
 * the program and its C library. */
#define _GNU_SOURCE
#include "sample/interposed.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "os/seccomp_state.h"
#include "os/signals.h"
#include "os/threads.h"
#include "sample/children.h"
#include "sample/own_timer.h"
#include "sample/rest.h"
#include "sample/scan.h"
#include "sample/signalfds.h"
#include "sample/signals.h"
#include "sample/state.h"
#include "sample/target.h"
#include "sample/tell.h"
#include "sample/timer.h"
#include "sample/unwatched.h"
#include "unwind/memory.h"
#include "unwind/unwind.h"

#define WAIT_NS (INT64_C(10) * 1000000) /* for another thread's look */
/* Where the program's handler would get ticks, if that thread has no processor */
#define WAIT_LONG_NS (INT64_C(5) * 1000000000)

/* False in a vfork() child, whose actions are its own and whose memory is not.
 */
static bool is_sampled_by(const struct syc_sampler *s, int signal)
{
	return s != NULL && !syc_seccomp_is_closed() &&
	       __atomic_load_n(&s->signal, __ATOMIC_RELAXED) == signal &&
	       __atomic_load_n(&s->is_on, __ATOMIC_RELAXED) != 0 &&
	       __atomic_load_n(&s->pid, __ATOMIC_RELAXED) == getpid();
}

static bool is_unwatched(const struct syc_sampler *s)
{
	return s != NULL &&
	       __atomic_load_n(&s->watcher, __ATOMIC_RELAXED) ==
	               SYC_WATCHER_LATER &&
	       __atomic_load_n(&s->pid, __ATOMIC_RELAXED) == getpid();
}

/* False in a box: what a signal's change calls may be forbidden there. */
static bool may_be_told(const struct syc_sampler *s)
{
	return s != NULL && !syc_state_is_boxed(s) && is_unwatched(s);
}

/* @filter: what @deed is about, or NULL. */
static void run_alone(void (*deed)(struct syc_sampler *s,
                                   struct syc_interposed_filter *filter),
                      struct syc_interposed_filter *filter, int64_t wait_ns)
{
	struct syc_sampler *const s = syc_sampler;
	const int saved = errno;
	struct syc_undisturbed before;

	syc_undisturbed_begin(&before);
	if (syc_state_take(&s->life, wait_ns)) {
		syc_thread_list_note_starter(&s->tasks, &before.mask);
		if (s->watcher == SYC_WATCHER_LATER)
			deed(s, filter);
		syc_thread_list_note_starter(&s->tasks, NULL);
		syc_tid_lock_give(&s->life);
	}
	syc_undisturbed_end(&before);
	errno = saved;
}

static void change_signal(struct syc_sampler *s,
                          struct syc_interposed_filter *filter)
{
	(void)s;
	(void)filter;
	syc_unwatched_change_signal();
}

/* Somebody may have taken the signal by a raw system call: ticks don't say.
 * Another thread may be about to put it back that has reset it. */
static void check_signal(struct syc_sampler *s,
                         struct syc_interposed_filter *filter)
{
	(void)s;
	(void)filter;
	syc_unwatched_keep_signal();
}

/* A thread that is about to begin, or to look for others, finds it boxed. */
static void enter_box(struct syc_sampler *s,
                      struct syc_interposed_filter *filter)
{
	const bool is_first = !syc_state_is_boxed(s);

	filter->is_free =
		syc_scan_stop_for_filter(filter->ends_own, filter->ends_all) ||
		is_first;
	__atomic_store_n(&s->is_boxed, true, __ATOMIC_RELAXED);
	syc_children_note_filter(true);
	if (filter->ends_own && filter->is_free)
		syc_unwatched_take_pending(s->signal);
	if (filter->ends_all && filter->is_free)
		syc_signals_uninstall(s->signal);
}

static void leave_box(struct syc_sampler *s,
                      struct syc_interposed_filter *filter)
{
	if (syc_seccomp_has_filter()) /* by another filter */
		return;
	__atomic_store_n(&s->is_boxed, false, __ATOMIC_RELAXED);
	syc_children_note_filter(false);
	if (!filter->ends_all || syc_unwatched_keep_signal())
		syc_scan_start_again();
}

void syc_interposed_on_thread(void)
{
	if (!may_be_told(syc_sampler))
		return;
	syc_tell_at_last();
	if (!syc_unwatched_hand_over())
		run_alone(check_signal, NULL, WAIT_NS);
}

void syc_interposed_on_filter(struct syc_interposed_filter *filter)
{
	if (may_be_told(syc_sampler))
		syc_tell_at_last();
	if (is_unwatched(syc_sampler))
		run_alone(enter_box, filter, WAIT_LONG_NS);
}

void syc_interposed_on_refusal(struct syc_interposed_filter *filter)
{
	if (is_unwatched(syc_sampler))
		run_alone(leave_box, filter, WAIT_LONG_NS);
}

void syc_interposed_on_room(bool is_cramped)
{
	const struct syc_target *const t =
		may_be_told(syc_sampler) ? syc_target_find(gettid()) : NULL;
	const int saved = errno;
	struct syc_undisturbed before;

	if (t == NULL || t->is_cramped == is_cramped)
		return;
	syc_undisturbed_begin(&before);
	if (syc_state_take(&syc_sampler->life, WAIT_NS)) {
		syc_own_timer_note_room(is_cramped);
		syc_tid_lock_give(&syc_sampler->life);
	}
	syc_undisturbed_end(&before);
	errno = saved;
}

void syc_interposed_on_unblock(void)
{
	struct syc_sampler *const s = syc_sampler;
	const int saved = errno;
	struct syc_undisturbed before;

	/* Most often each thread has its timer */
	if (s == NULL ||
	    __atomic_load_n(&s->n_unsampled, __ATOMIC_RELAXED) == 0 ||
	    !may_be_told(s))
		return;
	const struct syc_target *const t = syc_target_find(gettid());
	if (t != NULL && !t->is_cramped && !syc_timer_runs(t)) {
		syc_undisturbed_begin(&before);
		if (syc_state_take(&s->life, WAIT_NS)) {
			if (s->watcher == SYC_WATCHER_LATER)
				syc_own_timer_resume();
			syc_tid_lock_give(&s->life);
		}
		syc_undisturbed_end(&before);
	}
	errno = saved;
}

void syc_interposed_on_unload(void)
{
	struct syc_sampler *const s = syc_sampler;
	const int saved = errno;

	if (may_be_told(s) && syc_state_take(&s->refreshing, WAIT_NS)) {
		syc_unwind_refresh();
		syc_tid_lock_give(&s->refreshing);
	}
	errno = saved;
}

/* Takes no tick meanwhile: those that wait end with the program. */
static void emit_rests(struct syc_sampler *s,
                       struct syc_interposed_filter *filter)
{
	(void)filter;
	__atomic_store_n(&s->is_on, 0, __ATOMIC_SEQ_CST);
	syc_rest_emit(NULL);
	__atomic_store_n(&s->is_on, 1, __ATOMIC_SEQ_CST);
}

void syc_interposed_on_exec(void)
{
	if (may_be_told(syc_sampler) &&
	    syc_sampler->clock != SYSCAP_SAMPLER_WALL)
		run_alone(emit_rests, NULL, WAIT_NS);
}

void (*syc_interposed_others)(int signal);

void syc_interposed_on_handler(int signal)
{
	if (syc_interposed_others != NULL)
		syc_interposed_others(signal);
	if (is_sampled_by(syc_sampler, signal) && may_be_told(syc_sampler))
		run_alone(change_signal, NULL, WAIT_LONG_NS);
}

void syc_interposed_on_reset(int signal)
{
	const int saved = errno;

	if (syc_signals_is_harmless(signal) &&
	    is_sampled_by(syc_sampler, signal))
		syc_signals_install_again(signal);
	errno = saved;
}

void syc_interposed_on_query(int signal, struct sigaction *action)
{
	if (syc_signals_is_harmless(signal))
		syc_signals_unveil(signal, action);
}

const sigset_t *syc_interposed_on_wait(const sigset_t *set, sigset_t *copy)
{
	const struct syc_sampler *const s = syc_sampler;
	uint64_t mask;

	if (s == NULL || set == NULL)
		return set;
	const int signal = __atomic_load_n(&s->signal, __ATOMIC_RELAXED);
	/* The kernel says EFAULT of one that can't be read */
	if (signal == 0 || !is_sampled_by(s, signal) ||
	    syc_memory_is_bad((uintptr_t)set, sizeof(mask)))
		return set;
	memcpy(&mask, set, sizeof(mask));
	const bool are_all = syc_signals_are_all(mask);
	const bool has_ours = (mask & syc_signal_bit(signal)) != 0;
	if (!are_all) /* nor may ticks come by them later */
		syc_signals_give_up(mask & ~syc_signal_bit(signal));
	if (!are_all && has_ours)
		syc_interposed_on_handler(signal);
	if (!are_all || !has_ours)
		return set;
	mask &= ~(UINT64_C(1) << (signal - 1));
	memset(copy, 0, sizeof(*copy));
	memcpy(copy, &mask, sizeof(mask));
	return copy;
}

bool syc_interposed_is_tick(const siginfo_t *info)
{
	return info->si_code == SI_TIMER &&
	       syc_target_is_cookie(
		       (uint64_t)(uintptr_t)info->si_value.sival_ptr);
}

void syc_interposed_on_signalfd(int fd, const sigset_t *set)
{
	uint64_t mask;

	if (syc_sampler == NULL)
		return;
	memcpy(&mask, set, sizeof(mask));
	syc_signalfds_note(fd, mask);
}
