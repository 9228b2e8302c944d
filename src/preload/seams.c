/* SPDX-License-Identifier: BSD-2-Clause */
/* seams.c - waits that ticks cut into parts; see seams.h. */
#define _GNU_SOURCE
#include "preload/seams.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <ucontext.h>

#include "os/seccomp_state.h"
#include "os/signals.h"
#include "preload/io_wrap.h"
#include "preload/told.h"
#include "sample/registers.h"
#include "sample/state.h"
#include "sample/tick.h"

#define SECOND INT64_C(1000000000)

/*
 * So far below the frame that waits the stack may end in the call that waits.
 * What the kernel puts there for a handler is larger: the red zone, the vector
 * registers, the context.
 */
#define DEEP 1024u

/* Where the stack ended in a part that a tick cut */
static _Thread_local uintptr_t cut_at
	__attribute__((tls_model("initial-exec")));

/* The wait that began last.  Waits of handlers do not confuse it: a part that a
 * handler interrupts is its wait's last part. */
static _Thread_local struct syc_own_wait last_wait
	__attribute__((tls_model("initial-exec")));

/*
 * The signal was blocked where it interrupted, and came all the same: only in
 * a call that has another mask while it waits.  It is not blocked in a handler
 * that such a call was left for.  When that handler has returned it is, so that
 * it can't come there.
 */
const struct syc_own_wait *syc_seams_note(int signal, const void *context)
{
	const ucontext_t *const interrupted = context;
	struct syscap_regs regs;
	uint64_t blocked;

	memcpy(&blocked, &interrupted->uc_sigmask, sizeof(blocked));
	if ((blocked & syc_signal_bit(signal)) == 0 ||
	    !syc_registers_interrupt_call(interrupted))
		return NULL;
	syc_registers_of(interrupted, &regs);
	__atomic_store_n(&cut_at, regs.sp, __ATOMIC_RELAXED);
	syc_told_own_code(&last_wait.low, &last_wait.high);
	return &last_wait;
}

__attribute__((constructor)) static void listen_to_ticks(void)
{
	syc_tick_interrupts = syc_seams_note;
}

SYC_IO_BEHIND(clock_gettime, (clockid_t id, struct timespec *now), (id, now))

struct timespec syc_seams_now(clockid_t id)
{
	struct timespec now = { 0 };

	clock_gettime_behind(id, &now);
	return now;
}

static int64_t read_monotonic(void)
{
	const struct timespec now = syc_seams_now(CLOCK_MONOTONIC);

	return now.tv_sec * SECOND + now.tv_nsec;
}

bool syc_seams_are_needed(void)
{
	const struct syc_sampler *const s =
		__atomic_load_n(&syc_sampler, __ATOMIC_RELAXED);

	return s != NULL &&
	       __atomic_load_n(&s->clock, __ATOMIC_RELAXED) ==
	               SYSCAP_SAMPLER_WALL &&
	       __atomic_load_n(&s->is_on, __ATOMIC_RELAXED) != 0 &&
	       !syc_seccomp_has_filter();
}

void syc_seams_begin(struct syc_seams *seams, int64_t timeout, uintptr_t called)
{
	uint64_t before;

	seams->timeout = timeout;
	seams->has_parts = false;
	seams->until = timeout < 0 ? 0 : read_monotonic() + timeout;
	syc_all_signals_block(&before);
	memset(&seams->mask, 0, sizeof(seams->mask));
	memcpy(&seams->mask, &before, sizeof(before));
	__atomic_store_n(&cut_at, 0, __ATOMIC_RELAXED);
	last_wait.called = called;
}

const struct timespec *syc_seams_left(struct syc_seams *seams)
{
	if (seams->timeout < 0)
		return NULL;
	const int64_t left = seams->until - read_monotonic();
	seams->left = (struct timespec){ 0 };
	if (left > 0)
		seams->left = (struct timespec){ .tv_sec = left / SECOND,
			                         .tv_nsec = left % SECOND };
	return &seams->left;
}

bool syc_seams_is_cut(struct syc_seams *seams, int r)
{
	const uintptr_t here = (uintptr_t)seams;
	const uintptr_t at = __atomic_exchange_n(&cut_at, 0, __ATOMIC_RELAXED);

	const bool is_cut = r < 0 && errno == EINTR && at != 0 && at < here &&
	                    here - at < DEEP;
	seams->has_parts |= is_cut;
	return is_cut;
}

void syc_seams_end(const struct syc_seams *seams)
{
	uint64_t before;

	memcpy(&before, &seams->mask, sizeof(before));
	syc_all_signals_restore(&before);
}
