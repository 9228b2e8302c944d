/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sampler.h - where this process spends its time: stacks taken by a timer,
 * without root, perf, frame pointers or a helper process.
 *
 * From outside, in any dynamically linked program:
 *
 *	syscap record --sample=1000 -- program
 *
 * in one that has the sampler linked:
 *
 *	SYSCAP_SAMPLE=1000 syscap record -- ./program
 *
 * and from inside, around what is to be looked at:
 *
 *	struct syscap_sampler_options options = { .size = sizeof(options) };
 *	if (syscap_sampler_start(&options) != 0)
 *		fprintf(stderr, "%s\n", options.message);
 *	...
 *	syscap_sampler_stop();
 *
 * The linker takes the sampler out of the archive (some 80 KiB) where the
 * program calls something of here or syscap_attach_thread(), or says
 * SYSCAP_WITH_SAMPLER.  A program that only emits events has none.
 *
 * Samples go where all events of the process go (<syscap.h>): they need a
 * recorder, or syscap_start().  docs/sampling.md tells how a sample is taken,
 * which clock to choose and what each costs.
 *
 * Words for contexts are those of <syscap.h>.
 */
#ifndef SYSCAP_SAMPLER_H
#define SYSCAP_SAMPLER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** What makes a sample due.  SYSCAP_SAMPLE names them in lower case. */
enum syscap_sampler_clock {
	/* A thread's own processor time; as CPU. */
	SYSCAP_SAMPLER_AUTO,
	/* Only threads that run are looked at; sleeping ones are neither
	 * woken nor interrupted (Linux 5.9 and later).  The kernel looks at
	 * these timers at its tick: 100 to 1,000 times a second.  Where more
	 * was asked for, each sample weighs as many as were due. */
	SYSCAP_SAMPLER_CPU,
	/* CLOCK_MONOTONIC: any rate, sleeping threads too.  Wakes them, and
	 * makes system calls that are not restarted return EINTR. */
	SYSCAP_SAMPLER_WALL,
	/* The kernel's software clock for profilers: rates above the tick, of
	 * running threads only.  Where perf_event_paranoid and seccomp let us
	 * have it; else the call fails. */
	SYSCAP_SAMPLER_PERF
};

/** Which stacks a sample holds where a runtime's provider is attached. */
enum syscap_sampler_stacks {
	SYSCAP_SAMPLER_MERGED,  /* native and the runtime's, in their order */
	SYSCAP_SAMPLER_MANAGED, /* the runtime's; native where there is none */
	SYSCAP_SAMPLER_NATIVE
};

/** All zero but size is good. */
struct syscap_sampler_options {
	size_t size;        /* set to sizeof before the call */
	uint32_t hz;        /* per thread, 1 to 20,000; 0: 1,000 */
	uint32_t clock;     /* enum syscap_sampler_clock */
	int signal;         /* 0: a real-time signal that nobody handles or
	                     * blocks; or SIGPROF, or a real-time one.  Of
	                     * PERF: SIGURG */
	uint32_t max_depth; /* addresses in a sample, 32 to 512; 0: 512 */
	uint32_t stacks;    /* enum syscap_sampler_stacks */
	uint32_t max_share; /* of a thread's time that samples may take, in
	                     * percent, 1 to 100 (no bound); 0: 10 */
	char message[256];  /* set: what is sampled how, or why it failed */
};

/**
 * Sample every thread of this process, those that come later too (within
 * 100 ms), until syscap_sampler_stop().  A forked child is not sampled until
 * it calls this itself; where SYSCAP_SAMPLE asked for it, it is (threads that
 * such a child makes are found only while one of its threads ticks), from 10 ms
 * of its clock on.
 *
 * Makes one thread, which looks for new threads, and one timer per thread; a
 * thread that can't have one (RLIMIT_SIGPENDING), or that blocks the signal,
 * is counted in the stats and tried again.  Where the program handles the
 * signal itself later on, another one is used, or sampling ends.
 *
 * Returns 0, or a negative errno: -EALREADY, this process is sampled already,
 * by this or another copy of the library (that which `syscap record --sample`
 * preloads makes way, within a second); -EINVAL, the options; -EBUSY, every
 * signal that may be used is taken; -EPERM, perf events are not allowed;
 * -ENOTSUP, no unwinder for this machine; others as timer_create() and
 * pthread_create() give.
 *
 * Context: setup, any-thread.  Allocates: it makes a thread.
 */
int syscap_sampler_start(struct syscap_sampler_options *options);

/**
 * No sample is taken after it returns 0.  The signal's handler stays: a signal
 * may be on its way.  Returns 0; -ENOENT, not sampling; -EBUSY or -ETIMEDOUT
 * where another start or stop, or a sample, takes seconds, as on a machine that
 * is very busy: then it may be called again.
 *
 * Context: setup, any-thread.
 */
int syscap_sampler_stop(void);

/**
 * Have the sampler linked, for SYSCAP_SAMPLE and SYSCAP_TOGGLE_SIGNAL in the
 * environment to count in a program that calls nothing of here.  Once, outside
 * of functions:
 *
 *	SYSCAP_WITH_SAMPLER;
 */
#define SYSCAP_WITH_SAMPLER                                                   \
	static int (*const syscap_with_sampler)(void) __attribute__((used)) = \
		syscap_sampler_stop

struct syscap_sampler_stats {
	size_t size;           /* set to sizeof before the call */
	uint64_t n_samples;    /* taken */
	uint64_t n_due;        /* weights of all: timer ticks, overruns too */
	uint64_t n_cut;        /* deeper than max_depth */
	uint64_t n_stopped;    /* the unwinder did not get to the outermost */
	uint64_t n_refused;    /* ticks that found a handler of ours running, or
	                        * a thread that had just ended */
	uint64_t n_foreign;    /* signals that were not ours, passed on */
	uint32_t n_threads;    /* sampled now */
	uint32_t n_unsampled;  /* threads that got no timer */
	uint32_t n_names_lost; /* names that the table had no room for */
	int signal;            /* in use; 0: none yet */
	uint32_t clock;        /* in use, never AUTO */
	uint32_t hz;
	uint64_t n_skipped; /* ticks left out because samples took more of
	                        * the thread's time than max_share; they count
	                        * in the weight of the next sample */
};

/**
 * Since the process began, over all starts.
 *
 * Context: any-thread, signal-safe.
 */
void syscap_sampler_get_stats(struct syscap_sampler_stats *stats);

/**
 * Where the calling thread is: store up to @n code addresses, the innermost
 * first, and return how many.  @leave_out, a number made a pointer, says how
 * many of the innermost to leave out; the first is that of the caller.
 *
 * Each address but those of interrupted functions lies inside the call
 * instruction, not behind it: so a function whose last act is a call that
 * never returns is told right.
 *
 * It has the form of a callback of syscap_allocation() and syscap_sample():
 *
 *	syscap_allocation(address, size, syscap_backtrace, (void *)1);
 *
 * Unwinds by the tables that compilers write for exceptions; code that has
 * none (of a JIT) by frame pointers.  Reads no memory that may be unmapped,
 * takes no lock, allocates nothing.
 *
 * Context: any-thread, signal-safe.  The first walk through a function costs
 * microseconds, later ones nanoseconds a frame (docs/sampling.md).
 */
int syscap_backtrace(uint64_t *addrs, unsigned n, void *leave_out);

#ifdef __cplusplus
}
#endif
#endif
