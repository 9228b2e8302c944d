/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_hostile.c - arbitrary registers and stacks.  Each walk ends without a
 * fault, stays within its array, and keeps errno.
 *
 * The seed is printed; --seed repeats a run.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <syscap/format.h>
#include <syscap/runtime.h>

#include "harness/test.h"
#include "os/threads.h"
#include "unwind/machine.h"
#include "unwind/memory.h"
#include "unwind/registers.h"
#include "unwind/stack_walk.h"

static struct walk walk;
static uint64_t state;

static uint64_t random_word(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static void begin_random(void)
{
	state = test_seed() | 1;
	for (int i = 0; i < 10; i++)
		random_word();
}

/*
 * If a function without tables has not run its first instruction, a handler may
 * have moved the pc there.  Then the walk begins with the function's return
 * address.
 */
static bool may_be_moved(uintptr_t pc)
{
	unsigned char code[SYC_MACHINE_CODE] = { 0 }, before = 0;

	syc_memory_copy(code, pc, sizeof(code));
	syc_memory_copy(&before, pc - 1, 1);
	return syc_machine_entry(code, before) == SYC_ENTRY_FIRST;
}

/* A walk that takes a second of processor time counts as endless. */
static void walk_at(const ucontext_t *context, unsigned max)
{
	struct timespec begin, end;

	/* This walk caches the bounds of the thread's stack, and is not
	 * tested */
	if (walk.n_taken == 0)
		walk_here(&walk, 32);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
	errno = 12345;
	walk_from(&walk, context, max);
	CHECK_EQ(errno, 12345);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
	if (may_be_moved(walk.pc))
		walk.pc = 0; /* pc may differ from the first address */
	walk_check(&walk);
	/*
	 * No code has addresses with these upper bits, and some would be names
	 * of a runtime
	 */
	for (unsigned i = 1; i < walk.unwind.n; i++)
		CHECK(walk.unwind.addrs[i] >> 56 == 0);
	CHECK(end.tv_sec - begin.tv_sec <= 1);
}

/* --- targets for pointers in all kinds of memory */

struct places {
	/* memory with random words, and pointers into all places */
	char *stack;
	size_t stack_size;
	uintptr_t unmapped, no_access, code, jit;
};

static struct places places;

static uintptr_t random_address(void)
{
	const uintptr_t low = random_word() % 4096;

	switch (random_word() % 16) {
	case 0:
		return places.unmapped + low;
	case 1:
		return places.no_access + low;
	case 2:
		return UINT64_C(0xFFFF800000000000) + low; /* the kernel's */
	case 3:
		return UINT64_C(0x0000800000000000) - 8 + low; /* unused */
	case 4:
		return UINTPTR_MAX - low % 64;
	case 5:
		return low % 64;
	case 6:
		return random_word();
	case 7:
		return places.jit + low;
	case 8:
		return (uintptr_t)&errno;
	case 9:
	case 10:
		return places.code + random_word() % 65536;
	case 11: /* an address that is probably in a C library */
		return (uintptr_t)qsort + random_word() % 65536;
	case 12:
		return (uintptr_t)places.stack + places.stack_size - low % 64;
	default:
		return (uintptr_t)places.stack +
		       random_word() % places.stack_size;
	}
}

static void make_places(void)
{
	const int prot = PROT_READ | PROT_WRITE;
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS;
	char *memory;

	memory = mmap(NULL, 1 << 20, PROT_NONE, flags, -1, 0);
	CHECK(memory != MAP_FAILED);
	places.no_access = (uintptr_t)memory;
	places.stack = memory + (1 << 18);
	places.stack_size = 1 << 16;
	CHECK_EQ(mprotect(places.stack, places.stack_size, prot), 0);
	CHECK_EQ(munmap(places.stack + places.stack_size, 1 << 18), 0);
	places.unmapped = (uintptr_t)places.stack + places.stack_size;
	memory = mmap(NULL, 1 << 16, prot | PROT_EXEC, flags, -1, 0);
	CHECK(memory != MAP_FAILED);
	places.jit = (uintptr_t)memory;
	places.code = (uintptr_t)make_places;
}

static void fill_stack(void)
{
	uintptr_t *const words = (uintptr_t *)(void *)places.stack;

	for (size_t i = 0; i < places.stack_size / sizeof(*words); i++)
		words[i] = random_address();
}

TEST(random_registers_and_stacks)
{
	const int n = test_is_sanitized() ? 20000 : 100000;

	begin_random();
	make_places();
	for (int i = 0; i < n; i++) {
		ucontext_t context;

		if (i % 1000 == 0)
			fill_stack();
		CHECK_EQ(getcontext(&context), 0);
		registers_scatter(&context, random_address);
		registers_set(&context, random_address(), random_address(),
		              random_address());
		walk_at(&context, 32 + (unsigned)(random_word() % 500));
	}
}

/* The bounds are the thread's own, but the walk begins with random words.
 * Memory within the bounds is not trusted more than other memory. */
TEST(bounds_with_unmapped_memory)
{
	begin_random();
	make_places();
	fill_stack();
	for (int i = 0; i < 20000; i++) {
		uint64_t addrs[64];
		struct syc_unwind unwind = { .addrs = addrs, .max = 64 };
		ucontext_t context;

		unwind.low = (uintptr_t)places.stack;
		unwind.high = unwind.low + places.stack_size;
		CHECK_EQ(getcontext(&context), 0);
		registers_scatter(&context, random_address);
		registers_set(&context, random_address(), random_address(),
		              random_address());
		syc_unwind_from(&unwind, &context);
		CHECK(unwind.n >= 1 && unwind.n <= 64);
	}
}

TEST(empty_and_reversed_bounds)
{
	static const uintptr_t bounds[][2] = {
		{ 0, 0 },
		{ UINTPTR_MAX, 0 },
		{ 4096, 4096 },
		{ UINTPTR_MAX, UINTPTR_MAX },
	};

	for (unsigned i = 0; i < 4; i++) {
		uint64_t addrs[64];
		struct syc_unwind unwind = { .addrs = addrs, .max = 64 };

		unwind.low = bounds[i][0];
		unwind.high = bounds[i][1];
		syc_unwind_here(&unwind, 0);
		CHECK(unwind.n >= 3);
		CHECK_EQ(unwind.flags, 0);
	}
}

/* --- loops */

TEST(frame_that_is_its_own_caller)
{
	make_places();
	for (uintptr_t at = 0; at < 256; at += 8) {
		uintptr_t *const frame =
			(uintptr_t *)(void *)(places.stack + 4096 + at);
		ucontext_t context;

		frame[0] = registers_fp_of(frame);
		frame[1] = places.jit + 64;
		CHECK_EQ(getcontext(&context), 0);
		registers_set(&context, places.jit + 64, (uintptr_t)frame - 64,
		              registers_fp_of(frame));
		registers_set_link(&context, places.jit + 64);
		walk_at(&context, 512);
	}
}

TEST(two_frames_that_call_each_other)
{
	uintptr_t *a, *b;
	ucontext_t context;

	make_places();
	a = (uintptr_t *)(void *)(places.stack + 4096);
	b = (uintptr_t *)(void *)(places.stack + 8192);
	a[0] = registers_fp_of(b);
	a[1] = places.jit + 64;
	b[0] = registers_fp_of(a);
	b[1] = places.jit + 96;
	CHECK_EQ(getcontext(&context), 0);
	registers_set(&context, places.jit + 64, (uintptr_t)a - 64,
	              registers_fp_of(a));
	walk_at(&context, 512);
	CHECK(walk.unwind.n < 16);
}

#if SYC_HAS_FP_RECORD
/* All pages of a large stack are one long chain of frames. */
TEST(endless_stack_is_left)
{
	const size_t size = (size_t)256 << 20;
	uintptr_t *const words =
		mmap(NULL, size, PROT_READ | PROT_WRITE,
	             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	ucontext_t context;

	CHECK(words != MAP_FAILED);
	make_places();
	for (size_t i = 0; i + 4 < ((size_t)32 << 20) / sizeof(*words);
	     i += 2) {
		words[i] = registers_fp_of(&words[i + 2]);
		words[i + 1] = places.jit + 64;
	}
	CHECK_EQ(getcontext(&context), 0);
	registers_set(&context, places.jit + 64, (uintptr_t)words - 64,
	              registers_fp_of(words));
	walk_at(&context, 512);
	CHECK_EQ(walk.unwind.n, 512);
	CHECK(walk.unwind.flags != 0);
}
#endif

/* --- code without tables */

#if defined(__x86_64__)
static const unsigned char with_frame[] = {
	0x55,             /* push %rbp */
	0x48, 0x89, 0xe5, /* mov %rsp, %rbp */
	0xff, 0xd7,       /* call *%rdi */
	0x5d,             /* pop %rbp */
	0xc3,             /* ret */
};
static const unsigned char without_frame[] = {
	0x48, 0x83, 0xec, 0x28, /* sub $40, %rsp */
	0xff, 0xd7,             /* call *%rdi */
	0x48, 0x83, 0xc4, 0x28, /* add $40, %rsp */
	0xc3,                   /* ret */
};
#elif defined(__aarch64__)
static const uint32_t with_frame[] = {
	0xa9bf7bfd, /* stp x29, x30, [sp, #-16]! */
	0x910003fd, /* mov x29, sp */
	0xd63f0000, /* blr x0 */
	0xa8c17bfd, /* ldp x29, x30, [sp], #16 */
	0xd65f03c0, /* ret */
};
static const uint32_t without_frame[] = {
	0xd10083ff, /* sub sp, sp, #32 */
	0xf90003fe, /* str x30, [sp] */
	0xd63f0000, /* blr x0 */
	0xf94003fe, /* ldr x30, [sp] */
	0x910083ff, /* add sp, sp, #32 */
	0xd65f03c0, /* ret */
};
#elif defined(__i386__)
static const unsigned char with_frame[] = {
	0x55,                   /* push %ebp */
	0x89, 0xe5,             /* mov %esp, %ebp */
	0xff, 0x54, 0x24, 0x08, /* call *8(%esp) */
	0x5d,                   /* pop %ebp */
	0xc3,                   /* ret */
};
static const unsigned char without_frame[] = {
	0x83, 0xec, 0x1c,       /* sub $28, %esp */
	0xff, 0x54, 0x24, 0x20, /* call *32(%esp) */
	0x83, 0xc4, 0x1c,       /* add $28, %esp */
	0xc3,                   /* ret */
};
#elif defined(__s390x__)
static const unsigned char without_frame[] = {
	0xeb, 0xef, 0xf0, 0x70, 0x00, 0x24, /* stmg %r14, %r15, 112(%r15) */
	0xe3, 0xf0, 0xff, 0x60, 0xff, 0x71, /* lay %r15, -160(%r15) */
	0x0d, 0xe2,                         /* basr %r14, %r2 */
	0xeb, 0xef, 0xf1, 0x10, 0x00, 0x04, /* lmg %r14, %r15, 272(%r15) */
	0x07, 0xfe,                         /* br %r14 */
};
#elif defined(__powerpc64__)
/* The frame has the address of the caller's frame */
static const uint32_t with_frame[] = {
	0x7c0802a6, /* mflr r0 */
	0xf8010010, /* std r0, 16(r1) */
	0xf821ffe1, /* stdu r1, -32(r1) */
	0x7c6c1b78, /* mr r12, r3 */
	0x7d8903a6, /* mtctr r12 */
	0x4e800421, /* bctrl */
	0x38210020, /* addi r1, r1, 32 */
	0xe8010010, /* ld r0, 16(r1) */
	0x7c0803a6, /* mtlr r0 */
	0x4e800020, /* blr */
};
static const uint32_t without_frame[] = {
	0x7c0802a6, /* mflr r0 */
	0x3821ffe0, /* addi r1, r1, -32 */
	0xf8010000, /* std r0, 0(r1) */
	0x7c6c1b78, /* mr r12, r3 */
	0x7d8903a6, /* mtctr r12 */
	0x4e800421, /* bctrl */
	0xe8010000, /* ld r0, 0(r1) */
	0x38210020, /* addi r1, r1, 32 */
	0x7c0803a6, /* mtlr r0 */
	0x4e800020, /* blr */
};
#elif defined(__riscv)
static const uint32_t with_frame[] = {
	0xff010113, /* addi sp, sp, -16 */
	0x00113423, /* sd ra, 8(sp) */
	0x00813023, /* sd s0, 0(sp) */
	0x01010413, /* addi s0, sp, 16 */
	0x000500e7, /* jalr a0 */
	0x00813083, /* ld ra, 8(sp) */
	0x00013403, /* ld s0, 0(sp) */
	0x01010113, /* addi sp, sp, 16 */
	0x00008067, /* ret */
};
static const uint32_t without_frame[] = {
	0xfe010113, /* addi sp, sp, -32 */
	0x00113023, /* sd ra, 0(sp) */
	0x000500e7, /* jalr a0 */
	0x00013083, /* ld ra, 0(sp) */
	0x02010113, /* addi sp, sp, 32 */
	0x00008067, /* ret */
};
#endif

CHAIN(called) static void called(void)
{
	walk_here(&walk, 512);
	CHAIN_END();
}

CHAIN(trapped) static __attribute__((unused)) void trapped(void)
{
	walk_trap();
	CHAIN_END();
}

CHAIN(calls_jit) static void calls_jit(void (*callee)(void))
{
	void (*code)(void (*callee)(void));

	memcpy(&code, &places.jit, sizeof(code));
	code(callee);
	CHAIN_END();
}

static void assemble(const void *code, size_t size)
{
	make_places();
	memcpy((void *)places.jit, code, size);
	__builtin___clear_cache((char *)places.jit, (char *)places.jit + size);
}

#if SYC_HAS_FP_RECORD || defined(SYC_BACK_CHAIN)
static void look_through_jit(const struct walk_part *inner)
{
	struct walk_check check = walk_check(&walk);

	walk_next(&check, inner);
	CHECK(walk.addrs[1] >= places.jit);
	CHECK(walk.addrs[1] < places.jit + sizeof(with_frame));
	check.at = 2;
	walk_next(&check, CHAIN_PART(calls_jit));
	walk_ends_at_start(&check);
}

TEST(unknown_code_with_frame_pointer)
{
	assemble(with_frame, sizeof(with_frame));
	walk_on_trap(&walk, 512, false);
	calls_jit(called);
	look_through_jit(CHAIN_PART(called));
	calls_jit(trapped);
	look_through_jit(CHAIN_PART(trapped));
}
#endif

/*
 * The caller is unknown.  The walk must invent no frame, and must not claim to
 * have reached the outermost frame.
 */
TEST(unknown_code_without_frame_pointer)
{
	struct walk_check check;

	assemble(without_frame, sizeof(without_frame));
	calls_jit(called);
	check = walk_check(&walk);
	walk_next(&check, CHAIN_PART(called));
	CHECK(walk.addrs[1] >= places.jit);
	CHECK(walk.addrs[1] < places.jit + sizeof(without_frame));
	if (walk.unwind.flags == 0)
		walk_ends_at_start(&check);
	else
		CHECK_EQ(walk.unwind.flags, SYSCAP_STACK_STOPPED);
}

static uintptr_t step_fp;
static unsigned n_stepped_out;
static int stepped_out; /* its result */

/* A runtime with a step_out() for its own code: the return address is on top of
 * the stack. */
static int step_out(void *context, struct syc_unwind_regs *regs)
{
	CHECK(context == &places);
	if (regs->pc < places.jit || regs->pc >= places.jit + 64)
		return -1;
	n_stepped_out++;
#if defined(__x86_64__)
	const uintptr_t *const frame = (const uintptr_t *)(regs->sp + 40);

	regs->pc = frame[0];
	regs->sp = (uintptr_t)(frame + 1);
#elif defined(__i386__)
	const uintptr_t *const frame = (const uintptr_t *)(regs->sp + 28);

	regs->pc = frame[0];
	regs->sp = (uintptr_t)(frame + 1);
#elif defined(__s390x__)
	regs->pc = *(const uintptr_t *)(regs->sp + 160 + 112);
	regs->sp += 160;
#else
	const uintptr_t *const frame = (const uintptr_t *)regs->sp;

	regs->pc = frame[0];
	regs->sp += 32;
#endif
	step_fp = regs->fp;
	return stepped_out;
}

CHAIN(asks_runtime) static void asks_runtime(void)
{
	memset(&walk.unwind, 0, sizeof(walk.unwind));
	walk.unwind.addrs = walk.addrs;
	walk.unwind.max = 512;
	walk.unwind.step_out = step_out;
	walk.unwind.context = &places;
	walk.addrs[512] = UINT64_C(0x5A5A5A5A5A5A5A5A);
	walk.n_taken++;
	syc_unwind_here(&walk.unwind, 0);
	CHAIN_END();
}

TEST(runtime_steps_out_of_its_code)
{
	struct walk_check check;

	assemble(without_frame, sizeof(without_frame));
	calls_jit(asks_runtime);
	CHECK_EQ(n_stepped_out, 1);
	check = walk_check(&walk);
	walk_next(&check, CHAIN_PART(asks_runtime));
	check.at = 2;
	walk_next(&check, CHAIN_PART(calls_jit));
	walk_ends_at_start(&check);
}

TEST(frame_reported_by_the_runtime_is_left_out)
{
	struct walk_check check;

	stepped_out = SYSCAP_STEP_TOLD;
	assemble(without_frame, sizeof(without_frame));
	calls_jit(asks_runtime);
	CHECK_EQ(n_stepped_out, 1);
	check = walk_check(&walk);
	walk_next(&check, CHAIN_PART(asks_runtime));
	walk_next(&check, CHAIN_PART(calls_jit));
	walk_ends_at_start(&check);
}

/* --- readable memory */

TEST(readable_memory_by_page)
{
	make_places();

	char *const end = places.stack + places.stack_size;

	CHECK(syc_unwind_readable(places.stack, 1));
	CHECK(syc_unwind_readable(places.stack, places.stack_size));
	CHECK(syc_unwind_readable(end - 8, 8));
	CHECK(!syc_unwind_readable(end - 8, 9));
	CHECK(!syc_unwind_readable(end, 1));
	CHECK(!syc_unwind_readable(places.stack - 1, 1));
	CHECK(!syc_unwind_readable(places.stack - 1, 2));
	CHECK(!syc_unwind_readable(NULL, 1));
	CHECK(!syc_unwind_readable((void *)UINTPTR_MAX, 1));
	CHECK(!syc_unwind_readable((void *)(UINTPTR_MAX - 3), 8));
	CHECK(!syc_unwind_readable((void *)UINT64_C(0xFFFF800000000000), 8));
	CHECK(!syc_unwind_readable(places.stack, SIZE_MAX));
}

/* --- bounds that hold more than one mapping */

TEST(bounds_with_a_hole)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *const memory = mmap(NULL, 64 * page, PROT_READ | PROT_WRITE,
	                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const uintptr_t low = (uintptr_t)memory;

	CHECK(memory != MAP_FAILED);
	/* Holes below and within the pages that one system call reads, and one
	 * hole beyond */
	for (size_t hole = 1; hole < 60; hole += 7) {
		uintptr_t value;

		CHECK_EQ(munmap(memory + hole * page, page), 0);
		for (size_t here = 0; here < 3; here++) {
			const uintptr_t floor = low + (hole + 1 + here) * page;
			struct syc_memory stacks;

			/* first on this stack, and then on another stack */
			syc_memory_init(&stacks, low, low + 64 * page,
			                here < 2 ? floor : 1);
			for (size_t i = 0; i < hole * page; i += page / 2)
				CHECK(syc_memory_load(&stacks, low + i,
				                      &value));
			for (size_t i = 0; i < page; i += page / 4)
				CHECK(!syc_memory_load(&stacks,
				                       low + hole * page + i,
				                       &value));
			for (size_t i = (hole + 1) * page; i < 64 * page;
			     i += page / 2)
				CHECK(syc_memory_load(&stacks, low + i,
				                      &value));
		}
		CHECK(mmap(memory + hole * page, page, PROT_READ | PROT_WRITE,
		           MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
		           0) != MAP_FAILED);
	}
	munmap(memory, 64 * page);
}

/* The first thread's stack includes the space for its growth; pages below the
 * used part are unmapped. */
TEST(unreached_pages_of_a_growing_stack)
{
	const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	uintptr_t low, high;
	ucontext_t context;

	CHECK(syc_stack_bounds(&low, &high));
	CHECK(low < here && here < high);
	CHECK_EQ(getcontext(&context), 0);
	for (uintptr_t at = low; at < here - 65536; at += 0x10000 - 8) {
		registers_set(&context, (uintptr_t)walk_at, at, at + 64);
		walk_at(&context, 64);
	}
}

TEST(stack_bounds_keep_errno)
{
	uintptr_t low, high;

	errno = 12345;
	CHECK(syc_stack_bounds(&low, &high));
	CHECK_EQ(errno, 12345);
}

TEST(copies_by_page_stop_at_unreadable_memory)
{
	struct syc_memory_pages pages = { { 0 } };
	unsigned char *const two =
		mmap(NULL, 2 * SYC_MEMORY_PAGE, PROT_READ | PROT_WRITE,
	             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const uintptr_t at = (uintptr_t)two;
	unsigned char copy[64];

	CHECK(two != MAP_FAILED);
	for (unsigned i = 0; i < SYC_MEMORY_PAGE; i++)
		two[i] = (unsigned char)(i * 7);
	CHECK_EQ(mprotect(two + SYC_MEMORY_PAGE, SYC_MEMORY_PAGE, PROT_NONE),
	         0);
	/* The second round finds the page among the known pages */
	for (unsigned round = 0; round < 2; round++) {
		CHECK_EQ(syc_memory_copy_in_page(copy, at + 3, 40, &pages), 40);
		CHECK_EQ(memcmp(copy, two + 3, 40), 0);
		CHECK_EQ(syc_memory_copy_in_page(copy, at + SYC_MEMORY_PAGE - 9,
		                                 9, &pages),
		         9);
		CHECK_EQ(memcmp(copy, two + SYC_MEMORY_PAGE - 9, 9), 0);
		CHECK_EQ(syc_memory_copy_in_page(copy, at + SYC_MEMORY_PAGE, 8,
		                                 &pages),
		         0);
		CHECK_EQ(syc_memory_copy_in_page(copy, 8, 8, &pages), 0);
	}
	munmap(two, 2 * SYC_MEMORY_PAGE);
}
