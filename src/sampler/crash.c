/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * crash.c - events of a thread that crashes: a log message and the
 * thread's stack.
 *
 * The handler runs only for signals whose action was the default, so the
 * process ends after the handler.  All signals are blocked in the handler.  Until
 * syc_tick_owns_tls(), the handler must not use thread-local storage.  See
 * docs/crashes.md.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <syscap.h>
#include <syscap/runtime.h>
#include <syscap/sampler.h>

#include "base/text.h"
#include "emit/process.h"
#include "emit/ring_source.h"
#include "emit/thread.h"
#include "os/seccomp_state.h"
#include "os/signals.h"
#include "os/syscalls.h"
#include "ring/clock.h"
#include "sampler/compose.h"
#include "sampler/interposed.h"
#include "sampler/machine.h"
#include "sampler/sampler.h"
#include "sampler/tick.h"
#include "session/spill.h"

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

/* G_LOG_LEVEL_ERROR of GLib, whose severities LOG frames have. */
#define SEVERITY_ERROR 4

#define STACK_SIZE ((size_t)64 * 1024)
/* Longest wait for other threads that crash at the same time. */
#define WAIT_NS INT64_C(1000000000)
/* Bytes of the events of a crash. */
#define ROOM 8192u
/* Least stack for recording them. */
#define STACK_ROOM 12288u

static const struct crash {
	int signal;
	char name[8];
} crashes[] = {
	{ SIGSEGV, "SIGSEGV" }, { SIGBUS, "SIGBUS" }, { SIGABRT, "SIGABRT" },
	{ SIGILL, "SIGILL" },   { SIGFPE, "SIGFPE" },
};

struct sigaction syc_crash_action;

/* The workspace of the thread whose events are recorded. One thread at a time
 * uses the workspace. */
static struct syc_workspace *workspace;
static uint32_t recording_tid; /* 0: none */
static uint32_t n_crashed;     /* threads whose events are not complete yet */
/* The last thread that crashed, and its process, or 0 */
static int32_t crashed_tid, crashed_pid;

static const char *name_of(int signal)
{
	for (unsigned i = 0; i < sizeof(crashes) / sizeof(*crashes); i++)
		if (crashes[i].signal == signal)
			return crashes[i].name;
	return "";
}

/* The reason of a signal that the code at fault caused, or NULL. */
static const char *reason_of(int signal, int code)
{
	static const struct {
		int signal, code;
		const char *reason;
	} reasons[] = {
		{ SIGSEGV, SEGV_MAPERR, "no memory is mapped" },
		{ SIGSEGV, SEGV_ACCERR, "the memory forbids this access" },
		{ SIGBUS, BUS_ADRALN, "the address is not aligned" },
		{ SIGBUS, BUS_ADRERR, "the mapped file has no such byte" },
		{ SIGFPE, FPE_INTDIV, "an integer was divided by zero" },
		{ SIGFPE, FPE_INTOVF, "an integer division overflowed" },
		{ SIGILL, ILL_ILLOPN, "the instruction is invalid" },
		{ SIGILL, ILL_ILLOPC, "the instruction is invalid" },
	};

	for (unsigned i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		if (reasons[i].signal == signal && reasons[i].code == code)
			return reasons[i].reason;
	return NULL;
}

/* Return whether the interrupted instruction caused the signal. */
static bool is_from_instruction(int signal, const siginfo_t *info)
{
	return info->si_code > 0 && signal != SIGABRT &&
	       !(signal == SIGBUS && info->si_code == BUS_MCEERR_AO);
}

static void describe(char *message, size_t size, int signal,
                     const siginfo_t *info)
{
	struct syc_text text = syc_text_begin(message, size);
	const char *const reason =
		info != NULL ? reason_of(signal, info->si_code) : NULL;

	syc_text_add(&text, name_of(signal));
	if (reason != NULL) {
		syc_text_add(&text, " at address 0x");
		syc_text_add_hex(&text, (uintptr_t)info->si_addr);
		syc_text_add(&text, ": ");
		syc_text_add(&text, reason);
	} else if (info != NULL && info->si_code <= 0) {
		syc_text_add(&text, ", sent by process ");
		syc_text_add_i64(&text, info->si_pid);
		if (info->si_pid == getpid())
			syc_text_add(&text, ", itself");
	}
	*text.at = '\0';
}

/*
 * Without the library, a crash ends the process at once.  So a thread that ends
 * the process by exit() meanwhile waits for the end by the crash.  Otherwise the
 * status of exit() would hide the crash.  Forked children have their parent's
 * variable, and another pid.
 */
__attribute__((destructor)) static void wait_for_crash(void)
{
	/* Without a crash, no system call: a filter may kill the process for one */
	if (__atomic_load_n(&crashed_pid, __ATOMIC_ACQUIRE) == 0)
		return;
	const int64_t deadline = syc_clock_kernel() + 2 * WAIT_NS;

	while (__atomic_load_n(&crashed_pid, __ATOMIC_ACQUIRE) == getpid() &&
	       __atomic_load_n(&crashed_tid, __ATOMIC_RELAXED) != gettid() &&
	       syc_clock_kernel() < deadline)
		syc_futex_nap();
}

/* Wait for the reader of a full ring.  No emit of this thread is in progress, so
 * `next` is valid. */
static void wait_for_room(const struct syc_state *ts, int64_t deadline)
{
	const uint32_t size = ts->hot.size;
	const uint32_t need = size / 2 < ROOM ? size / 2 : ROOM;
	const uint32_t next = (uint32_t)ts->hot.next;

	while (ts->ring != NULL && size != 0 && syc_clock_kernel() < deadline) {
		const uint32_t head =
			__atomic_load_n(&ts->ring->head, __ATOMIC_ACQUIRE);

		const uint32_t used =
			next >= head ? next - head : next + size - head;
		if (size - used >= need)
			break;
		syc_futex_nap();
	}
}

static void record(int signal, const siginfo_t *info, const ucontext_t *context)
{
	/* The state of a copy of the library that has had no event in this
	 * thread */
	struct syc_thread *const st = syc_thread_get(SYSCAP_FRAME_LOG);
	struct syscap_regs regs = { .sp = 0 };
	char message[128];

	/* The crashed code may be an event of this thread */
	syscap_thread_reset();
	if (syc_own_recording != NULL)
		syc_own_recording->drain();
	if (st != NULL)
		wait_for_room(syc_state_of(st),
		              syc_clock_kernel() + WAIT_NS / 2);
	describe(message, sizeof(message), signal, info);
	syscap_log(SEVERITY_ERROR, "syscap.crash", message);
	struct syc_text text = syc_text_begin(message, sizeof(message));
	syc_text_add(&text, "crashed by ");
	syc_text_add(&text, name_of(signal));
	struct syc_sample_options options = {
		.max_depth = SYC_STACK_MAX,
		.stacks = SYSCAP_SAMPLER_MERGED,
		.innermost =
			syscap_jit_intern(message, (size_t)(text.at - message)),
	};
	if (st != NULL) {
		struct syc_state *const ts = syc_state_of(st);

		syc_registers_of(context, &regs);
		syc_thread_has_on_stack(ts, regs.sp);
		options.low = ts->stack_low;
		options.high = ts->stack_high;
	}
	syc_compose_tick(workspace, &options, context, syscap_clock(),
	                 SYC_WEIGHT_OF_CRASH);
	/* Without the mappings, no address of the stack gets a name.  A recorder
	 * may read the mappings only after the process's end */
	syc_process_maps_report();
	if (syc_own_recording != NULL)
		syc_own_recording->drain();
}

/* Wait until *@word is 0. */
static void wait_until_zero(const uint32_t *word, int64_t deadline)
{
	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) != 0 &&
	       syc_clock_kernel() < deadline)
		syc_futex_nap();
}

static void record_in_turn(int32_t tid, int signal, const siginfo_t *info,
                           const ucontext_t *context)
{
	const int64_t deadline = syc_clock_kernel() + WAIT_NS;
	uint32_t nobody = 0;

	__atomic_add_fetch(&n_crashed, 1, __ATOMIC_SEQ_CST);
	while (!__atomic_compare_exchange_n(
		       &recording_tid, &nobody, (uint32_t)tid, false,
		       __ATOMIC_ACQUIRE, __ATOMIC_RELAXED) &&
	       syc_clock_kernel() < deadline) {
		wait_until_zero(&recording_tid, deadline);
		nobody = 0;
	}
	if (nobody == 0) {
		record(signal, info, context);
		/* An interposer leaves SIG_DFL alone from now on */
		__atomic_store_n(&syc_crash_action.sa_sigaction, NULL,
		                 __ATOMIC_RELAXED);
		__atomic_store_n(&recording_tid, 0, __ATOMIC_RELEASE);
	}
	__atomic_sub_fetch(&n_crashed, 1, __ATOMIC_SEQ_CST);
	wait_until_zero(&n_crashed, deadline);
}

static bool may_record(void)
{
	return syscap_is_active() && syc_child_pid() == getpid() &&
	       !syc_thread_has_ended();
}

/* The kernel ends a process at a blocked signal that an instruction causes. */
static void block(int signal, ucontext_t *context)
{
	uint64_t mask;

	memcpy(&mask, &context->uc_sigmask, sizeof(mask));
	mask |= syc_signal_bit(signal);
	memcpy(&context->uc_sigmask, &mask, sizeof(mask));
}

/*
 * Let the signal have its default action when the handler returns.  @info is
 * NULL if the program has installed the action again without SA_SIGINFO, or has a
 * filter.  Many filters kill the process for rt_tgsigqueueinfo(), but not for
 * tgkill(), which raise() calls.  Any of the calls may fail under a filter.  The
 * process must end nevertheless.
 */
static void end_process(int32_t tid, int signal, siginfo_t *info,
                        ucontext_t *context)
{
	const long pid = syc_raw_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0);
	/* SIG_DFL, in the kernel's layout.  An interposer's sigaction() would
	 * install the action of crashes again */
	static const uint64_t by_default[4];

	if (syc_raw_syscall(SYS_rt_sigaction, signal,
	                    (long)(uintptr_t)by_default, 0, sizeof(uint64_t), 0,
	                    0) == 0 &&
	    ((info != NULL &&
	      syc_raw_syscall(SYS_rt_tgsigqueueinfo, pid, tid, signal,
	                      (long)(uintptr_t)info, 0, 0) == 0) ||
	     syc_raw_syscall(SYS_tgkill, pid, tid, signal, 0, 0, 0) == 0)) {
		/* Under the default action, the first process of a pid namespace
		 * survives a signal that no instruction caused */
		if (pid == 1)
			__atomic_store_n(&crashed_pid, 0, __ATOMIC_RELAXED);
		return;
	}
	if (info != NULL && is_from_instruction(signal, info))
		block(signal, context);
	else
		syc_raw_syscall(SYS_kill, pid, SIGKILL, 0, 0, 0, 0);
}

static SYC_REALIGN SYC_NO_CANARY void handle(int signal, siginfo_t *info,
                                             void *context)
{
	const bool has_filter = syc_seccomp_has_filter();
	struct sigaction action;

	/* A filter may forbid any call */
	if (has_filter && is_from_instruction(signal, info)) {
		block(signal, context);
		return;
	}
	const int32_t tid =
		(int32_t)syc_raw_syscall(SYS_gettid, 0, 0, 0, 0, 0, 0);

	__atomic_store_n(&crashed_tid, tid, __ATOMIC_RELAXED);
	__atomic_store_n(&crashed_pid,
	                 (int32_t)syc_raw_syscall(SYS_getpid, 0, 0, 0, 0, 0, 0),
	                 __ATOMIC_RELEASE);
	if (has_filter || (sigaction(signal, NULL, &action) == 0 &&
	                   (action.sa_flags & SA_SIGINFO) == 0))
		info = NULL;
	if (syc_tick_owns_tls(tid) && !has_filter &&
	    syc_tick_has_room(context, (uintptr_t)__builtin_frame_address(0),
	                      STACK_ROOM)) {
		struct syc_undisturbed before;

		syc_undisturbed_begin(&before);
		if (may_record())
			record_in_turn(tid, signal, info, context);
		syc_undisturbed_end(&before);
	}
	end_process(tid, signal, info, context);
}

/* Give the calling thread an alternate stack if it has none. */
static int make_stack(void)
{
	const size_t size = STACK_SIZE + getauxval(AT_MINSIGSTKSZ);
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	stack_t stack;

	if (sigaltstack(NULL, &stack) != 0)
		return -errno;
	if ((stack.ss_flags & SS_DISABLE) == 0)
		return 0;
	char *const memory =
		mmap(NULL, page + size, PROT_READ | PROT_WRITE,
	             MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	if (memory == MAP_FAILED)
		return -ENOMEM;
	mprotect(memory, page, PROT_NONE); /* a guard page */
	stack = (stack_t){ .ss_sp = memory + page, .ss_size = size };
	return sigaltstack(&stack, NULL) == 0 ? 0 : -errno;
}

static int install(int signal)
{
	struct sigaction action;

	if (sigaction(signal, NULL, &action) != 0)
		return -errno;
	if (action.sa_handler != SIG_DFL)
		return 0;
	return sigaction(signal, &syc_crash_action, NULL) == 0 ? 0 : -errno;
}

static void make_action(void)
{
	const uint64_t all = SYC_ALL_SIGNALS | SYC_SIGNAL_OF_CANCEL;

	syc_crash_action.sa_flags = SA_SIGINFO | SA_ONSTACK;
	memcpy(&syc_crash_action.sa_mask, &all, sizeof(all));
	__atomic_store_n(&syc_crash_action.sa_sigaction, handle,
	                 __ATOMIC_RELEASE);
}

int syscap_catch_crashes(void)
{
	const int saved = errno;
	/* The program may have had a filter before its exec */
	int r = syc_spill_count_filters() > 0 ? -EPERM : syc_setup_prepare();

	if (r == 0)
		r = syc_unwind_prepare();
	if (r == 0 && __atomic_load_n(&workspace, __ATOMIC_ACQUIRE) == NULL) {
		void *const memory =
			mmap(NULL, syc_workspace_size(), PROT_READ | PROT_WRITE,
		             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		r = memory == MAP_FAILED ? -ENOMEM : 0;
		if (r == 0)
			__atomic_store_n(&workspace, memory, __ATOMIC_RELEASE);
	}
	if (r == 0) {
		syc_tick_prepare();
		r = make_stack();
	}
	if (r == 0)
		make_action();
	for (unsigned i = 0; r == 0 && i < sizeof(crashes) / sizeof(*crashes);
	     i++)
		r = install(crashes[i].signal);
	errno = saved;
	return r;
}
