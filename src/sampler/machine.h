/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * machine.h - parts of the sampler that depend on the processor: registers of a
 * signal's context, thread-local storage, first function of a thread.
 */
#ifndef SYC_SAMPLER_MACHINE_H
#define SYC_SAMPLER_MACHINE_H

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <ucontext.h>

#include <syscap/runtime.h>

#include "os/machine.h"
#include "os/signals.h"

/** Store the registers that the signal of @context interrupted. */
static inline void syc_registers_of(const ucontext_t *context,
                                    struct syscap_regs *regs)
{
	const mcontext_t *const m = &context->uc_mcontext;

	regs->size = sizeof(*regs);
	regs->in_signal = 1;
	regs->ucontext = (void *)(uintptr_t)context;
#if defined(__x86_64__)
	regs->pc = (uintptr_t)m->gregs[REG_RIP];
	regs->sp = (uintptr_t)m->gregs[REG_RSP];
	regs->fp = (uintptr_t)m->gregs[REG_RBP];
	regs->lr = 0;
#elif defined(__aarch64__)
	regs->pc = m->pc;
	regs->sp = m->sp;
	regs->fp = m->regs[29];
	regs->lr = m->regs[30];
#elif defined(__riscv)
	regs->pc = m->__gregs[0];
	regs->sp = m->__gregs[2];
	regs->fp = m->__gregs[8];
	regs->lr = m->__gregs[1];
#elif defined(__i386__)
	regs->pc = (uintptr_t)m->gregs[REG_EIP];
	regs->sp = (uintptr_t)m->gregs[REG_ESP];
	regs->fp = (uintptr_t)m->gregs[REG_EBP];
	regs->lr = 0;
#elif defined(__arm__)
	regs->pc = m->arm_pc;
	regs->sp = m->arm_sp;
	regs->fp = m->arm_fp;
	regs->lr = m->arm_lr;
#elif defined(__powerpc64__)
	regs->pc = m->gp_regs[32];
	regs->sp = m->gp_regs[1];
	regs->fp = m->gp_regs[31];
	regs->lr = m->gp_regs[36];
#elif defined(__s390x__)
	regs->pc = m->psw.addr;
	regs->sp = m->gregs[15];
	regs->fp = m->gregs[11];
	regs->lr = m->gregs[14];
#endif
}

/** Return whether the signal of @context interrupted a system call that now
 * returns EINTR. */
static inline bool syc_registers_interrupt_call(const ucontext_t *context)
{
#if defined(__x86_64__)
	return context->uc_mcontext.gregs[REG_RAX] == -EINTR;
#elif defined(__aarch64__)
	return (int64_t)context->uc_mcontext.regs[0] == -EINTR;
#elif defined(__riscv)
	return (int64_t)context->uc_mcontext.__gregs[10] == -EINTR;
#elif defined(__i386__)
	return context->uc_mcontext.gregs[REG_EAX] == -EINTR;
#elif defined(__arm__)
	return (long)context->uc_mcontext.arm_r0 == -EINTR;
#elif defined(__powerpc64__)
	/* The overflow bit marks an error */
	return context->uc_mcontext.gp_regs[3] == EINTR &&
	       (context->uc_mcontext.gp_regs[38] & 0x10000000) != 0;
#elif defined(__s390x__)
	return (long)context->uc_mcontext.gregs[2] == -EINTR;
#endif
}

/**
 * Return whether the signal of @context arrived when the application's
 * rt_sigprocmask() opened the thread's mask.  The call's arguments and result
 * show whether the application made the call.
 */
static inline bool syc_registers_open_mask(const ucontext_t *context)
{
#if defined(__x86_64__)
	const greg_t *const r = context->uc_mcontext.gregs;

	/* `syscall` leaves the next instruction's address in rcx */
	return r[REG_RCX] == r[REG_RIP] && r[REG_RAX] == 0 && r[REG_R10] == 8 &&
	       (r[REG_RDI] == SIG_UNBLOCK || r[REG_RDI] == SIG_SETMASK) &&
	       r[REG_RSI] != 0 && r[REG_R8] != SYC_MASK_IS_OURS;
#else
	(void)context;
	return false;
#endif
}

/* Attribute of functions that must not read a canary in thread-local
 * storage. */
#define SYC_NO_CANARY __attribute__((no_stack_protector))

/*
 * SYC_REALIGN                     Attribute of signal handlers.  qemu-user 7.2
 *                                 calls handlers with a stack that is
 *                                 misaligned by 8 bytes.
 * SYC_CONTROL_BLOCK_BEGINS_AT_TP  The thread pointer is the address of the
 *                                 thread's control block, not of its end.
 */
#if defined(__x86_64__)
#define SYC_REALIGN                    __attribute__((force_align_arg_pointer))
#define SYC_CONTROL_BLOCK_BEGINS_AT_TP 1
#elif defined(__i386__) || defined(__s390x__)
#define SYC_REALIGN
#define SYC_CONTROL_BLOCK_BEGINS_AT_TP 1
#else
#define SYC_REALIGN
#define SYC_CONTROL_BLOCK_BEGINS_AT_TP 0
#endif

/** Return whether the processor lets programs read the base of thread-local
 * storage. */
static inline bool syc_tls_base_is_readable(void)
{
#if defined(__x86_64__)
	return (getauxval(AT_HWCAP2) & 2) != 0;
#else
	return true;
#endif
}

/**
 * Find the address of thread-local storage without an access to the storage.
 * Returns 0 if the thread has no storage.  @is_readable comes from
 * syc_tls_base_is_readable().
 */
SYC_NO_CANARY static inline uintptr_t syc_tls_address(bool is_readable)
{
#if defined(__x86_64__)
	const long get_fs = 0x1003; /* ARCH_GET_FS */
	uintptr_t base = 0;

	if (is_readable)
		__asm__ volatile("rdfsbase %0" : "=r"(base));
	else if (syc_raw_syscall(SYS_arch_prctl, get_fs, (long)(uintptr_t)&base,
	                         0, 0, 0, 0) != 0)
		return 0;
	return base;
#else
	(void)is_readable;
	return syc_thread_pointer_is_set() ? syc_thread_pointer() : 0;
#endif
}

/** Set the known registers of a context from which unwinding may begin. */
static inline void syc_registers_put(const struct syscap_regs *regs,
                                     ucontext_t *context)
{
	mcontext_t *const m = &context->uc_mcontext;

	memset(context, 0, sizeof(*context));
#if defined(__x86_64__)
	m->gregs[REG_RIP] = (greg_t)regs->pc;
	m->gregs[REG_RSP] = (greg_t)regs->sp;
	m->gregs[REG_RBP] = (greg_t)regs->fp;
#elif defined(__aarch64__)
	m->pc = regs->pc;
	m->sp = regs->sp;
	m->regs[29] = regs->fp;
	m->regs[30] = regs->lr;
#elif defined(__riscv)
	m->__gregs[0] = regs->pc;
	m->__gregs[1] = regs->lr;
	m->__gregs[2] = regs->sp;
	m->__gregs[8] = regs->fp;
#elif defined(__i386__)
	m->gregs[REG_EIP] = (greg_t)regs->pc;
	m->gregs[REG_ESP] = (greg_t)regs->sp;
	m->gregs[REG_EBP] = (greg_t)regs->fp;
#elif defined(__arm__)
	m->arm_pc = regs->pc;
	m->arm_lr = regs->lr;
	m->arm_sp = regs->sp;
	m->arm_fp = regs->fp;
#elif defined(__powerpc64__)
	m->gp_regs[32] = regs->pc;
	m->gp_regs[36] = regs->lr;
	m->gp_regs[1] = regs->sp;
	m->gp_regs[31] = regs->fp;
#elif defined(__s390x__)
	m->psw.addr = regs->pc;
	m->gregs[14] = regs->lr;
	m->gregs[15] = regs->sp;
	m->gregs[11] = regs->fp;
#endif
}

/*
 * Code of syc_thread_start_run(), the first function of a thread.  The code
 * calls syc_thread_start_take() with the argument, then jumps to the returned
 * function with the returned argument.  On machines without a preloaded
 * sampler, a C function calls the returned function.
 */
#if defined(__x86_64__)
#define SYC_THREAD_START_CODE                     \
	".text\n"                                 \
	".p2align 4\n"                            \
	".globl syc_thread_start_run\n"           \
	".hidden syc_thread_start_run\n"          \
	".type syc_thread_start_run, @function\n" \
	"syc_thread_start_run:\n"                 \
	"	.cfi_startproc\n"                       \
	"	endbr64\n"                              \
	"	subq $8, %rsp\n"                        \
	"	.cfi_adjust_cfa_offset 8\n"             \
	"	callq syc_thread_start_take\n"          \
	"	addq $8, %rsp\n"                        \
	"	.cfi_adjust_cfa_offset -8\n"            \
	"	movq %rdx, %rdi\n"                      \
	"	jmpq *%rax\n"                           \
	"	.cfi_endproc\n"                         \
	".size syc_thread_start_run, . - syc_thread_start_run\n"
#elif defined(__aarch64__)
#define SYC_THREAD_START_CODE                                           \
	".text\n"                                                       \
	".p2align 4\n"                                                  \
	".globl syc_thread_start_run\n"                                 \
	".hidden syc_thread_start_run\n"                                \
	".type syc_thread_start_run, %function\n"                       \
	"syc_thread_start_run:\n"                                       \
	"	.cfi_startproc\n"                                             \
	"	hint #34\n" /* bti c */                                 \
	"	stp x29, x30, [sp, #-16]!\n"                                  \
	"	.cfi_def_cfa_offset 16\n"                                     \
	"	.cfi_offset x29, -16\n"                                       \
	"	.cfi_offset x30, -8\n"                                        \
	"	bl syc_thread_start_take\n"                                   \
	"	ldp x29, x30, [sp], #16\n"                                    \
	"	.cfi_restore x29\n"                                           \
	"	.cfi_restore x30\n"                                           \
	"	.cfi_def_cfa_offset 0\n"                                      \
	"	mov x16, x0\n" /* x16 may jump to a function's start */ \
	"	mov x0, x1\n"                                                 \
	"	br x16\n"                                                     \
	"	.cfi_endproc\n"                                               \
	".size syc_thread_start_run, . - syc_thread_start_run\n"
#elif defined(__riscv)
#define SYC_THREAD_START_CODE                     \
	".text\n"                                 \
	".p2align 4\n"                            \
	".globl syc_thread_start_run\n"           \
	".hidden syc_thread_start_run\n"          \
	".type syc_thread_start_run, @function\n" \
	"syc_thread_start_run:\n"                 \
	"	.cfi_startproc\n"                       \
	"	addi sp, sp, -16\n"                     \
	"	.cfi_def_cfa_offset 16\n"               \
	"	sd ra, 8(sp)\n"                         \
	"	.cfi_offset ra, -8\n"                   \
	"	call syc_thread_start_take\n"           \
	"	ld ra, 8(sp)\n"                         \
	"	.cfi_restore ra\n"                      \
	"	addi sp, sp, 16\n"                      \
	"	.cfi_def_cfa_offset 0\n"                \
	"	mv t1, a0\n"                            \
	"	mv a0, a1\n"                            \
	"	jr t1\n"                                \
	"	.cfi_endproc\n"                         \
	".size syc_thread_start_run, . - syc_thread_start_run\n"
#endif

#endif
