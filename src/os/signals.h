/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * signals.h - signal masks, running handlers, and writes that raise no signal.
 *
 * Masks are changed by the system call itself.  The C library's
 * pthread_sigmask() clears its own signals in each mask that it sets.  A
 * restored mask would unblock them in a thread that had blocked them, such as
 * the helper of timer_create(SIGEV_THREAD).  Then the next timer would kill the
 * process.
 *
 * Context of everything here: any-thread, signal-safe; errno is kept.
 */
#ifndef SYC_OS_SIGNALS_H
#define SYC_OS_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/** Bit of @signal in the kernel's set of 64 bits, which the C library's
 * sigset_t begins with.  Context: any-thread, signal-safe. */
static inline uint64_t syc_signal_bit(int signal)
{
	return UINT64_C(1) << (signal - 1);
}

/*
 * The C library's own signals, for timers, pthread_cancel() and setuid(): a
 * thread that blocks them makes those calls of other threads wait for it.
 */
#ifdef __GLIBC__
#define SYC_SIGNALS_OF_LIBC  (UINT64_C(3) << 31) /* 32, 33 */
#define SYC_SIGNAL_OF_CANCEL (UINT64_C(1) << 31)
#else
#define SYC_SIGNALS_OF_LIBC  (UINT64_C(7) << 31) /* 34 too: musl */
#define SYC_SIGNAL_OF_CANCEL (UINT64_C(1) << 32)
#endif

/**
 * Signals that are blocked to keep handlers out.  Not SIGSYS: a filter that
 * traps a system call kills the process if it is blocked.
 */
#define SYC_ALL_SIGNALS (~(SYC_SIGNALS_OF_LIBC | UINT64_C(1) << (SIGSYS - 1)))

/** Fifth argument of our calls, which the kernel ignores. */
#define SYC_MASK_IS_OURS 0x5359

/** Change the mask as sigprocmask() with @how and @set: the mask before.
 * Context: any-thread, signal-safe. */
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
 * No handler runs on this thread until syc_undisturbed_end().  The thread is
 * not cancelled in our system calls either, which would leave claims and the
 * program's locks behind.  Context: any-thread, signal-safe.
 */
void syc_undisturbed_begin(struct syc_undisturbed *ret_before);
void syc_undisturbed_end(const struct syc_undisturbed *before);

/**
 * Whether a signal handler may be running on the calling thread, whose stack
 * is [@low, @high) (empty: not known).  Looks for the address that handlers
 * return to in the used part of the stack.  False is certain.  True may be due
 * to an old value, or to an unknown stack.
 *
 * Costs some microseconds.  Context: owner, signal-safe.
 */
bool syc_handler_may_run(uintptr_t low, uintptr_t high);

/*
 * A write into a pipe without a reader raises SIGPIPE, one over the file size
 * limit SIGXFSZ.  Both go to the thread that writes.  Between begin and end
 * they are blocked, and end removes those that our writes raised.
 */
struct syc_write_nosignal {
	uint64_t before; /* the thread's mask */
	bool had_pipe;   /* was pending before: stays pending */
	bool had_file_size;
};

/** Context: any-thread, signal-safe; errno is kept. */
void syc_write_nosignal_begin(struct syc_write_nosignal *quiet);
void syc_write_nosignal_end(const struct syc_write_nosignal *quiet);

/** The same if no write failed: nothing is pending.  Context: any-thread,
 * signal-safe. */
void syc_write_nosignal_end_clean(const struct syc_write_nosignal *quiet);

#endif
