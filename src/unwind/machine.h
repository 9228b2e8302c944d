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
 *	SYC_CALL_SP            The offset from the CFA to the caller's sp.
 *	SYC_HAS_FP_RECORD      Functions without tables may keep a frame pointer.
 *	SYC_FP_RECORD          The offset from the frame pointer to the caller's
 *	                       frame pointer, which the return address follows.
 *	SYC_BACK_CHAIN         If defined: each frame begins with the address of
 *	                       the caller's frame, in which the return address is
 *	                       at this offset.
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

/* Number of bytes of code, from the pc on, that functions below read. */
#define SYC_MACHINE_CODE 16u

/* Number of bytes of code before a return address that functions below read. */
#define SYC_MACHINE_BEFORE 8u

/* State of the frame of a function without tables. */
enum syc_machine_entry {
	SYC_ENTRY_UNKNOWN,
	SYC_ENTRY_FIRST, /* the return address is on top of the stack, or in
	                  * SYC_REG_RA, and fp is the caller's */
	SYC_ENTRY_BARE,  /* as before, but the function ran */
	SYC_ENTRY_PUSHED /* the caller's fp and the return address are on top of
	                  * the stack */
};

static inline uint32_t syc_machine_word(const unsigned char *code)
{
	uint32_t word;

	memcpy(&word, code, sizeof(word));
	return word;
}

#if defined(__x86_64__)

#define SYC_MACHINE_REGS 17u
#define SYC_REG_FP       6u
#define SYC_REG_SP       7u
#define SYC_REG_PC       16u
#define SYC_REG_RA       16u

#define SYC_ROW_FIRST 0u
#define SYC_ROW_SLOTS 17u

#define SYC_RA_IN_REGISTER 0
#define SYC_CALL_SP        0
#define SYC_HAS_FP_RECORD  1
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

/* Return the address of register @reg in the frame of a signal, of the kind that
 * syc_machine_is_sigreturn() returned.  @sp is above the trampoline's
 * address. */
static inline uintptr_t syc_machine_signal_slot(uintptr_t sp, unsigned kind,
                                                unsigned reg)
{
	(void)kind;
	return sp + offsetof(ucontext_t, uc_mcontext.gregs) +
	       8 * (uintptr_t)syc_machine_place(reg);
}

/* If the code returns from a signal handler, return the kind of the signal's
 * frame, else 0.  On x86-64: rax = 15; syscall. */
static inline unsigned syc_machine_is_sigreturn(const unsigned char *code)
{
	return memcmp(code, "\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05", 9) == 0 ||
	       memcmp(code, "\xb8\x0f\x00\x00\x00\x0f\x05", 7) == 0;
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
#define SYC_CALL_SP        0
#define SYC_HAS_FP_RECORD  1
#define SYC_FP_RECORD      0

/* x19 to x29, sp */
#define SYC_KEPT           UINT64_C(0xbff80000)

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
static inline uintptr_t syc_machine_signal_slot(uintptr_t sp, unsigned kind,
                                                unsigned reg)
{
	(void)kind;
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

/* mov x8, #139; svc #0 */
static inline unsigned syc_machine_is_sigreturn(const unsigned char *code)
{
	return syc_machine_word(code) == 0xd2801168 &&
	       syc_machine_word(code + 4) == 0xd4000001;
}

/* Return whether the end of @code is bl, blr, or blr with a check of the
 * address. */
static inline bool syc_machine_ends_with_call(const unsigned char *code)
{
	const uint32_t last = syc_machine_word(code + SYC_MACHINE_BEFORE - 4);

	return (last & 0xfc000000) == 0x94000000 ||
	       (last & 0xfffffc1f) == 0xd63f0000 ||
	       (last & 0xfefff800) == 0xd63f0800;
}

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
#define SYC_CALL_SP        0
#define SYC_HAS_FP_RECORD  1
#define SYC_FP_RECORD      (-16)

/* sp, s0, s1, s2 to s11 */
#define SYC_KEPT           UINT64_C(0x0ffc0304)

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
static inline uintptr_t syc_machine_signal_slot(uintptr_t sp, unsigned kind,
                                                unsigned reg)
{
	(void)kind;
	return sp + sizeof(siginfo_t) + offsetof(ucontext_t, uc_mcontext) +
	       8 * (uintptr_t)syc_machine_place(reg);
}

/* li a7, 139; ecall */
static inline unsigned syc_machine_is_sigreturn(const unsigned char *code)
{
	return syc_machine_word(code) == 0x08b00893 &&
	       syc_machine_word(code + 4) == 0x00000073;
}

/* Return whether the end of @code is jal or jalr that links ra or t0, or the
 * compressed jalr. */
static inline bool syc_machine_ends_with_call(const unsigned char *code)
{
	const uint32_t last = syc_machine_word(code + SYC_MACHINE_BEFORE - 4);
	const uint32_t links = last & 0xdff;

	return links == 0x0ef || (links == 0x0e7 && (last & 0x7000) == 0) ||
	       ((last & 0xf07f0000) == 0x90020000 && (last & 0x0f800000) != 0);
}

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

#elif defined(__i386__)

#define SYC_MACHINE_REGS 9u
#define SYC_REG_SP       4u
#define SYC_REG_FP       5u
#define SYC_REG_PC       8u
#define SYC_REG_RA       8u

#define SYC_ROW_FIRST 0u
#define SYC_ROW_SLOTS 9u

#define SYC_RA_IN_REGISTER 0
#define SYC_CALL_SP        0
#define SYC_HAS_FP_RECORD  1
#define SYC_FP_RECORD      0

/* ebx, esp, ebp, esi, edi */
#define SYC_KEPT           UINT64_C(0xf8)

static inline uintptr_t syc_machine_load(uintptr_t at)
{
	uintptr_t value;

	__asm__ volatile("movl %1, %0"
	                 : "=r"(value)
	                 : "m"(*(const unsigned char(*)[4])at));
	return value;
}

/* Store the kept registers, sp and pc of syc_unwind_here(). */
#define SYC_MACHINE_CAPTURE(regs)                                      \
	do {                                                           \
		uintptr_t pc_ = (uintptr_t)&syc_unwind_here;           \
		__asm__ volatile("movl %%ebx, 12(%1)\n\t"              \
		                 "movl %%esp, 16(%1)\n\t"              \
		                 "movl %%ebp, 20(%1)\n\t"              \
		                 "movl %%esi, 24(%1)\n\t"              \
		                 "movl %%edi, 28(%1)\n\t"              \
		                 "leal 0f-syc_unwind_here(%0), %0\n0:" \
		                 : "+r"(pc_)                           \
		                 : "r"((regs)->r)                      \
		                 : "memory");                          \
		(regs)->r[SYC_REG_PC] = pc_;                           \
		(regs)->known = SYC_KEPT | SYC_REG_BIT(SYC_REG_PC);    \
		(regs)->left = 0;                                      \
	} while (0)

/* Return the kernel's position of register @reg, in gregs. */
static inline unsigned syc_machine_place(unsigned reg)
{
	static const uint8_t place[SYC_MACHINE_REGS] = {
		REG_EAX, REG_ECX, REG_EDX, REG_EBX, REG_ESP,
		REG_EBP, REG_ESI, REG_EDI, REG_EIP,
	};

	return place[reg];
}

/* Above the trampoline's address are the handler's arguments: the number, and
 * for kind 1 two pointers. */
static inline uintptr_t syc_machine_signal_slot(uintptr_t sp, unsigned kind,
                                                unsigned reg)
{
	sp += kind == 1 ? 12 + sizeof(siginfo_t) +
	                          offsetof(ucontext_t, uc_mcontext.gregs)
	                : 4;
	return sp + 4 * (uintptr_t)syc_machine_place(reg);
}

/* eax = 173 (kind 1), or pop %eax; eax = 119; then int $0x80 */
static inline unsigned syc_machine_is_sigreturn(const unsigned char *code)
{
	if (memcmp(code, "\xb8\xad\x00\x00\x00\xcd\x80", 7) == 0)
		return 1;
	return memcmp(code, "\x58\xb8\x77\x00\x00\x00\xcd\x80", 8) == 0 ? 2 : 0;
}

static inline enum syc_machine_entry
syc_machine_entry(const unsigned char *code, unsigned char before)
{
	uint32_t word = syc_machine_word(code);

	if (word == 0xfb1e0ff3) /* endbr32 */
		word = syc_machine_word(code + 4);
	/* push %ebp; mov %esp, %ebp */
	if ((word & 0xffffff) == 0xe58955 || (word & 0xffffff) == 0xec8b55)
		return SYC_ENTRY_FIRST;
	if ((word & 0xff) == 0xc3) /* ret */
		return SYC_ENTRY_BARE;
	if (before == 0x55 &&
	    ((word & 0xffff) == 0xe589 || (word & 0xffff) == 0xec8b))
		return SYC_ENTRY_PUSHED;
	if ((word & 0xffff) == 0xc35d) /* pop %ebp; ret */
		return SYC_ENTRY_PUSHED;
	return SYC_ENTRY_UNKNOWN;
}

#elif defined(__s390x__)

/* Tables number f0, f2, f4, f6, f1, f3 … from 16 on.  Functions without calls
 * keep registers there. */
#define SYC_MACHINE_REGS 33u
#define SYC_REG_FP       11u
#define SYC_REG_RA       14u
#define SYC_REG_SP       15u
#define SYC_REG_PC       32u

#define SYC_ROW_FIRST 6u
#define SYC_ROW_SLOTS 10u

#define SYC_RA_IN_REGISTER 1
#define SYC_CALL_SP        (-160)
#define SYC_HAS_FP_RECORD  0
#define SYC_FP_RECORD      0

/* r6 to r13, r15 */
#define SYC_KEPT           UINT64_C(0xbfc0)

static inline uintptr_t syc_machine_load(uintptr_t at)
{
	uintptr_t value;

	__asm__ volatile("lg %0, %1"
	                 : "=d"(value)
	                 : "Q"(*(const unsigned char(*)[8])at));
	return value;
}

/* Store the kept registers, r14, sp and pc of the function that uses this
 * macro. */
#define SYC_MACHINE_CAPTURE(regs)                                    \
	do {                                                         \
		__asm__ volatile("stmg %%r6, %%r15, 48(%0)\n\t"      \
		                 "larl %%r1, .\n\t"                  \
		                 "stg %%r1, 256(%0)"                 \
		                 :                                   \
		                 : "a"((regs)->r)                    \
		                 : "r1", "memory");                  \
		(regs)->known = SYC_KEPT | SYC_REG_BIT(SYC_REG_RA) | \
		                SYC_REG_BIT(SYC_REG_PC);             \
		(regs)->left = 0;                                    \
	} while (0)

/* Return the offset of register @reg in an mcontext_t. */
static inline size_t syc_machine_place(unsigned reg)
{
	static const uint8_t fprs[16] = { 0, 2,  4,  6,  1, 3,  5,  7,
		                          8, 10, 12, 14, 9, 11, 13, 15 };

	if (reg == SYC_REG_PC)
		return offsetof(mcontext_t, psw.addr);
	return reg < 16 ? offsetof(mcontext_t, gregs) + 8 * (size_t)reg
	                : offsetof(mcontext_t, fpregs.fprs) +
	                          8 * (size_t)fprs[reg - 16];
}

static inline uintptr_t syc_machine_of_context(const ucontext_t *context,
                                               unsigned reg)
{
	uintptr_t value;

	memcpy(&value,
	       (const char *)&context->uc_mcontext + syc_machine_place(reg),
	       sizeof(value));
	return value;
}

/* Above the save area are, for kind 1, two words of code, a siginfo_t and a
 * ucontext_t.  For kind 2, two words and the registers follow. */
static inline uintptr_t syc_machine_signal_slot(uintptr_t sp, unsigned kind,
                                                unsigned reg)
{
	sp += 160 + (kind == 1 ? 8 + sizeof(siginfo_t) +
	                                 offsetof(ucontext_t, uc_mcontext)
	                       : 16);
	return sp + syc_machine_place(reg);
}

/* svc 173 (kind 1), svc 119 */
static inline unsigned syc_machine_is_sigreturn(const unsigned char *code)
{
	return code[0] != 0x0a   ? 0
	       : code[1] == 0xad ? 1
	       : code[1] == 0x77 ? 2
	                         : 0;
}

/* Return whether the end of @code is brasl, bras or basr. */
static inline bool syc_machine_ends_with_call(const unsigned char *code)
{
	const unsigned char *const end = code + SYC_MACHINE_BEFORE;

	return (end[-6] == 0xc0 && (end[-5] & 0x0f) == 5) ||
	       (end[-4] == 0xa7 && (end[-3] & 0x0f) == 5) || end[-2] == 0x0d;
}

static inline enum syc_machine_entry
syc_machine_entry(const unsigned char *code, unsigned char before)
{
	(void)before;
	/* stmg %rN, %r15, D(%r15) */
	if (code[0] == 0xeb && (code[1] & 0x0f) == 0x0f &&
	    (code[2] & 0xf0) == 0xf0 && code[5] == 0x24)
		return SYC_ENTRY_FIRST;
	/* br %r14 */
	return code[0] == 0x07 && code[1] == 0xfe ? SYC_ENTRY_BARE
	                                          : SYC_ENTRY_UNKNOWN;
}

#elif defined(__powerpc64__)

/* Tables number the link register 65, see syc_machine_column(). */
#define SYC_MACHINE_REGS 34u
#define SYC_REG_SP       1u
#define SYC_REG_FP       31u
#define SYC_REG_RA       32u
#define SYC_REG_PC       33u

#define SYC_ROW_FIRST 14u
#define SYC_ROW_SLOTS 19u

#define SYC_RA_IN_REGISTER 1
#define SYC_CALL_SP        0
#define SYC_HAS_FP_RECORD  0
#define SYC_FP_RECORD      0
#define SYC_BACK_CHAIN     16u

/* r1, r14 to r31 */
#define SYC_KEPT           UINT64_C(0xffffc002)

static inline uintptr_t syc_machine_load(uintptr_t at)
{
	uintptr_t value;

	__asm__ volatile("ld %0, 0(%1)" : "=r"(value) : "b"(at) : "memory");
	return value;
}

/* Store the kept registers, the link register, sp and pc of
 * syc_unwind_here(). */
#define SYC_MACHINE_CAPTURE(regs)                                      \
	do {                                                           \
		uintptr_t pc_ = (uintptr_t)&syc_unwind_here;           \
		__asm__ volatile("std 1, 8(%1)\n\t"                    \
		                 "std 14, 112(%1)\n\t"                 \
		                 "std 15, 120(%1)\n\t"                 \
		                 "std 16, 128(%1)\n\t"                 \
		                 "std 17, 136(%1)\n\t"                 \
		                 "std 18, 144(%1)\n\t"                 \
		                 "std 19, 152(%1)\n\t"                 \
		                 "std 20, 160(%1)\n\t"                 \
		                 "std 21, 168(%1)\n\t"                 \
		                 "std 22, 176(%1)\n\t"                 \
		                 "std 23, 184(%1)\n\t"                 \
		                 "std 24, 192(%1)\n\t"                 \
		                 "std 25, 200(%1)\n\t"                 \
		                 "std 26, 208(%1)\n\t"                 \
		                 "std 27, 216(%1)\n\t"                 \
		                 "std 28, 224(%1)\n\t"                 \
		                 "std 29, 232(%1)\n\t"                 \
		                 "std 30, 240(%1)\n\t"                 \
		                 "std 31, 248(%1)\n\t"                 \
		                 "mflr 0\n\t"                          \
		                 "std 0, 256(%1)\n\t"                  \
		                 "addi %0, %0, 0f-syc_unwind_here\n0:" \
		                 : "+b"(pc_)                           \
		                 : "b"((regs)->r)                      \
		                 : "r0", "memory");                    \
		(regs)->r[SYC_REG_PC] = pc_;                           \
		(regs)->known = SYC_KEPT | SYC_REG_BIT(SYC_REG_RA) |   \
		                SYC_REG_BIT(SYC_REG_PC);               \
		(regs)->left = 0;                                      \
	} while (0)

/* Return the kernel's position of register @reg, in gp_regs. */
static inline unsigned syc_machine_place(unsigned reg)
{
	return reg == SYC_REG_PC ? 32 : reg == SYC_REG_RA ? 36 : reg;
}

static inline uintptr_t syc_machine_of_context(const ucontext_t *context,
                                               unsigned reg)
{
	return context->uc_mcontext.gp_regs[syc_machine_place(reg)];
}

/* Above a frame for the handler's calls is a ucontext_t.  The frame of kind 2,
 * which qemu-user makes, has two more words. */
static inline uintptr_t syc_machine_signal_slot(uintptr_t sp, unsigned kind,
                                                unsigned reg)
{
	return sp + (kind == 1 ? 128 : 144) +
	       offsetof(ucontext_t, uc_mcontext.gp_regs) +
	       8 * (uintptr_t)syc_machine_place(reg);
}

/* addi r1, r1, 128 (kind 1); li r0, 172; sc */
static inline unsigned syc_machine_is_sigreturn(const unsigned char *code)
{
	const unsigned kind = syc_machine_word(code) == 0x38210080 ? 1 : 2;

	code += kind == 1 ? 4 : 0;
	return syc_machine_word(code) == 0x380000ac &&
	                       syc_machine_word(code + 4) == 0x44000002
	               ? kind
	               : 0;
}

/* Return whether the end of @code is bl, bctrl or blrl, on any condition. */
static inline bool syc_machine_ends_with_call(const unsigned char *code)
{
	const uint32_t last = syc_machine_word(code + SYC_MACHINE_BEFORE - 4);

	return (last & 0xfc000001) == 0x48000001 ||
	       (last & 0xfc000001) == 0x40000001 ||
	       (last & 0xfc0007ff) == 0x4c000421 ||
	       (last & 0xfc0007ff) == 0x4c000021;
}

static inline enum syc_machine_entry
syc_machine_entry(const unsigned char *code, unsigned char before)
{
	const uint32_t word = syc_machine_word(code);

	(void)before;
	if (word == 0x7c0802a6) /* mflr r0 */
		return SYC_ENTRY_FIRST;
	return word == 0x4e800020 ? SYC_ENTRY_BARE : SYC_ENTRY_UNKNOWN;
}

#elif defined(__arm__)

/* Programs have no .eh_frame on this machine, and compilers disagree about the
 * frame pointer.  So a walk ends at the interrupted function. */
#define SYC_MACHINE_REGS 16u
#define SYC_REG_FP       11u
#define SYC_REG_SP       13u
#define SYC_REG_RA       14u
#define SYC_REG_PC       15u

#define SYC_ROW_FIRST 4u
#define SYC_ROW_SLOTS 11u

#define SYC_RA_IN_REGISTER 1
#define SYC_CALL_SP        0
#define SYC_HAS_FP_RECORD  0
#define SYC_FP_RECORD      0

/* r4 to r11, sp */
#define SYC_KEPT           UINT64_C(0x2ff0)

static inline uintptr_t syc_machine_load(uintptr_t at)
{
	uintptr_t value;

	__asm__ volatile("ldr %0, [%1]" : "=r"(value) : "r"(at) : "memory");
	return value;
}

/* Store sp and pc.  No step uses other registers. */
#define SYC_MACHINE_CAPTURE(regs)                                             \
	do {                                                                  \
		memset((regs), 0, sizeof(*(regs)));                           \
		__asm__ volatile("mov %0, sp" : "=r"((regs)->r[SYC_REG_SP])); \
		(regs)->r[SYC_REG_PC] =                                       \
			(uintptr_t)&syc_unwind_here & ~(uintptr_t)1;          \
		(regs)->known =                                               \
			SYC_REG_BIT(SYC_REG_SP) | SYC_REG_BIT(SYC_REG_PC);    \
	} while (0)

static inline uintptr_t syc_machine_of_context(const ucontext_t *context,
                                               unsigned reg)
{
	return (&context->uc_mcontext.arm_r0)[reg];
}

static inline uintptr_t syc_machine_signal_slot(uintptr_t sp, unsigned kind,
                                                unsigned reg)
{
	(void)kind;
	(void)reg;
	return sp;
}

/* The lowest bit is the instruction set. */
static inline uintptr_t syc_machine_strip(uintptr_t pc)
{
	return pc & ~(uintptr_t)1;
}

/* No walk reaches the trampoline. */
static inline unsigned syc_machine_is_sigreturn(const unsigned char *code)
{
	(void)code;
	return 0;
}

/* Return whether the end of @code is bl or blx, of either instruction set. */
static inline bool syc_machine_ends_with_call(const unsigned char *code)
{
	const uint32_t last = syc_machine_word(code + SYC_MACHINE_BEFORE - 4);

	return (last & 0xc000f800) == 0xc000f000 ||
	       (last & 0xff870000) == 0x47800000 ||
	       (last & 0x0f000000) == 0x0b000000 ||
	       (last & 0xfe000000) == 0xfa000000 ||
	       (last & 0x0ffffff0) == 0x012fff30;
}

/* The bytes do not show the instruction set. */
static inline enum syc_machine_entry
syc_machine_entry(const unsigned char *code, unsigned char before)
{
	(void)code;
	(void)before;
	return SYC_ENTRY_UNKNOWN;
}

#else
#error "the unwinder does not support this machine, see docs/install.md"
#endif

#if defined(__x86_64__) || defined(__i386__)
static inline uintptr_t syc_machine_of_context(const ucontext_t *context,
                                               unsigned reg)
{
	return (uintptr_t)context->uc_mcontext.gregs[syc_machine_place(reg)];
}

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
#endif

#if !defined(__aarch64__) && !defined(__arm__)
static inline uintptr_t syc_machine_strip(uintptr_t pc)
{
	return pc;
}
#endif

/* Return the number of the register in column @column of tables, or a greater
 * number for other registers. */
static inline uint64_t syc_machine_column(uint64_t column)
{
#if defined(__powerpc64__)
	return column == 65 ? SYC_REG_RA : column < 32 ? column : 63;
#else
	return column;
#endif
}

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
