/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * interposed.c - the sampler's side of calls that an interposer reports.
 *
 * The application's signalfds for all signals lack the ticks' signal.  If ticks
 * change to another signal, readers of existing signalfds would get the ticks.
 * So the sampler removes the new signal from these signalfds before the first
 * tick by this signal.
 *
 * A forked child does not change inherited signalfds.  The parent reads the
 * same signalfd, and the parent's ticks use another signal.
 */
#define _GNU_SOURCE
#include "sampler/interposed.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/text.h"
#include "os/fd.h"
#include "os/process.h"
#include "os/seccomp_state.h"
#include "os/signals.h"
#include "os/threads.h"
#include "sampler/sampler.h"
#include "sampler/state.h"
#include "sampler/thread_scan.h"
#include "sampler/tick_signal.h"
#include "sampler/timer.h"
#include "unwind/memory.h"
#include "unwind/unwind.h"

#define FOLDER "/proc/self/fdinfo"
#define MASK   "\nsigmask:\t" /* 16 digits follow */

#define MADE_MAX 16u
#define LOOK_MAX 1024u

/* Read the kernel's lower-case digits, up to the first other character. */
static uint64_t read_number(const char *at, unsigned base)
{
	uint64_t value = 0;

	for (;; at++) {
		const unsigned char c = (unsigned char)*at;

		if (c >= '0' && c <= '9')
			value = value * base + (c - '0');
		else if (base == 16 && c >= 'a' && c <= 'f')
			value = value * base + (c - 'a' + 10u);
		else
			return value;
	}
}

/* Return the set of the signalfd @number, or 0 for another kind of file. */
static uint64_t read_set(const char *number)
{
	char path[sizeof(FOLDER) + 16], about[512];
	struct syc_text text = syc_text_begin(path, sizeof(path));

	syc_text_add(&text, FOLDER "/");
	syc_text_add(&text, number);
	if (syc_small_file_read(path, about, sizeof(about)) == 0)
		return 0;
	const char *const at = strstr(about, MASK);
	return at != NULL ? read_number(at + strlen(MASK), 16) : 0;
}

/* Set the signals of a signalfd.  If the fd now refers to another file, the
 * kernel returns EINVAL or EBADF. */
static bool set_signals(int fd, uint64_t set)
{
	return syscall(SYS_signalfd4, fd, &set, sizeof(set), 0) == fd;
}

/* Remove @signal from the signalfd @number, unless the signalfd has few signals
 * by the program's choice. */
static void leave_out(const char *number, int signal)
{
	const uint64_t set = read_set(number);

	if (syc_signals_are_all(set) && (set & syc_signal_bit(signal)) != 0)
		set_signals((int)read_number(number, 10),
		            set & ~syc_signal_bit(signal));
}

/* Check all open fds up to a limit, because closed fds may have duplicates. */
static void leave_out_of_all(int signal)
{
	struct syc_directory_entry entry;
	struct syc_directory folder;
	const int dir = syc_directory_open(FOLDER);

	if (dir < 0)
		return;
	syc_directory_begin(&folder, dir);
	for (unsigned n = 0;
	     n < LOOK_MAX && syc_directory_next(&folder, &entry); n++)
		leave_out(entry.name, signal);
	syc_directory_close(dir);
}

/* Signalfds that this process made.  Relaxed order suffices: threads that get
 * the same fd one after another are synchronized by the application. */
static struct {
	int32_t pid;
	bool is_full;
	struct {
		int32_t number; /* 1 + the fd; 0: free */
		uint64_t set;
	} made[MADE_MAX];
} known;

static void leave_out_of_known(int signal)
{
	bool are_gone = known.is_full;

	if (known.pid != getpid())
		return;
	for (unsigned i = 0; i < MADE_MAX; i++) {
		const int32_t number = __atomic_load_n(&known.made[i].number,
		                                       __ATOMIC_RELAXED);
		const uint64_t set =
			__atomic_load_n(&known.made[i].set, __ATOMIC_RELAXED) &
			~syc_signal_bit(signal);

		if (number != 0 && syc_signals_are_all(set) &&
		    !set_signals(number - 1, set))
			are_gone = true;
	}
	if (are_gone)
		leave_out_of_all(signal);
}

/* Returns false if entry @i has another fd. */
static bool note_at(unsigned i, int32_t number, uint64_t set)
{
	int32_t before = 0;

	if (!__atomic_compare_exchange_n(&known.made[i].number, &before, number,
	                                 false, __ATOMIC_RELAXED,
	                                 __ATOMIC_RELAXED) &&
	    before != number)
		return false;
	__atomic_store_n(&known.made[i].set, set, __ATOMIC_RELAXED);
	return true;
}

static void note_signalfd(int fd, uint64_t set)
{
	const int32_t pid = getpid();

	if (known.pid != pid) {
		if (known.pid != 0) /* a forked child, which has one thread */
			memset(&known, 0, sizeof(known));
		known.pid = pid;
	}
	__atomic_store_n(&syc_unwatched_before_ticks, leave_out_of_known,
	                 __ATOMIC_RELAXED);
	for (unsigned i = 0; i < MADE_MAX; i++)
		if (note_at(i, fd + 1, set))
			return;
	known.is_full = true;
}

#define WAIT_NS (INT64_C(10) * 1000000) /* limit, during another scan */
/* Wait if the application's handler would otherwise get ticks, because the
 * holder of the lock may wait for a processor */
#define WAIT_LONG_NS (INT64_C(5) * 1000000000)

/* Returns false in a vfork() child, which has its own signal actions but its
 * parent's memory.
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

/* Returns false under a filter, because a filter may forbid the calls that
 * change the signal. */
static bool may_be_told(const struct syc_sampler *s)
{
	return s != NULL && !syc_state_has_filter(s) && is_unwatched(s);
}

/* Run @deed with the argument @filter, which may be NULL, as the holder of
 * `life`. */
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

/* Check whether the application has taken the signal by a raw system call,
 * which no tick reveals.  Another thread that has reset the signal may be about
 * to restore the handler. */
static void check_signal(struct syc_sampler *s,
                         struct syc_interposed_filter *filter)
{
	(void)s;
	(void)filter;
	syc_unwatched_keep_signal();
}

/* Stop sampling before a filter.  A thread checks is_boxed before its first
 * tick, and before a search for other threads. */
static void enter_box(struct syc_sampler *s,
                      struct syc_interposed_filter *filter)
{
	const bool is_first = !syc_state_has_filter(s);

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
	if (syc_seccomp_has_filter()) /* another filter is installed */
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
	syc_sampler_metadata_flush();
	if (!syc_unwatched_hand_over())
		run_alone(check_signal, NULL, WAIT_NS);
}

void syc_interposed_on_filter(struct syc_interposed_filter *filter)
{
	if (may_be_told(syc_sampler))
		syc_sampler_metadata_flush();
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
		syc_thread_timer_note_room(is_cramped);
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

	/* This check suffices in most cases, because each thread has a timer */
	if (s == NULL ||
	    __atomic_load_n(&s->n_unsampled, __ATOMIC_RELAXED) == 0 ||
	    !may_be_told(s))
		return;
	const struct syc_target *const t = syc_target_find(gettid());
	if (t != NULL && !t->is_cramped && !syc_timer_runs(t)) {
		syc_undisturbed_begin(&before);
		if (syc_state_take(&s->life, WAIT_NS)) {
			if (s->watcher == SYC_WATCHER_LATER)
				syc_thread_timer_resume();
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

/* Emit due samples.  No tick is taken during this, because exec discards
 * pending ticks. */
static void emit_rests(struct syc_sampler *s,
                       struct syc_interposed_filter *filter)
{
	(void)filter;
	__atomic_store_n(&s->is_on, 0, __ATOMIC_SEQ_CST);
	syc_final_sample_emit(NULL);
	__atomic_store_n(&s->is_on, 1, __ATOMIC_SEQ_CST);
}

void syc_interposed_on_exec(void)
{
	if (may_be_told(syc_sampler) &&
	    syc_sampler->clock != SYSCAP_SAMPLER_WALL)
		run_alone(emit_rests, NULL, WAIT_NS);
}

void (*syc_interposed_others)(int signal);
int syc_interposed_signal;

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
	int signal =
		s == NULL ? 0 : __atomic_load_n(&s->signal, __ATOMIC_RELAXED);
	uint64_t mask;

	if (signal == 0 || !is_sampled_by(s, signal))
		signal = syc_interposed_signal;
	/* For an unreadable set the kernel returns EFAULT */
	if (signal == 0 || set == NULL ||
	    syc_memory_is_bad((uintptr_t)set, sizeof(mask)))
		return set;
	memcpy(&mask, set, sizeof(mask));
	const bool are_all = syc_signals_are_all(mask);
	const bool has_ours = (mask & syc_signal_bit(signal)) != 0;
	if (!are_all) /* later ticks must not use these signals either */
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
	note_signalfd(fd, mask);
}
