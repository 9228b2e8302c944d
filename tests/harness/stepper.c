/* SPDX-License-Identifier: BSD-2-Clause */
/* stepper.c - an action at the k-th instruction of a call (x86-64). */
#define _GNU_SOURCE
#include "harness/stepper.h"

#include <signal.h>
#include <string.h>
#include <ucontext.h>

#include "harness/test.h"

#define TRAP_FLAG 0x100

static struct stepper *volatile current;

static void on_trap(int signal, siginfo_t *info, void *context)
{
	ucontext_t *const uc = context;
	struct stepper *const stepper = current;

	(void)signal;
	(void)info;
	if (stepper == NULL || ++stepper->count > stepper->target) {
		uc->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
		return;
	}
	if (stepper->count == stepper->target) {
		uc->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
		stepper->action();
	}
}

void stepper_install(bool on_altstack)
{
	struct sigaction sa;

	memset(&sa, 0, sizeof(sa));
	sa.sa_sigaction = on_trap;
	sa.sa_flags = SA_SIGINFO | SA_NODEFER | (on_altstack ? SA_ONSTACK : 0);
	if (on_altstack) {
		static char stack[1 << 16];
		const stack_t ss = { .ss_sp = stack, .ss_size = sizeof(stack) };

		sigaltstack(&ss, NULL);
	}
	sigaction(SIGTRAP, &sa, NULL);
}

bool stepper_run(struct stepper *stepper, long target, void (*call)(void),
                 void (*action)(void))
{
	stepper->target = target;
	stepper->count = 0;
	stepper->action = action;
	stepper->outer = current;
	current = stepper;
	__asm__ volatile("lea -128(%%rsp), %%rsp\n\t"
	                 "pushfq\n\t"
	                 "orq $0x100, (%%rsp)\n\t"
	                 "popfq\n\t"
	                 "lea 128(%%rsp), %%rsp" ::
	                         : "memory", "cc");
	call();
	__asm__ volatile("lea -128(%%rsp), %%rsp\n\t"
	                 "pushfq\n\t"
	                 "andq $~0x100, (%%rsp)\n\t"
	                 "popfq\n\t"
	                 "lea 128(%%rsp), %%rsp" ::
	                         : "memory", "cc");
	current = stepper->outer;
	return stepper->count >= target;
}

long stepper_stride(long n)
{
	if (test_is_sanitized())
		return n > 39 ? n : 39;
	return test_is_whole() ? 1 : n;
}

long stepper_first(long stride)
{
	return stride == 1 ? 1 : 1 + (long)(test_seed() % (unsigned)stride);
}

void stepper_abandon(struct stepper *stepper)
{
	current = stepper->outer;
}
