/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * machine.h - facts about the processor for the unwinder: numbers of registers,
 * system calls, signal frames.
 *
 * Each machine_*.h defines
 *
 *	SYC_MACHINE_REGS       number of registers in tables, with the pc.
 *	SYC_REG_PC, _SP, _FP   The numbers of the pc, sp and fp.
 *	SYC_REG_RA             The column of the return address.
 *	SYC_ROW_FIRST, _SLOTS  The registers whose rules are used.
 *	SYC_KEPT               The mask of registers that a call preserves.
 *	SYC_RA_IN_REGISTER     Calls leave the return address in SYC_REG_RA.
 *
 * and the functions below.
 */
#ifndef SYC_UNWIND_MACHINE_H
#define SYC_UNWIND_MACHINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#define SYC_REG_BIT(reg) (UINT64_C(1) << (reg))

#if defined(__x86_64__)
#include "unwind/machine_x86_64.h"
#elif defined(__aarch64__)
#include "unwind/machine_aarch64.h"
#else
#error "the unwinder knows x86-64 and aarch64"
#endif

/**
 * The registers of one frame.  A register is known if its bit is in known.  If
 * a register's bit is in left, calls need not keep the register, and r has the
 * inner frame's value.  The functions between may have left this value
 * unchanged.
 */
struct syc_regs {
	uintptr_t r[SYC_MACHINE_REGS];
	uint64_t known, left;
};

static inline bool syc_regs_has(const struct syc_regs *regs, unsigned reg)
{
	return reg < SYC_MACHINE_REGS && (regs->known & SYC_REG_BIT(reg)) != 0;
}

/** All registers at the instruction that a signal interrupted. */
static inline void syc_regs_of_context(struct syc_regs *regs,
                                       const ucontext_t *context)
{
	for (unsigned reg = 0; reg < SYC_MACHINE_REGS; reg++)
		regs->r[reg] = syc_machine_of_context(context, reg);
	regs->known = (SYC_REG_BIT(SYC_MACHINE_REGS - 1) << 1) - 1;
	regs->left = regs->known & ~SYC_KEPT;
}

#endif
