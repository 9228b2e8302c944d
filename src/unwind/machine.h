/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * machine.h - parts of the unwinder that depend on the processor: numbers of
 * registers, system calls, signal frames.
 *
 * Each machine defines
 *
 *	SYC_MACHINE_REGS       number of registers in tables, with the pc.
 *	SYC_REG_PC, _SP, _FP   The numbers of the pc, sp and fp.
 *	SYC_REG_RA             The column of the return address.
 *	SYC_ROW_FIRST, _SLOTS  The registers whose rules are used.
 *	SYC_KEPT               The mask of registers that a call preserves.
 *	SYC_RA_IN_REGISTER     Calls leave the return address in SYC_REG_RA.
 *	SYC_FP_RECORD          The offset from the frame pointer to the caller's
 *	                       frame pointer, which the return address follows.
 *
 * and the functions below.
 */
#ifndef SYC_UNWIND_MACHINE_H
#define SYC_UNWIND_MACHINE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>

#define SYC_REG_BIT(reg) (UINT64_C(1) << (reg))

#if defined(__x86_64__)

#define SYC_MACHINE_REGS 17u
#define SYC_REG_FP       6u
#define SYC_REG_SP       7u
#define SYC_REG_PC       16u
#define SYC_REG_RA       16u

#define SYC_ROW_FIRST 0u
#define SYC_ROW_SLOTS 17u

#define SYC_RA_IN_REGISTER 0
#define SYC_FP_RECORD      0

/* rbx, rbp, rsp, r12 to r15 */
#define SYC_KEPT UINT64_C(0xf0c8)

/* Load a word, without a sanitizer's check, because stacks hold poisoned
 * bytes. */
static inline uintptr_t syc_machine_load(uintptr_t at)
{
	uintptr_t value;

	__asm__ volatile("movq %1, %0"
	                 : "=r"(value)
	                 : "m"(*(const unsigned char(*)[8])at));
	return value;
}

/* Store the kept registers, sp and pc of the function that uses this macro. */
#define SYC_MACHINE_CAPTURE(regs)                                   \
	do {                                                        \
		__asm__ volatile("movq %%rbx, 24(%0)\n\t"           \
		                 "movq %%rbp, 48(%0)\n\t"           \
		                 "movq %%rsp, 56(%0)\n\t"           \
		                 "movq %%r12, 96(%0)\n\t"           \
		                 "movq %%r13, 104(%0)\n\t"          \
		                 "movq %%r14, 112(%0)\n\t"          \
		                 "movq %%r15, 120(%0)\n\t"          \
		                 "leaq 0(%%rip), %%rax\n\t"         \
		                 "movq %%rax, 128(%0)"              \
		                 :                                  \
		                 : "r"((regs)->r)                   \
		                 : "rax", "memory");                \
		(regs)->known = SYC_KEPT | SYC_REG_BIT(SYC_REG_PC); \
		(regs)->left = 0;                                   \
	} while (0)

/* Return the kernel's position of register @reg, in gregs. */
static inline unsigned syc_machine_place(unsigned reg)
{
	static const uint8_t place[SYC_MACHINE_REGS] = {
		REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI,
		REG_RBP, REG_RSP, REG_R8,  REG_R9,  REG_R10, REG_R11,
		REG_R12, REG_R13, REG_R14, REG_R15, REG_RIP,
	};

	return place[reg];
}

static inline uintptr_t syc_machine_of_context(const ucontext_t *context,
                                               unsigned reg)
{
	return (uintptr_t)context->uc_mcontext.gregs[syc_machine_place(reg)];
}

/* Return the address of register @reg in the frame of a signal.  @sp is above
 * the trampoline's address. */
static inline uintptr_t syc_machine_signal_slot(uintptr_t sp, unsigned reg)
{
	return sp + offsetof(ucontext_t, uc_mcontext.gregs) +
	       8 * (uintptr_t)syc_machine_place(reg);
}

static inline uintptr_t syc_machine_strip(uintptr_t pc)
{
	return pc;
}

/* Number of bytes of code, from the pc on, that functions below read. */
#define SYC_MACHINE_CODE 16u

/* Return whether the code returns from a signal handler: rax = 15; syscall. */
static inline bool syc_machine_is_sigreturn(const unsigned char *code)
{
	return memcmp(code, "\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05", 9) == 0 ||
	       memcmp(code, "\xb8\x0f\x00\x00\x00\x0f\x05", 7) == 0;
}

/* Number of bytes of code before a return address that functions below read. */
#define SYC_MACHINE_BEFORE 8u

/*
 * Return whether the end of @code, of SYC_MACHINE_BEFORE bytes, may be a call.
 * The call may be relative, or through a register or memory, with or without
 * prefix.
 */
static inline bool syc_machine_ends_with_call(const unsigned char *code)
{
	const unsigned char *const end = code + SYC_MACHINE_BEFORE;

	if (end[-5] == 0xe8)
		return true;
	for (unsigned n = 2; n <= 7; n++)
		if (end[-(int)n] == 0xff && (end[1 - (int)n] & 0x38) == 0x10)
			return true;
	return false;
}

/* State of the frame of a function without tables. */
enum syc_machine_entry {
	SYC_ENTRY_UNKNOWN,
	SYC_ENTRY_FIRST, /* the return address is on top, and fp is the
	                  * caller's */
	SYC_ENTRY_BARE,  /* the return address is on top, but the function
	                  * ran */
	SYC_ENTRY_PUSHED /* the return address is on the stack, and below it the
	                  * caller's fp */
};

static inline uint32_t syc_machine_word(const unsigned char *code)
{
	uint32_t word;

	memcpy(&word, code, sizeof(word));
	return word;
}

/* Determine the state by the code at the pc, and by the byte before the pc. */
static inline enum syc_machine_entry
syc_machine_entry(const unsigned char *code, unsigned char before)
{
	uint32_t word = syc_machine_word(code);

	if (word == 0xfa1e0ff3) /* endbr64 */
		word = syc_machine_word(code + 4);
	/* push %rbp; mov %rsp, %rbp */
	if (word == 0xe5894855 || word == 0xec8b4855)
		return SYC_ENTRY_FIRST;
	if ((word & 0xff) == 0xc3) /* ret */
		return SYC_ENTRY_BARE;
	if (before == 0x55 &&
	    ((word & 0xffffff) == 0xe58948 || (word & 0xffffff) == 0xec8b48))
		return SYC_ENTRY_PUSHED;
	if ((word & 0xffff) == 0xc35d) /* pop %rbp; ret */
		return SYC_ENTRY_PUSHED;
	return SYC_ENTRY_UNKNOWN;
}

#elif defined(__aarch64__)

#define SYC_MACHINE_REGS 33u
#define SYC_REG_FP       29u
#define SYC_REG_RA       30u
#define SYC_REG_SP       31u
#define SYC_REG_PC       32u

#define SYC_ROW_FIRST 16u
#define SYC_ROW_SLOTS 17u

#define SYC_RA_IN_REGISTER 1
#define SYC_FP_RECORD      0

/* x19 to x29, sp */
#define SYC_KEPT           UINT64_C(0xbff80000)

/* Load a word, without a sanitizer's check, because stacks hold poisoned
 * bytes. */
static inline uintptr_t syc_machine_load(uintptr_t at)
{
	uintptr_t value;

	__asm__ volatile("ldr %0, %1"
	                 : "=r"(value)
	                 : "Q"(*(const unsigned char(*)[8])at));
	return value;
}

/* Store the kept registers, lr, sp and pc of the function that uses this
 * macro. */
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

/* Return the address of register @reg in the frame of a signal.  After a
 * siginfo_t, regs, sp and pc are adjacent. */
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

/* Return whether the code returns from a signal handler: mov x8, #139; svc
 * #0. */
static inline bool syc_machine_is_sigreturn(const unsigned char *code)
{
	return syc_machine_word(code) == 0xd2801168 &&
	       syc_machine_word(code + 4) == 0xd4000001;
}

#define SYC_MACHINE_BEFORE 8u

/* Return whether the end of @code is bl, blr, or blr with a check of the
 * address. */
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

#elif defined(__riscv) && __riscv_xlen == 64

#define SYC_MACHINE_REGS 33u
#define SYC_REG_RA       1u
#define SYC_REG_SP       2u
#define SYC_REG_FP       8u
#define SYC_REG_PC       32u

#define SYC_ROW_FIRST 1u
#define SYC_ROW_SLOTS 27u

#define SYC_RA_IN_REGISTER 1
#define SYC_FP_RECORD      (-16)

/* sp, s0, s1, s2 to s11 */
#define SYC_KEPT           UINT64_C(0x0ffc0304)

/* Load a word, without a sanitizer's check, because stacks hold poisoned
 * bytes. */
static inline uintptr_t syc_machine_load(uintptr_t at)
{
	uintptr_t value;

	__asm__ volatile("ld %0, %1"
	                 : "=r"(value)
	                 : "m"(*(const unsigned char(*)[8])at));
	return value;
}

/* Store the kept registers, ra and pc of the function that uses this macro. */
#define SYC_MACHINE_CAPTURE(regs)                                    \
	do {                                                         \
		__asm__ volatile("sd ra, 8(%0)\n\t"                  \
		                 "sd sp, 16(%0)\n\t"                 \
		                 "sd s0, 64(%0)\n\t"                 \
		                 "sd s1, 72(%0)\n\t"                 \
		                 "sd s2, 144(%0)\n\t"                \
		                 "sd s3, 152(%0)\n\t"                \
		                 "sd s4, 160(%0)\n\t"                \
		                 "sd s5, 168(%0)\n\t"                \
		                 "sd s6, 176(%0)\n\t"                \
		                 "sd s7, 184(%0)\n\t"                \
		                 "sd s8, 192(%0)\n\t"                \
		                 "sd s9, 200(%0)\n\t"                \
		                 "sd s10, 208(%0)\n\t"               \
		                 "sd s11, 216(%0)\n\t"               \
		                 "auipc t0, 0\n\t"                   \
		                 "sd t0, 256(%0)"                    \
		                 :                                   \
		                 : "r"((regs)->r)                    \
		                 : "t0", "memory");                  \
		(regs)->known = SYC_KEPT | SYC_REG_BIT(SYC_REG_RA) | \
		                SYC_REG_BIT(SYC_REG_PC);             \
		(regs)->left = 0;                                    \
	} while (0)

/* Return the kernel's position of register @reg.  The pc replaces x0. */
static inline unsigned syc_machine_place(unsigned reg)
{
	return reg == SYC_REG_PC ? 0 : reg;
}

static inline uintptr_t syc_machine_of_context(const ucontext_t *context,
                                               unsigned reg)
{
	return (uintptr_t)context->uc_mcontext.__gregs[syc_machine_place(reg)];
}

/* Return the address of register @reg in the frame of a signal. */
static inline uintptr_t syc_machine_signal_slot(uintptr_t sp, unsigned reg)
{
	return sp + sizeof(siginfo_t) + offsetof(ucontext_t, uc_mcontext) +
	       8 * (uintptr_t)syc_machine_place(reg);
}

static inline uintptr_t syc_machine_strip(uintptr_t pc)
{
	return pc;
}

#define SYC_MACHINE_CODE 16u

static inline uint32_t syc_machine_word(const unsigned char *code)
{
	uint32_t word;

	memcpy(&word, code, sizeof(word));
	return word;
}

/* Return whether the code returns from a signal handler: li a7, 139; ecall. */
static inline bool syc_machine_is_sigreturn(const unsigned char *code)
{
	return syc_machine_word(code) == 0x08b00893 &&
	       syc_machine_word(code + 4) == 0x00000073;
}

#define SYC_MACHINE_BEFORE 8u

/* Return whether the end of @code is jal or jalr that links ra or t0, or the
 * compressed jalr. */
static inline bool syc_machine_ends_with_call(const unsigned char *code)
{
	const uint32_t last = syc_machine_word(code + SYC_MACHINE_BEFORE - 4);
	const uint32_t links = last & 0xdff;

	return links == 0x0ef || (links == 0x0e7 && (last & 0x7000) == 0) ||
	       ((last & 0xf07f0000) == 0x90020000 && (last & 0x0f800000) != 0);
}

enum syc_machine_entry {
	SYC_ENTRY_UNKNOWN,
	SYC_ENTRY_FIRST, /* the return address is in ra, and fp is the
	                  * caller's */
	SYC_ENTRY_BARE,  /* the return address is in ra, but the function ran */
	SYC_ENTRY_PUSHED /* fp and ra are on top of the stack: never */
};

static inline enum syc_machine_entry
syc_machine_entry(const unsigned char *code, unsigned char before)
{
	const uint32_t word = syc_machine_word(code);

	(void)before;
	/* addi sp, sp, -n; c.addi16sp -n; c.addi sp, -n */
	if ((word & 0x800fffff) == 0x80010113 || (word & 0xff83) == 0x7101 ||
	    (word & 0xff83) == 0x1101)
		return SYC_ENTRY_FIRST;
	return (word & 0xffff) == 0x8082 || word == 0x00008067
	               ? SYC_ENTRY_BARE
	               : SYC_ENTRY_UNKNOWN;
}

#else
#error "the unwinder supports x86-64, aarch64 and riscv64"
#endif

/**
 * The registers of one frame.  A register is known if its bit is in known.  If
 * a register's bit is in left, calls need not keep the register, and r has the
 * inner frame's value.  The functions between may have left the value
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

/** Store all registers at the instruction that a signal interrupted. */
static inline void syc_regs_of_context(struct syc_regs *regs,
                                       const ucontext_t *context)
{
	for (unsigned reg = 0; reg < SYC_MACHINE_REGS; reg++)
		regs->r[reg] = syc_machine_of_context(context, reg);
	regs->known = (SYC_REG_BIT(SYC_MACHINE_REGS - 1) << 1) - 1;
	regs->left = regs->known & ~SYC_KEPT;
}

#endif
