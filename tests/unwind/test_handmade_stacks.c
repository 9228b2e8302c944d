/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_handmade_stacks.c - stacks made without a compiler: fibres, the loader's
 * start, vfork(), and a pc moved by a handler.  Other tests have assembly whose
 * frame is found by a caller-saved register.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <syscap/format.h>

#include "harness/test.h"
#include "harness/tsan.h"
#include "unwind/stack_walk.h"

#if defined(__x86_64__)

static struct walk walk;

static void trap_into_walk(void)
{
	memset(&walk, 0, sizeof(walk));
	walk_on_trap(&walk, 512, false);
}

/* --- the frame's address in a caller-saved register */

void by_hand_gcm(void);
/*
 * As in OpenSSL's AES-GCM: the address is in rax.  The callee does not change
 * rax, but no table records this fact.
 */
__asm__(".pushsection chain_gcm_inner, \"ax\", @progbits\n"
        ".type by_hand_gcm_inner, @function\n"
        "by_hand_gcm_inner:\n\t.cfi_startproc\n\t"
        "int3\n\tnop\n\tret\n\t"
        ".cfi_endproc\n.size by_hand_gcm_inner, . - by_hand_gcm_inner\n"
        ".popsection\n"
        ".pushsection chain_gcm, \"ax\", @progbits\n"
        ".type by_hand_gcm, @function\n"
        "by_hand_gcm:\n\t.cfi_startproc\n\t"
        "lea (%rsp), %rax\n\t.cfi_def_cfa_register rax\n\t"
        "push %rbx\n\t.cfi_offset rbx, -16\n\t"
        "push %rbp\n\t.cfi_offset rbp, -24\n\t"
        "sub $264, %rsp\n\tand $-128, %rsp\n\t"
        "xor %ebp, %ebp\n\t"
        "call by_hand_gcm_inner\n\t"
        "mov -16(%rax), %rbp\n\t.cfi_restore rbp\n\t"
        "mov -8(%rax), %rbx\n\t.cfi_restore rbx\n\t"
        "lea (%rax), %rsp\n\t.cfi_def_cfa_register rsp\n\t"
        "ret\n\t"
        ".cfi_endproc\n.size by_hand_gcm, . - by_hand_gcm\n"
        ".popsection\n");
extern const char __start_chain_gcm_inner[], __stop_chain_gcm_inner[];
extern const char __start_chain_gcm[], __stop_chain_gcm[];

CHAIN(calls_gcm) static void calls_gcm(void)
{
	by_hand_gcm();
	CHAIN_END();
}

TEST(frame_by_unchanged_register)
{
	const struct walk_part inner = { "inner", __start_chain_gcm_inner,
		                         __stop_chain_gcm_inner };
	const struct walk_part gcm = { "gcm", __start_chain_gcm,
		                       __stop_chain_gcm };
	struct walk_check check;

	trap_into_walk();
	calls_gcm();
	check = walk_check(&walk);
	walk_next(&check, &inner);
	walk_next(&check, &gcm);
	walk_next(&check, CHAIN_PART(calls_gcm));
	walk_ends_at_start(&check);
}

void by_hand_gcm_lost(void);
/* Here the callee has changed rax, and the walk must invent no caller. */
__asm__(".pushsection chain_gcm_lost, \"ax\", @progbits\n"
        ".type by_hand_gcm_user, @function\n"
        "by_hand_gcm_user:\n\t.cfi_startproc\n\t"
        "push %rax\n\t.cfi_def_cfa_offset 16\n\t"
        "lea 512(%rax), %rax\n\t"
        "int3\n\tnop\n\t"
        "pop %rax\n\t.cfi_def_cfa_offset 8\n\tret\n\t"
        ".cfi_endproc\n.size by_hand_gcm_user, . - by_hand_gcm_user\n"
        ".type by_hand_gcm_lost, @function\n"
        "by_hand_gcm_lost:\n\t.cfi_startproc\n\t"
        "lea (%rsp), %rax\n\t.cfi_def_cfa_register rax\n\t"
        "sub $264, %rsp\n\t"
        "call by_hand_gcm_user\n\t"
        "lea (%rax), %rsp\n\t.cfi_def_cfa_register rsp\n\t"
        "ret\n\t"
        ".cfi_endproc\n.size by_hand_gcm_lost, . - by_hand_gcm_lost\n"
        ".popsection\n");
extern const char __start_chain_gcm_lost[], __stop_chain_gcm_lost[];

CHAIN(calls_gcm_lost) static void calls_gcm_lost(void)
{
	char room[4096]; /* the wrong address leads into this memory */

	memset(room, 0x5a, sizeof(room));
	__asm__ volatile("" : : "r"(room) : "memory");
	by_hand_gcm_lost();
	CHAIN_END();
}

TEST(frame_by_changed_register_stops_the_walk)
{
	const struct walk_part lost = { "lost", __start_chain_gcm_lost,
		                        __stop_chain_gcm_lost };
	struct walk_check check;

	trap_into_walk();
	calls_gcm_lost();
	check = walk_check(&walk);
	CHECK_EQ(walk_count(&check, &lost), 2);
	CHECK_EQ(check.at, walk.unwind.n);
	CHECK_EQ(walk.unwind.flags, SYSCAP_STACK_STOPPED);
}

/* ------------------------------------------------------------- vfork() */

static unsigned n_steps, n_whole;

/* int3 begins and ends single steps; between them each instruction traps. */
static void on_step(int signo, siginfo_t *info, void *data)
{
	ucontext_t *const context = data;
	const int saved = errno;

	(void)signo;
	if (info->si_code == SI_KERNEL) {
		context->uc_mcontext.gregs[REG_EFL] ^= 0x100;
		return;
	}
	walk_from(&walk, context, 512);
	n_steps++;
	n_whole += walk.unwind.flags == 0;
	errno = saved;
}

WALK_OWN static pid_t step_through_vfork(void)
{
	walk_trap();
	const pid_t pid = vfork();
	if (pid == 0)
		_exit(0); /* the child is not stepped */
	walk_trap();
	return pid;
}

TEST(vfork_caller_at_every_instruction)
{
	struct sigaction sa;

	if (test_is_sanitized())
		SKIP("the sanitizer replaces vfork()");
	memset(&sa, 0, sizeof(sa));
	sa.sa_sigaction = on_step;
	sa.sa_flags = SA_SIGINFO;
	CHECK_EQ(sigaction(SIGTRAP, &sa, NULL), 0);
	const pid_t pid = step_through_vfork();
	int status;
	CHECK(pid > 0);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(n_steps > 8);
	CHECK_EQ(n_whole, n_steps);
}

/* --- a pc moved by a handler, like that of Go's runtime */

void by_hand_moved_leaf(void), by_hand_moved_push(void);
extern const char by_hand_stub[], by_hand_stub_end[];
/*
 * The stub and the leaf have no tables.  In the other function, the table
 * differs for the pc and for the byte before the pc.
 */
__asm__(".pushsection .text\n"
        ".globl by_hand_stub, by_hand_stub_end\n"
        "by_hand_stub:\n\t"
        "push %rbp\n\tmov %rsp, %rbp\n\tpushfq\n\t"
        "sub $0x170, %rsp\n\t"
        "mov %rax, (%rsp)\n\tmov %rcx, 8(%rsp)\n\t"
        "nop\n\t"
        "mov 8(%rsp), %rcx\n\tmov (%rsp), %rax\n\t"
        "add $0x170, %rsp\n\t"
        "popfq\n\tpop %rbp\n\tret\n"
        "by_hand_stub_end:\n"
        ".popsection\n"
        ".pushsection chain_moved, \"ax\", @progbits\n"
        "by_hand_moved_leaf:\n\t"
        "xor %ecx, %ecx\n\tud2\n\tret\n"
        "by_hand_moved_push:\n\t.cfi_startproc\n\t"
        "push %rbx\n\t.cfi_def_cfa_offset 16\n\t"
        "ud2\n\t"
        "pop %rbx\n\t.cfi_def_cfa_offset 8\n\tret\n\t"
        ".cfi_endproc\n"
        ".popsection\n");

static uintptr_t moved_pc;

CHAIN(calls_moved) static void calls_moved(void (*call)(void))
{
	call();
	CHAIN_END();
}

/* Runs the stub before an instruction at its first trap; skips the instruction
 * at the second. */
static void on_illegal(int signo, siginfo_t *info, void *data)
{
	greg_t *const gregs = ((ucontext_t *)data)->uc_mcontext.gregs;

	(void)signo;
	(void)info;
	if (moved_pc != 0) {
		gregs[REG_RIP] += 2;
		return;
	}
	moved_pc = (uintptr_t)gregs[REG_RIP];
	gregs[REG_RSP] -= 8;
	*(uintptr_t *)gregs[REG_RSP] = moved_pc;
	gregs[REG_RIP] = (greg_t)by_hand_stub;
	gregs[REG_EFL] |= 0x100;
	/* the kernel delivers this signal where the handler returns */
	raise(SIGUSR2);
}

/* This handler runs once before each of the stub's instructions. */
static void on_stub(int signo, siginfo_t *info, void *data)
{
	greg_t *const gregs = ((ucontext_t *)data)->uc_mcontext.gregs;
	const uintptr_t pc = (uintptr_t)gregs[REG_RIP];
	const unsigned at = pc != (uintptr_t)by_hand_stub;
	const uint64_t *const addrs = walk.addrs;

	(void)signo;
	(void)info;
	if (pc < (uintptr_t)by_hand_stub || pc >= (uintptr_t)by_hand_stub_end) {
		gregs[REG_EFL] &= ~(greg_t)0x100;
		return;
	}
	walk_from(&walk, data, 512);
	n_steps++;
	if ((at == 0 || addrs[0] == pc) && addrs[at] == moved_pc &&
	    walk_is_in(addrs[at + 1], CHAIN_PART(calls_moved)) &&
	    walk.unwind.flags == 0)
		n_whole++;
}

static void step_through_stub(void (*call)(void))
{
	struct sigaction sa;

	memset(&sa, 0, sizeof(sa));
	sa.sa_flags = SA_SIGINFO;
	sa.sa_sigaction = on_stub;
	CHECK_EQ(sigaction(SIGTRAP, &sa, NULL), 0);
	CHECK_EQ(sigaction(SIGUSR2, &sa, NULL), 0);
	sa.sa_sigaction = on_illegal;
	sigaddset(&sa.sa_mask, SIGUSR2);
	CHECK_EQ(sigaction(SIGILL, &sa, NULL), 0);
	n_steps = n_whole = 0;
	moved_pc = 0;
	calls_moved(call);
	CHECK_EQ(n_steps, 13);
	/* At pushfq, sub and popfq the caller's address is among the first
	 * words that the walk tries, so the interrupted function is missing */
	CHECK_EQ(n_whole, n_steps - 3);
}

TEST(pc_moved_by_a_handler_is_found)
{
	SKIP_UNDER_TSAN();
	step_through_stub(by_hand_moved_leaf);
	step_through_stub(by_hand_moved_push);
}

/* ------------------------------------------------------------- fibres */

static char fibre_stack[1 << 16] __attribute__((aligned(16)));
static void *outer_sp;
void by_hand_switch(void **save, void *to);
extern const char by_hand_finish[], by_hand_switch_end[];
/*
 * A switch like those of coroutine libraries: without tables, and the stack
 * begins with an address that no call has pushed.
 */
__asm__(".pushsection .text\n"
        ".globl by_hand_finish, by_hand_switch_end\n"
        ".type by_hand_switch, @function\n"
        "by_hand_switch:\n\t"
        "push %rbp\n\tpush %rbx\n\tpush %r12\n\tpush %r13\n\t"
        "push %r14\n\tpush %r15\n\t"
        "mov %rsp, (%rdi)\n\tmov %rsi, %rsp\n\t"
        "pop %r15\n\tpop %r14\n\tpop %r13\n\tpop %r12\n\t"
        "pop %rbx\n\tpop %rbp\n\tret\n\t"
        "nop\n"
        "by_hand_finish:\n\t"
        "xor %edi, %edi\n\thlt\n"
        "by_hand_switch_end:\n\t"
        ".size by_hand_switch, . - by_hand_switch\n"
        ".popsection\n");

CHAIN(in_fibre) static void in_fibre(void)
{
	static void *unused;

	walk_trap();
	by_hand_switch(&unused, outer_sp);
	CHAIN_END();
}

/* Walks in an interrupted fibre whose outermost return address is @end. */
static void walk_in_fibre(uintptr_t end)
{
	uintptr_t *sp =
		(uintptr_t *)(void *)(fibre_stack + sizeof(fibre_stack));

	trap_into_walk();
	*--sp = 0;
	*--sp = end;
	*--sp = (uintptr_t)in_fibre;
	sp -= 6;
	/* registers without valid addresses */
	memset(sp, 0x77, 6 * sizeof(*sp));
	by_hand_switch(&outer_sp, sp);
}

TEST(fibre_ends_at_uncalled_address)
{
	struct walk_check check;

	walk_in_fibre((uintptr_t)by_hand_finish);
	check = walk_check(&walk);
	walk_next(&check, CHAIN_PART(in_fibre));
	walk_next_is(&check, (uintptr_t)by_hand_finish);
	CHECK_EQ(check.at, walk.unwind.n);
	CHECK_EQ(walk.unwind.flags, 0);
}

TEST(library_data_is_no_fibre_end)
{
	static const char constant[64] = "constant";
	static char variable[64] = "variable", zeros[64];
	const char *const ends[] = {
		constant + 32,
		variable + 32,
		zeros + 32,
		dlsym(RTLD_DEFAULT, "in6addr_any"), /* a constant of libc */
		dlsym(RTLD_DEFAULT, "environ"),     /* a variable of libc */
	};

	for (unsigned i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		CHECK(ends[i] != NULL);
		walk_in_fibre((uintptr_t)ends[i]);
		CHECK_EQ(walk.unwind.flags, SYSCAP_STACK_STOPPED);
	}
}

extern char by_hand_closed[];
__asm__(".pushsection .text\n"
        ".globl by_hand_closed\n"
        ".balign 4096\nby_hand_closed:\n\t.skip 4096, 0x90\n"
        ".popsection\n");

TEST(unreadable_code_is_no_fibre_end)
{
	const uintptr_t end = (uintptr_t)by_hand_closed + 2048;

	walk_in_fibre(end);
	CHECK_EQ(walk.unwind.flags, 0);
	CHECK_EQ(mprotect(by_hand_closed, 4096, PROT_NONE), 0);
	walk_in_fibre(end);
	CHECK_EQ(walk.unwind.flags, SYSCAP_STACK_STOPPED);
}

void by_hand_first(void);
/* A goroutine's first function: it was never called, and fp is 0. */
__asm__(".pushsection .text\n"
        "by_hand_first:\n\t"
        "push %rbp\n\tmov %rsp, %rbp\n\t"
        "int3\n\t"
        "mov %r12, %rdi\n\tmov (%r13), %rsi\n\t"
        "call by_hand_switch\n\tud2\n"
        ".popsection\n");

TEST(bare_stack_ends_at_frame_pointer_0)
{
	static void *unused;
	uintptr_t *sp =
		(uintptr_t *)(void *)(fibre_stack + sizeof(fibre_stack));
	struct walk_check check;

	trap_into_walk();
	*--sp = 0;
	*--sp = (uintptr_t)by_hand_finish;
	*--sp = (uintptr_t)by_hand_first;
	*--sp = 0; /* rbp */
	*--sp = 0;
	*--sp = (uintptr_t)&unused;   /* r12 */
	*--sp = (uintptr_t)&outer_sp; /* r13 */
	sp -= 2;
	by_hand_switch(&outer_sp, sp);
	check = walk_check(&walk);
	check.at++;
	walk_next_is(&check, (uintptr_t)by_hand_finish);
	CHECK_EQ(check.at, walk.unwind.n);
	CHECK_EQ(walk.unwind.flags, 0);
}

static ucontext_t main_context, made_context;

CHAIN(in_made) static void in_made(void)
{
	walk_trap();
	CHAIN_END();
}

TEST(makecontext_ends_at_its_start_function)
{
	struct walk_check check;
	Dl_info info;

	trap_into_walk();
	CHECK_EQ(getcontext(&made_context), 0);
	made_context.uc_stack.ss_sp = fibre_stack;
	made_context.uc_stack.ss_size = sizeof(fibre_stack);
	made_context.uc_link = &main_context;
	makecontext(&made_context, in_made, 0);
	/* libc does not export __start_context, but it is the first libc
	 * address here */
	const uint64_t *at =
		(const uint64_t *)(void *)(fibre_stack + sizeof(fibre_stack));
	do
		at--;
	while (dladdr((void *)(uintptr_t)*at, &info) == 0 ||
	       strstr(info.dli_fname, "libc.so") == NULL);
	const uint64_t start_context = *at;
	CHECK_EQ(swapcontext(&main_context, &made_context), 0);
	check = walk_check(&walk);
	walk_next(&check, CHAIN_PART(in_made));
	walk_next_is(&check, start_context);
	CHECK_EQ(check.at, walk.unwind.n);
	CHECK_EQ(walk.unwind.flags, 0);
}

/* ---------------------------------------------------------- the loader */

/* The stack of a library's constructor, which the loader calls before this
 * program's constructors. */
static struct walk early;
__attribute__((visibility("default"))) void by_hand_early(void);

CHAIN(before_all) void by_hand_early(void)
{
	walk_here(&early, 512);
	CHAIN_END();
}

TEST(library_constructor_reaches_loader_start)
{
	struct walk_check check = walk_check(&early);
	Dl_info info;

	walk_next(&check, CHAIN_PART(before_all));
	CHECK_EQ(early.unwind.flags, 0);
	CHECK(dladdr((void *)(uintptr_t)early.addrs[early.unwind.n - 1],
	             &info) != 0);
	CHECK(strstr(info.dli_fname, "ld-linux") != NULL);
}

#endif
