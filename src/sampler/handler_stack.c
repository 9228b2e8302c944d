/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * handler_stack.c - a separate stack for code that needs more stack than a
 * handler has.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include "sampler/state.h"
#include "sampler/tick.h"
#include "session/drain_thread.h"

#define GUARD ((size_t)65536) /* as large as any page */
#define SIZE  ((size_t)SYC_DRAIN_HANDLER_STACK)

/* Children inherit the address, and each has its own memory at this address. */
static char *stack;

/* syc_handler_stack_call(what, top): the frame pointer leads back to the old
 * stack, for the return and for unwinders. */
void syc_handler_stack_call(void (*what)(void), void *top);

#if defined(__x86_64__)
__asm__(".text\n"
        ".p2align 4\n"
        ".globl syc_handler_stack_call\n"
        ".hidden syc_handler_stack_call\n"
        ".type syc_handler_stack_call, @function\n"
        "syc_handler_stack_call:\n"
        "	.cfi_startproc\n"
        "	endbr64\n"
        "	pushq %rbp\n"
        "	.cfi_def_cfa_offset 16\n"
        "	.cfi_offset %rbp, -16\n"
        "	movq %rsp, %rbp\n"
        "	.cfi_def_cfa_register %rbp\n"
        "	movq %rsi, %rsp\n"
        "	callq *%rdi\n"
        "	movq %rbp, %rsp\n"
        "	popq %rbp\n"
        "	.cfi_def_cfa %rsp, 8\n"
        "	ret\n"
        "	.cfi_endproc\n"
        ".size syc_handler_stack_call, . - syc_handler_stack_call\n");
#elif defined(__aarch64__)
__asm__(".text\n"
        ".p2align 4\n"
        ".globl syc_handler_stack_call\n"
        ".hidden syc_handler_stack_call\n"
        ".type syc_handler_stack_call, %function\n"
        "syc_handler_stack_call:\n"
        "	.cfi_startproc\n"
        "	hint #34\n" /* bti c */
        "	stp x29, x30, [sp, #-16]!\n"
        "	.cfi_def_cfa_offset 16\n"
        "	.cfi_offset x29, -16\n"
        "	.cfi_offset x30, -8\n"
        "	mov x29, sp\n"
        "	.cfi_def_cfa_register x29\n"
        "	mov sp, x1\n"
        "	blr x0\n"
        "	mov sp, x29\n"
        "	.cfi_def_cfa_register sp\n"
        "	ldp x29, x30, [sp], #16\n"
        "	.cfi_restore x29\n"
        "	.cfi_restore x30\n"
        "	.cfi_def_cfa_offset 0\n"
        "	ret\n"
        "	.cfi_endproc\n"
        ".size syc_handler_stack_call, . - syc_handler_stack_call\n");
#else
#error "how this machine changes stacks"
#endif

static char *get_stack(void)
{
	const int saved = errno;

	if (stack == NULL) {
		char *const memory = mmap(
			NULL, GUARD + SIZE, PROT_NONE,
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (memory != MAP_FAILED &&
		    mmap(memory + GUARD, SIZE, PROT_READ | PROT_WRITE,
		         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE |
		                 MAP_FIXED,
		         -1, 0) != MAP_FAILED)
			stack = memory;
	}
	errno = saved;
	return stack;
}

void syc_handler_stack_run(void (*what)(void))
{
	uint32_t *const taken = &syc_sampler->handler_stack_taken;
	uint32_t nobody = 0;

	if (!__atomic_compare_exchange_n(taken, &nobody, 1, false,
	                                 __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
		return;
	char *const memory = get_stack();
	if (memory != NULL)
		syc_handler_stack_call(what, memory + GUARD + SIZE);
	__atomic_store_n(taken, 0, __ATOMIC_RELEASE);
}
