/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_contexts.c - contexts that a signal can interrupt.  Among them are another
 * handler, a signal stack, a system call, a foreign stack, and a child that
 * shares its parent's memory.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <syscap/format.h>

#include "harness/test.h"
#include "harness/tsan.h"
#include "unwind/registers.h"
#include "unwind/stack_walk.h"

static struct walk walk;

static void on_altstack(void)
{
	static char memory[1 << 16];
	const stack_t ss = { .ss_sp = memory, .ss_size = sizeof(memory) };

	CHECK_EQ(sigaltstack(&ss, NULL), 0);
}

static void handle(int signal, void (*handler)(int, siginfo_t *, void *),
                   int flags)
{
	struct sigaction sa;

	memset(&sa, 0, sizeof(sa));
	sa.sa_sigaction = handler;
	sa.sa_flags = SA_SIGINFO | flags;
	CHECK_EQ(sigaction(signal, &sa, NULL), 0);
}

/* --- handlers */

CHAIN(interrupted) static void interrupted(void)
{
	walk_trap();
	CHAIN_END();
}

CHAIN(in_handler) static void in_handler(void)
{
	walk_here(&walk, 512);
	CHAIN_END();
}

static uintptr_t handled_pc;

CHAIN(handler) static void handler(int signal, siginfo_t *info, void *data)
{
	ucontext_t *const context = data;

	(void)signal;
	(void)info;
	handled_pc = registers_pc(context);
	in_handler();
	registers_leave_trap(context);
	CHAIN_END();
}

CHAIN(before) static void before(void)
{
	interrupted();
	CHAIN_END();
}

/*
 * Beyond the handler is the kernel's trampoline, then the exact interrupted
 * address.
 */
static void look_through_handler(void)
{
	struct walk_check check = walk_check(&walk);

	walk_next(&check, CHAIN_PART(in_handler));
	walk_next(&check, CHAIN_PART(handler));
	check.at++;
	walk_next_is(&check, handled_pc);
	check.at--;
	walk_next(&check, CHAIN_PART(interrupted));
	walk_next(&check, CHAIN_PART(before));
	walk_ends_at_start(&check);
}

TEST(handler_walk_continues_at_interrupted_code)
{
	SKIP_UNDER_TSAN();
	handle(SIGTRAP, handler, 0);
	before();
	look_through_handler();
}

TEST(walk_from_signal_stack_to_thread_stack)
{
	SKIP_UNDER_TSAN();
	on_altstack();
	handle(SIGTRAP, handler, SA_ONSTACK);
	before();
	look_through_handler();
}

static uintptr_t outer_pc;

CHAIN(second_handler)
static void second_handler(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	walk_from(&walk, context, 512);
	CHAIN_END();
}

CHAIN(raises) static void raises(void)
{
	syscall(SYS_tgkill, getpid(), syscall(SYS_gettid), SIGUSR2);
	CHAIN_END();
}

CHAIN(first_handler)
static void first_handler(int signal, siginfo_t *info, void *data)
{
	ucontext_t *const context = data;

	(void)signal;
	(void)info;
	outer_pc = registers_pc(context);
	raises();
	registers_leave_trap(context);
	CHAIN_END();
}

CHAIN(plain_handler) static void plain_handler(int signal)
{
	(void)signal;
	walk_here(&walk, 512);
	CHAIN_END();
}

CHAIN(calls_raises) static void calls_raises(void)
{
	raises();
	CHAIN_END();
}

/* On i386 and s390x, the kernel makes another frame for such a handler. */
TEST(handler_without_siginfo_has_interrupted_code)
{
	struct walk_check check;
	struct sigaction sa;

	SKIP_UNDER_TSAN();
	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = plain_handler;
	CHECK_EQ(sigaction(SIGUSR2, &sa, NULL), 0);
	calls_raises();
	check = walk_check(&walk);
	walk_next(&check, CHAIN_PART(plain_handler));
	walk_skip_to(&check, CHAIN_PART(raises),
	             4); /* the trampoline, syscall() */
	walk_next(&check, CHAIN_PART(calls_raises));
	walk_ends_at_start(&check);
}

static void signal_in_handler(int first_flags, int second_flags)
{
	struct walk_check check;

	handle(SIGTRAP, first_handler, first_flags);
	handle(SIGUSR2, second_handler, second_flags);
	before();
	check = walk_check(&walk);
	walk_skip_to(&check, CHAIN_PART(raises), 2); /* syscall() */
	walk_next(&check, CHAIN_PART(first_handler));
	check.at++;
	walk_next_is(&check, outer_pc);
	walk_next(&check, CHAIN_PART(before));
	walk_ends_at_start(&check);
}

TEST(nested_handlers)
{
	SKIP_UNDER_TSAN();
	on_altstack();
	signal_in_handler(0, 0);
	signal_in_handler(SA_ONSTACK, 0);
	signal_in_handler(0, SA_ONSTACK);
	signal_in_handler(SA_ONSTACK, SA_ONSTACK);
}

#if defined(__x86_64__)
void contexts_leaf(void);
/* This function traps, and uses its red zone below the stack pointer. */
__asm__(".pushsection chain_leaf, \"ax\", @progbits\n"
        ".type contexts_leaf, @function\n"
        "contexts_leaf:\n\t.cfi_startproc\n\t"
        "mov %rdi, -8(%rsp)\n\tmov %rsi, -128(%rsp)\n\t"
        "int3\n\t"
        "ret\n\t"
        ".cfi_endproc\n.size contexts_leaf, . - contexts_leaf\n"
        ".popsection\n");
#else
#if defined(__s390x__)
#define RETURN "br %r14\n\t"
#elif defined(__powerpc64__)
#define RETURN "blr\n\t"
#else
#define RETURN "ret\n\t"
#endif
void contexts_leaf(void);
__asm__(".pushsection chain_leaf, \"ax\", @progbits\n"
        ".type contexts_leaf, @function\n"
        "contexts_leaf:\n\t.cfi_startproc\n\t" WALK_TRAP RETURN
        ".cfi_endproc\n.size contexts_leaf, . - contexts_leaf\n"
        ".popsection\n");
#endif
extern const char __start_chain_leaf[], __stop_chain_leaf[];

CHAIN(calls_leaf) static void calls_leaf(void)
{
	contexts_leaf();
	CHAIN_END();
}

TEST(frameless_leaf_has_its_caller)
{
	const struct walk_part leaf = { "leaf", __start_chain_leaf,
		                        __stop_chain_leaf };
	struct walk_check check;

	walk_on_trap(&walk, 512, false);
	calls_leaf();
	check = walk_check(&walk);
	walk_next(&check, &leaf);
	walk_next(&check, CHAIN_PART(calls_leaf));
	walk_ends_at_start(&check);
}

#if defined(__x86_64__)
void contexts_by_hand(void);
void contexts_with_fp(void);
/* As in libjpeg, the first function has no table, and its frame pointer does
 * not lead to the caller's frame. The second function is found by the caller's
 * frame pointer. */
__asm__(".pushsection .text\n"
        ".type contexts_by_hand, @function\n"
        "contexts_by_hand:\n\t"
        "push %rbp\n\tmov %rsp, %rax\n\t"
        "sub $8, %rsp\n\tmov %rax, (%rsp)\n\tmov %rsp, %rbp\n\t"
        "push $0\n\tpush $0\n\tpush $0\n\t"
        "int3\n\t"
        "mov %rbp, %rsp\n\tpop %rsp\n\tpop %rbp\n\tret\n\t"
        ".size contexts_by_hand, . - contexts_by_hand\n"
        ".popsection\n"
        ".pushsection chain_with_fp, \"ax\", @progbits\n"
        ".type contexts_with_fp, @function\n"
        "contexts_with_fp:\n\t.cfi_startproc\n\t"
        "push %rbp\n\t.cfi_def_cfa_offset 16\n\t.cfi_offset rbp, -16\n\t"
        "mov %rsp, %rbp\n\t.cfi_def_cfa_register rbp\n\t"
        "call contexts_by_hand\n\t"
        "pop %rbp\n\t.cfi_def_cfa rsp, 8\n\tret\n\t"
        ".cfi_endproc\n.size contexts_with_fp, . - contexts_with_fp\n"
        ".popsection\n");
extern const char __start_chain_with_fp[], __stop_chain_with_fp[];

CHAIN(calls_with_fp) static void calls_with_fp(void)
{
	contexts_with_fp();
	CHAIN_END();
}

TEST(frame_pointer_caller_behind_assembly)
{
	const struct walk_part with_fp = { "with_fp", __start_chain_with_fp,
		                           __stop_chain_with_fp };
	struct walk_check check;

	walk_on_trap(&walk, 512, false);
	calls_with_fp();
	check = walk_check(&walk);
	check.at++;
	walk_next(&check, &with_fp);
	walk_next(&check, CHAIN_PART(calls_with_fp));
	walk_ends_at_start(&check);
}
#endif

/* --- threads and system calls */

static int pipe_fds[2];
static atomic_int thread_tid;

CHAIN(sleeper) static void sleeper(void)
{
	char byte;

	atomic_store(&thread_tid, (int)syscall(SYS_gettid));
	/* a bare system call, as sanitizers replace read() */
	while (syscall(SYS_read, pipe_fds[0], &byte, 1) < 0)
		continue;
	CHAIN_END();
}

CHAIN(sleeping_thread) static void *sleeping_thread(void *data)
{
	sleeper();
	CHAIN_END();
	return data;
}

static atomic_uint n_taken;

static void on_thread(int signal, siginfo_t *info, void *context)
{
	const int saved = errno;

	(void)signal;
	(void)info;
	walk_from(&walk, context, 512);
	atomic_store(&n_taken, walk.n_taken);
	errno = saved;
}

static bool is_asleep(int tid)
{
	char path[64], text[64];
	FILE *file;
	char state = '?';

	snprintf(path, sizeof(path), "/proc/self/task/%d/stat", tid);
	file = fopen(path, "r");
	if (file == NULL)
		return false;
	if (fgets(text, sizeof(text), file) != NULL &&
	    strrchr(text, ')') != NULL)
		state = strrchr(text, ')')[2];
	fclose(file);
	return state == 'S';
}

/* Outside of a thread's function are two frames of libc: the function's caller,
 * and the system call that made the thread. */
static void look_in_thread(struct walk_check *check)
{
	if (test_is_sanitized())
		CHECK_EQ(walk.unwind.flags, 0); /* more frames */
	else
		walk_ends_after(check, 2);
}

TEST(sleeping_thread_to_its_start)
{
	struct walk_check check;
	pthread_t thread;

	SKIP_UNDER_TSAN();
	CHECK_EQ(pipe(pipe_fds), 0);
	handle(SIGUSR1, on_thread, SA_RESTART);
	CHECK_EQ(pthread_create(&thread, NULL, sleeping_thread, NULL), 0);
	while (atomic_load(&thread_tid) == 0 ||
	       !is_asleep(atomic_load(&thread_tid)))
		sched_yield();
	CHECK_EQ(pthread_kill(thread, SIGUSR1), 0);
	while (atomic_load(&n_taken) == 0)
		sched_yield();
	CHECK_EQ(write(pipe_fds[1], "x", 1), 1);
	pthread_join(thread, NULL);
	close(pipe_fds[0]);
	close(pipe_fds[1]);

	check = walk_check(&walk);
	walk_skip_to(&check, CHAIN_PART(sleeper), 2);
	walk_next(&check, CHAIN_PART(sleeping_thread));
	look_in_thread(&check);
}

CHAIN(thread_body) static void *thread_body(void *data)
{
	walk_here(&walk, 512);
	CHAIN_END();
	return data;
}

TEST(successive_threads_to_their_start)
{
	for (int i = 0; i < 50; i++) {
		pthread_attr_t attr;
		pthread_t thread;

		pthread_attr_init(&attr);
		pthread_attr_setstacksize(&attr, (size_t)(1 + i % 3) << 18);
		walk.n_taken = 0;
		CHECK_EQ(pthread_create(&thread, &attr, thread_body, NULL), 0);
		pthread_join(thread, NULL);
		pthread_attr_destroy(&attr);

		struct walk_check check = walk_check(&walk);

		walk_next(&check, CHAIN_PART(thread_body));
		look_in_thread(&check);
	}
}

CHAIN(busy) static void busy(atomic_bool *over, struct walk *own)
{
	while (!atomic_load(over)) {
		struct walk_check check;

		walk_here(own, 512);
		check = walk_check(own);
		walk_next(&check, CHAIN_PART(busy));
		CHECK_EQ(own->unwind.flags, 0);
	}
	CHAIN_END();
}

static atomic_bool threads_over;

static void *busy_thread(void *data)
{
	busy(&threads_over, data);
	return NULL;
}

TEST(simultaneous_walks)
{
	static struct walk walks[8];
	pthread_t threads[8];

	for (unsigned i = 0; i < 8; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, busy_thread,
		                        &walks[i]),
		         0);
	usleep(300000);
	atomic_store(&threads_over, true);
	for (unsigned i = 0; i < 8; i++) {
		pthread_join(threads[i], NULL);
		CHECK(walks[i].n_taken > 0);
	}
}

CHAIN(in_child) static void in_child(void)
{
	walk_trap();
	CHAIN_END();
}

CHAIN(forks) static int forks(bool borrow)
{
	const pid_t pid = borrow ? vfork() : fork();
	int status;

	if (pid == 0) {
		in_child();
		_exit(walk.n_taken == 1 ? 0 : 1);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHAIN_END();
	return status;
}

static void look_at_child(void)
{
	struct walk_check check = walk_check(&walk);

	walk_next(&check, CHAIN_PART(in_child));
	walk_next(&check, CHAIN_PART(forks));
	walk_ends_at_start(&check);
}

TEST(child_of_vfork_is_walked_without_harm)
{
	walk_on_trap(&walk, 512, false);
	CHECK_EQ(forks(true), 0);
	if (walk.n_taken == 0)
		SKIP("vfork() equals fork() here");
	look_at_child();
	walk.n_taken = 0;
	before();

	struct walk_check check = walk_check(&walk);

	walk_next(&check, CHAIN_PART(interrupted));
	walk_next(&check, CHAIN_PART(before));
	walk_ends_at_start(&check);
}

TEST(forked_child_is_walked)
{
	walk_on_trap(&walk, 512, false);
	before();
	walk.n_taken = 0;
	CHECK_EQ(forks(false), 0);
}
