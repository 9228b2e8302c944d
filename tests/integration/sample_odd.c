/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sample_odd.c - a program without instrumentation that uses signals, threads
 * and namespaces.
 *
 *	sample_odd DEED
 *
 * Exit status: 0 if nothing showed that it is sampled; 77 if the machine
 * forbids the test; else an error, which is printed.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "sampler/tick_signal.h"

#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

/* Not declared with a recent _XOPEN_SOURCE */
sighandler_t bsd_signal(int number, sighandler_t handler);

static int64_t now_ms(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void burn(int ms)
{
	const int64_t until = now_ms(CLOCK_THREAD_CPUTIME_ID) + ms;

	while (now_ms(CLOCK_THREAD_CPUTIME_ID) < until)
		;
}

static void sleep_ms(int ms)
{
	const int64_t until = now_ms(CLOCK_MONOTONIC) + ms;

	while (now_ms(CLOCK_MONOTONIC) < until)
		poll(NULL, 0, 5);
}

/* Resets all signals, like programs between fork and exec, and like many
 * daemons at their start. */
static void reset_all(void)
{
	for (int s = 1; s <= SIGRTMAX; s++)
		signal(s, SIG_DFL);
}

/* Resets all signals without the C library. */
static void reset_all_unseen(void)
{
	char none[64] = { 0 };

	for (int s = 1; s <= SIGRTMAX; s++)
		syscall(SYS_rt_sigaction, s, none, NULL, 8);
}

static int in_child(void (*deed)(void))
{
	const pid_t pid = fork();
	int status = -1;

	if (pid == 0) {
		deed();
		burn(100);
		sleep_ms(100);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	if (status != 0)
		printf("the child has status %#x\n", status);
	return status != 0;
}

static int reset(void)
{
	reset_all();
	burn(200);
	sleep_ms(200);
	reset_all_unseen();
	burn(200);
	sleep_ms(200);
	return 0;
}

static int reset_in_child(void)
{
	burn(20);
	return in_child(reset_all) | in_child(reset_all_unseen);
}

static unsigned count_threads(void)
{
	DIR *const dir = opendir("/proc/self/task");
	unsigned n = 0;

	if (dir == NULL)
		exit(77);
	for (struct dirent *e; (e = readdir(dir)) != NULL;)
		n += e->d_name[0] != '.';
	closedir(dir);
	return n;
}

static int stay_alone(void)
{
	burn(200);
	sleep_ms(200);
	const unsigned n = count_threads();
	if (n != 1)
		printf("%u threads\n", n);
	return n != 1;
}

static int enter_namespace(void)
{
	if (unshare(CLONE_NEWUSER) == 0)
		return 0;
	printf("unshare(): %s\n", strerror(errno));
	return 1;
}

/* ----------------------------------------------------- taking any signal */

static sigset_t all;

static int wait_by_libc(int ms)
{
	const struct timespec time = { ms / 1000, ms % 1000 * 1000000 };

	return sigtimedwait(&all, NULL, &time);
}

static int wait_by_call(int ms)
{
	const struct timespec time = { ms / 1000, ms % 1000 * 1000000 };

	return (int)syscall(SYS_rt_sigtimedwait, &all, NULL, &time, 8);
}

static int read_one(int fd, int ms)
{
	struct signalfd_siginfo info;
	struct pollfd pfd = { .fd = fd, .events = POLLIN };

	/* A pending signal vanishes if the program deletes its timer */
	while (poll(&pfd, 1, ms) == 1)
		if (read(fd, &info, sizeof(info)) > 0)
			return (int)info.ssi_signo;
	return -1;
}

static int wait_by_fd(int ms)
{
	static int fd = -1;

	if (fd < 0)
		fd = signalfd(-1, &all, SFD_CLOEXEC | SFD_NONBLOCK);
	return read_one(fd, ms);
}

static int wait_by_raw_fd(int ms)
{
	static int fd = -1;

	if (fd < 0)
		fd = (int)syscall(SYS_signalfd4, -1, &all, 8, SFD_NONBLOCK);
	return read_one(fd, ms);
}

static int take_nothing(int (*wait)(int ms))
{
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	for (int i = 0; i < 20; i++) {
		burn(10);
		const int signal = wait(20);
		if (signal > 0) {
			printf("signal %d came\n", signal);
			return 1;
		}
	}
	return 0;
}

static int wait_alone(void)
{
	return take_nothing(wait_by_libc) | take_nothing(wait_by_fd);
}

/* Only the ticks of one period may come.  Repeats a wait of half a second until
 * the wait takes no signal. */
static void *take_few(void *wait)
{
	const int64_t until = now_ms(CLOCK_MONOTONIC) + 300000;
	int n = 0;

	burn(50);
	sleep_ms(200); /* the thread has its timer */
	pthread_sigmask(SIG_BLOCK, &all, NULL);
	while ((*(int (**)(int))wait)(500) > 0) {
		n++;
		if (now_ms(CLOCK_MONOTONIC) > until)
			return (void *)"the threads never end";
	}
	printf("%d came\n", n);
	return NULL;
}

static int wait_in_thread(void)
{
	int (*waits[])(int ms) = { wait_by_call, wait_by_raw_fd };

	for (unsigned i = 0; i < 2; i++) {
		void *why;
		pthread_t thread;

		if (pthread_create(&thread, NULL, take_few, &waits[i]) != 0)
			return 1;
		pthread_join(thread, &why);
		if (why != NULL) {
			puts(why);
			return 1;
		}
	}
	return 0;
}

/* -------------------------------------------------- a use for the signal */

static void *work_long(void *nothing)
{
	burn(5000);
	return nothing;
}

static volatile sig_atomic_t n_handled, n_of_timers;

static void count(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)context;
	n_handled++;
	n_of_timers += info->si_code == SI_TIMER;
}

static void count_plainly(int number)
{
	(void)number;
	n_handled++;
}

static int handle_it(void)
{
	struct sigaction action = { .sa_sigaction = count,
		                    .sa_flags = SA_SIGINFO };

	burn(50);
	for (int i = 0; i < 100; i++)
		raise(SYC_TICK_SIGNAL); /* ignored without a handler */
	if (sigaction(SYC_TICK_SIGNAL, &action, NULL) != 0)
		return 1;
	for (int i = 0; i < 100; i++) {
		raise(SYC_TICK_SIGNAL);
		burn(2);
	}
	printf("%d handled, %d of timers\n", (int)n_handled, (int)n_of_timers);
	return n_handled != 100 || n_of_timers != 0;
}

/* Ticks then use another signal, and that signal must not kill the
 * processes. */
static int handle_it_and_fork(void)
{
	struct sigaction action = { .sa_sigaction = count,
		                    .sa_flags = SA_SIGINFO };

	burn(20);
	if (sigaction(SYC_TICK_SIGNAL, &action, NULL) != 0)
		return 1;
	burn(20);
	return in_child(reset_all) | in_child(reset_all_unseen);
}

/* Handles both signals that are ignored by default. */
static int handle_both(void)
{
	struct sigaction action = { .sa_sigaction = count,
		                    .sa_flags = SA_SIGINFO };

	burn(20);
	if (sigaction(SYC_TICK_SIGNAL, &action, NULL) != 0)
		return 1;
	burn(20);
	if (sigaction(SYC_TICK_SIGNAL_SECOND, &action, NULL) != 0)
		return 1;
	burn(50);
	printf("%d handled, %d of timers\n", (int)n_handled, (int)n_of_timers);
	return n_handled != 0;
}

static void *burn_in_thread(void *nothing)
{
	burn(200);
	return nothing;
}

/* Sets plain handlers before the working thread exists. */
static int handle_all(void)
{
	pthread_t thread;

	for (int s = 1; s <= SIGRTMAX; s++)
		signal(s, count_plainly);
	if (pthread_create(&thread, NULL, burn_in_thread, NULL) != 0)
		return 1;
	pthread_join(thread, NULL);
	printf("%d handled\n", (int)n_handled);
	return n_handled != 0;
}

static void *handle_it_in_thread(void *nothing)
{
	return handle_it() != 0 ? "a tick was handled" : nothing;
}

/* Sets a handler while other threads run; their timers change as well. */
static int handle_it_among_threads(void)
{
	pthread_t threads[4];
	void *why;

	for (int i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL,
		                   i == 3 ? handle_it_in_thread : work_long,
		                   NULL) != 0)
			return 1;
	pthread_join(threads[3], &why);
	if (why != NULL)
		puts(why);
	exit(why != NULL);
}

/* Sets a handler by an older function. */
static int handle_it_by(sighandler_t (*set)(int, sighandler_t))
{
	struct sigaction before;

	n_handled = 0;
	if (sigaction(SYC_TICK_SIGNAL, NULL, &before) != 0 ||
	    before.sa_handler != SIG_DFL ||
	    set(SYC_TICK_SIGNAL, count_plainly) != SIG_DFL)
		return 1;
	burn(100);
	printf("%d of nobody's\n", (int)n_handled);
	return n_handled != 0 || set(SYC_TICK_SIGNAL, SIG_DFL) == SIG_ERR;
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static int handle_it_as_of_old(void)
{
	burn(50);
	return handle_it_by(ssignal) || handle_it_by(bsd_signal) ||
	       handle_it_by(sigset);
}
#pragma GCC diagnostic pop

/* Reads the signal like PostgreSQL's latches. */
static int read_it(void)
{
	struct signalfd_siginfo info;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SYC_TICK_SIGNAL);
	sigprocmask(SIG_BLOCK, &set, NULL);
	burn(50); /* the program must not get pending ticks */
	kill(getpid(), SYC_TICK_SIGNAL);
	const int fd = signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
	if (read(fd, &info, sizeof(info)) < 0 || info.ssi_code != SI_USER ||
	    read_one(fd, 10) > 0) {
		printf("not what was sent before\n");
		return 1;
	}
	burn(50);
	for (int i = 0; i < 50; i++) {
		kill(getpid(), SYC_TICK_SIGNAL);
		if (read(fd, &info, sizeof(info)) < 0 ||
		    info.ssi_code != SI_USER || read_one(fd, 2) > 0) {
			printf("not what was sent\n");
			return 1;
		}
		burn(2);
	}
	return 0;
}

/* --------------------------------------------------------------- threads */

static void *work(void *nothing)
{
	burn(300);
	return nothing;
}

/* The first thread uses no processor time, so the other threads need their own
 * ticks. */
static int sleep_while_threads_work(void)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, work, NULL) != 0)
			return 1;
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

static void *work_briefly(void *nothing)
{
	burn(60);
	return nothing;
}

/* The process has only its own threads, and one thread after their end.  The
 * zygotes of browsers also check the number of threads. */
static int be_alone_again(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		if (pthread_create(&threads[i], NULL, work_briefly, NULL) != 0)
			return 1;
	burn(30);
	const unsigned n = count_threads();
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	if (n > 4) {
		printf("%u threads of 4\n", n);
		return 1;
	}
	/* the kernel's list of threads may be late */
	while (count_threads() > 4)
		sleep_ms(1);
	return stay_alone();
}

static int enter_namespace_later(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, work_briefly, NULL) != 0)
		return 1;
	pthread_join(thread, NULL);
	for (int i = 0; i < 1000 && count_threads() > 1; i++)
		sleep_ms(5); /* the thread may still be ending */
	return enter_namespace();
}

static int give_seven(void *nothing)
{
	(void)nothing;
	burn(2);
	return 7;
}

static void *exit_early(void *arg)
{
	burn(2);
	pthread_exit(arg);
}

/* All ways for a thread to begin and end, and failing calls. */
static int begin_and_end(void)
{
	pthread_attr_t attr;
	pthread_t thread;
	thrd_t other;
	void *value;
	int seven;

	pthread_attr_init(&attr);
	for (int i = 0; i < 100; i++) {
		if (thrd_create(&other, give_seven, NULL) != thrd_success ||
		    thrd_join(other, &seven) != thrd_success || seven != 7)
			return 1;
		if (pthread_create(&thread, &attr, exit_early, &seven) != 0 ||
		    pthread_join(thread, &value) != 0 || value != &seven)
			return 2;
	}
	/* the stack is larger than the address space */
	pthread_attr_setstacksize(&attr, (size_t)1 << 62);
	for (int i = 0; i < 1000; i++)
		if (pthread_create(&thread, &attr, exit_early, NULL) == 0)
			return 3;
	return 0;
}

/* Unblocks by a bare system call, like new threads of Go, SBCL and the
 * sanitizers. */
static void *unblock_and_work(void *nothing)
{
	const uint64_t none = 0;

	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, sizeof(none));
	burn(300);
	return nothing;
}

/* The first thread sleeps, and has no ticks. */
static int begin_with_all_blocked(void)
{
	pthread_t thread;
	sigset_t before;

	pthread_sigmask(SIG_BLOCK, &all, &before);
	if (pthread_create(&thread, NULL, unblock_and_work, NULL) != 0)
		return 1;
	pthread_join(thread, NULL);
	return 0;
}

static void do_nothing(int number)
{
	(void)number;
}

/* Handles the tick's signal while all signals are blocked. */
static int handle_while_blocked(void)
{
	sigset_t before;

	pthread_sigmask(SIG_BLOCK, &all, &before);
	signal(SYC_TICK_SIGNAL, do_nothing);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	burn(300);
	return 0;
}

/* Handles all signals except 34, like Go's runtime. */
static int handle_all_but_one(void)
{
	const struct sigaction action = { .sa_handler = do_nothing };

	for (int s = 1; s <= SIGRTMAX; s++)
		if (s != 34)
			sigaction(s, &action, NULL);
	burn(300);
	return 0;
}

static int work_while_blocked(void)
{
	sigset_t before;

	for (int i = 0; i < 5; i++) {
		pthread_sigmask(SIG_BLOCK, &all, &before);
		burn(100);
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	}
	return 0;
}

static int work_with_all_blocked(void)
{
	pthread_t threads[4];

	pthread_sigmask(SIG_BLOCK, &all, NULL);
	for (int i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, work_briefly, NULL) != 0)
			return 1;
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

/* ----------------------------------------------------------- deep stacks */

static volatile unsigned n_done;

/* A fixed amount of work, independent of time. */
static __attribute__((noinline)) unsigned dig(unsigned depth)
{
	if (depth == 0) {
		for (unsigned i = 0; i < 50000000; i++)
			n_done++;
		return 1;
	}
	return dig(depth - 1) + n_done % 2;
}

static void *work_deeply(void *arg)
{
	return dig(1000000) == 0 ? NULL : arg;
}

static int recurse(void)
{
	pthread_attr_t attr;
	pthread_t thread;

	pthread_attr_init(&attr);
	if (pthread_attr_setstacksize(&attr, (size_t)256 << 20) != 0 ||
	    pthread_create(&thread, &attr, work_deeply, NULL) != 0)
		return 77;
	return pthread_join(thread, NULL) != 0;
}

/* ---------------------------------------------------------- small stacks */

static void *use_stack(void *arg)
{
	volatile char used[6000];

	memset((char *)used, 1, sizeof(used));
	burn(40);
	return used[5] == 1 ? arg : NULL;
}

/* Smallest stacks, allocated by the C library and by the program. */
static int work_on_small_stacks(void)
{
	const size_t size = PTHREAD_STACK_MIN;
	char *const memory = mmap(NULL, 2 * size, PROT_NONE,
	                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attr[2];
	pthread_t thread;

	pthread_attr_init(&attr[0]);
	pthread_attr_init(&attr[1]);
	if (memory == MAP_FAILED ||
	    mprotect(memory + size, size, PROT_READ | PROT_WRITE) != 0 ||
	    pthread_attr_setstacksize(&attr[0], size) != 0 ||
	    pthread_attr_setstack(&attr[1], memory + size, size) != 0)
		return 77;
	for (int i = 0; i < 6; i++)
		if (pthread_create(&thread, &attr[i % 2], use_stack, NULL) !=
		            0 ||
		    pthread_join(thread, NULL) != 0)
			return 1;
	return 0;
}

static void *use_alternate_stack(void *memory)
{
	stack_t stack = { .ss_sp = memory, .ss_size = 5120 };

	if (sigaltstack(&stack, NULL) != 0)
		return "there is no alternate stack so small";
	burn(40);
	stack.ss_flags = SS_DISABLE;
	if (sigaltstack(&stack, NULL) != 0)
		return "it stays";
	burn(40);
	return NULL;
}

static int work_with_small_alternate_stacks(void)
{
	const size_t guard = 65536;
	char *const memory = mmap(NULL, 2 * guard, PROT_NONE,
	                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_t thread;
	void *why;

	if (memory == MAP_FAILED ||
	    mprotect(memory + guard, guard, PROT_READ | PROT_WRITE) != 0 ||
	    pthread_create(&thread, NULL, use_alternate_stack,
	                   memory + guard) != 0)
		return 77;
	pthread_join(thread, &why);
	if (why == NULL)
		why = use_alternate_stack(memory + guard);
	if (why != NULL)
		puts(why);
	return why != NULL;
}

static volatile bool sees_ours; /* whether a handler had a wrong mask */

/* A handler that leaves little space on its stack. */
static void use_most_of_it(int number)
{
	volatile char used[1500];
	sigset_t blocked;

	(void)number;
	memset((char *)used, 1, sizeof(used));
	sigprocmask(SIG_BLOCK, NULL, &blocked);
	sees_ours |= sigismember(&blocked, SIGUSR2) != 1;
	for (volatile unsigned i = 0; i < 3000000; i++)
		continue;
}

static void *handle_on_alternate_stack(void *memory)
{
	stack_t stack = { .ss_sp = memory, .ss_size = 8192 };

	if (sigaltstack(&stack, NULL) != 0)
		return "there is no alternate stack so small";
	for (int i = 0; i < 20; i++)
		pthread_kill(pthread_self(), SIGUSR1);
	burn(40);
	stack.ss_flags = SS_DISABLE;
	sigaltstack(&stack, NULL);
	return sees_ours ? "the mask of a handler is another" : NULL;
}

/* A stack of the traditional SIGSTKSZ has space for an application handler, but
 * not for a second signal. */
static int handle_on_alternate_stacks(void)
{
	const size_t guard = 65536, size = 8192;
	char *const memory = mmap(NULL, guard + size, PROT_NONE,
	                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	struct sigaction action = { .sa_handler = use_most_of_it,
		                    .sa_flags = SA_ONSTACK },
			 before;
	pthread_t thread;
	void *why;

	sigaddset(&action.sa_mask, SIGUSR2);
	if (memory == MAP_FAILED ||
	    mprotect(memory + guard, size, PROT_READ | PROT_WRITE) != 0 ||
	    sigaction(SIGUSR1, &action, NULL) != 0 ||
	    pthread_create(&thread, NULL, handle_on_alternate_stack,
	                   memory + guard) != 0)
		return 77;
	pthread_join(thread, &why);
	if (why == NULL)
		why = handle_on_alternate_stack(memory + guard);
	if (why == NULL && (sigaction(SIGUSR1, NULL, &before) != 0 ||
	                    memcmp(&before.sa_mask, &action.sa_mask, 8) != 0))
		why = "sigaction() returns another mask than was set";
	if (why != NULL)
		puts(why);
	return why != NULL;
}

/* Unblocks a second signal when the stack only has space for the kernel's
 * frame. */
static void use_all_of_it(int number)
{
	char *const here = __builtin_frame_address(0);
	stack_t stack;

	(void)number;
	sigaltstack(NULL, &stack);
	/* Size of this signal's frame, which may be less than AT_MINSIGSTKSZ,
	 * and of this function's and its callees' frames */
	const size_t tick =
		(size_t)((char *)stack.ss_sp + stack.ss_size - here) + 768;
	volatile char *const used =
		alloca((size_t)(here - (char *)stack.ss_sp) - tick);
	used[0] = 1;
	sigprocmask(SIG_UNBLOCK, &all, NULL);
	for (volatile unsigned i = 0; i < 3000000; i++)
		continue;
}

static int unblock_on_alternate_stack(void)
{
	const size_t guard = 65536;
	char *const memory = mmap(NULL, 2 * guard, PROT_NONE,
	                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const struct sigaction action = { .sa_handler = use_all_of_it,
		                          .sa_flags = SA_ONSTACK };
	const stack_t stack = { .ss_sp = memory + guard, .ss_size = guard };

	if (getauxval(AT_MINSIGSTKSZ) == 0 || memory == MAP_FAILED ||
	    mprotect(memory + guard, guard, PROT_READ | PROT_WRITE) != 0 ||
	    sigaltstack(&stack, NULL) != 0 ||
	    sigaction(SIGUSR1, &action, NULL) != 0)
		return 77;
	for (int i = 0; i < 20; i++)
		raise(SIGUSR1);
	return 0;
}

/* ---------------------------------------------------------------- a box */

/* A filter that kills only at system calls that a sampler might make. */
static void enter_box(bool by_syscall)
{
	static const unsigned forbidden[] = {
		SYS_timer_create, SYS_timer_settime, SYS_timer_delete,
		SYS_openat,       SYS_getdents64,    SYS_sendto,
		SYS_recvmsg,      SYS_memfd_create,  SYS_perf_event_open,
	};
	struct sock_filter code[3 + 2 * 9] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		         offsetof(struct seccomp_data, nr)),
	};
	unsigned short n = 1;

	for (unsigned i = 0; i < 9; i++) {
		code[n++] = (struct sock_filter)BPF_JUMP(
			BPF_JMP | BPF_JEQ | BPF_K, forbidden[i], 0, 1);
		code[n++] = (struct sock_filter)BPF_STMT(
			BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS);
	}
	code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K,
	                                         SECCOMP_RET_ALLOW);
	struct sock_fprog program = { .len = n, .filter = code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
		exit(77);
	if (by_syscall ? syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
	                         SECCOMP_FILTER_FLAG_TSYNC, &program) != 0
	               : prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0,
	                       0) != 0)
		exit(77);
}

static int work_in_box(bool by_syscall)
{
	pthread_t threads[4];

	burn(50);
	enter_box(by_syscall);
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 4; i++)
			if (pthread_create(&threads[i], NULL, work_briefly,
			                   NULL) != 0)
				return 1;
		for (int i = 0; i < 4; i++)
			pthread_join(threads[i], NULL);
	}
	const pid_t pid = fork();
	int status = -1;
	if (pid == 0) {
		burn(50);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	if (status != 0)
		printf("the child has status %#x\n", status);
	fflush(stdout);
	_exit(status != 0); /* exit()'s cleanup is not tested here */
}

static int strict_pipe[2];

/* Strict seccomp only allows read(), write(), exit() and sigreturn(). */
static int be_strict(void)
{
	void *volatile block = malloc(100);

	burn(50);
	free(block);
	if (strict_pipe[1] == 0 && pipe(strict_pipe) != 0)
		return 77;
	if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) != 0)
		return 77;
	for (volatile unsigned i = 0; i < 300000000; i++)
		continue;
	block = malloc(100); /* the heap has space since the first call */
	free(block);
	return (int)syscall(SYS_exit, write(strict_pipe[1], "x", 1) == -1);
}

static void *be_strict_in_thread(void *nothing)
{
	be_strict();
	return nothing;
}

/* Only one thread is strict; the process continues. */
static int have_strict_thread(void)
{
	pthread_t thread;
	char c;

	if (pipe2(strict_pipe, O_NONBLOCK) != 0 ||
	    pthread_create(&thread, NULL, be_strict_in_thread, NULL) != 0)
		return 1;
	pthread_join(thread, NULL);
	burn(100);
	return read(strict_pipe[0], &c, 1) != 1;
}

static int work_in_prctl_box(void)
{
	return work_in_box(false);
}

static int work_in_seccomp_box(void)
{
	return work_in_box(true);
}

static const struct {
	const char *name;
	int (*run)(void);
} deeds[] = {
	{ "reset", reset },
	{ "reset-in-child", reset_in_child },
	{ "stay-alone", stay_alone },
	{ "enter-namespace", enter_namespace },
	{ "wait-alone", wait_alone },
	{ "wait-in-thread", wait_in_thread },
	{ "handle-it", handle_it },
	{ "handle-it-and-fork", handle_it_and_fork },
	{ "handle-both", handle_both },
	{ "handle-all", handle_all },
	{ "handle-it-among-threads", handle_it_among_threads },
	{ "handle-it-as-of-old", handle_it_as_of_old },
	{ "read-it", read_it },
	{ "threads-work", sleep_while_threads_work },
	{ "be-alone-again", be_alone_again },
	{ "enter-namespace-later", enter_namespace_later },
	{ "begin-and-end", begin_and_end },
	{ "block-in-threads", work_with_all_blocked },
	{ "begin-blocked", begin_with_all_blocked },
	{ "handle-while-blocked", handle_while_blocked },
	{ "handle-all-but-one", handle_all_but_one },
	{ "work-while-blocked", work_while_blocked },
	{ "recurse", recurse },
	{ "small-stacks", work_on_small_stacks },
	{ "small-alternate-stacks", work_with_small_alternate_stacks },
	{ "alternate-stacks", handle_on_alternate_stacks },
	{ "unblock-on-alternate-stack", unblock_on_alternate_stack },
	{ "prctl-box", work_in_prctl_box },
	{ "seccomp-box", work_in_seccomp_box },
	{ "strict", be_strict },
	{ "strict-thread", have_strict_thread },
};

int main(int argc, char **argv)
{
	sigfillset(&all);
	for (size_t i = 0; i < sizeof(deeds) / sizeof(*deeds); i++)
		if (argc == 2 && strcmp(argv[1], deeds[i].name) == 0)
			return deeds[i].run();
	return 2;
}
