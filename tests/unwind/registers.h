/* SPDX-License-Identifier: BSD-2-Clause */
/* registers.h - registers of a ucontext_t that unwinding uses. */
#ifndef SYSCAP_TEST_REGISTERS_H
#define SYSCAP_TEST_REGISTERS_H

#include <stdint.h>
#include <ucontext.h>

static inline uintptr_t registers_pc(const ucontext_t *context)
{
#if defined(__x86_64__)
	return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
	return (uintptr_t)context->uc_mcontext.pc;
#elif defined(__riscv)
	return (uintptr_t)context->uc_mcontext.__gregs[0];
#elif defined(__i386__)
	return (uintptr_t)context->uc_mcontext.gregs[REG_EIP];
#elif defined(__s390x__)
	return context->uc_mcontext.psw.addr;
#elif defined(__powerpc64__)
	return context->uc_mcontext.gp_regs[32];
#endif
}

/** Continue after the instruction of walk_trap(), whose address some machines
 * leave in the pc. */
static inline void registers_leave_trap(ucontext_t *context)
{
#if defined(__aarch64__)
	context->uc_mcontext.pc += 4;
#elif defined(__riscv)
	context->uc_mcontext.__gregs[0] += 4;
#elif defined(__powerpc64__)
	context->uc_mcontext.gp_regs[32] += 4;
#else
	(void)context;
#endif
}

/** The frame pointer of a function whose caller's frame pointer and return
 * address are at @record. */
static inline uintptr_t registers_fp_of(const uintptr_t *record)
{
#if defined(__riscv)
	record += 2;
#endif
	return (uintptr_t)record;
}

static inline void registers_set_stack(ucontext_t *context, uintptr_t sp,
                                       uintptr_t fp)
{
#if defined(__x86_64__)
	context->uc_mcontext.gregs[REG_RSP] = (greg_t)sp;
	context->uc_mcontext.gregs[REG_RBP] = (greg_t)fp;
#elif defined(__aarch64__)
	context->uc_mcontext.sp = sp;
	context->uc_mcontext.regs[29] = fp;
#elif defined(__riscv)
	context->uc_mcontext.__gregs[2] = sp;
	context->uc_mcontext.__gregs[8] = fp;
#elif defined(__i386__)
	context->uc_mcontext.gregs[REG_ESP] = (greg_t)sp;
	context->uc_mcontext.gregs[REG_EBP] = (greg_t)fp;
#elif defined(__s390x__)
	context->uc_mcontext.gregs[15] = sp;
	context->uc_mcontext.gregs[11] = fp;
#elif defined(__powerpc64__)
	context->uc_mcontext.gp_regs[1] = sp;
	context->uc_mcontext.gp_regs[31] = fp;
#endif
}

static inline void registers_set(ucontext_t *context, uintptr_t pc,
                                 uintptr_t sp, uintptr_t fp)
{
#if defined(__x86_64__)
	context->uc_mcontext.gregs[REG_RIP] = (greg_t)pc;
#elif defined(__aarch64__)
	context->uc_mcontext.pc = pc;
#elif defined(__riscv)
	context->uc_mcontext.__gregs[0] = pc;
#elif defined(__i386__)
	context->uc_mcontext.gregs[REG_EIP] = (greg_t)pc;
#elif defined(__s390x__)
	context->uc_mcontext.psw.addr = pc;
#elif defined(__powerpc64__)
	context->uc_mcontext.gp_regs[32] = pc;
#endif
	registers_set_stack(context, sp, fp);
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
#elif defined(__riscv)
	for (int i = 1; i < 32; i++)
		if (i != 2)
			context->uc_mcontext.__gregs[i] = next();
#elif defined(__i386__)
	for (int i = REG_EDI; i <= REG_EAX; i++)
		if (i != REG_ESP)
			context->uc_mcontext.gregs[i] = (greg_t)next();
#elif defined(__s390x__)
	for (int i = 0; i < 15; i++)
		context->uc_mcontext.gregs[i] = next();
#elif defined(__powerpc64__)
	for (int i = 0; i < 37; i++)
		if (i != 1 && i != 32)
			context->uc_mcontext.gp_regs[i] = next();
#endif
}

/** The return address of the interrupted function, on machines whose calls leave
 * it in a register. */
static inline void registers_set_link(ucontext_t *context, uintptr_t lr)
{
#if defined(__aarch64__)
	context->uc_mcontext.regs[30] = lr;
#elif defined(__riscv)
	context->uc_mcontext.__gregs[1] = lr;
#elif defined(__s390x__)
	context->uc_mcontext.gregs[14] = lr;
#elif defined(__powerpc64__)
	context->uc_mcontext.gp_regs[36] = lr;
#else
	(void)context;
	(void)lr;
#endif
}

#endif
