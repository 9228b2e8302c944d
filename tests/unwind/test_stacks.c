/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_stacks.c - stacks other than a thread's own: of makecontext(), of
 * coroutines with and without tables, and stacks that end with the mapped
 * memory.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <syscap/format.h>

#include "harness/test.h"
#include "unwind/registers.h"
#include "unwind/stack_walk.h"

static struct walk walk;
static bool by_trap;
static volatile unsigned sink;

/* Memory for a stack, with nothing mapped below and above. */
static char *stack_new(size_t size)
{
	char *const memory = mmap(NULL, size + 2 * 65536, PROT_NONE,
	                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(memory != MAP_FAILED);
	CHECK_EQ(mprotect(memory + 65536, size, PROT_READ | PROT_WRITE), 0);
	/* The pages are really unmapped.  Another mapping may take their place,
	 * but is hardly ever readable. */
	CHECK_EQ(munmap(memory, 65536), 0);
	CHECK_EQ(munmap(memory + 65536 + size, 65536), 0);
	return memory + 65536;
}

CHAIN(inner) static unsigned inner(unsigned a)
{
	if (by_trap)
		walk_trap();
	else
		walk_here(&walk, 512);
	CHAIN_END();
	return a + 1;
}

CHAIN(outer) static unsigned outer(unsigned a)
{
	const unsigned b = inner(a);

	CHAIN_END();
	return b + a;
}

/* --- makecontext() */

static ucontext_t main_context, own_context;

CHAIN(body) static void body(void)
{
	sink += outer(sink);
	CHECK_EQ(swapcontext(&own_context, &main_context), 0);
	sink += outer(sink);
	CHAIN_END();
}

static struct walk_check look_to(const struct walk_part *part)
{
	struct walk_check check = walk_check(&walk);

	walk_next(&check, CHAIN_PART(inner));
	walk_next(&check, CHAIN_PART(outer));
	walk_next(&check, part);
	return check;
}

static void look_at_context(void)
{
	const struct walk_check check = look_to(CHAIN_PART(body));

	/* One frame of libc may follow the frame of body. */
	if (walk.unwind.n - check.at > 1)
		walk_fail(&walk, "%u are left", walk.unwind.n - check.at);
	CHECK_EQ(walk.unwind.flags & SYSCAP_STACK_CUT, 0);
	/* On ppc64el, the tables of glibc do not mark the end of such a stack */
#if defined(__GLIBC__) && !defined(__powerpc64__)
	CHECK_EQ(walk.unwind.flags, 0);
#endif
}

CHAIN(switches) static void switches(size_t size)
{
	char *const stack = stack_new(size);

	CHECK_EQ(getcontext(&own_context), 0);
	own_context.uc_stack.ss_sp = stack;
	own_context.uc_stack.ss_size = size;
	own_context.uc_link = &main_context;
	makecontext(&own_context, body, 0);
	CHECK_EQ(swapcontext(&main_context, &own_context), 0);
	look_at_context();
	memset(&walk, 0, sizeof(walk));
	CHECK_EQ(swapcontext(&main_context, &own_context), 0);
	look_at_context();
	munmap(stack, size);

	/* Here the code runs on the thread's own stack again. */
	sink += outer(1);

	look_to(CHAIN_PART(switches));
	CHECK_EQ(walk.unwind.flags, 0);
}

TEST(makecontext_stack_to_its_start)
{
	for (int i = 0; i < 8; i++) {
		by_trap = i % 2;
		walk_on_trap(&walk, 512, false);
		switches((size_t)65536 << i / 2);
	}
}

static void *in_thread(void *data)
{
	switches(*(size_t *)data);
	return NULL;
}

TEST(makecontext_stack_in_a_thread_to_its_start)
{
	size_t size = 1 << 18;
	pthread_t thread;

	CHECK_EQ(pthread_create(&thread, NULL, in_thread, &size), 0);
	pthread_join(thread, NULL);
}

/* --- stacks switched by hand */

/* stacks_switch(&save, to): push the registers that a callee must keep, change
 * stacks, and pop the registers */
void stacks_switch(void **ret_save, void *to);
void stacks_begin(void);
void stacks_begin_bare(void);

/* Global, since C code may take these addresses from the GOT, in which
 * aarch64's linker replaces a local symbol by the start of its section. */
__asm__(".globl stacks_switch, stacks_begin, stacks_begin_bare\n"
        ".hidden stacks_switch, stacks_begin, stacks_begin_bare\n");

#if defined(__x86_64__)
__asm__(".pushsection .text\n"
        ".type stacks_switch, @function\n"
        "stacks_switch:\n\t.cfi_startproc\n\t"
        "push %rbp\n\t.cfi_adjust_cfa_offset 8\n\t.cfi_offset rbp, -16\n\t"
        "push %rbx\n\t.cfi_adjust_cfa_offset 8\n\t.cfi_offset rbx, -24\n\t"
        "push %r12\n\t.cfi_adjust_cfa_offset 8\n\t"
        "push %r13\n\t.cfi_adjust_cfa_offset 8\n\t"
        "push %r14\n\t.cfi_adjust_cfa_offset 8\n\t"
        "push %r15\n\t.cfi_adjust_cfa_offset 8\n\t"
        "mov %rsp, (%rdi)\n\t"
        "mov %rsi, %rsp\n\t"
        "pop %r15\n\t.cfi_adjust_cfa_offset -8\n\t"
        "pop %r14\n\t.cfi_adjust_cfa_offset -8\n\t"
        "pop %r13\n\t.cfi_adjust_cfa_offset -8\n\t"
        "pop %r12\n\t.cfi_adjust_cfa_offset -8\n\t"
        "pop %rbx\n\t.cfi_adjust_cfa_offset -8\n\t.cfi_restore rbx\n\t"
        "pop %rbp\n\t.cfi_adjust_cfa_offset -8\n\t.cfi_restore rbp\n\t"
        "ret\n\t"
        ".cfi_endproc\n.size stacks_switch, . - stacks_switch\n"
        /* this function is marked as the end of the stack */
        ".type stacks_begin, @function\n"
        "stacks_begin:\n\t.cfi_startproc\n\t.cfi_undefined rip\n\t"
        "call *%rbx\n\tud2\n\t"
        ".cfi_endproc\n.size stacks_begin, . - stacks_begin\n"
        /* without tables */
        ".type stacks_begin_bare, @function\n"
        "stacks_begin_bare:\n\t"
        "call *%rbx\n\tud2\n\t"
        ".size stacks_begin_bare, . - stacks_begin_bare\n"
        ".popsection\n");

/* The number of words that stacks_switch() takes off a stack, with the return
 * address; and the indexes of %rbx and %rbp. */
enum {
	SAVED_WORDS = 7,
	SAVED_BODY = 4,
	SAVED_FP = 5,
	SAVED_PC = 6
};
#elif defined(__i386__)
__asm__(".pushsection .text\n"
        ".type stacks_switch, @function\n"
        "stacks_switch:\n\t.cfi_startproc\n\t"
        "mov 4(%esp), %eax\n\tmov 8(%esp), %edx\n\t"
        ".irp r, ebp, ebx, esi, edi\n\t"
        "push %\\r\n\t.cfi_adjust_cfa_offset 4\n\t.cfi_rel_offset \\r, 0\n\t"
        ".endr\n\t"
        "mov %esp, (%eax)\n\t"
        "mov %edx, %esp\n\t"
        ".irp r, edi, esi, ebx, ebp\n\t"
        "pop %\\r\n\t.cfi_adjust_cfa_offset -4\n\t.cfi_restore \\r\n\t"
        ".endr\n\t"
        "ret\n\t"
        ".cfi_endproc\n.size stacks_switch, . - stacks_switch\n"
        ".type stacks_begin, @function\n"
        "stacks_begin:\n\t.cfi_startproc\n\t.cfi_undefined eip\n\t"
        "call *%ebx\n\tud2\n\t"
        ".cfi_endproc\n.size stacks_begin, . - stacks_begin\n"
        ".type stacks_begin_bare, @function\n"
        "stacks_begin_bare:\n\t"
        "call *%ebx\n\tud2\n\t"
        ".size stacks_begin_bare, . - stacks_begin_bare\n"
        ".popsection\n");
enum {
	SAVED_WORDS = 5,
	SAVED_BODY = 2,
	SAVED_FP = 3,
	SAVED_PC = 4
};
#elif defined(__riscv)
__asm__(".pushsection .text\n"
        ".type stacks_switch, @function\n"
        "stacks_switch:\n\t.cfi_startproc\n\t"
        "addi sp, sp, -112\n\t.cfi_adjust_cfa_offset 112\n\t"
        "sd s0, 0(sp)\n\tsd ra, 8(sp)\n\t"
        ".cfi_offset s0, -112\n\t.cfi_offset ra, -104\n\t"
        "sd s1, 16(sp)\n\tsd s2, 24(sp)\n\tsd s3, 32(sp)\n\t"
        "sd s4, 40(sp)\n\tsd s5, 48(sp)\n\tsd s6, 56(sp)\n\t"
        "sd s7, 64(sp)\n\tsd s8, 72(sp)\n\tsd s9, 80(sp)\n\t"
        "sd s10, 88(sp)\n\tsd s11, 96(sp)\n\t"
        "sd sp, (a0)\n\t"
        "mv sp, a1\n\t"
        "ld s1, 16(sp)\n\tld s2, 24(sp)\n\tld s3, 32(sp)\n\t"
        "ld s4, 40(sp)\n\tld s5, 48(sp)\n\tld s6, 56(sp)\n\t"
        "ld s7, 64(sp)\n\tld s8, 72(sp)\n\tld s9, 80(sp)\n\t"
        "ld s10, 88(sp)\n\tld s11, 96(sp)\n\t"
        "ld s0, 0(sp)\n\tld ra, 8(sp)\n\t"
        "addi sp, sp, 112\n\t.cfi_adjust_cfa_offset -112\n\t"
        ".cfi_restore s0\n\t.cfi_restore ra\n\t"
        "ret\n\t"
        ".cfi_endproc\n.size stacks_switch, . - stacks_switch\n"
        ".type stacks_begin, @function\n"
        "stacks_begin:\n\t.cfi_startproc\n\t.cfi_undefined ra\n\t"
        "jalr s1\n\tebreak\n\t"
        ".cfi_endproc\n.size stacks_begin, . - stacks_begin\n"
        ".type stacks_begin_bare, @function\n"
        "stacks_begin_bare:\n\t"
        "jalr s1\n\tebreak\n\t"
        ".size stacks_begin_bare, . - stacks_begin_bare\n"
        ".popsection\n");
enum {
	SAVED_WORDS = 14,
	SAVED_BODY = 2,
	SAVED_FP = 0,
	SAVED_PC = 1
};
#elif defined(__s390x__)
__asm__(".pushsection .text\n"
        ".type stacks_switch, @function\n"
        "stacks_switch:\n\t.cfi_startproc\n\t"
        "stmg %r6, %r15, 48(%r15)\n\t"
        "lgr %r0, %r15\n\t"
        "stg %r0, 0(%r2)\n\t"
        "lgr %r15, %r3\n\t"
        "lmg %r6, %r15, 48(%r15)\n\t"
        "br %r14\n\t"
        ".cfi_endproc\n.size stacks_switch, . - stacks_switch\n"
        ".type stacks_begin, @function\n"
        "stacks_begin:\n\t.cfi_startproc\n\t.cfi_undefined r14\n\t"
        "basr %r14, %r6\n\tj .+2\n\t"
        ".cfi_endproc\n.size stacks_begin, . - stacks_begin\n"
        ".type stacks_begin_bare, @function\n"
        "stacks_begin_bare:\n\t"
        "basr %r14, %r6\n\tj .+2\n\t"
        ".size stacks_begin_bare, . - stacks_begin_bare\n"
        ".popsection\n");
/* The save area, whose last word is the stack pointer */
enum {
	SAVED_WORDS = 20,
	SAVED_BODY = 6,
	SAVED_FP = 11,
	SAVED_PC = 14,
	SAVED_SP = 15
};
#elif defined(__powerpc64__)
__asm__(".pushsection .text\n"
        ".type stacks_switch, @function\n"
        "stacks_switch:\n\t.cfi_startproc\n\t"
        "mflr 0\n\tstd 0,16(1)\n\t.cfi_offset 65,16\n\t"
        "stdu 1,-320(1)\n\t.cfi_adjust_cfa_offset 320\n\t"
        ".set r,14\n\t.rept 18\n\t"
        "std r,32+8*r(1)\n\t.set r,r+1\n\t.endr\n\t"
        "std 1,0(3)\n\tmr 1,4\n\t"
        ".set r,14\n\t.rept 18\n\t"
        "ld r,32+8*r(1)\n\t.set r,r+1\n\t.endr\n\t"
        "addi 1,1,320\n\t.cfi_adjust_cfa_offset -320\n\t"
        "ld 0,16(1)\n\tmtlr 0\n\t.cfi_restore 65\n\tblr\n\t"
        ".cfi_endproc\n.size stacks_switch, . - stacks_switch\n"
        ".type stacks_begin, @function\n"
        "stacks_begin:\n\t.cfi_startproc\n\t.cfi_undefined 65\n\t"
        "mr 12,14\n\tmtctr 12\n\tbctrl\n\ttrap\n\t"
        ".cfi_endproc\n.size stacks_begin, . - stacks_begin\n"
        ".type stacks_begin_bare, @function\n"
        "stacks_begin_bare:\n\t"
        "mr 12,14\n\tmtctr 12\n\tbctrl\n\ttrap\n\t"
        ".size stacks_begin_bare, . - stacks_begin_bare\n"
        ".popsection\n");
enum {
	SAVED_WORDS = 44,
	SAVED_BODY = 18,
	SAVED_FP = 35,
	SAVED_PC = 42
};
#else
__asm__(".pushsection .text\n"
        ".type stacks_switch, %function\n"
        "stacks_switch:\n\t.cfi_startproc\n\t"
        "sub sp, sp, #96\n\t.cfi_adjust_cfa_offset 96\n\t"
        "stp x29, x30, [sp]\n\t"
        ".cfi_offset x29, -96\n\t.cfi_offset x30, -88\n\t"
        "stp x19, x20, [sp, #16]\n\t"
        "stp x21, x22, [sp, #32]\n\t"
        "stp x23, x24, [sp, #48]\n\t"
        "stp x25, x26, [sp, #64]\n\t"
        "stp x27, x28, [sp, #80]\n\t"
        "mov x9, sp\n\tstr x9, [x0]\n\t"
        "mov sp, x1\n\t"
        "ldp x19, x20, [sp, #16]\n\t"
        "ldp x21, x22, [sp, #32]\n\t"
        "ldp x23, x24, [sp, #48]\n\t"
        "ldp x25, x26, [sp, #64]\n\t"
        "ldp x27, x28, [sp, #80]\n\t"
        "ldp x29, x30, [sp]\n\t"
        "add sp, sp, #96\n\t.cfi_adjust_cfa_offset -96\n\t"
        ".cfi_restore x29\n\t.cfi_restore x30\n\t"
        "ret\n\t"
        ".cfi_endproc\n.size stacks_switch, . - stacks_switch\n"
        ".type stacks_begin, %function\n"
        "stacks_begin:\n\t.cfi_startproc\n\t.cfi_undefined x30\n\t"
        "blr x19\n\tbrk #2\n\t"
        ".cfi_endproc\n.size stacks_begin, . - stacks_begin\n"
        ".type stacks_begin_bare, %function\n"
        "stacks_begin_bare:\n\t"
        "blr x19\n\tbrk #2\n\t"
        ".size stacks_begin_bare, . - stacks_begin_bare\n"
        ".popsection\n");
enum {
	SAVED_WORDS = 12,
	SAVED_BODY = 2,
	SAVED_FP = 0,
	SAVED_PC = 1
};
#endif

static void *main_sp, *own_sp;

CHAIN(hand_body) static void hand_body(void)
{
	for (;;) {
		sink += outer(sink);
		stacks_switch(&own_sp, main_sp);
	}
}

/* @n_above words are above the first frame, up to the memory's end. */
static void switch_by_hand(void (*begin)(void), unsigned n_above, uintptr_t fp,
                           uintptr_t above)
{
	const size_t size = 65536;
	char *const stack = stack_new(size);
	uintptr_t *words = (uintptr_t *)(void *)(stack + size);

	for (unsigned i = 0; i < n_above; i++)
		*--words = above;
	words -= SAVED_WORDS;
	memset(words, 0, SAVED_WORDS * sizeof(*words));
	words[SAVED_BODY] = (uintptr_t)hand_body;
	words[SAVED_FP] = fp;
	words[SAVED_PC] = (uintptr_t)begin;
#if defined(__s390x__)
	words[SAVED_SP] = (uintptr_t)words;
#endif
	own_sp = words;
	walk_here(&walk, 512); /* caches the bounds of the thread's own stack */
	for (int i = 0; i < 4; i++) {
		by_trap = i % 2;
		memset(&walk.unwind, 0, sizeof(walk.unwind));
		stacks_switch(&main_sp, own_sp);
		look_to(CHAIN_PART(hand_body));
		CHECK_EQ(walk.unwind.flags & SYSCAP_STACK_CUT, 0);
		if (begin == stacks_begin) {
			CHECK_EQ(walk.unwind.n, 4);
			CHECK_EQ(walk.unwind.flags, 0);
		} else {
			/* the frame of the caller, and a few invented frames */
			CHECK(walk.unwind.n >= 4 && walk.unwind.n < 12);
		}
		CHECK(walk.addrs[3] >= (uintptr_t)begin);
		CHECK(walk.addrs[3] < (uintptr_t)begin + 16);
	}
	munmap(stack, size);
}

TEST(handmade_coroutine_to_its_start)
{
	walk_on_trap(&walk, 512, false);
	for (unsigned n = 0; n <= 8; n += 2)
		switch_by_hand(stacks_begin, n, 0, 0);
}

TEST(coroutine_without_tables_does_not_fault)
{
	static const uintptr_t frames[] = {
		0, 1, 8, 0xFFFF, UINTPTR_MAX - 7, UINTPTR_MAX / 2
	};

	walk_on_trap(&walk, 512, false);
	for (unsigned n = 0; n <= 8; n += 2)
		for (unsigned i = 0; i < 6; i++)
			for (unsigned j = 0; j < 6; j++)
				switch_by_hand(stacks_begin_bare, n, frames[i],
				               frames[j]);
}

/* --- at the end of the memory */

TEST(frame_pointer_at_the_end_of_memory)
{
	const size_t size = 65536;
	char *const stack = stack_new(size);

	memset(stack, 0, size);
	for (size_t back = 0; back <= 64; back++) {
		ucontext_t context;

		CHECK_EQ(getcontext(&context), 0);
		registers_set_stack(&context, (uintptr_t)(stack + size - back),
		                    (uintptr_t)(stack + size - back));
		walk_from(&walk, &context, 512);
		walk_check(&walk);
	}
	munmap(stack, size);
}
