/* SPDX-License-Identifier: BSD-2-Clause */
/* seams.c - waits that ticks cut into parts; see seams.h. */
#define _GNU_SOURCE
#include "preload/seams.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <ucontext.h>

#include "os/all_signals.h"
#include "preload/boxed.h"
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

/* By the linker: where this library begins, and where its code ends */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char etext[] __attribute__((visibility("hidden")));

/* Where the stack ended in a part that a tick cut */
static _Thread_local uintptr_t cut_at
	__attribute__((tls_model("initial-exec")));

/*
 * The signal was blocked where it interrupted, and came all the same: only in
 * a call that has another mask while it waits.  It is not blocked in a handler
 * that such a call was left for.  When that handler has returned it is, so that
 * it can't come there.
 */
bool syc_seams_note(int signal, const void *context, uintptr_t *ret_low,
                    uintptr_t *ret_high)
{
	const ucontext_t *const interrupted = context;
	struct syscap_regs regs;
	uint64_t blocked;

	memcpy(&blocked, &interrupted->uc_sigmask, sizeof(blocked));
	if ((blocked & syc_signal_bit(signal)) == 0 ||
	    !syc_registers_interrupt_call(interrupted))
		return false;
	syc_registers_of(interrupted, &regs);
	__atomic_store_n(&cut_at, regs.sp, __ATOMIC_RELAXED);
	*ret_low = (uintptr_t)__ehdr_start;
	*ret_high = (uintptr_t)etext;
	return true;
}

__attribute__((constructor)) static void listen_to_ticks(void)
{
	syc_tick_interrupts = syc_seams_note;
}

static int64_t read_monotonic(void)
{
	struct timespec now = { 0 };

	clock_gettime(CLOCK_MONOTONIC, &now);
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
	       !syc_boxed_is();
}

void syc_seams_begin(struct syc_seams *seams, int64_t timeout)
{
	seams->timeout = timeout;
	seams->until = timeout < 0 ? 0 : read_monotonic() + timeout;
	syc_all_signals_block(&seams->mask);
	__atomic_store_n(&cut_at, 0, __ATOMIC_RELAXED);
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

bool syc_seams_is_cut(const struct syc_seams *seams, int r)
{
	const uintptr_t here = (uintptr_t)seams;
	const uintptr_t at = __atomic_exchange_n(&cut_at, 0, __ATOMIC_RELAXED);

	return r < 0 && errno == EINTR && at != 0 && at < here &&
	       here - at < DEEP;
}

void syc_seams_end(const struct syc_seams *seams)
{
	const int saved = errno;

	syc_all_signals_restore(&seams->mask);
	errno = saved;
}
