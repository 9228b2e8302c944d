/* SPDX-License-Identifier: BSD-2-Clause */
/* machine_x86_64.h - see machine.h. */
#ifndef SYC_UNWIND_MACHINE_X86_64_H
#define SYC_UNWIND_MACHINE_X86_64_H

#include <string.h>

#define SYC_MACHINE_REGS 17u
#define SYC_REG_FP       6u
#define SYC_REG_SP       7u
#define SYC_REG_PC       16u
#define SYC_REG_RA       16u

#define SYC_ROW_FIRST 0u
#define SYC_ROW_SLOTS 17u

#define SYC_RA_IN_REGISTER 0

/* rbx, rbp, rsp, r12 to r15 */
#define SYC_KEPT UINT64_C(0xf0c8)

/* A load that no sanitizer sees: stacks hold poisoned bytes. */
static inline uintptr_t syc_machine_load(uintptr_t at)
{
	uintptr_t value;

	__asm__ volatile("movq %1, %0"
	                 : "=r"(value)
	                 : "m"(*(const unsigned char(*)[8])at));
	return value;
}

/* The kept registers, sp and pc of the function that this is inlined into. */
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

/* The kernel's position of register @reg, in gregs. */
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

/* Register @reg in the frame of a signal; sp is above the address of its
 * trampoline. */
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

/* The code at @code returns from a signal handler: rax = 15; syscall. */
static inline bool syc_machine_is_sigreturn(const unsigned char *code)
{
	return memcmp(code, "\x48\xc7\xc0\x0f\x00\x00\x00\x0f\x05", 9) == 0 ||
	       memcmp(code, "\xb8\x0f\x00\x00\x00\x0f\x05", 7) == 0;
}

/* Number of bytes of code before a return address that functions below read. */
#define SYC_MACHINE_BEFORE 8u

/*
 * Whether the end of @code, of SYC_MACHINE_BEFORE bytes, may be a call:
 * relative, or through a register or memory with or without prefix.
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

/* Recognized by the code at the pc, and by the byte before the pc. */
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

#endif
