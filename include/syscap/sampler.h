/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sampler.h - stacks of this process by timers, without root, perf, frame
 * pointers or a helper process.
 *
 * Sample any dynamically linked program, from outside:
 *
 *	syscap record --sample=1000 -- program
 *
 * Sample a program that contains the sampler:
 *
 *	SYSCAP_SAMPLE=1000 syscap record -- ./program
 *
 * Sample a part of a program, from inside:
 *
 *	struct syscap_sampler_options options = { .size = sizeof(options) };
 *	if (syscap_sampler_start(&options) != 0)
 *		fprintf(stderr, "%s\n", options.message);
 *	...
 *	syscap_sampler_stop();
 *
 * The linker takes the sampler (some 80 KiB) out of the archive if the program
 * calls a function of this header, syscap_attach_thread(), or uses
 * SYSCAP_WITH_SAMPLER.  A program that only emits events does not contain the
 * sampler.
 *
 * Samples are events (<syscap.h>), which need a recorder or syscap_start().
 * docs/sampling.md describes the clocks and their cost.
 *
 * <syscap.h> defines the words for contexts.
 */
#ifndef SYSCAP_SAMPLER_H
#define SYSCAP_SAMPLER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** The clock of samples.  SYSCAP_SAMPLE has the names in lower case. */
enum syscap_sampler_clock {
	/* The clock CPU. */
	SYSCAP_SAMPLER_AUTO,
	/* Processor time of each thread.  Only running threads are sampled;
	 * sleeping threads are neither woken nor interrupted (Linux 5.9 and
	 * later).  The kernel checks these timers at its tick, 100 to 1,000
	 * times a second.  At a higher requested rate, each sample has the
	 * weight of all ticks that were due. */
	SYSCAP_SAMPLER_CPU,
	/* CLOCK_MONOTONIC, with any hz.  The sampler also samples sleeping
	 * threads. Ticks wake sleeping threads, and system calls that are not
	 * restarted return EINTR. */
	SYSCAP_SAMPLER_WALL,
	/* The kernel's software clock for profilers: running threads only, at
	 * rates above the kernel's tick. syscap_sampler_start() fails if
	 * perf_event_paranoid or seccomp forbids perf events. */
	SYSCAP_SAMPLER_PERF
};

/** Stacks of a sample if a runtime's provider is attached. */
enum syscap_sampler_stacks {
	SYSCAP_SAMPLER_MERGED,  /* native and runtime frames, in call order */
	SYSCAP_SAMPLER_MANAGED, /* runtime frames; native frames if the runtime
				 * has no frames */
	SYSCAP_SAMPLER_NATIVE
};

/** Options of syscap_sampler_start().  Set size.  A zero selects a default. */
struct syscap_sampler_options {
	size_t size;        /* set to sizeof before the call */
	uint32_t hz;        /* of each thread, 1 to 20,000; 0: 1,000 */
	uint32_t clock;     /* enum syscap_sampler_clock */
	int signal;         /* SIGPROF or a real-time signal; 0: a real-time
	                     * signal that is neither handled nor blocked; PERF
	                     * has a signal of its own: 0 */
	uint32_t max_depth; /* addresses in a sample, 32 to 512; 0: 512 */
	uint32_t stacks;    /* enum syscap_sampler_stacks */
	uint32_t max_share; /* maximum share of a thread's time for samples, in
	                     * percent, 1 to 100 (no limit); 0: 10 */
	char message[256];  /* out: a description, or the error */
};

/**
 * Sample all threads of this process, and new threads within 100 ms, until
 * syscap_sampler_stop().
 *
 * A forked child has no samples until the child calls this function itself.
 * With SYSCAP_SAMPLE, the sampling of a child starts after 10 ms, measured by
 * the child's sampling clock.  The sampler finds the child's new threads only
 * while one of its threads ticks.
 *
 * Creates one thread, which looks for new threads, and a timer for each thread.
 * The sampler counts threads without a timer (RLIMIT_SIGPENDING) and threads
 * that block the signal in the stats, and tries again.  If the program handles
 * the signal itself later, the sampler uses another signal or ends.
 *
 * Returns 0, or a negative errno.  -EALREADY: this or another copy of the
 * library samples this process already; a copy that `syscap record --sample`
 * preloaded yields within a second.  -EINVAL: invalid options.  -EBUSY: all
 * usable signals are in use.  -EPERM: perf events are not allowed.  Other errors
 * are those of timer_create() and pthread_create().
 *
 * Context: setup, any-thread.  Allocates, since the call creates a thread.
 */
int syscap_sampler_start(struct syscap_sampler_options *options);

/**
 * Stop sampling.  The sampler takes no sample after this call returns 0.  The
 * signal handler stays, since a signal may be pending.
 *
 * Returns 0, or -ENOENT: nothing is sampled.  -EBUSY or -ETIMEDOUT: another
 * start or stop, or a sample, takes seconds, for example on a very busy
 * machine; call this function again.
 *
 * Context: setup, any-thread.
 */
int syscap_sampler_stop(void);

/**
 * Link the sampler into a program that calls no function of this header, so
 * that SYSCAP_SAMPLE and SYSCAP_TOGGLE_SIGNAL have an effect.  Write this line
 * once, outside functions:
 *
 *	SYSCAP_WITH_SAMPLER;
 */
#define SYSCAP_WITH_SAMPLER                                                   \
	static int (*const syscap_with_sampler)(void) __attribute__((used)) = \
		syscap_sampler_stop

/** Statistics of the sampler. */
struct syscap_sampler_stats {
	size_t size;           /* set to sizeof before the call */
	uint64_t n_samples;    /* samples taken */
	uint64_t n_due;        /* sum of weights: timer ticks with overruns */
	uint64_t n_cut;        /* stacks deeper than max_depth */
	uint64_t n_stopped;    /* stacks without their outermost frame */
	uint64_t n_refused;    /* ticks during another tick, or in a thread
	                        * that had just ended */
	uint64_t n_foreign;    /* passed-on signals of the program */
	uint32_t n_threads;    /* sampled threads */
	uint32_t n_unsampled;  /* threads without a timer */
	uint32_t n_names_lost; /* names without room in the table */
	int signal;            /* signal in use; 0: no signal yet */
	uint32_t clock;        /* clock in use, never AUTO */
	uint32_t hz;
	uint64_t n_skipped; /* ticks skipped because of max_share; the next
	                        * sample has their weight */
};

/**
 * Get statistics since the process began, over all starts.
 *
 * Context: any-thread, signal-safe.
 */
void syscap_sampler_get_stats(struct syscap_sampler_stats *stats);

/**
 * Record crashes of this process and of its forked children.  A thread that
 * crashes emits a log message of the domain syscap.crash and its stack, which
 * is no sample.  The process then ends as without this call, by the same signal.
 *
 * The call sets an action for SIGSEGV, SIGBUS, SIGABRT, SIGILL and SIGFPE,
 * unless the program has set one.  The calling thread gets an alternate signal
 * stack of 64 KiB if the thread has none.  The overflow of a thread's stack is
 * recorded only if the thread has such a stack, or calls this function, too.
 * docs/crashes.md lists the crashes that are not recorded.
 *
 * Returns 0 or a negative errno.  -ENOMEM: no memory.  -EPERM: the process has a
 * seccomp filter.
 *
 * Context: setup, any-thread.
 */
int syscap_catch_crashes(void);

/**
 * Store up to @n code addresses of the calling thread's stack, the innermost
 * first, and return their number.  @leave_out is the number of innermost
 * addresses to omit, cast to a pointer.  The first address is in the caller.
 *
 * Each address lies inside the call instruction, except that an interrupted
 * function has the interrupted address.  So a function that ends in a call that
 * never returns is named correctly.
 *
 * This function can be the callback of syscap_allocation() and syscap_sample():
 *
 *	syscap_allocation(address, size, syscap_backtrace, (void *)1);
 *
 * The walk uses the tables that compilers write for exceptions, and frame
 * pointers in code without tables (of a JIT).  The walk does not read memory
 * that may be unmapped, and does not lock or allocate.  On machines without an
 * unwinder (docs/install.md), the result is 0.
 *
 * Context: any-thread, signal-safe.  The first walk through a function costs
 * microseconds, and later walks cost nanoseconds per frame (docs/sampling.md).
 */
int syscap_backtrace(uint64_t *addrs, unsigned n, void *leave_out);

#ifdef __cplusplus
}
#endif
#endif
