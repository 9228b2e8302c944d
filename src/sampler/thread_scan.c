/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * thread_scan.c - one scan of all threads.
 *
 * The kernel may reuse the id of an ended thread, but never a thread's timer.
 * So a new thread with an old id has no timer, and the scan must detect the new
 * thread.  The new thread has another start time, and another inode in /proc.
 * Inodes also change if memory is short.
 */
#define _GNU_SOURCE
#include "sampler/thread_scan.h"

#include <errno.h>
#include <stdint.h>
#include <unistd.h>

#include "os/process.h"
#include "os/threads.h"
#include "sampler/state.h"
#include "sampler/tick_signal.h"
#include "sampler/timer.h"

/* The scan reads a thread's start time at least every SURE_ROUNDS rounds. */
#define SURE_ROUNDS 32u
/* The scan checks a thread that blocks the ticks' signal in this many rounds,
 * then rarely */
#define EARLY_TRIES 4u
#define LATE_ROUNDS 16u
/* Number of masks that one round reads, so that many threads are read in
 * rotation */
#define MASKS 32u

struct census {
	struct syc_sampler *s;
	uint32_t n_threads, n_unsampled, n_alive;
	bool is_full;       /* no more timers are available now */
	bool is_waited_for; /* a thread blocks few signals, and among them the
	                     * ticks' signal */
	int error;          /* the last error of another kind */
};

/* Return whether @t's thread is the thread of @task, and has not ended. */
static bool is_same_thread(struct syc_sampler *s, struct syc_target *t,
                           const struct syc_thread_entry *task)
{
	struct syc_thread_status about;
	/* The first thread stays listed after its end */
	const bool is_sure = syc_state_has_filter(s) ||
	                     (task->inode == t->inode &&
	                      (s->round ^ t->number) % SURE_ROUNDS != 0 &&
	                      (task->tid != s->pid || s->n_threads > 1));

	if (is_sure)
		return true;
	if (syc_thread_list_read(&s->tasks, task->tid, &about) != 0 ||
	    about.is_dead || (about.start != t->start && t->start != 0))
		return false;
	t->start = about.start;
	t->inode = task->inode;
	return true;
}

/* Return whether ticks would wait forever, or a sigwait() for all signals would
 * take the ticks.  If waits are visible, a working thread that blocks the
 * signal keeps its timer, and gets its ticks late. */
static bool takes_signal(struct census *look, const struct syc_target *t,
                         const struct syc_thread_status *about)
{
	const int signal = look->s->signal;

	if ((about->blocked >> (signal - 1) & 1) != 0) {
		look->is_waited_for |=
			signal < 32 && !syc_signals_are_all(about->blocked);
		return about->is_asleep || !look->s->sees_waits;
	}
	return about->is_asleep &&
	       syc_thread_list_waits_for(&look->s->tasks, t->tid, signal);
}

/* Count the ticks that @t's thread has handled. */
static uint64_t count_ticks(const struct syc_target *t)
{
	return __atomic_load_n(&t->n_samples, __ATOMIC_RELAXED) +
	       __atomic_load_n(&t->n_refused, __ATOMIC_RELAXED) +
	       __atomic_load_n(&t->n_skipped, __ATOMIC_RELAXED);
}

/*
 * A running thread may be entering or leaving the library's handler, with all
 * signals blocked and `busy` 0.  The mask belongs to the application only if
 * the thread has handled no tick since an earlier check with the same result.
 * If waits are visible, a thread that sleeps shortly keeps its timer, too.
 */
static bool is_beyond_entry(const struct census *look, struct syc_target *t,
                            const struct syc_thread_status *about)
{
	const uint64_t sign = count_ticks(t) + 1;
	const bool is_as_before = t->blocked_at == sign;

	t->blocked_at = sign;
	return is_as_before ||
	       (!look->s->sees_waits &&
	        (about->is_asleep || !syc_signals_are_all(about->blocked)));
}

/*
 * Return whether a thread has begun to block the signal since it got its timer.
 * In this case the thread's sigwait() or signalfd would take its ticks.  The
 * cheap file in /proc lacks real-time signals.
 */
static bool blocks_signal_now(struct census *look, struct syc_target *t)
{
	const uint32_t turns = (syc_target_count() + MASKS - 1) / MASKS;
	struct syc_thread_status about;
	int r;

	/* A thread in the library's handler blocks all signals, even during a
	 * scan */
	if (__atomic_load_n(&t->busy, __ATOMIC_RELAXED) != 0 ||
	    syc_state_has_filter(look->s) ||
	    t->number / MASKS != look->s->round % turns)
		return false;
	if (look->s->signal < 32)
		r = syc_thread_list_read(&look->s->tasks, t->tid, &about);
	else
		r = syc_thread_list_read_mask(&look->s->tasks, t->tid, &about);
	if (r == 0 && takes_signal(look, t, &about))
		return is_beyond_entry(look, t, &about);
	t->blocked_at = 0;
	return false;
}

/* Start a timer for @t, unless its thread would take the ticks by a wait. */
static int start_target(struct census *look, struct syc_target *t)
{
	struct syc_sampler *const s = look->s;
	struct syc_thread_status about;
	int r;

	t->n_tries++;
	if (syc_state_has_filter(s))
		return -EAGAIN;
	r = syc_thread_list_read_mask(&s->tasks, t->tid, &about);
	/* Library threads begin with the program's name, and with all signals
	 * blocked */
	if (r != 0 || about.is_dead || about.is_library_thread)
		return -ESRCH;
	if (about.is_strict || takes_signal(look, t, &about))
		return -EAGAIN;
	if (look->is_full)
		return -EAGAIN;
	r = syc_timer_start(t, syc_timer_clock(s), 0);
	if (r == -EAGAIN || r == -EMFILE || r == -ENFILE)
		look->is_full = true;
	else if (r != 0 && r != -ESRCH)
		look->error = r;
	if (r != 0)
		return r;
	/* Check that the timer's thread is still the thread that was read */
	if (syc_thread_list_read(&s->tasks, t->tid, &about) != 0 ||
	    about.start != t->start)
		return -ESRCH;
	return 0;
}

/* Try to start a timer for @t's thread.  Returns false if the thread has
 * ended. */
static bool try_to_start(struct census *look, struct syc_target *t)
{
	const bool is_time = !t->is_cramped &&
	                     (t->n_tries < EARLY_TRIES ||
	                      (look->s->round ^ t->number) % LATE_ROUNDS == 0);

	return !is_time || start_target(look, t) != -ESRCH;
}

/* Give a new thread a target.  Returns NULL if the thread is not to be
 * sampled. */
static struct syc_target *greet_thread(struct census *look,
                                       const struct syc_thread_entry *task)
{
	struct syc_thread_status about;
	struct syc_target *t;

	if (syc_state_has_filter(look->s)) { /* the thread's files can't be
	                                      * read */
		look->n_alive++;
		look->n_unsampled++;
		return NULL;
	}
	if (syc_thread_list_read(&look->s->tasks, task->tid, &about) != 0 ||
	    about.is_dead || about.is_library_thread)
		return NULL;
	t = syc_target_give(task->tid);
	if (t == NULL) {
		look->n_alive++;
		look->n_unsampled++;
		return NULL;
	}
	t->inode = task->inode;
	t->start = about.start;
	syc_timer_due_from_now(t);
	return t;
}

static void look_at_task(struct census *look,
                         const struct syc_thread_entry *task)
{
	struct syc_target *t = syc_target_find(task->tid);

	if (t != NULL && !is_same_thread(look->s, t, task)) {
		syc_timer_forget(t);
		t = NULL;
	}
	if (t == NULL)
		t = greet_thread(look, task);
	if (t == NULL)
		return;
	t->seen = look->s->round;
	const uint32_t tls =
		__atomic_load_n(&t->tls, __ATOMIC_RELAXED) & SYC_TLS_STATE;
	/* A first tick under a filter would make calls that the filter may
	 * forbid */
	if (tls == SYC_TLS_NONE ||
	    (syc_state_has_filter(look->s) && tls == SYC_TLS_UNKNOWN))
		syc_timer_stop(t);
	else if (syc_timer_runs(t)) {
		if (blocks_signal_now(look, t)) {
			syc_timer_stop(t);
			t->n_tries = 0;
		}
	} else if (!try_to_start(look, t)) {
		syc_timer_forget(t);
		return;
	}
	look->n_alive++;
	if (syc_timer_runs(t))
		look->n_threads++;
	else
		look->n_unsampled++;
}

static void forget_unseen(struct census *look)
{
	for (uint32_t i = 0; i < syc_target_count(); i++) {
		struct syc_target *const t = syc_target_at(i);

		if (t->cookie == 0 || t->seen == look->s->round)
			continue;
		if (syc_tid_is_gone(t->tid)) {
			syc_timer_forget(t);
			continue;
		}
		look->n_alive++;
		look->n_threads += syc_timer_runs(t);
	}
}

bool syc_scan_threads(int dir)
{
	struct census look = { .s = syc_sampler };
	struct syc_sampler *const s = look.s;
	struct syc_thread_entry task;

	s->round++;
	syc_thread_list_begin(&s->tasks, dir);
	while (syc_thread_list_next(&s->tasks, &task))
		if (task.tid != s->watcher_tid)
			look_at_task(&look, &task);
	if (s->tasks.folder.has_failed) { /* do not change targets after a
	                                   * failed scan */
		if (s->n_threads == 0)
			s->result = -EIO;
		return true;
	}
	forget_unseen(&look);
	__atomic_store_n(&s->n_threads, look.n_threads, __ATOMIC_RELAXED);
	__atomic_store_n(&s->n_unsampled, look.n_unsampled, __ATOMIC_RELAXED);
	if (look.n_threads == 0 && look.error != 0)
		s->result = look.error;
	s->is_waited_for = look.is_waited_for;
	return look.n_alive != 0;
}

bool syc_scan_stop_for_filter(bool with_caller, bool is_all)
{
	const int32_t self = gettid();
	bool has_timer = false;

	for (uint32_t i = 0; i < syc_target_count(); i++) {
		struct syc_target *const t = syc_target_at(i);

		if (t->cookie == 0)
			continue;
		if (t->tid == self) { /* the caller's own first tick does no
		                       * scan */
			has_timer = syc_timer_runs(t);
			__atomic_store_n(&t->tls,
			                 syc_target_tls(self, SYC_TLS_OWN),
			                 __ATOMIC_RELAXED);
		}
		if (!is_all &&
		    (t->tid == self ? !with_caller : t->n_samples != 0))
			continue;
		t->was_stopped = syc_timer_runs(t);
		syc_timer_delete(t);
	}
	return has_timer;
}

/* Return whether @t's thread may have ticks.  A thread that began to block all
 * signals after the start of its timer now waits for the new ticks' signal,
 * too. */
static bool may_have_ticks(struct census *look, const struct syc_target *t)
{
	struct syc_thread_status about;

	if (__atomic_load_n(&t->busy, __ATOMIC_RELAXED) != 0)
		return true; /* the handler, not the application, blocks the
		              * signals */
	return syc_thread_list_read_mask(&look->s->tasks, t->tid, &about) ==
	               0 &&
	       !about.is_strict && !takes_signal(look, t, &about);
}

void syc_scan_start_again(void)
{
	struct census look = { .s = syc_sampler };
	const int dir = syc_thread_list_open();

	if (dir >= 0)
		syc_thread_list_begin(&look.s->tasks, dir);
	for (uint32_t i = 0; i < syc_target_count(); i++) {
		struct syc_target *const t = syc_target_at(i);

		if (t->cookie == 0 || !t->was_stopped)
			continue;
		if (dir < 0 || may_have_ticks(&look, t))
			syc_timer_start(t, syc_timer_clock(look.s), 0);
		else
			__atomic_add_fetch(&look.s->n_unsampled, 1,
			                   __ATOMIC_RELAXED);
		t->was_stopped = false;
	}
	if (dir >= 0)
		syc_thread_list_close(dir);
}

/* Return whether another thread that lacks ticks blocks their signal.  @dir is
 * the directory of threads; -1: not open yet. */
static bool lacks_ticks(struct census *look, struct syc_target *t, int *dir)
{
	struct syc_thread_status about;

	if (syc_state_has_filter(look->s) || t->tid == gettid() ||
	    !syc_timer_lacks_ticks(t))
		return false;
	if (*dir < 0) {
		*dir = syc_thread_list_open();
		if (*dir < 0)
			return false;
		syc_thread_list_begin(&look->s->tasks, *dir);
	}
	return syc_thread_list_read_mask(&look->s->tasks, t->tid, &about) ==
	               0 &&
	       !about.is_dead && !about.is_library_thread &&
	       (about.blocked >> (look->s->signal - 1) & 1) != 0;
}

void syc_scan_stop_all(bool forget_them)
{
	struct census look = { .s = syc_sampler };
	int dir = -1;

	for (uint32_t i = 0; i < syc_target_count(); i++) {
		struct syc_target *const t = syc_target_at(i);

		if (t->cookie == 0)
			continue;
		const bool is_silent =
			__atomic_load_n(&t->is_silent, __ATOMIC_RELAXED) ||
			(forget_them && lacks_ticks(&look, t, &dir));

		t->was_stopped = syc_timer_runs(t);
		syc_timer_stop(t);
		t->n_tries = 0;
		if (!forget_them)
			continue;
		if (is_silent)
			syc_timer_count_silent(t, syc_timer_last_at(t));
		syc_target_free(t);
	}
	if (dir >= 0)
		syc_thread_list_close(dir);
	if (forget_them) {
		__atomic_store_n(&syc_sampler->n_threads, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&syc_sampler->n_unsampled, 0,
		                 __ATOMIC_RELAXED);
	}
}

bool syc_scan_is_busy(void)
{
	const int32_t self = gettid();

	for (uint32_t i = 0; i < syc_target_count(); i++) {
		const struct syc_target *const t = syc_target_at(i);

		if (__atomic_load_n(&t->busy, __ATOMIC_SEQ_CST) != 0 &&
		    t->tid != self && !syc_tid_is_gone(t->tid))
			return true;
	}
	return false;
}
