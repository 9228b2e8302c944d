/* SPDX-License-Identifier: BSD-2-Clause */
/* stack_walk.c - stacks in tests, and checks of their frames. */
#define _GNU_SOURCE
#include "unwind/stack_walk.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#include <syscap/format.h>

#include "harness/test.h"
#include "os/threads.h"
#include "unwind/registers.h"

extern const char _start[];

static struct walk *trap_walk;
static unsigned trap_max;

/* Cached, as the bounds cost system calls and do not change. */
static __thread uintptr_t stack_low, stack_high;

static void begin(struct walk *walk, unsigned max)
{
	if (stack_high == 0)
		syc_stack_bounds(&stack_low, &stack_high);
	memset(&walk->unwind, 0, sizeof(walk->unwind));
	memset(walk->addrs, 0x5A, sizeof(walk->addrs[0]) * (max + 1));
	walk->unwind.addrs = walk->addrs;
	walk->unwind.sps = walk->sps;
	walk->unwind.max = max;
	walk->unwind.low = stack_low;
	walk->unwind.high = stack_high;
	walk->pc = 0;
	walk->n_taken++;
}

__attribute__((noinline)) void walk_here(struct walk *walk, unsigned max)
{
	begin(walk, max);
	syc_unwind_here(&walk->unwind, 1);
	CHAIN_END();
}

void walk_from(struct walk *walk, const void *context, unsigned max)
{
	begin(walk, max);
	walk->pc = registers_pc(context);
	syc_unwind_from(&walk->unwind, context);
}

static void on_trap(int signal, siginfo_t *info, void *context)
{
	const int saved = errno;

	(void)signal;
	(void)info;
	walk_from(trap_walk, context, trap_max);
	registers_leave_trap(context);
	errno = saved;
}

void walk_on_trap(struct walk *walk, unsigned max, bool on_altstack)
{
	struct sigaction sa;

	trap_walk = walk;
	trap_max = max;
	memset(&sa, 0, sizeof(sa));
	sa.sa_sigaction = on_trap;
	sa.sa_flags = SA_SIGINFO | SA_NODEFER | (on_altstack ? SA_ONSTACK : 0);
	CHECK_EQ(sigaction(SIGTRAP, &sa, NULL), 0);
}

void walk_print(const struct walk *walk)
{
	for (unsigned i = 0; i < walk->unwind.n; i++) {
		const uint64_t addr = walk->addrs[i];
		Dl_info info;

		memset(&info, 0, sizeof(info));
		if (dladdr((void *)(uintptr_t)addr, &info) == 0)
			fprintf(stderr, "\t%3u %#llx sp %#lx\n", i,
			        (unsigned long long)addr,
			        (unsigned long)walk->sps[i]);
		else
			fprintf(stderr, "\t%3u %s+%#lx %s sp %#lx\n", i,
			        info.dli_fname,
			        (unsigned long)(addr -
			                        (uintptr_t)info.dli_fbase),
			        info.dli_sname ? info.dli_sname : "",
			        (unsigned long)walk->sps[i]);
	}
	fprintf(stderr, "\tflags %#x, from pc %#lx\n", walk->unwind.flags,
	        (unsigned long)walk->pc);
}

void walk_fail(const struct walk *walk, const char *why, ...)
{
	char text[256];
	va_list args;

	va_start(args, why);
	vsnprintf(text, sizeof(text), why, args);
	va_end(args);
	walk_print(walk);
	test_fail(__FILE__, __LINE__, "%s", text);
}

struct walk_check walk_check(const struct walk *walk)
{
	const struct walk_check check = { .walk = walk };
	const uint64_t untouched = UINT64_C(0x5A5A5A5A5A5A5A5A);

	if (walk->n_taken == 0)
		test_fail(__FILE__, __LINE__, "no stack was taken");
	if (walk->unwind.n == 0 || walk->unwind.n > walk->unwind.max)
		walk_fail(walk, "%u addresses of %u", walk->unwind.n,
		          walk->unwind.max);
	if (walk->addrs[walk->unwind.max] != untouched)
		walk_fail(walk, "wrote behind the end");
	if (walk->pc != 0 && walk->addrs[0] != walk->pc)
		walk_fail(walk, "the first is not the interrupted pc");
	return check;
}

bool walk_is_in(uint64_t addr, const struct walk_part *part)
{
	return addr >= (uintptr_t)part->start && addr < (uintptr_t)part->stop;
}

static uint64_t next(struct walk_check *check, const char *name)
{
	if (check->at >= check->walk->unwind.n)
		walk_fail(check->walk, "ends before %s", name);
	return check->walk->addrs[check->at++];
}

void walk_next(struct walk_check *check, const struct walk_part *part)
{
	if (!walk_is_in(next(check, part->name), part))
		walk_fail(check->walk, "%u is not in %s", check->at - 1,
		          part->name);
}

void walk_next_is(struct walk_check *check, uint64_t addr)
{
	if (next(check, "an address") != addr)
		walk_fail(check->walk, "%u is not %#llx", check->at - 1,
		          (unsigned long long)addr);
}

void walk_skip_to(struct walk_check *check, const struct walk_part *part,
                  unsigned max)
{
	unsigned skipped = 0;

	while (!walk_is_in(next(check, part->name), part))
		if (++skipped > max)
			walk_fail(check->walk, "%s is not within %u",
			          part->name, max);
	if (skipped == 0)
		walk_fail(check->walk, "nothing before %s", part->name);
}

unsigned walk_count(struct walk_check *check, const struct walk_part *part)
{
	unsigned n = 0;

	while (check->at < check->walk->unwind.n &&
	       walk_is_in(check->walk->addrs[check->at], part)) {
		check->at++;
		n++;
	}
	return n;
}

void walk_ends_at_start(const struct walk_check *check)
{
	const struct walk *walk = check->walk;
	const uint64_t last = walk->addrs[walk->unwind.n - 1];

	if (walk->unwind.flags != 0)
		walk_fail(walk, "flags %#x", walk->unwind.flags);
		/* On ppc64el, _start jumps to a function of the C library */
#if !defined(__powerpc64__)
	if (last < (uintptr_t)_start || last >= (uintptr_t)_start + 64)
		walk_fail(walk, "the last is not in _start");
#else
	Dl_info info;

	if (dladdr((void *)(uintptr_t)last, &info) == 0 ||
	    info.dli_sname == NULL ||
	    strcmp(info.dli_sname, "__libc_start_main") != 0)
		walk_fail(walk, "the last is not in __libc_start_main");
#endif
}

void walk_ends_after(const struct walk_check *check, unsigned n)
{
	const struct walk *walk = check->walk;

	if (walk->unwind.flags != 0)
		walk_fail(walk, "flags %#x", walk->unwind.flags);
	if (walk->unwind.n - check->at != n)
		walk_fail(walk, "%u are left, not %u",
		          walk->unwind.n - check->at, n);
}
