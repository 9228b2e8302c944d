/* SPDX-License-Identifier: BSD-2-Clause */
/* registers.h - the machine's registers as providers see them. */
#ifndef SYC_SAMPLER_REGISTERS_H
#define SYC_SAMPLER_REGISTERS_H

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>

#include <syscap/runtime.h>

#include "os/signals.h"

/** The registers that the signal of @context interrupted. */
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
#else
	(void)m;
#endif
}

/** Whether the signal of @context interrupted a system call that now returns
 * EINTR. */
static inline bool syc_registers_interrupt_call(const ucontext_t *context)
{
#if defined(__x86_64__)
	return context->uc_mcontext.gregs[REG_RAX] == -EINTR;
#elif defined(__aarch64__)
	return (int64_t)context->uc_mcontext.regs[0] == -EINTR;
#else
	(void)context;
	return true;
#endif
}

/**
 * Whether the signal of @context arrived when the application's
 * rt_sigprocmask() opened the thread's mask.  The call's arguments and its
 * result show this.
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
#else
	(void)regs;
	(void)m;
#endif
}

#endif
