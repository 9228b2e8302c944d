/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * seccomp_filters.c - wrappers of the calls that install seccomp filters.
 *
 * Before the kernel gets a filter, this file runs the filter's program over the
 * system calls that ticks and collectors make.  If the program forbids a call
 * of ticks, ticks end before the installation (sampler/interposed.h).  If the
 * program forbids other calls, no code of the library runs in the thread from
 * then on (os/seccomp_state.h).  A program that can't be interpreted is treated
 * as if it forbids all calls.
 *
 * The wrappers make system calls and set errno, as the C library does, because
 * allocators call the wrappers before any lookup is possible.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <syscap.h>

#include "base/text.h"
#include "os/machine.h"
#include "os/process.h"
#include "os/seccomp_state.h"
#include "os/syscalls.h"
#include "sampler/interposed.h"
#include "sampler/tick_signal.h"
#include "unwind/memory.h"

/* Number of naps of a millisecond while other threads leave the library's
 * handler */
#define NAPS_MOST 200
/* Number of naps of a millisecond while other library code ends */
#define NAPS_LEAST 10

/* Known part of a filter's data.  The rest is unknown before the call. */
#define HAS_NUMBER_UP_TO offsetof(struct seccomp_data, instruction_pointer)
#define HAS_ARGS_UP_TO   offsetof(struct seccomp_data, args[2])

/*
 * System calls that the library makes under a filter, with the first arguments.
 * A pointer is 0.
 */
static const struct {
	uint16_t number, first, second;
} needed[] = {
	{ SYS_gettid, 0, 0 },
	{ SYS_getpid, 0, 0 },
	{ SYS_rt_sigprocmask, SIG_SETMASK, 0 },
	{ SYS_munmap, 0, 0 },
	{ SYS_futex, 0, FUTEX_WAKE },
	{ SYS_clock_gettime, CLOCK_MONOTONIC, 0 },
#define N_COLLECTORS 6
	/* Calls of ticks, and of the end of ticks at another filter */
	{ SYS_rt_sigreturn, 0, 0 },
	{ SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, 0 },
	{ SYS_timer_delete, 0, 0 },
	{ SYS_rt_sigaction, SYC_TICK_SIGNAL, 0 },
	{ SYS_rt_sigtimedwait, 0, 0 },
	{ SYS_nanosleep, 0, 0 },
#define N_NEEDED (sizeof(needed) / sizeof(needed[0]))
};

/* A filter that will be installed. */
struct coming {
	struct syc_interposed_filter notice;
	bool is_closing;  /* recording ends in the thread, or in all threads */
	bool is_first;    /* this filter is the first */
	uint8_t before;   /* state of the thread, enum syc_seccomp_end */
	uint32_t n_ended; /* threads whose recording ends */
};

static bool is_met(const struct sock_filter *i, uint32_t a, uint32_t operand)
{
	switch (BPF_OP(i->code)) {
	case BPF_JEQ:
		return a == operand;
	case BPF_JGT:
		return a > operand;
	case BPF_JGE:
		return a >= operand;
	default:
		return (a & operand) != 0; /* BPF_JSET */
	}
}

/* Compute one operation.  Returns false if the kernel would refuse the
 * program. */
static bool compute(uint16_t code, uint32_t *a, uint32_t operand)
{
	switch (BPF_OP(code)) {
	case BPF_ADD:
		*a += operand;
		return true;
	case BPF_SUB:
		*a -= operand;
		return true;
	case BPF_MUL:
		*a *= operand;
		return true;
	case BPF_DIV:
		*a = operand != 0 ? *a / operand : 0;
		return operand != 0;
	case BPF_OR:
		*a |= operand;
		return true;
	case BPF_AND:
		*a &= operand;
		return true;
	case BPF_XOR:
		*a ^= operand;
		return true;
	case BPF_LSH:
		*a = operand < 32 ? *a << operand : 0;
		return operand < 32;
	case BPF_RSH:
		*a = operand < 32 ? *a >> operand : 0;
		return operand < 32;
	case BPF_NEG:
		*a = 0 - *a;
		return true;
	default:
		return false;
	}
}

/* Run @program.  The run ends, because all jumps lead forward. */
static bool allows_call(const struct sock_filter *program, uint32_t n,
                        const struct seccomp_data *data)
{
	uint32_t a = 0, x = 0, cells[BPF_MEMWORDS] = { 0 };

	for (uint32_t at = 0; at < n; at++) {
		const struct sock_filter i = program[at];
		const uint32_t operand = BPF_SRC(i.code) == BPF_X ? x : i.k;
		uint32_t *const to = BPF_CLASS(i.code) == BPF_LD ? &a : &x;

		switch (i.code) {
		case BPF_LD | BPF_W | BPF_ABS:
			if (i.k % sizeof(a) != 0 || i.k >= HAS_ARGS_UP_TO ||
			    (i.k >= HAS_NUMBER_UP_TO &&
			     i.k < offsetof(struct seccomp_data, args)))
				return false;
			memcpy(&a, (const char *)data + i.k, sizeof(a));
			continue;
		case BPF_LD | BPF_W | BPF_LEN:
		case BPF_LDX | BPF_W | BPF_LEN:
			*to = sizeof(*data);
			continue;
		case BPF_LD | BPF_IMM:
		case BPF_LDX | BPF_IMM:
			*to = i.k;
			continue;
		case BPF_LD | BPF_MEM:
		case BPF_LDX | BPF_MEM:
			if (i.k >= BPF_MEMWORDS)
				return false;
			*to = cells[i.k];
			continue;
		case BPF_ST:
		case BPF_STX:
			if (i.k >= BPF_MEMWORDS)
				return false;
			cells[i.k] = i.code == BPF_ST ? a : x;
			continue;
		case BPF_MISC | BPF_TAX:
			x = a;
			continue;
		case BPF_MISC | BPF_TXA:
			a = x;
			continue;
		case BPF_RET | BPF_K:
		case BPF_RET | BPF_A:
			return ((i.code == (BPF_RET | BPF_K) ? i.k : a) &
			        SECCOMP_RET_ACTION_FULL) == SECCOMP_RET_ALLOW;
		case BPF_JMP | BPF_JA:
			if (i.k >= n)
				return false;
			at += i.k;
			continue;
		}
		if (BPF_CLASS(i.code) == BPF_ALU) {
			if (!compute(i.code, &a, operand))
				return false;
		} else if (BPF_CLASS(i.code) == BPF_JMP) {
			at += is_met(&i, a, operand) ? i.jt : i.jf;
		} else {
			return false;
		}
	}
	return false;
}

/* Return the number of needed calls before the first call that @program
 * forbids. */
static unsigned count_allowed(const struct sock_filter *program, uint32_t n)
{
	unsigned i;

	for (i = 0; i < N_NEEDED; i++) {
		const struct seccomp_data data = {
			.nr = needed[i].number,
			.arch = SYC_AUDIT_ARCH,
			.args = { needed[i].first, needed[i].second },
		};

		if (!allows_call(program, n, &data))
			break;
	}
	return i;
}

/* Return whether the kernel will return EFAULT, or false if memory can't be
 * checked. */
static bool is_unreadable(const void *at, size_t n)
{
	return !syc_memory_readable((uintptr_t)at, n) &&
	       syc_memory_readable((uintptr_t)__builtin_frame_address(0), 8);
}

/* Count the needed calls that the filter allows.  Returns false if the kernel
 * refuses the filter. */
static bool judge_filter(const struct sock_fprog *program, unsigned *ret_n)
{
	struct sock_fprog copy;

	*ret_n = 0;
	if (is_unreadable(program, sizeof(copy)))
		return false;
	if (!syc_memory_readable((uintptr_t)program, sizeof(copy)))
		return true;
	copy = *program;
	const size_t size = copy.len * sizeof(*copy.filter);
	if (copy.len == 0 || copy.len > BPF_MAXINSNS ||
	    is_unreadable(copy.filter, size))
		return false;
	if (syc_memory_readable((uintptr_t)copy.filter, size))
		*ret_n = count_allowed(copy.filter, copy.len);
	return true;
}

/*
 * Return the number of threads.  *ret_is_busy becomes true if another thread
 * blocks all signals, because the thread may be in the library's handler, or
 * entering or leaving the handler.
 */
static uint32_t count_threads(bool *ret_is_busy)
{
	const int32_t self = gettid();
	struct syc_thread_list tasks = { .starter_tid = 0 };
	struct syc_thread_status about;
	struct syc_thread_entry task;
	uint32_t n = 1;
	const int dir = syc_thread_list_open();

	*ret_is_busy = false;
	if (dir < 0)
		return n;
	syc_thread_list_begin(&tasks, dir);
	while (syc_thread_list_next(&tasks, &task))
		if (task.tid != self &&
		    syc_thread_list_read_mask(&tasks, task.tid, &about) == 0) {
			n++;
			*ret_is_busy |= syc_signals_are_all(about.blocked);
		}
	syc_thread_list_close(dir);
	return n;
}

/*
 * Wait for threads that will get the filter.  The wait is limited, because some
 * application threads block all signals.  Under another filter, other threads
 * can't be inspected.
 */
static void wait_for_others(bool may_look)
{
	bool is_busy = may_look;

	for (int i = 0; i < NAPS_MOST && (is_busy || i < NAPS_LEAST); i++) {
		syc_futex_nap();
		if (may_look)
			count_threads(&is_busy);
	}
}

/*
 * Record how many threads are not recorded to their end.  Called before the end
 * of recording in the thread, because the record may be the thread's first
 * event.
 */
static void report_filter(const char *word, const struct coming *filter)
{
	char message[64];
	struct syc_text text = syc_text_begin(message, sizeof(message));

	if (!syscap_is_active())
		return;
	syc_text_add(&text, word);
	syc_text_add_u64(&text, filter->n_ended);
	syc_text_add(&text, filter->is_closing ? ": all that is recorded there"
	                                       : ": samples");
	*text.at = '\0';
	syscap_metadata("syscap.filter", message);
}

static void prepare_for(struct coming *filter, unsigned n_allowed,
                        bool is_of_all)
{
	const bool is_alone = syc_thread_list_is_single();
	const bool is_first = !syc_seccomp_has_filter();
	bool is_busy;

	filter->before = syc_seccomp_here;
	filter->is_first = is_first;
	filter->notice.ends_own = n_allowed < N_NEEDED;
	filter->notice.ends_all =
		filter->notice.ends_own && (is_of_all || is_alone);
	filter->notice.is_free = is_first;
	filter->is_closing = n_allowed < N_COLLECTORS;
	/* Count each thread once */
	filter->n_ended = filter->before == SYC_SECCOMP_ENDED_NOTHING;
	if (filter->notice.ends_all && !is_alone && is_first)
		filter->n_ended = count_threads(&is_busy);
	if (filter->is_closing || (filter->notice.ends_own && filter->n_ended))
		report_filter("ended ", filter);
	if (is_first && syc_interposed_others != NULL)
		syc_interposed_others(0);
	__atomic_add_fetch(&syc_seccomp_filters, 1, __ATOMIC_RELAXED);
	if (filter->is_closing && filter->notice.ends_all)
		__atomic_add_fetch(&syc_seccomp_closing_filters, 1,
		                   __ATOMIC_RELAXED);
	if (filter->before == SYC_SECCOMP_ENDED_NOTHING)
		syc_interposed_on_filter(&filter->notice);
	if (filter->notice.ends_all && !is_alone && filter->notice.is_free)
		wait_for_others(is_first);
	if (filter->notice.ends_own)
		syc_seccomp_here = filter->is_closing
		                           ? SYC_SECCOMP_CLOSED_THREAD
		                           : SYC_SECCOMP_ENDED_TICKS;
}

static void take_back(struct coming *filter)
{
	const int saved = errno;

	syc_seccomp_here = filter->before;
	if (filter->is_closing && filter->notice.ends_all)
		__atomic_sub_fetch(&syc_seccomp_closing_filters, 1,
		                   __ATOMIC_RELAXED);
	__atomic_sub_fetch(&syc_seccomp_filters, 1, __ATOMIC_RELAXED);
	/* Under another filter no timer can be created */
	if (filter->is_first) {
		syc_interposed_on_refusal(&filter->notice);
		if (filter->notice.ends_own)
			report_filter("resumed ", filter);
	}
	errno = saved;
}

/* Make a system call, like the C library's syscall(). */
static long call_kernel(long number, long a, long b, long c, long d, long e,
                        long f)
{
	const long r = syc_raw_syscall(number, a, b, c, d, e, f);

	if ((unsigned long)r <= -4096UL)
		return r;
	errno = (int)-r;
	return -1;
}

/*
 * Install a filter.  A successful call returns 0, or the fd of a listener.  Any
 * other positive result is the id of a thread that could not get the filter.
 */
static long install_filter(long number, const long *args)
{
	const bool is_strict = number == SYS_prctl
	                               ? args[1] == SECCOMP_MODE_STRICT
	                               : args[0] == SECCOMP_SET_MODE_STRICT;
	const unsigned long flags =
		number == SYS_prctl || is_strict ? 0 : (unsigned long)args[1];
	struct coming filter;
	unsigned n_allowed = 0;

	/* In a closed thread no library code runs */
	const bool is_reported =
		!syc_seccomp_is_closed() &&
		(is_strict || judge_filter((void *)args[2], &n_allowed));
	if (is_reported)
		prepare_for(&filter, n_allowed,
		            (flags & SECCOMP_FILTER_FLAG_TSYNC) != 0);
	const long r = call_kernel(number, args[0], args[1], args[2], args[3],
	                           args[4], args[5]);
	if (is_reported && r != 0 &&
	    (r < 0 || (flags & SECCOMP_FILTER_FLAG_NEW_LISTENER) == 0))
		take_back(&filter);
	return r;
}

static bool is_of_filter(long number, const long *args)
{
	const uint32_t what = (uint32_t)args[0];

	return number == SYS_prctl ? what == PR_SET_SECCOMP
	                           : number == SYS_seccomp &&
	                                     (what == SECCOMP_SET_MODE_STRICT ||
	                                      what == SECCOMP_SET_MODE_FILTER);
}

/*
 * The headers declare these functions with `...`.  Missing arguments have
 * arbitrary values, which are not used.
 */
#define EXPORTED __attribute__((visibility("default")))

EXPORTED int take_prctl(int option, long a, long b, long c,
                        long d) __asm__("prctl");
EXPORTED long take_syscall(long number, long a, long b, long c, long d, long e,
                           long f) __asm__("syscall");

EXPORTED int take_prctl(int option, long a, long b, long c, long d)
{
	return (int)take_syscall(SYS_prctl, option, a, b, c, d, 0);
}

/* The C library's syscall(), or NULL before its lookup. */
static long (*syscall_behind)(long number, ...);

__attribute__((constructor(101))) static void look_up_syscall(void)
{
	syscall_behind = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
}

static __attribute__((noinline)) long call_here(long number, long a, long b,
                                                long c, long d, long e, long f)
{
	const long args[] = { a, b, c, d, e, f };

	return is_of_filter(number, args)
	               ? install_filter(number, args)
	               : call_kernel(number, a, b, c, d, e, f);
}

/*
 * Jump to the C library's syscall() for all other calls.  So a thread that
 * waits in a call has no frame of the library, and a new stack (clone) needs no
 * frame.
 */
EXPORTED long take_syscall(long number, long a, long b, long c, long d, long e,
                           long f)
{
	long (*const behind)(long, ...) = syscall_behind;

	if (number == SYS_prctl || number == SYS_seccomp || behind == NULL)
		return call_here(number, a, b, c, d, e, f);
	return behind(number, a, b, c, d, e, f);
}
