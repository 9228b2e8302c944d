/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_boxed.c - a program without instrumentation that filters its system
 * calls.
 *
 *	record_boxed N SCENE [WORD...]
 *
 * The filter allows the program's own calls, and the calls of WORD.  Any other
 * call kills the process.
 *
 *	closed	no further calls, not even a return from a signal handler
 *	box	calls that nearly all filters allow, and this return
 *	ticks	all calls of a tick, and calls that end ticks
 *
 * The scenes:
 *
 *	one	the main thread installs the filter
 *	other	another thread installs the filter
 *	all	the filter applies to all threads
 *	two	first a filter like `ticks`, then this filter, too	first a
 *	filter like `box`; then a new thread, and after its end
 *		the main thread, install this filter
 *	refused	the kernel refuses wrong filters
 *
 * With the word `errno` a forbidden call fails instead of killing the process.
 * After the scene the main thread, a new thread and a forked child allocate N
 * blocks each, write to a pipe, read from the pipe, and wait.  The program ends
 * by exit().
 */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static unsigned long n_blocks;
static int ends[2];
static void *volatile sink;

static void need(int holds, const char *what)
{
	if (!holds) {
		/* no stdio: it would call fstat() */
		if (write(2, what, strlen(what)) < 0)
			_exit(2);
		_exit(1);
	}
}

/* Calls of malloc(), threads, forks, pipes, and the program's end */
#define OWN                                                                   \
	SYS_brk, SYS_mmap, SYS_munmap, SYS_mremap, SYS_madvise, SYS_mprotect, \
		SYS_futex, SYS_clone, SYS_clone3, SYS_rseq,                   \
		SYS_set_robust_list, SYS_exit, SYS_exit_group, SYS_read,      \
		SYS_write, SYS_wait4, SYS_ppoll, SYS_rt_sigaction,            \
		SYS_rt_sigprocmask
#ifdef __x86_64__
#define OWN_HERE SYS_poll, SYS_arch_prctl
#else
#define OWN_HERE SYS_read
#endif
#define BOX   SYS_rt_sigreturn, SYS_gettid, SYS_getpid, SYS_clock_gettime
#define END   (~0u)
#define TICKS SYS_timer_delete, SYS_rt_sigtimedwait, SYS_nanosleep

static const unsigned closed[] = { OWN, OWN_HERE, END };
static const unsigned box[] = { OWN, OWN_HERE, BOX, END };
/* The scenes `two` and `again` install a second filter */
static const unsigned ticks[] = { OWN,         OWN_HERE,  BOX, TICKS,
	                          SYS_seccomp, SYS_prctl, END };

static const unsigned tickless[] = { OWN,         OWN_HERE,  BOX,
	                             SYS_seccomp, SYS_prctl, END };

static const unsigned *allowed;
static unsigned flags;
static unsigned refusal = SECCOMP_RET_KILL_PROCESS;

/* Returns the filter's length; @code has space for 100 instructions. */
static unsigned short write_filter(struct sock_filter *code)
{
	unsigned short at = 0;

	code[at++] = (struct sock_filter)BPF_STMT(
		BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
	for (const unsigned *a = allowed; *a != END; a++) {
		code[at++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, *a, 0, 1);
		code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
		                                          SECCOMP_RET_ALLOW);
	}
	code[at++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, refusal);
	return at;
}

static void enter_box(void)
{
	struct sock_filter code[100];
	struct sock_fprog program = { write_filter(code), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    (flags != 0 ? syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags,
	                          &program)
	                : prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program,
	                        0, 0)) != 0)
		exit(77);
}

/* Tries filters that the kernel refuses */
static void try_filters(void)
{
	struct sock_filter code[100];
	struct sock_fprog program = { write_filter(code), code };
	struct sock_filter *const last = &code[program.len - 1];
	struct sock_filter *const pages =
		mmap(NULL, 8192, PROT_READ | PROT_WRITE,
	             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const struct sock_filter nonsense[] = {
		{ 0xFFFF, 0, 0, 0 },
		{ BPF_JMP | BPF_JA, 0, 0, 0xFFFFFFFF },
		{ BPF_JMP | BPF_JEQ, 255, 255, 0 },
		{ BPF_LD | BPF_W | BPF_ABS, 0, 0, 0xFFFFFFFC },
		{ BPF_LD | BPF_W | BPF_ABS, 0, 0, 2 },
		{ BPF_ST, 0, 0, 0x7FFFFFFF },
		{ BPF_LDX | BPF_MEM, 0, 0, 16 },
		{ BPF_ALU | BPF_DIV | BPF_K, 0, 0, 0 },
		{ BPF_ALU | BPF_LSH | BPF_K, 0, 0, 32 },
	};

	need(pages != MAP_FAILED && munmap(pages + 512, 4096) == 0, "pages");
	need(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) == -1, "none");
	need(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, pages + 512) == -1,
	     "an unreadable one");
	need(prctl(PR_SET_SECCOMP, 7, &program) == -1, "another mode");
	need(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 1 << 30, &program) ==
	             -1,
	     "another flag");
	need(syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, NULL) ==
	             -1,
	     "none by syscall()");
	for (unsigned i = 0; i < sizeof(nonsense) / sizeof(nonsense[0]); i++) {
		*last = nonsense[i];
		need(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == -1,
		     "nonsense");
	}
	*last = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, refusal);
	/* The filter's second half is in an unreadable page */
	memcpy(pages, code, program.len * sizeof(*code));
	program.filter = pages + 512 - program.len / 2;
	memcpy(program.filter, code, program.len / 2 * sizeof(*code));
	need(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == -1,
	     "half of one");
	program.len = 0;
	need(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == -1,
	     "an empty one");
}

/* Each function has another body, so that each keeps its own name */
#define BURN(name, n)                                             \
	static __attribute__((noinline)) void burn_##name(void)   \
	{                                                         \
		for (volatile unsigned i = n; i < 250000000; i++) \
			;                                         \
	}

BURN(before, 1)
BURN(boxed, 2)
BURN(after, 3)
BURN(in_thread, 4)
BURN(beside, 249000000) /* long enough: the caller ends this thread */

static void allocate(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++) {
		void *const block = malloc(16 + i % 100);

		need(block != NULL, "malloc");
		sink = block;
		free(block);
	}
}

static void work(void)
{
	struct pollfd fd = { .fd = ends[0], .events = POLLIN };
	char byte = 'x';

	allocate(n_blocks);
	for (int i = 0; i < 100; i++) {
		need(poll(&fd, 1, i % 2) == 0, "poll");
		need(write(ends[1], &byte, 1) == 1, "write");
		need(poll(&fd, 1, -1) == 1, "poll again");
		need(read(ends[0], &byte, 1) == 1, "read");
	}
}

static void *run(void *nothing)
{
	work();
	burn_in_thread();
	return nothing;
}

static void *run_boxed(void *nothing)
{
	work();
	burn_before();
	enter_box();
	work();
	burn_boxed();
	return nothing;
}

static volatile int is_over;

static void *run_beside(void *nothing)
{
	while (!is_over) {
		allocate(100);
		burn_beside();
	}
	return nothing;
}

static void begin_thread(pthread_t *thread, void *(*body)(void *))
{
	need(pthread_create(thread, NULL, body, NULL) == 0, "a thread");
}

static void end_thread(pthread_t thread)
{
	need(pthread_join(thread, NULL) == 0, "its end");
}

static void play(const char *scene)
{
	pthread_t thread, others[3];

	if (strcmp(scene, "refused") == 0) {
		try_filters();
	} else if (strcmp(scene, "other") == 0) {
		begin_thread(&thread, run_boxed);
		end_thread(thread);
	} else if (strcmp(scene, "all") == 0) {
		flags = SECCOMP_FILTER_FLAG_TSYNC;
		for (int i = 0; i < 3; i++)
			begin_thread(&others[i], run_beside);
		burn_before();
		enter_box();
		burn_boxed();
		is_over = 1;
		for (int i = 0; i < 3; i++)
			end_thread(others[i]);
	} else if (strcmp(scene, "two") == 0) {
		const unsigned *const second = allowed;

		allowed = ticks;
		enter_box();
		burn_boxed();
		allowed = second;
		enter_box();
	} else if (strcmp(scene, "again") == 0) {
		const unsigned *const second = allowed;

		allowed = tickless;
		enter_box();
		allowed = second;
		begin_thread(&thread, run_boxed);
		end_thread(thread);
		enter_box();
	} else {
		need(strcmp(scene, "one") == 0, "a scene");
		enter_box();
	}
}

static void take_words(char **words)
{
	allowed = box;
	for (; *words != NULL; words++)
		if (strcmp(*words, "closed") == 0)
			allowed = closed;
		else if (strcmp(*words, "ticks") == 0)
			allowed = ticks;
		else if (strcmp(*words, "errno") == 0)
			refusal = SECCOMP_RET_ERRNO | 1;
		else
			need(strcmp(*words, "box") == 0, "a word");
}

int main(int argc, char **argv)
{
	pthread_t thread;
	int status = -1;

	need(argc >= 3 && pipe(ends) == 0, "a number and a scene");
	n_blocks = strtoul(argv[1], NULL, 10);
	take_words(argv + 3);
	work();
	burn_before();
	play(argv[2]);
	work();
	burn_after();
	begin_thread(&thread, run);
	end_thread(thread);
	const pid_t pid = fork();
	if (pid == 0) {
		work();
		exit(0);
	}
	need(pid > 0 && waitpid(pid, &status, 0) == pid && status == 0,
	     "a child");
	return 0;
}
