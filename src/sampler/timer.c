/* SPDX-License-Identifier: BSD-2-Clause */
/* timer.c - timers of sampled threads, by direct system calls, and their final
 * samples. */
#define _GNU_SOURCE
#include "sampler/timer.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <syscap.h>

#include "emit/sample.h"
#include "emit/thread.h"
#include "os/fd.h"
#include "os/signals.h"
#include "os/syscalls.h"
#include "ring/clock.h"
#include "sampler/sampler.h"
#include "sampler/state.h"
#include "sampler/tick_signal.h"

#ifndef sigev_notify_thread_id
#define sigev_notify_thread_id _sigev_un._tid
#endif

#define SECOND 1000000000

/* Return the kernel's name for the processor time of one thread of this
 * process. */
static clockid_t cpu_clock_of(int32_t tid)
{
	return (clockid_t)(~(uint32_t)tid << 3 | 6u);
}

/* Return a random time in [1, period].  So threads that live for less than a
 * period get their share of ticks, and threads that begin together don't tick
 * together.  If earlier ticks were ahead of the processor time (carried_ns <
 * 0), return a full period until the lead is used up. */
static int64_t random_phase(const struct syc_target *t)
{
	uint64_t x = (uint64_t)syc_clock_kernel() ^ t->cookie;

	if (syc_sampler->carried_ns < 0)
		return syc_sampler->period_ns;
	x = (x ^ x >> 31) * UINT64_C(0x9E3779B97F4A7C15);
	x = (x ^ x >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
	return 1 + (int64_t)((x >> 16) % (uint64_t)syc_sampler->period_ns);
}

static struct timespec to_timespec(int64_t ns)
{
	return (struct timespec){ .tv_sec = (time_t)(ns / SECOND),
		                  .tv_nsec = (long)(ns % SECOND) };
}

/* Create and arm a timer.  Returns the timer's number, or -errno. */
static int arm_timer(clockid_t clock, struct sigevent *event, int64_t first_ns,
                     int64_t period_ns)
{
	const struct itimerspec when = {
		.it_interval = to_timespec(period_ns),
		.it_value = to_timespec(first_ns),
	};
	int timer;

	event->sigev_signo = syc_sampler->signal;
	if (syscall(SYS_timer_create, clock, event, &timer) != 0)
		return -errno;
	if (syscall(SYS_timer_settime, timer, 0, &when, NULL) != 0) {
		const int r = -errno;

		syscall(SYS_timer_delete, timer);
		return r;
	}
	return timer;
}

static int start_timer(struct syc_target *t, clockid_t clock, int64_t delay_ns)
{
	struct sigevent event;

	memset(&event, 0, sizeof(event));
	event.sigev_notify = SIGEV_THREAD_ID;
	event.sigev_value.sival_ptr = (void *)(uintptr_t)t->cookie;
	event.sigev_notify_thread_id = t->tid;
	/* store these fields before the timer can tick */
	__atomic_store_n(&t->sleeper.is_slow, false, __ATOMIC_RELAXED);
	__atomic_store_n(&t->n_owed,
	                 (int32_t)(delay_ns / syc_sampler->period_ns),
	                 __ATOMIC_RELAXED);
	const int timer = arm_timer(clock, &event, delay_ns + random_phase(t),
	                            syc_sampler->period_ns);
	if (timer < 0)
		/* EINVAL: the thread, or its clock, does not exist */
		return timer == -EINVAL ? -ESRCH : timer;
	__atomic_store_n(&t->timer, timer, __ATOMIC_RELAXED);
	return 0;
}

/* Set the period.  A handler may call this function with a deleted timer, whose
 * number the kernel does not reuse soon. */
bool syc_timer_set_period(const struct syc_target *t, int64_t period_ns)
{
	const int timer = __atomic_load_n(&t->timer, __ATOMIC_RELAXED);
	const struct itimerspec when = {
		.it_interval = to_timespec(period_ns),
		.it_value = to_timespec(period_ns),
	};

	return timer >= 0 &&
	       syscall(SYS_timer_settime, timer, 0, &when, NULL) == 0;
}

void syc_timer_due_from_now(struct syc_target *t)
{
	t->due_from += syc_kernel_clock(cpu_clock_of(t->tid));
}

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/*
 * Start a free-running perf event, which the handler need not arm again.
 * Standard signals don't queue up, and the thread's clock gives the weight of
 * time without a signal.
 *
 * An event lives as long as its mapping, and its signal carries the number of
 * its fd.  The fd is closed immediately, so the event occupies no fd of the
 * application.  A forked child does not inherit the mapping.
 */
static int start_perf(struct syc_target *t)
{
	const struct f_owner_ex owner = { .type = F_OWNER_TID, .pid = t->tid };
	struct perf_event_attr attr;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_CPU_CLOCK;
	attr.sample_period = (uint64_t)syc_sampler->period_ns;
	attr.wakeup_events = 1;
	attr.disabled = 1;
	attr.exclude_kernel = 1;
	attr.exclude_hv = 1;
	const unsigned held = syc_fd_hold();
	const int fd = syc_fd_release(held, (int)syscall(SYS_perf_event_open,
	                                                 &attr, t->tid, -1, -1,
	                                                 PERF_FLAG_FD_CLOEXEC));
	if (fd < 0)
		return -errno;
	t->cpu_seen = syc_kernel_clock(cpu_clock_of(t->tid));
	void *const page =
		mmap(NULL, page_size(), PROT_READ, MAP_SHARED, fd, 0);
	int r = page == MAP_FAILED ? -errno : 0;
	if (r == 0) {
		__atomic_store_n(&t->perf_fd, fd, __ATOMIC_RELEASE);
		if (fcntl(fd, F_SETSIG, syc_sampler->signal) != 0 ||
		    fcntl(fd, F_SETOWN_EX, &owner) != 0 ||
		    fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK) != 0 ||
		    ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) != 0)
			r = -errno;
	}
	if (r == 0) {
		t->perf_page = page;
	} else {
		t->perf_fd = -1;
		if (page != MAP_FAILED)
			munmap(page, page_size());
	}
	syscall(SYS_close, fd);
	return r;
}

int syc_timer_start(struct syc_target *target, uint32_t clock, int64_t delay_ns)
{
	switch (clock) {
	case SYSCAP_SAMPLER_PERF: {
		const int r = start_perf(target);

		/* The page may exceed the limit perf_event_mlock_kb */
		if (r == 0 || target->number == 0)
			return r;
		return start_timer(target, cpu_clock_of(target->tid), delay_ns);
	}
	case SYSCAP_SAMPLER_WALL:
		return start_timer(target, CLOCK_MONOTONIC, delay_ns);
	default:
		return start_timer(target, cpu_clock_of(target->tid), delay_ns);
	}
}

uint32_t syc_timer_clock(const struct syc_sampler *s)
{
	const bool is_child = s->is_child && s->watcher == SYC_WATCHER_LATER;

	return is_child && s->clock == SYSCAP_SAMPLER_PERF ? SYSCAP_SAMPLER_CPU
	                                                   : s->clock;
}

static void stop_timer(struct syc_target *target, bool is_deleted)
{
	const int timer = target->timer;

	/* From here on a handler can't set the timer, which is deleted next */
	__atomic_store_n(&target->timer, -1, __ATOMIC_RELAXED);
	if (timer >= 0 && is_deleted)
		syscall(SYS_timer_delete, timer);
	if (target->perf_page != NULL)
		munmap(target->perf_page, page_size());
	target->perf_page = NULL;
	target->perf_fd = -1;
}

/* Stop the timer.  If a filter may forbid the deletion, the timer ends with the
 * process. */
void syc_timer_stop(struct syc_target *target)
{
	stop_timer(target, !syc_state_has_filter(syc_sampler));
}

void syc_timer_delete(struct syc_target *target)
{
	stop_timer(target, true);
}

void syc_timer_forget(struct syc_target *target)
{
	syc_timer_stop(target);
	syc_target_free(target);
}

int syc_timer_start_scout(int64_t period_ns)
{
	struct sigevent event;

	memset(&event, 0, sizeof(event));
	event.sigev_notify = SIGEV_SIGNAL;
	event.sigev_value.sival_ptr =
		(void *)(uintptr_t)syc_target_scout_cookie();
	return arm_timer(CLOCK_PROCESS_CPUTIME_ID, &event, period_ns,
	                 period_ns);
}

void syc_timer_stop_scout(int timer)
{
	if (!syc_state_has_filter(syc_sampler))
		syscall(SYS_timer_delete, timer);
}

uint32_t syc_timer_weigh_cpu(struct syc_target *target)
{
	const int64_t period = syc_sampler->period_ns;
	const int64_t now = syc_kernel_clock(CLOCK_THREAD_CPUTIME_ID);
	const int64_t n = (now - target->cpu_seen) / period;

	if (n <= 1) {
		/* let the next ticks make up for early ticks */
		target->cpu_seen += period;
		return 1;
	}
	target->cpu_seen += n * period;
	return n < UINT32_MAX ? (uint32_t)n : UINT32_MAX;
}

/* Most forked children that call exec do so within this time */
#define CHILD_DELAY_NS (INT64_C(10) * 1000000)

int syc_thread_timer_begin_alone(bool is_child)
{
	struct syc_sampler *const s = syc_sampler;

	s->is_child = is_child;
	/* syc_timer_clock() needs s->watcher, which is not set yet */
	uint32_t clock = is_child && s->clock == SYSCAP_SAMPLER_PERF
	                         ? SYSCAP_SAMPLER_CPU
	                         : s->clock;
	struct syc_target *const t = syc_target_give(gettid());

	if (t == NULL)
		return -ENOMEM;
	t->start = 0; /* set by the first scan */
	t->inode = 0;
	t->n_tries = 1;
	s->n_threads = 1;
	/* Ticks by a signal that kills begin only in a child that uses
	 * processor time.  A sleeping child may have reset its handlers, and
	 * may wait before exec */
	s->is_new_child = is_child && !syc_signals_is_harmless(s->signal) &&
	                  clock == SYSCAP_SAMPLER_WALL;
	if (s->is_new_child)
		clock = SYSCAP_SAMPLER_CPU;
	const int r = syc_timer_start(t, clock, is_child ? CHILD_DELAY_NS : 0);
	if (r != 0)
		syc_target_free(t);
	else if (!is_child)
		syc_timer_due_from_now(t);
	return r;
}

static bool blocks_ticks(uint64_t blocked)
{
	return (blocked & syc_signal_bit(syc_sampler->signal)) != 0;
}

/* Start a timer even if the thread blocks the signal.  The ticks wait until the
 * thread unblocks the signal. */
static bool start_self(struct syc_target *t)
{
	struct syc_sampler *const s = syc_sampler;
	uint32_t *reason;

	if (t->is_cramped)
		reason = &s->n_small;
	else if (syc_timer_start(t, syc_timer_clock(s), 0) != 0)
		reason = &s->n_limited;
	else
		return true;
	__atomic_add_fetch(reason, 1, __ATOMIC_RELAXED);
	return false;
}

static void begin_self(uint64_t blocked, bool is_cramped)
{
	struct syc_sampler *const s = syc_sampler;
	const int32_t tid = gettid();
	struct syc_target *t = syc_target_find(tid);
	uint32_t *count = &s->n_unsampled;

	if (t != NULL) /* free the target of an earlier thread with this id */
		syc_timer_forget(t);
	t = syc_target_give(tid);
	if (t != NULL) {
		t->start = 0; /* set by the first scan */
		t->inode = 0;
		t->is_cramped = is_cramped;
		t->is_silent = blocks_ticks(blocked);
		/* A thread that runs this code has thread-local storage */
		__atomic_store_n(&t->tls, syc_target_tls(tid, SYC_TLS_OWN),
		                 __ATOMIC_RELAXED);
		if (start_self(t))
			count = &s->n_threads;
	}
	__atomic_add_fetch(count, 1, __ATOMIC_RELAXED);
}

void syc_thread_timer_begin(uint64_t blocked)
{
	begin_self(blocked, false);
}

void syc_thread_timer_begin_cramped(uint64_t blocked)
{
	begin_self(blocked, true);
}

/* Store the stack's size.  The next scan updates the count of threads with a
 * timer. */
void syc_thread_timer_note_room(bool is_cramped)
{
	struct syc_target *const t = syc_target_find(gettid());

	if (t == NULL || t->is_cramped == is_cramped)
		return;
	t->is_cramped = is_cramped;
	if (is_cramped)
		syc_timer_stop(t);
	else
		start_self(t);
}

void syc_thread_timer_resume(void)
{
	struct syc_target *const t = syc_target_find(gettid());

	if (t != NULL && !t->is_cramped && !syc_timer_runs(t))
		start_self(t);
}

int64_t syc_timer_last_at(struct syc_target *t)
{
	return __atomic_load_n(&syc_target_workspace(t)->last_at,
	                       __ATOMIC_RELAXED);
}

bool syc_timer_lacks_ticks(struct syc_target *t)
{
	return syc_sampler->clock == SYSCAP_SAMPLER_WALL &&
	       __atomic_load_n(&t->is_unticked, __ATOMIC_RELAXED) &&
	       (syc_timer_runs(t) || t->blocked_at != 0) &&
	       syscap_clock() - syc_timer_last_at(t) >=
	               2 * syc_sampler->period_ns;
}

void syc_timer_count_silent(const struct syc_target *t, int64_t start)
{
	struct syc_sampler *const s = syc_sampler;
	const bool is_asleep = s->clock == SYSCAP_SAMPLER_WALL && start != 0 &&
	                       syc_kernel_clock(cpu_clock_of(t->tid)) <
	                               (syscap_clock() - start) / 20;

	__atomic_add_fetch(is_asleep ? &s->n_asleep : &s->n_blocked, 1,
	                   __ATOMIC_RELAXED);
}

void syc_thread_timer_end(uint64_t blocked)
{
	struct syc_target *const t = syc_target_find(gettid());
	uint32_t *count;

	if (t == NULL)
		return;
	if (blocks_ticks(blocked) &&
	    ((t->is_silent && syc_timer_runs(t)) || syc_timer_lacks_ticks(t)))
		syc_timer_count_silent(t, syc_timer_last_at(t));
	else
		syc_final_sample_emit(t);
	count = syc_timer_runs(t) ? &syc_sampler->n_threads
	                          : &syc_sampler->n_unsampled;
	syc_timer_forget(t);
	if (__atomic_load_n(count, __ATOMIC_RELAXED) != 0)
		__atomic_sub_fetch(count, 1, __ATOMIC_RELAXED);
}

void syc_thread_timer_settle(void)
{
	struct syc_sampler *const s = syc_sampler;
	struct syc_target *const t = syc_target_find(gettid());

	s->is_new_child = false;
	if (t == NULL)
		return;
	syc_timer_stop(t);
	syc_timer_start(t, syc_timer_clock(s), 0);
}

/*
 * Samples of the processor time since a thread's last tick, if no other tick
 * will come.
 *
 * A kernel of 250 Hz checks a thread's clock every 4 ms.  So on average the
 * last 2 ms of a thread have no tick, and many threads have no tick at all.
 * Whole periods of the time without ticks become one more sample, with the
 * thread's last stack.  If the thread had no sample, the stack has only the
 * start function, or is empty for the main thread.  The process carries less
 * than a period to the next thread that ends.
 */

/* Return the periods of a thread's clock since the thread's last tick.  The
 * error is less than a period for a thread, and for the sum over all threads.
 * The rest of the time until now is added to the carried time, because the
 * thread continues if an exec fails. */
static uint32_t take_due(struct syc_target *t)
{
	struct syc_sampler *const s = syc_sampler;
	const int64_t period = s->period_ns;
	const int64_t clock = syc_kernel_clock(cpu_clock_of(t->tid));
	const int64_t left = clock - t->due_from - (int64_t)t->n_due * period;
	uint32_t n = 0;

	if (clock == 0) /* the thread has ended */
		return 0;
	if (left > 0)
		n = (uint32_t)(left / period);
	t->due_from += left;
	t->cpu_seen = clock;
	s->carried_ns += left - n * period;
	if (s->carried_ns >= period) {
		s->carried_ns -= period;
		n++;
	}
	return n;
}

/* Emit a due sample, and reduce the weight of the thread's next ticks, which
 * include the same time. */
static void emit_due(struct syc_target *t, uint32_t weight)
{
	const int64_t weight_ns = weight * syc_sampler->period_ns;
	const struct syc_workspace *const last = syc_target_workspace(t);
	/* The stack's libraries were mapped at last_at, and may be unmapped
	 * now */
	const int64_t at = last->n_last != 0 ? last->last_at : syscap_clock();

	syc_sampler_metadata_flush();
	syc_sample_emit_tagged(at, last->addrs, last->n_last, last->last_flags,
	                       syc_sample_tag(weight), t->tid);
	t->due_from -= weight_ns;
	__atomic_store_n(&t->n_due, t->n_due + weight, __ATOMIC_RELAXED);
	__atomic_sub_fetch(&t->n_owed, (int32_t)weight, __ATOMIC_RELAXED);
}

/* The counterpart is take_tick().  A tick that begins after this check finds
 * is_on cleared. */
static bool is_due(const struct syc_target *t)
{
	return t->cookie != 0 && syc_timer_runs(t) && !t->is_silent &&
	       (t->tid == gettid() ||
	        __atomic_load_n(&t->busy, __ATOMIC_SEQ_CST) == 0);
}

void syc_final_sample_emit(const struct syc_target *only)
{
	struct syc_sampler *const s = syc_sampler;
	const uint32_t end =
		only != NULL ? only->number + 1 : syc_target_count();
	struct syc_target *t, *last = NULL;
	uint32_t n = 0;

	if (s->clock == SYSCAP_SAMPLER_WALL || syc_state_has_filter(s) ||
	    !syscap_is_active() || syc_thread_has_ended())
		return;
	for (uint32_t i = only != NULL ? only->number : 0;; i++) {
		t = i < end ? syc_target_at(i) : NULL;
		if (t != NULL && !is_due(t))
			continue;
		/* After the last thread, round the carried time to a whole
		 * period */
		if (t == NULL && last != NULL && only == NULL &&
		    2 * s->carried_ns >= s->period_ns) {
			s->carried_ns -= s->period_ns;
			n++;
		}
		if (n != 0)
			emit_due(last, n);
		if (t == NULL)
			return;
		n = take_due(t);
		last = t;
	}
}
