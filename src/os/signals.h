/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * signals.h - signal masks, running handlers, and writes that raise no signal.
 *
 * The library changes masks by a direct system call.  The C library's
 * pthread_sigmask() clears its own signals in each mask that it sets.  So a
 * restored mask would unblock these signals in a thread that had blocked them,
 * such as the helper of timer_create(SIGEV_THREAD).  An unblocked signal of the
 * next timer would kill the process.
 *
 * Context of all functions: any-thread, signal-safe; errno is kept.
 */
#ifndef SYC_OS_SIGNALS_H
#define SYC_OS_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/** Bit of @signal in the kernel's set of 64 bits, the beginning of the C
 * library's sigset_t.  Context: any-thread, signal-safe. */
static inline uint64_t syc_signal_bit(int signal)
{
	return UINT64_C(1) << (signal - 1);
}

/*
 * The C library's own signals, for timers, pthread_cancel() and setuid().  If a
 * thread blocks these signals, calls of these functions wait for the thread.
 */
#ifdef __GLIBC__
#define SYC_SIGNALS_OF_LIBC  (UINT64_C(3) << 31) /* 32 and 33 */
#define SYC_SIGNAL_OF_CANCEL (UINT64_C(1) << 31)
#else
#define SYC_SIGNALS_OF_LIBC  (UINT64_C(7) << 31) /* 32 to 34 in musl */
#define SYC_SIGNAL_OF_CANCEL (UINT64_C(1) << 32)
#endif

/**
 * Signals that this library blocks to keep handlers out.  SIGSYS stays
 * unblocked, because a filter that traps a system call kills the process if
 * SIGSYS is blocked.
 */
#define SYC_ALL_SIGNALS (~(SYC_SIGNALS_OF_LIBC | UINT64_C(1) << (SIGSYS - 1)))

/** Fifth argument of this library's calls, which the kernel ignores. */
#define SYC_MASK_IS_OURS 0x5359

/** Change the mask like sigprocmask() with @how and @set.  Returns the old
 * mask.  Context: any-thread, signal-safe. */
uint64_t syc_signal_mask(int how, uint64_t set);

/** Block all signals of the calling thread until syc_all_signals_restore().
 * Context: any-thread, signal-safe. */
void syc_all_signals_block(uint64_t *ret_before);
void syc_all_signals_restore(const uint64_t *before);

/** Settings that syc_undisturbed_begin() changes. */
struct syc_undisturbed {
	uint64_t mask;
	int cancel_state;
};

/**
 * Prevent handlers on this thread, and cancellation in this library's system
 * calls, until syc_undisturbed_end().  A cancelled thread would leave claims
 * and the program's locks behind.  Context: any-thread, signal-safe.
 */
void syc_undisturbed_begin(struct syc_undisturbed *ret_before);
void syc_undisturbed_end(const struct syc_undisturbed *before);

/**
 * Return whether a signal handler may be running on the calling thread, whose
 * stack is [@low, @high) (empty: unknown).  The function searches the used part
 * of the stack for the address that handlers return to.  The result false is
 * certain.  The result true may be due to an old value, or to an unknown stack.
 *
 * The function takes some microseconds.  Context: owner, signal-safe.
 */
bool syc_handler_may_run(uintptr_t low, uintptr_t high);

/*
 * A write into a pipe without a reader raises SIGPIPE, and a write over the
 * file size limit raises SIGXFSZ.  The writing thread receives these signals.
 * Between begin and end these signals are blocked.  The end function removes
 * the signals that the library's writes raised.
 */
struct syc_write_nosignal {
	uint64_t before; /* the thread's mask */
	bool had_pipe;   /* SIGPIPE was pending before, and stays pending */
	bool had_file_size;
};

/** Context: any-thread, signal-safe; errno is kept. */
void syc_write_nosignal_begin(struct syc_write_nosignal *quiet);
void syc_write_nosignal_end(const struct syc_write_nosignal *quiet);

/** Like syc_write_nosignal_end(), for callers without a failed write: no
 * signal is pending.  Context: any-thread, signal-safe. */
void syc_write_nosignal_end_clean(const struct syc_write_nosignal *quiet);

#endif
