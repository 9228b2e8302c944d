/* SPDX-License-Identifier: BSD-2-Clause */
/* registers.h - registers of a ucontext_t that unwinding uses. */
#ifndef SYSCAP_TEST_REGISTERS_H
#define SYSCAP_TEST_REGISTERS_H

#include <stdint.h>
#include <ucontext.h>

static inline void registers_set(ucontext_t *context, uintptr_t pc,
                                 uintptr_t sp, uintptr_t fp)
{
#if defined(__x86_64__)
	context->uc_mcontext.gregs[REG_RIP] = (greg_t)pc;
	context->uc_mcontext.gregs[REG_RSP] = (greg_t)sp;
	context->uc_mcontext.gregs[REG_RBP] = (greg_t)fp;
#elif defined(__aarch64__)
	context->uc_mcontext.pc = pc;
	context->uc_mcontext.sp = sp;
	context->uc_mcontext.regs[29] = fp;
#endif
}

/** Sets all registers from @next, except pc and sp. */
static inline void registers_scatter(ucontext_t *context,
                                     uintptr_t (*next)(void))
{
#if defined(__x86_64__)
	for (int i = REG_R8; i <= REG_RCX; i++)
		context->uc_mcontext.gregs[i] = (greg_t)next();
#elif defined(__aarch64__)
	for (int i = 0; i < 31; i++)
		context->uc_mcontext.regs[i] = next();
#endif
}

/** aarch64: the return address of the interrupted function. */
static inline void registers_set_link(ucontext_t *context, uintptr_t lr)
{
#if defined(__aarch64__)
	context->uc_mcontext.regs[30] = lr;
#else
	(void)context;
	(void)lr;
#endif
}

#endif
