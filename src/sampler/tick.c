/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tick.c - the sampler's signal handler.
 *
 * All signals are blocked in the handler.  The handler must not use
 * thread-local storage before the check that the thread has its own storage.
 * errno, the client's variables, and a stack protector's canary are in
 * thread-local storage.
 */
#define _GNU_SOURCE
#include "sampler/tick.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <syscap.h>
#include <syscap/runtime.h>

#include "emit/loss.h"
#include "emit/thread.h"
#include "os/signals.h"
#include "os/syscalls.h"
#include "ring/clock.h"
#include "sampler/compose.h"
#include "sampler/machine.h"
#include "sampler/sampler.h"
#include "sampler/state.h"
#include "sampler/thread_scan.h"
#include "sampler/tick_signal.h"
#include "sampler/timer.h"

/* Limit of a thread control block's size, on either side of its address. */
#define BLOCK_MAX 4096u
/* musl's control block has the thread's id within this many bytes. */
#define BLOCK_WITH_TID 256u

/* glibc's control block, of twice this size, has the id within this many
 * bytes. */
#define GLIBC_WITH_TID 1024u

bool (*syc_tick_others)(const siginfo_t *info, const void *context);

const struct syc_library_wait *(*syc_tick_interrupts)(int signal,
                                                      const void *context);

/* A tick's signal, interrupted code, and interrupted wait. */
struct tick {
	const siginfo_t *info;
	const ucontext_t *context;
	const struct syc_library_wait *wait;
};

static bool can_read_base; /* the processor lets programs read the FS base */
#if SYC_CONTROL_BLOCK_BEGINS_AT_TP
/* Index, in words, of the thread's id in a control block, or 0 if unknown */
static uint32_t tid_at;
#endif

/* glibc registers a list with the kernel for each of its threads.  The list is in
 * the control block.  musl's control block begins with some pointers and the
 * thread's id. */
SYC_NO_CANARY bool syc_tick_owns_tls(int32_t tid)
{
	const uintptr_t tp = syc_tls_address(
		__atomic_load_n(&can_read_base, __ATOMIC_RELAXED));
	uintptr_t head = 0;
	size_t len = 0;

	if (tp == 0)
		return false;
#if SYC_CONTROL_BLOCK_BEGINS_AT_TP
	const uint32_t at = __atomic_load_n(&tid_at, __ATOMIC_RELAXED);
	if (at != 0 && ((const int32_t *)tp)[at] == tid)
		return true;
#endif
	if (syc_raw_syscall(SYS_get_robust_list, 0, (long)(uintptr_t)&head,
	                    (long)(uintptr_t)&len, 0, 0, 0) == 0 &&
	    head != 0)
		return head - tp < BLOCK_MAX || tp - head < BLOCK_MAX;
#if SYC_CONTROL_BLOCK_BEGINS_AT_TP
	const int32_t *word = (const int32_t *)tp;
#else
	const int32_t *word = (const int32_t *)(tp - BLOCK_WITH_TID);
#endif
	for (unsigned i = 0; i < BLOCK_WITH_TID / sizeof(*word); i++)
		if (word[i] == tid)
			return true;
	return false;
}

void syc_tick_prepare(void)
{
	__atomic_store_n(&can_read_base, syc_tls_base_is_readable(),
	                 __ATOMIC_RELAXED);
#if SYC_CONTROL_BLOCK_BEGINS_AT_TP
	const int32_t *const word =
		(const int32_t *)syc_tls_address(syc_tls_base_is_readable());
	const int32_t tid = gettid();
	for (uint32_t i = 1; i < GLIBC_WITH_TID / sizeof(*word); i++)
		if (word[i] == tid) {
			__atomic_store_n(&tid_at, i, __ATOMIC_RELAXED);
			break;
		}
#endif
}

static void add_to_counter(uint64_t *counter, uint64_t n)
{
	__atomic_store_n(counter, *counter + n, __ATOMIC_RELAXED);
}

/*
 * Return the name of the innermost frame for a tick that was pending while its
 * signal was blocked.  Returns 0 if the tick was not pending.  A delayed tick
 * represents unknown code that ran while the signal was blocked.  A call with a
 * mask, such as ppoll(), may unblock the signal in a thread that blocks the
 * signal.  A wait that is made in parts has all signals blocked between its
 * parts (preload/eintr_restart.c).
 */
static uint64_t name_of_wait(const struct tick *tick)
{
	static const char text[] = "signals blocked";
	static uint64_t name;
	uint64_t blocked;

	memcpy(&blocked, &tick->context->uc_sigmask, sizeof(blocked));
	const bool is_opened =
		(tick->wait != NULL
	                 ? tick->wait->is_blocked
	                 : (blocked & syc_signal_bit(tick->info->si_signo)) !=
	                           0) &&
		syc_sampler->clock != SYSCAP_SAMPLER_WALL;
	if (!is_opened && !syc_registers_open_mask(tick->context))
		return 0;
	/* Only a new name needs a system call, to allocate memory */
	if (__atomic_load_n(&name, __ATOMIC_RELAXED) == 0 &&
	    !syc_state_has_filter(syc_sampler))
		__atomic_store_n(&name,
		                 syscap_jit_intern(text, sizeof(text) - 1),
		                 __ATOMIC_RELAXED);
	return __atomic_load_n(&name, __ATOMIC_RELAXED);
}

static void take_sample(struct syc_target *t, const struct tick *tick,
                        uint32_t weight)
{
	struct syc_sample_options options = syc_sampler->take;

	options.wait = tick->wait;
	options.innermost = name_of_wait(tick);

	if (syc_self != NULL) {
		struct syc_state *const ts = syc_state_of(syc_self);
		struct syscap_regs regs = { .sp = 0 };

		syc_registers_of(tick->context, &regs);
		syc_thread_has_on_stack(ts, regs.sp);
		options.low = ts->stack_low;
		options.high = ts->stack_high;
	}
	const int r = syc_compose_tick(syc_target_workspace(t), &options,
	                               tick->context, syscap_clock(), weight);
	if (r < 0) {
		add_to_counter(&t->n_refused, 1);
		return;
	}
	__atomic_store_n(&t->is_silent, false, __ATOMIC_RELAXED);
	__atomic_store_n(&t->is_unticked, false, __ATOMIC_RELAXED);
	add_to_counter(&t->n_samples, 1);
	add_to_counter(&t->n_due, weight);
	if (((unsigned)r & SYSCAP_STACK_CUT) != 0)
		add_to_counter(&t->n_cut, 1);
	if (((unsigned)r & SYSCAP_STACK_STOPPED) != 0)
		add_to_counter(&t->n_stopped, 1);
}

static uint32_t weigh_tick(struct syc_target *t, const struct tick *tick)
{
	const siginfo_t *const info = tick->info;
	/* The timer's maker stored n_owed before the timer existed */
	const int64_t more =
		__atomic_load_n(&t->n_owed, __ATOMIC_RELAXED) +
		(int64_t)(info->si_overrun > 0 ? info->si_overrun : 0);

	if (syc_sampler->clock == SYSCAP_SAMPLER_PERF &&
	    info->si_code != SI_TIMER)
		return syc_timer_weigh_cpu(t);
	/* Each tick has a stack, so its weight is at least 1 */
	const uint32_t n = more > 0 ? 1 + (uint32_t)more : 1;
	__atomic_store_n(&t->n_owed, more < 0 ? (int32_t)more : 0,
	                 __ATOMIC_RELAXED);
	return syc_sampler->clock == SYSCAP_SAMPLER_WALL
	               ? syc_idle_backoff_weigh(t, n, tick->context)
	               : n;
}

static void record_sample(struct syc_target *t, const struct tick *tick)
{
	/* Refuse a tick that is too late to make a ring, because no later code
	 * would end the ring */
	if (syc_thread_has_ended()) {
		add_to_counter(&t->n_refused, 1);
		syc_loss_count_stray(SYSCAP_FRAME_SAMPLE, 0,
		                     syc_clock_kernel());
		return;
	}
	syc_sampler_metadata_flush();
	syc_thread_note_handler(true);
	take_sample(t, tick, weigh_tick(t, tick));
	syc_thread_note_handler(false);
}

/* Add the skipped tick's weight to the next tick, by n_owed or by the thread's
 * clock. */
static void skip_tick(struct syc_target *t, const siginfo_t *info)
{
	const uint32_t n =
		1 + (info->si_code == SI_TIMER && info->si_overrun > 0
	                     ? (uint32_t)info->si_overrun
	                     : 0);

	add_to_counter(&t->n_skipped, n);
	if (info->si_code == SI_TIMER)
		__atomic_add_fetch(&t->n_owed, (int32_t)n, __ATOMIC_RELAXED);
}

static void take_tick(struct syc_target *t, uint64_t cookie,
                      const struct tick *tick)
{
	uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	uintptr_t before = __atomic_load_n(&t->busy, __ATOMIC_RELAXED);

	/* If the frame at `busy` is above this frame, this handler has
	 * interrupted an earlier call, which will continue.  If the frame is
	 * below, a jump has left the earlier call */
	if (before != 0 && here < before) {
		add_to_counter(&t->n_refused, 1);
		return;
	}
	/*
	 * This handler stores busy, then loads cookie and is_on.  A stop stores
	 * is_on = 0, then loads each busy.  A thread that reuses the target
	 * stores cookie = 0, then loads busy.  Both changes may have happened
	 * since this handler found the target.
	 */
	if (!__atomic_compare_exchange_n(&t->busy, &before, here, false,
	                                 __ATOMIC_SEQ_CST, __ATOMIC_RELAXED))
		return;
	if (__atomic_load_n(&t->cookie, __ATOMIC_SEQ_CST) == cookie &&
	    __atomic_load_n(&syc_sampler->is_on, __ATOMIC_SEQ_CST) != 0) {
		struct syc_throttle pace;

		if (!syscap_is_active())
			;
		else if (syc_throttle_begin(t, &pace)) {
			record_sample(t, tick);
			syc_throttle_end(t, &pace);
		} else {
			skip_tick(t, tick->info);
		}
		if (__atomic_load_n(&syc_sampler->watcher, __ATOMIC_RELAXED) ==
		    SYC_WATCHER_LATER)
			syc_unwatched_tick(&tick->context->uc_sigmask);
	}
	__atomic_compare_exchange_n(&t->busy, &here, 0, false, __ATOMIC_RELEASE,
	                            __ATOMIC_RELAXED);
}

/* Returns false for a foreign signal.  *ret_target is NULL for a tick of this
 * sampler that arrives too late. */
static bool is_our_tick(int signal, const siginfo_t *info, int32_t tid,
                        struct syc_target **ret_target, uint64_t *ret_cookie)
{
	struct syc_target *t;

	*ret_target = NULL;
	if (info->si_code == SI_TIMER) {
		*ret_cookie = (uint64_t)(uintptr_t)info->si_value.sival_ptr;
		if (!syc_target_is_cookie(*ret_cookie))
			return false;
		t = syc_target_by_cookie(*ret_cookie);
	} else if (signal == SYC_TICK_SIGNAL &&
	           (info->si_code == POLL_IN || info->si_code == POLL_HUP)) {
		t = syc_target_find(tid);
		/* A late tick is ignored by default, so pass the signal on */
		if (t == NULL ||
		    info->si_fd !=
		            __atomic_load_n(&t->perf_fd, __ATOMIC_ACQUIRE))
			return false;
		*ret_cookie = __atomic_load_n(&t->cookie, __ATOMIC_ACQUIRE);
	} else {
		return false;
	}
	if (t != NULL && __atomic_load_n(&t->tid, __ATOMIC_RELAXED) == tid)
		*ret_target = t;
	return true;
}

/* Return whether this thread has thread-local storage of its own.  Since the
 * caller found @t, @t may have become the target of another thread. */
SYC_NO_CANARY static bool may_use_tls(struct syc_target *t, int32_t tid)
{
	uint32_t tls = __atomic_load_n(&t->tls, __ATOMIC_RELAXED);

	if (tls == syc_target_tls(tid, SYC_TLS_UNKNOWN)) {
		const uint32_t found = syc_target_tls(
			tid,
			syc_tick_owns_tls(tid) ? SYC_TLS_OWN : SYC_TLS_NONE);

		if (__atomic_compare_exchange_n(&t->tls, &tls, found, false,
		                                __ATOMIC_RELAXED,
		                                __ATOMIC_RELAXED))
			tls = found;
	}
	return tls == syc_target_tls(tid, SYC_TLS_OWN);
}

/* Handle a tick of the process' scout, in any thread. */
static void take_scout(const ucontext_t *context)
{
	const int saved = errno;

	if (__atomic_load_n(&syc_sampler->is_on, __ATOMIC_SEQ_CST) != 0)
		syc_unwatched_tick(&context->uc_sigmask);
	errno = saved;
}

static bool is_on_alternate_stack(const ucontext_t *interrupted)
{
	const stack_t *const stack = &interrupted->uc_stack;

	return (stack->ss_flags & SS_DISABLE) == 0 &&
	       (uintptr_t)__builtin_frame_address(0) - (uintptr_t)stack->ss_sp <
	               stack->ss_size;
}

void syc_tick_hold_cancel(struct syc_tick_cancel *ret_before)
{
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &ret_before->state);
	pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &ret_before->type);
}

void syc_tick_release_cancel(const struct syc_tick_cancel *before, int signal,
                             const void *context)
{
	const ucontext_t *const interrupted = context;
	uint64_t mask;
	int ignored;

	/* On an alternate stack an application handler may not fit below this
	 * frame */
	if (before->type == PTHREAD_CANCEL_ASYNCHRONOUS &&
	    before->state == PTHREAD_CANCEL_ENABLE &&
	    !is_on_alternate_stack(interrupted)) {
		memcpy(&mask, &interrupted->uc_sigmask, sizeof(mask));
		syc_signal_mask(SIG_SETMASK, mask | syc_signal_bit(signal));
	}
	pthread_setcancelstate(before->state, &ignored);
	/* glibc's other cancelling functions would lose the thread's result */
	if (before->type == PTHREAD_CANCEL_ASYNCHRONOUS)
		pthread_testcancel();
	pthread_setcanceltype(before->type, &ignored);
}

static void tell_of_interruption(int signal, struct tick *tick)
{
	if (syc_tick_interrupts != NULL)
		tick->wait = syc_tick_interrupts(signal, tick->context);
}

SYC_REALIGN SYC_NO_CANARY void syc_tick_handle(int signal, siginfo_t *info,
                                               void *context)
{
	const int32_t tid =
		(int32_t)syc_raw_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);
	struct tick tick = { .info = info, .context = context };
	struct syc_tick_cancel cancel;
	struct syc_target *t;
	uint64_t cookie;

	if (!is_our_tick(signal, info, tid, &t, &cookie)) {
		if (info->si_code == SI_TIMER && syc_tick_others != NULL &&
		    syc_tick_others(info, context))
			return;
		if (syc_sampler != NULL) {
			if (syc_signals_is_harmless(signal) &&
			    info->si_code == SI_TKILL &&
			    syc_tick_owns_tls(tid)) {
				syc_tick_hold_cancel(&cancel);
				syc_unwatched_hand_over();
				syc_tick_release_cancel(&cancel, signal,
				                        context);
			}
			__atomic_add_fetch(&syc_sampler->n_foreign, 1,
			                   __ATOMIC_RELAXED);
		}
		syc_signals_pass_on(signal, info, context);
		return;
	}
	if (t == NULL) {
		if (syc_sampler == NULL || !syc_tick_owns_tls(tid))
			return;
		tell_of_interruption(signal, &tick);
		if (cookie == syc_target_scout_cookie()) {
			syc_tick_hold_cancel(&cancel);
			take_scout(context);
			syc_tick_release_cancel(&cancel, signal, context);
		}
		return;
	}
	if (!may_use_tls(t, tid))
		return;
	tell_of_interruption(signal, &tick);
	if (!syc_tick_has_room(context, (uintptr_t)__builtin_frame_address(0),
	                       SYC_TICK_ROOM)) {
		add_to_counter(&t->n_cramped, 1);
		skip_tick(t, info);
		return;
	}
	const int saved = errno;
	syc_tick_hold_cancel(&cancel);
	take_tick(t, cookie, &tick);
	errno = saved;
	syc_tick_release_cancel(&cancel, signal, context);
}
