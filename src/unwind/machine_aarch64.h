/* SPDX-License-Identifier: BSD-2-Clause */
/* machine_aarch64.h - see machine.h. */
#ifndef SYC_UNWIND_MACHINE_AARCH64_H
#define SYC_UNWIND_MACHINE_AARCH64_H

#include <signal.h>
#include <string.h>

#define SYC_MACHINE_REGS 33u
#define SYC_REG_FP       29u
#define SYC_REG_RA       30u
#define SYC_REG_SP       31u
#define SYC_REG_PC       32u

#define SYC_ROW_FIRST 16u
#define SYC_ROW_SLOTS 17u

#define SYC_RA_IN_REGISTER 1

/* x19 to x29, sp */
#define SYC_KEPT UINT64_C(0xbff80000)

/* A load that no sanitizer sees: stacks hold poisoned bytes. */
static inline uintptr_t syc_machine_load(uintptr_t at)
{
	uintptr_t value;

	__asm__ volatile("ldr %0, %1"
	                 : "=r"(value)
	                 : "Q"(*(const unsigned char(*)[8])at));
	return value;
}

/* The kept registers, lr, sp and pc of the function that this is inlined
 * into. */
#define SYC_MACHINE_CAPTURE(regs)                                    \
	do {                                                         \
		__asm__ volatile("stp x19, x20, [%0, 152]\n\t"       \
		                 "stp x21, x22, [%0, 168]\n\t"       \
		                 "stp x23, x24, [%0, 184]\n\t"       \
		                 "stp x25, x26, [%0, 200]\n\t"       \
		                 "stp x27, x28, [%0, 216]\n\t"       \
		                 "stp x29, x30, [%0, 232]\n\t"       \
		                 "mov x9, sp\n\t"                    \
		                 "adr x10, .\n\t"                    \
		                 "stp x9, x10, [%0, 248]"            \
		                 :                                   \
		                 : "r"((regs)->r)                    \
		                 : "x9", "x10", "memory");           \
		(regs)->known = SYC_KEPT | SYC_REG_BIT(SYC_REG_RA) | \
		                SYC_REG_BIT(SYC_REG_PC);             \
		(regs)->left = 0;                                    \
	} while (0)

static inline uintptr_t syc_machine_of_context(const ucontext_t *context,
                                               unsigned reg)
{
	if (reg == SYC_REG_SP)
		return (uintptr_t)context->uc_mcontext.sp;
	if (reg == SYC_REG_PC)
		return (uintptr_t)context->uc_mcontext.pc;
	return (uintptr_t)context->uc_mcontext.regs[reg];
}

/* Register @reg in the frame of a signal: after a siginfo_t, regs, sp and pc
 * are adjacent. */
static inline uintptr_t syc_machine_signal_slot(uintptr_t sp, unsigned reg)
{
	return sp + sizeof(siginfo_t) + offsetof(ucontext_t, uc_mcontext) +
	       offsetof(mcontext_t, regs) + 8 * (uintptr_t)reg;
}

/* Strip the signature that functions may put into return addresses.  Processors
 * without signatures ignore the instruction. */
static inline uintptr_t syc_machine_strip(uintptr_t pc)
{
	register uintptr_t x30 __asm__("x30") = pc;

	__asm__("hint #7" : "+r"(x30)); /* xpaclri */
	return x30;
}

#define SYC_MACHINE_CODE 16u

static inline uint32_t syc_machine_word(const unsigned char *code)
{
	uint32_t word;

	memcpy(&word, code, sizeof(word));
	return word;
}

/* mov x8, #139; svc #0 */
static inline bool syc_machine_is_sigreturn(const unsigned char *code)
{
	return syc_machine_word(code) == 0xd2801168 &&
	       syc_machine_word(code + 4) == 0xd4000001;
}

#define SYC_MACHINE_BEFORE 8u

/* bl, blr, and blr with a check of the address */
static inline bool syc_machine_ends_with_call(const unsigned char *code)
{
	const uint32_t last = syc_machine_word(code + SYC_MACHINE_BEFORE - 4);

	return (last & 0xfc000000) == 0x94000000 ||
	       (last & 0xfffffc1f) == 0xd63f0000 ||
	       (last & 0xfefff800) == 0xd63f0800;
}

enum syc_machine_entry {
	SYC_ENTRY_UNKNOWN,
	SYC_ENTRY_FIRST, /* the return address is in lr, and fp is the
	                  * caller's */
	SYC_ENTRY_BARE,  /* the return address is in lr, but the function ran */
	SYC_ENTRY_PUSHED /* lr and fp are on top of the stack */
};

static inline enum syc_machine_entry
syc_machine_entry(const unsigned char *code, unsigned char before)
{
	uint32_t word = syc_machine_word(code);

	(void)before;
	if ((word & 0xffffff3f) == 0xd503241f || word == 0xd503233f)
		word = syc_machine_word(code + 4); /* bti; paciasp */
	if ((word & 0xffc07fff) == 0xa9807bfd) /* stp x29, x30, [sp, #-n]! */
		return SYC_ENTRY_FIRST;
	if (word == 0xd65f03c0) /* ret */
		return SYC_ENTRY_BARE;
	return word == 0x910003fd ? SYC_ENTRY_PUSHED : SYC_ENTRY_UNKNOWN;
}

#endif
