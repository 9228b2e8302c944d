/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unwatched.c - sampling without a watcher, until the end of the recorder.
 *
 * Without an interposer, the first thread may make other threads and then
 * sleep, so that no tick finds the new threads.  So the process has a scout, a
 * timer of the whole process' processor time.  The scout ticks in a running
 * thread, and wakes no sleeping thread.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <syscap.h>

#include "copies/copies.h"
#include "emit/process.h"
#include "emit/recorder.h"
#include "emit/ring_source.h"
#include "emit/thread.h"
#include "os/env.h"
#include "os/fd.h"
#include "os/process.h"
#include "os/signals.h"
#include "os/threads.h"
#include "ring/clock.h"
#include "sampler/sampler.h"
#include "sampler/state.h"
#include "sampler/thread_scan.h"
#include "sampler/tick_signal.h"
#include "sampler/timer.h"

#define PERIOD_NS   (INT64_C(50) * 1000000)
#define PENDING_MAX 8 /* ticks of a thread's present and earlier timers */
#define SILENCE_NS  (INT64_C(1) * 1000000000)

static bool is_preferred;
static bool has_interposer;

void syc_unwatched_prefer(bool is_interposed)
{
	is_preferred = true;
	has_interposer = is_interposed;
}

bool syc_unwatched_is_preferred(void)
{
	return is_preferred;
}

bool syc_unwatched_is_interposed(void)
{
	return has_interposer;
}

/*
 * Remove pending ticks of deleted timers, and send foreign signals again.  The
 * kernel permits only the first thread to send some foreign signals to the
 * process.  The caller has blocked all signals.
 */
void syc_unwatched_take_pending(int signal)
{
	const bool is_perf = syc_sampler->clock == SYSCAP_SAMPLER_PERF;
	const struct timespec at_once = { 0, 0 };
	const uint64_t set = UINT64_C(1) << (signal - 1);
	siginfo_t info;

	for (int i = 0; i < PENDING_MAX; i++) {
		if (syscall(SYS_rt_sigtimedwait, &set, &info, &at_once,
		            sizeof(set)) != signal)
			return;
		if (info.si_code == SI_TIMER &&
		    syc_target_is_cookie(
			    (uint64_t)(uintptr_t)info.si_value.sival_ptr))
			continue;
		/* POLL_IN or POLL_HUP: a signal of a perf event */
		if (is_perf && info.si_code > 0)
			continue;
		if (info.si_code != SI_TKILL && getpid() == gettid())
			syscall(SYS_rt_sigqueueinfo, getpid(), signal, &info);
		else
			syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(),
			        signal, &info);
		return;
	}
}

static int start_scout(struct syc_sampler *s)
{
	const int timer = syc_timer_start_scout(PERIOD_NS);

	if (timer < 0)
		return timer;
	s->scout = timer + 1;
	return 0;
}

static bool stop_scout(struct syc_sampler *s)
{
	const bool was_there = s->scout != 0;

	if (was_there)
		syc_timer_stop_scout(s->scout - 1);
	s->scout = 0;
	return was_there;
}

/* End sampling of this process and of later children permanently.  The caller
 * holds `life`. */
static void give_up_sampling(struct syc_sampler *s)
{
	__atomic_store_n(&s->is_on, 0, __ATOMIC_SEQ_CST);
	syc_unwatched_stop();
	syc_children_forget();
	syc_claim_give(SYC_CLAIM_SAMPLER);
}

void (*syc_unwatched_before_ticks)(int signal);

/* Stop all ticks before the change, because no tick may reach an application
 * handler. */
bool syc_unwatched_change_signal(void)
{
	struct syc_sampler *const s = syc_sampler;
	const bool had_timer = s->watcher == SYC_WATCHER_LATER;
	const bool had_scout = stop_scout(s);

	syc_scan_stop_all(false);
	if (had_timer)
		syc_unwatched_take_pending(s->signal);
	syc_signals_give_up(syc_signal_bit(s->signal));
	const int signal =
		s->may_change_signal
			? syc_signals_choose(s->clock, 0, SYC_SIGNALS_HARMLESS,
	                                     &s->tasks)
			: -EBUSY;
	if (signal < 0 || syc_signals_install_again(signal) != 0) {
		s->why = "the program handles the tick signal";
		syc_diag_say("sampling ends", s->why);
		if (had_timer) { /* later threads make no timer either */
			syc_sampler_metadata_end();
			syscap_metadata("syscap.sampler.ended", s->why);
			give_up_sampling(s);
		}
		return false;
	}
	__atomic_store_n(&s->signal, signal, __ATOMIC_RELAXED);
	syc_handover_note_signal(signal);
	syc_children_note_signal();
	if (syc_unwatched_before_ticks != NULL)
		syc_unwatched_before_ticks(signal);
	if (had_timer)
		syc_scan_start_again();
	if (had_scout)
		start_scout(s);
	return true;
}

bool syc_unwatched_keep_signal(void)
{
	const int signal = syc_sampler->signal;

	/* A thread that reset the signal may be about to restore the library's
	 * handler */
	return syc_signals_is_installed(signal) ||
	       (syc_signals_is_harmless(signal) &&
	        syc_signals_install_again(signal) == 0) ||
	       syc_unwatched_change_signal();
}

/* Find existing threads, which no interposer reports. */
static int find_others(struct syc_sampler *s)
{
	const int r = start_scout(s);
	const int dir = r == 0 ? syc_thread_list_open() : r;

	if (dir >= 0) {
		syc_scan_threads(dir);
		syc_thread_list_close(dir);
		return 0;
	}
	syc_unwatched_stop();
	s->why = r == 0 ? "cannot read /proc/self/task" : NULL;
	return dir;
}

int syc_unwatched_start(bool is_child)
{
	struct syc_sampler *const s = syc_sampler;

	s->sees_waits = has_interposer;
	const int r = syc_thread_timer_begin_alone(is_child);
	if (r == -EAGAIN) /* later ticks try again */
		s->n_unsampled = 1;
	else if (r != 0)
		return r;
	s->round_at = syc_clock_kernel();
	__atomic_store_n(&s->watcher, SYC_WATCHER_LATER, __ATOMIC_RELEASE);
	return is_child || has_interposer ? 0 : find_others(s);
}

void syc_unwatched_stop(void)
{
	struct syc_sampler *const s = syc_sampler;

	stop_scout(s);
	syc_final_sample_emit(NULL);
	syc_scan_stop_all(true);
	s->watcher = SYC_WATCHER_NONE;
}

bool syc_unwatched_hand_over(void)
{
	struct syc_sampler *const s = syc_sampler;

	if (!syc_handover_is_due() || s->watcher != SYC_WATCHER_LATER ||
	    !syc_state_take(&s->life, 0))
		return false;
	if (s->watcher == SYC_WATCHER_LATER) {
		give_up_sampling(s);
		syc_handover_done();
	}
	syc_tid_lock_give(&syc_sampler->life);
	return true;
}

/* ------------------------------------------------ end of the recorder */

static bool is_hung_up(int fd)
{
	struct pollfd pfd = { .fd = fd };

	return syc_fd_poll(&pfd, 0) == 1 && (pfd.revents & POLLHUP) != 0;
}

/*
 * Parent of the directory with the recorder's socket.  If the recorder was
 * killed, the next recorder removes the socket and its directory, but not this
 * parent.  Both words are set before there are ticks.
 */
static dev_t parent_dev;
static ino_t parent_ino;

/* Look up the parent of the directory of @path. */
static bool find_parent(const char *path, struct stat *ret_st)
{
	char home[sizeof(((struct sockaddr_un *)0)->sun_path)];
	size_t len = strlen(path);

	for (int i = 0; i < 2; i++)
		while (len > 1 && path[--len] != '/')
			;
	memcpy(home, path, len);
	home[len] = '\0';
	return stat(home, ret_st) == 0;
}

void syc_unwatched_note_recorder(void)
{
	struct stat st;

	if (syc_block_is_there() && syc_block->recorder->sun_family != 0 &&
	    find_parent(syc_block->recorder->sun_path, &st)) {
		parent_dev = st.st_dev;
		parent_ino = st.st_ino;
	}
}

/* Return whether the name was removed.  Returns false if this process has
 * another root directory. */
static bool is_name_removed(const struct sockaddr_un *address)
{
	struct stat st;

	return parent_ino != 0 && find_parent(address->sun_path, &st) &&
	       st.st_dev == parent_dev && st.st_ino == parent_ino;
}

/* Return whether no process listens at @address, by a connection of a socket of
 * another type.  If a process listens, the kernel refuses with EPROTOTYPE, and
 * the listener does not notice. */
static bool has_no_listener(const struct sockaddr_un *address)
{
	const unsigned held = syc_fd_hold();
	const int fd = syc_fd_release(
		held, (int)syscall(SYS_socket, AF_UNIX,
	                           SOCK_DGRAM | SOCK_CLOEXEC, 0));

	if (fd < 0)
		return false;
	const int r = syscall(SYS_connect, fd, address, sizeof(*address)) == 0
	                      ? 0
	                      : errno;
	syc_fd_close(fd);
	return r == ECONNREFUSED || (r == ENOENT && is_name_removed(address));
}

/* Return whether the recorder has announced its end, or was killed.  If the
 * recorder was killed, no process has the other end of the inherited socket, or
 * listens at the recorder's name.  If the recorder has ended, turn recording
 * off.  The recorder does not notice these system calls. */
static bool has_recorder_ended(void)
{
	const int saved = errno;
	struct syc_undisturbed before;
	bool has_ended;

	if (!syc_block_is_there() || syc_destination_sink() != SYC_SINK_CONTROL)
		return false;
	if (syc_slot_stop_if_over())
		return true;
	syc_undisturbed_begin(&before);
	if (syc_ring_request_is_by_name())
		has_ended = has_no_listener(syc_block->recorder);
	else
		has_ended = syc_control_is_same(&syc_block->control) &&
		            is_hung_up(syc_block->control.fd);
	syc_undisturbed_end(&before);
	if (has_ended && syscap_is_active())
		syc_process_turn_off("the recorder has ended");
	errno = saved;
	return has_ended;
}

/*
 * Return whether this thread's ring was not read for a second.  The caller
 * checks for the recorder only in this case, because the check takes system
 * calls.  Only one thread at a time does the check.
 */
static bool seems_unread(struct syc_sampler *s, int64_t now)
{
	int64_t at = __atomic_load_n(&s->looked_at, __ATOMIC_RELAXED);

	if (now - at < SILENCE_NS ||
	    !__atomic_compare_exchange_n(&s->looked_at, &at, now, false,
	                                 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return false;
	const struct syc_ring_header *const ring =
		syc_self != NULL ? syc_state_of(syc_self)->ring : NULL;
	const uint32_t head =
		ring != NULL ? __atomic_load_n(&ring->head, __ATOMIC_RELAXED)
			     : 0;
	const bool is_as_before =
		at != 0 && s->looked_in == ring && s->read_to == head;
	s->looked_in = ring;
	s->read_to = head;
	return is_as_before;
}

/* --------------------------------------------------------------- ticks */

/* @mask is the calling thread's mask before the handler blocked all signals. */
static void look_for_threads(struct syc_sampler *s, const sigset_t *mask)
{
	struct syc_thread_list *const tasks = &s->tasks;
	const int dir = syc_thread_list_open();
	uint64_t blocked;

	if (dir < 0)
		return;
	memcpy(&blocked, mask, sizeof(blocked));
	syc_thread_list_note_starter(tasks, &blocked);
	syc_scan_threads(dir);
	syc_thread_list_note_starter(tasks, NULL);
	syc_thread_list_close(dir);
}

void syc_unwatched_tick(const sigset_t *mask)
{
	struct syc_sampler *const s = syc_sampler;
	const int64_t now = syc_clock_kernel();
	/* Do not scan for threads of a bare clone(), which are never sampled */
	const bool is_time =
		now - __atomic_load_n(&s->round_at, __ATOMIC_RELAXED) >=
			PERIOD_NS &&
		!syc_thread_list_is_single() && !syc_state_has_filter(s);

	const bool is_over = !syc_state_has_filter(s) && seems_unread(s, now) &&
	                     has_recorder_ended();

	if (syc_unwatched_hand_over() ||
	    (!is_time && !s->is_new_child && !is_over) ||
	    !syc_state_take(&s->life, 0))
		return;
	if (s->watcher == SYC_WATCHER_LATER && s->is_new_child)
		syc_thread_timer_settle();
	if (is_time)
		__atomic_store_n(&s->round_at, now, __ATOMIC_RELAXED);
	if (is_over && s->watcher == SYC_WATCHER_LATER) {
		/* The timers of a process without a recorder would wake the
		 * process forever */
		give_up_sampling(s);
		s->why = "the recorder has ended";
		syc_diag_say("sampling ends", s->why);
	} else if (is_time && s->watcher == SYC_WATCHER_LATER) {
		look_for_threads(s, mask);
	}
	syc_tid_lock_give(&syc_sampler->life);
}
