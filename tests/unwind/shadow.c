/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * shadow.c - the true stack at every instruction, without any table.
 *
 * The handler runs on its own stack, so that memory below the stepped code's
 * stack pointer does not change.
 */
#define _GNU_SOURCE
#include "unwind/shadow.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#include "harness/test.h"
#include "unwind/stack_walk.h"

#if defined(__x86_64__)

#define TRAP_FLAG   0x100
#define LONGEST_ONE 15 /* maximum length of an instruction in bytes */

struct call {
	uintptr_t slot; /* address of the call's return address */
	uintptr_t to;
};

static struct shadow *current;
static struct walk walk;
static struct call calls[SHADOW_DEPTH];
static unsigned n_calls;
static uintptr_t last_pc, last_sp;
/* The stack of the caller of shadow_run(), without its callees. */
static uint64_t base[64];
static unsigned n_base;

static void follow(uintptr_t pc, uintptr_t sp)
{
	while (n_calls > 0 && calls[n_calls - 1].slot < sp)
		n_calls--;
	if (last_pc == 0 || sp != last_sp - 8 || n_calls == SHADOW_DEPTH)
		return;

	const uintptr_t pushed = *(const uintptr_t *)sp;

	if (pushed <= last_pc || pushed > last_pc + LONGEST_ONE)
		return;
	if (pc >= last_pc && pc <= pushed)
		/* the code pushed the next instruction's address, and went
		 * on */
		return;
	calls[n_calls++] = (struct call){ .slot = sp, .to = pushed };
	if (n_calls > current->max_depth)
		current->max_depth = n_calls;
}

/* The @i-th address that the walk should find; 0: no more. */
static uint64_t expected(unsigned i)
{
	if (i == 0)
		return walk.pc;
	if (i <= n_calls)
		return calls[n_calls - i].to - 1;
	i -= n_calls + 1;
	return i < n_base ? base[i] : 0;
}

static void tell(unsigned frame, uint64_t is, uint64_t should_be)
{
	struct shadow_difference *at = current->differences;

	for (unsigned i = 0; i < current->n_differences; i++, at++)
		if (at->pc == walk.pc && at->frame == frame) {
			at->n++;
			return;
		}
	if (current->n_differences == SHADOW_PLACES)
		return;
	current->n_differences++;
	*at = (struct shadow_difference){
		.pc = walk.pc,
		.frame = frame,
		.is = is,
		.should_be = should_be,
		.n = 1,
	};
}

static void compare(void)
{
	const unsigned n = n_calls + 1 + n_base;

	current->n_steps++;
	for (unsigned i = 0; i < n || i < walk.unwind.n; i++) {
		const uint64_t is = i < walk.unwind.n ? walk.addrs[i] : 0;
		const uint64_t should_be = expected(i);

		if (is != should_be) {
			current->n_stopped += walk.unwind.flags != 0;
			tell(i, is, should_be);
			return;
		}
	}
	if (walk.unwind.flags != 0)
		tell(n, walk.unwind.flags, 0);
	else
		current->n_same++;
}

static void on_step(int signal, siginfo_t *info, void *context)
{
	ucontext_t *const uc = context;
	greg_t *const regs = uc->uc_mcontext.gregs;
	const int saved = errno;

	(void)signal;
	(void)info;
	if (current == NULL) {
		regs[REG_EFL] &= ~TRAP_FLAG;
		return;
	}
	follow((uintptr_t)regs[REG_RIP], (uintptr_t)regs[REG_RSP]);
	last_pc = (uintptr_t)regs[REG_RIP];
	last_sp = (uintptr_t)regs[REG_RSP];
	/* The first call calls the tested function. */
	if (n_calls > 0) {
		walk_from(&walk, context, 512);
		compare();
	}
	errno = saved;
}

bool shadow_is_possible(void)
{
#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
	return false; /* ThreadSanitizer delays handlers */
#endif
#endif
#if defined(__SANITIZE_THREAD__)
	return false;
#endif
	return true;
}

/*
 * Frames above run() are known from a walk, which other tests check.  The first
 * address of that walk is in run() itself.
 */
static void __attribute__((noinline)) run(void (*call)(void *), void *data)
{
	walk_here(&walk, 512);
	n_base = 0;
	for (unsigned i = 1; i < walk.unwind.n && n_base < 64; i++)
		base[n_base++] = walk.addrs[i];
	n_calls = 0;
	last_pc = 0;
	__asm__ volatile("lea -128(%%rsp), %%rsp\n\t"
	                 "pushfq\n\t"
	                 "orq $0x100, (%%rsp)\n\t"
	                 "popfq\n\t"
	                 "lea 128(%%rsp), %%rsp" ::
	                         : "memory", "cc");
	call(data);
	__asm__ volatile("lea -128(%%rsp), %%rsp\n\t"
	                 "pushfq\n\t"
	                 "andq $~0x100, (%%rsp)\n\t"
	                 "popfq\n\t"
	                 "lea 128(%%rsp), %%rsp" ::
	                         : "memory", "cc");
}

void shadow_run(struct shadow *shadow, void (*call)(void *data), void *data)
{
	static char stack[1 << 16];
	const stack_t ss = { .ss_sp = stack, .ss_size = sizeof(stack) };
	struct sigaction sa;
	stack_t saved;

	memset(shadow, 0, sizeof(*shadow));
	memset(&sa, 0, sizeof(sa));
	sa.sa_sigaction = on_step;
	sa.sa_flags = SA_SIGINFO | SA_ONSTACK;
	CHECK_EQ(sigaltstack(&ss, &saved), 0);
	CHECK_EQ(sigaction(SIGTRAP, &sa, NULL), 0);
	current = shadow;
	run(call, data);
	current = NULL;
	CHECK_EQ(sigaltstack(&saved, NULL), 0);
	CHECK(shadow->n_steps > 0);
}

#else

bool shadow_is_possible(void)
{
	return false;
}

void shadow_run(struct shadow *shadow, void (*call)(void *data), void *data)
{
	(void)call;
	(void)data;
	memset(shadow, 0, sizeof(*shadow));
}

#endif

static void print_place(uint64_t addr)
{
	Dl_info info;

	memset(&info, 0, sizeof(info));
	if (addr == 0 || dladdr((void *)(uintptr_t)addr, &info) == 0) {
		fprintf(stderr, "%#llx", (unsigned long long)addr);
		return;
	}
	fprintf(stderr, "%s+%#lx", info.dli_fname,
	        (unsigned long)(addr - (uintptr_t)info.dli_fbase));
	if (info.dli_sname)
		fprintf(stderr, " (%s)", info.dli_sname);
}

void shadow_print(const struct shadow *shadow, const char *what)
{
	fprintf(stderr,
	        "%s: %lu instructions, %lu same, %lu of the others stopped, "
	        "depth %u\n",
	        what, shadow->n_steps, shadow->n_same, shadow->n_stopped,
	        shadow->max_depth);
	for (unsigned i = 0; i < shadow->n_differences; i++) {
		const struct shadow_difference *at = &shadow->differences[i];

		fprintf(stderr, "\t%lu times at ", at->n);
		print_place(at->pc);
		fprintf(stderr, "\n\t\tframe %u is ", at->frame);
		print_place(at->is);
		fprintf(stderr, "\n\t\tshould be ");
		print_place(at->should_be);
		fprintf(stderr, "\n");
	}
}
