/* SPDX-License-Identifier: BSD-2-Clause */
/* test_tick_signal.c - foreign signals beside the sampler's, and the handler's
 * allowed calls. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <syscap.h>

#include "harness/test.h"
#include "harness/tsan.h"
#include "sampler/sampling.h"

static volatile sig_atomic_t n_foreign, seen_value, seen_masked;

static bool has_ticked(int n)
{
	return sampling_stats().n_samples > (uint64_t)n;
}

static void start_on(int signal)
{
	struct syscap_sampler_options options = {
		.size = sizeof(options),
		.clock = SYSCAP_SAMPLER_WALL,
		.hz = 2000,
		.signal = signal,
	};

	CHECK_EQ(syscap_sampler_start(&options), 0);
	CHECK_EQ(sampling_stats().signal, signal);
}

static void count(int signal)
{
	(void)signal;
	n_foreign++;
}

static void count_with_info(int signal, siginfo_t *info, void *context)
{
	sigset_t now;

	(void)context;
	n_foreign++;
	seen_value = info->si_value.sival_int;
	pthread_sigmask(SIG_SETMASK, NULL, &now);
	seen_masked = sigismember(&now, signal) == 1 &&
	              sigismember(&now, SIGUSR2) == 1 &&
	              sigismember(&now, SIGUSR1) == 0;
}

TEST(foreign_profiling_timer_gets_all_its_ticks)
{
	const struct itimerval every_10_ms = { { 0, 10000 }, { 0, 10000 } };
	const struct itimerval never = { { 0, 0 }, { 0, 0 } };
	struct sigaction action = { .sa_handler = count,
		                    .sa_flags = SA_RESTART };

	SKIP_UNDER_TSAN();
	sampling_record();
	CHECK_EQ(sigaction(SIGPROF, &action, NULL), 0);
	start_on(SIGPROF);
	CHECK_EQ(setitimer(ITIMER_PROF, &every_10_ms, NULL), 0);
	sampling_burn(1000);
	CHECK_EQ(setitimer(ITIMER_PROF, &never, NULL), 0);
	CHECK_EQ(syscap_sampler_stop(), 0);
	/* about 100: a busy machine merges ticks, and the library's threads use
	 * time, too */
	CHECK(n_foreign >= 30 && n_foreign <= 200);
	CHECK_EQ(sampling_stats().n_foreign, n_foreign);
	CHECK(sampling_finish(0, NULL) != 0);
}

TEST(foreign_real_time_signal_keeps_value_and_mask)
{
	const int signal = SIGRTMIN + 5;
	struct sigaction action = { .sa_sigaction = count_with_info,
		                    .sa_flags = SA_SIGINFO };

	SKIP_UNDER_TSAN();
	sampling_record();
	sigemptyset(&action.sa_mask);
	sigaddset(&action.sa_mask, SIGUSR2);
	CHECK_EQ(sigaction(signal, &action, NULL), 0);
	start_on(signal);
	for (int i = 1; i <= 100; i++) {
		CHECK_EQ(sigqueue(getpid(), signal,
		                  (union sigval){ .sival_int = i }),
		         0);
		CHECK_EQ(n_foreign, i);
		CHECK_EQ(seen_value, i);
		CHECK_EQ(seen_masked, 1);
		sampling_burn(1);
	}
	CHECK_EQ(syscap_sampler_stop(), 0);
	/* the library's handler stays, and still passes signals on */
	CHECK_EQ(sigqueue(getpid(), signal, (union sigval){ .sival_int = 7 }),
	         0);
	CHECK_EQ(seen_value, 7);
	CHECK(sampling_finish(0, NULL) != 0);
}

TEST(ignored_signal_stays_ignored)
{
	const int signal = SIGRTMIN + 5;
	struct sigaction action = { .sa_handler = SIG_IGN };

	CHECK_EQ(sigaction(signal, &action, NULL), 0);
	start_on(signal);
	CHECK_EQ(raise(signal), 0);
	CHECK_EQ(sampling_stats().n_foreign, 1);
	CHECK_EQ(syscap_sampler_stop(), 0);
}

TEST(fatal_signal_stays_fatal)
{
	for (int is_real_time = 0; is_real_time < 2; is_real_time++) {
		const int signal = is_real_time != 0 ? SIGRTMIN + 5 : SIGPROF;
		const pid_t pid = fork();
		int status;

		CHECK(pid >= 0);
		if (pid == 0) {
			start_on(signal);
			kill(getpid(), signal);
			sampling_sleep(20000);
			_exit(0);
		}
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		CHECK(WIFSIGNALED(status));
		CHECK_EQ(WTERMSIG(status), signal);
	}
}

TEST(one_shot_handler_is_called_once)
{
	const int signal = SIGRTMIN + 5;
	struct sigaction action = { .sa_handler = count,
		                    .sa_flags = (int)SA_RESETHAND };
	const pid_t pid = fork();
	int status;

	CHECK(pid >= 0);
	if (pid == 0) {
		CHECK_EQ(sigaction(signal, &action, NULL), 0);
		start_on(signal);
		raise(signal);
		CHECK_EQ(n_foreign, 1);
		raise(signal);
		_exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == signal);
}

TEST(handled_or_awaited_signal_is_not_chosen)
{
	struct sigaction action = { .sa_handler = count };
	sigset_t waited;

	CHECK_EQ(sigaction(SIGRTMAX, &action, NULL), 0);
	sigemptyset(&waited);
	sigaddset(&waited, SIGRTMAX - 1);
	CHECK_EQ(pthread_sigmask(SIG_BLOCK, &waited, NULL), 0);
	sampling_start(SYSCAP_SAMPLER_CPU, 100);
	CHECK_EQ(sampling_stats().signal, SIGRTMAX - 2);
	CHECK_EQ(syscap_sampler_stop(), 0);
}

TEST(start_reports_that_every_signal_is_taken)
{
	struct sigaction action = { .sa_handler = count };
	struct syscap_sampler_options options = { .size = sizeof(options) };

	for (int s = SIGRTMIN; s <= SIGRTMAX; s++)
		CHECK_EQ(sigaction(s, &action, NULL), 0);
	CHECK_EQ(syscap_sampler_start(&options), -EBUSY);
	CHECK(options.message[0] != '\0');
}

static bool has_changed(int signal)
{
	const struct syscap_sampler_stats stats = sampling_stats();

	return stats.signal != signal && stats.n_threads == 1;
}

TEST(sampler_yields_its_signal_and_takes_another)
{
	struct sigaction action = { .sa_handler = count };

	sampling_record();
	sampling_start(SYSCAP_SAMPLER_CPU, 1000);
	const int signal = sampling_stats().signal;
	CHECK_EQ(sigaction(signal, &action, NULL), 0);
	CHECK(sampling_wait(has_changed, signal, 20000));
	const sig_atomic_t before = n_foreign;
	sampling_burn(200);
	CHECK_EQ(n_foreign, before);
	CHECK(sampling_stats().n_samples != 0);
	CHECK_EQ(syscap_sampler_stop(), 0);
	sampling_finish(0, NULL);
	sampling_start(SYSCAP_SAMPLER_CPU, 1000);
	CHECK(sampling_stats().signal != signal);
	CHECK_EQ(syscap_sampler_stop(), 0);
}

TEST(errno_is_kept)
{
	sampling_record();
	sampling_start(SYSCAP_SAMPLER_WALL, 10000);
	for (int i = 0; i < 200; i++) {
		errno = 4711;
		for (volatile int k = 0; k < 100000; k++)
			;
		CHECK_EQ(errno, 4711);
	}
	CHECK_EQ(syscap_sampler_stop(), 0);
	CHECK(sampling_finish(0, NULL) != 0);
}

/* -------------------------------------------- allowed calls of a handler */

/* A call with all signals blocked comes from the library's handler, as the
 * threads of these tests never block signals. */
static volatile sig_atomic_t is_looking;
static unsigned n_forbidden;

static void *volatile kept; /* keeps calls from being optimised away */

static __attribute__((unused)) void look(void)
{
	uint64_t mask = 0;

	if (is_looking != 0 &&
	    syscall(SYS_rt_sigprocmask, SIG_BLOCK, NULL, &mask, 8) == 0 &&
	    (mask >> (SIGUSR1 - 1) & 1) != 0 &&
	    syscall(SYS_gettid) == is_looking)
		__atomic_add_fetch(&n_forbidden, 1, __ATOMIC_RELAXED);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define CAN_INTERPOSE 1
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *at, size_t size);
extern void __libc_free(void *at);

void *malloc(size_t size)
{
	look();
	return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	look();
	return __libc_calloc(n, size);
}

void *realloc(void *at, size_t size)
{
	look();
	return __libc_realloc(at, size);
}

void free(void *at)
{
	look();
	__libc_free(at);
}
#else
#define CAN_INTERPOSE 0
#endif

TEST(handler_neither_allocates_nor_frees)
{
	if (!CAN_INTERPOSE)
		SKIP("the sanitizer has an allocator of its own");
	sampling_record();
	is_looking = gettid();
	sampling_start(SYSCAP_SAMPLER_WALL, 5000);
	/* syscap_sampler_start() blocks signals while it starts its thread */
	n_forbidden = 0;
	for (int i = 0; i < 300; i++) {
		kept = malloc((size_t)i * 100 + 1);
		free(kept);
		sampling_burn(1);
	}
	is_looking = 0;
	CHECK_EQ(n_forbidden, 0);
	CHECK(sampling_stats().n_samples > 100);
	/* the following calls show that this test notices an allocation */
	sigset_t all, before;
	sigfillset(&all);
	pthread_sigmask(SIG_BLOCK, &all, &before);
	is_looking = gettid();
	kept = malloc(1);
	free(kept);
	is_looking = 0;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	CHECK_EQ(n_forbidden, 2);
	CHECK_EQ(syscap_sampler_stop(), 0);
	CHECK(sampling_finish(0, NULL) != 0);
}

#define ALLOW(number)                                        \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1), \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* Allows the system calls of a handler whose thread has a ring
 * (docs/sampling.md), and those that end this thread. */
static void forbid_the_rest(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		         offsetof(struct seccomp_data, nr)),
		ALLOW(SYS_getpid),
		ALLOW(SYS_gettid),
		ALLOW(SYS_futex),
		ALLOW(SYS_process_vm_readv),
		ALLOW(SYS_clock_gettime),
		ALLOW(SYS_rt_sigreturn),
		ALLOW(SYS_exit),
		ALLOW(SYS_exit_group),
		ALLOW(SYS_write),
		ALLOW(SYS_madvise),
		ALLOW(SYS_munmap),
		ALLOW(SYS_rt_sigprocmask),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	};
	const struct sock_fprog program = {
		.len = sizeof(code) / sizeof(*code),
		.filter = code,
	};

	CHECK_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	CHECK_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

static void *burn_in_a_box(void *nothing)
{
	while (syc_self == NULL || syc_self->size == 0)
		sampling_burn(10); /* until a tick has got a ring */
	sampling_burn(50);
	forbid_the_rest();
	const uint64_t before = sampling_stats().n_samples;
	while (sampling_stats().n_samples < before + 100)
		sampling_burn(10);
	syscall(SYS_exit, 0); /* ends the thread without destructors */
	return nothing;
}

TEST(handler_makes_only_listed_system_calls)
{
	pthread_t thread;

	if (test_is_sanitized())
		SKIP("the sanitizer makes system calls");
	sampling_record();
	/* Above 1,000 Hz a tick calls timer_settime() if the thread seems to
	 * sleep */
	sampling_start(SYSCAP_SAMPLER_WALL, 1000);
	CHECK_EQ(pthread_create(&thread, NULL, burn_in_a_box, NULL), 0);
	pthread_join(thread, NULL);
	CHECK_EQ(syscap_sampler_stop(), 0);
	CHECK(sampling_finish(0, NULL) != 0);
}

static sigjmp_buf back;

static void jump_at(int signal)
{
	(void)signal;
	siglongjmp(back, 1);
}

TEST(application_may_jump_out_of_its_handlers)
{
	struct sigaction action = { .sa_handler = jump_at };
	const struct itimerval often = { { 0, 700 }, { 0, 700 } };
	const struct itimerval never = { { 0, 0 }, { 0, 0 } };
	static volatile int n_jumps;

	sampling_record();
	CHECK_EQ(sigaction(SIGALRM, &action, NULL), 0);
	sampling_start(SYSCAP_SAMPLER_WALL, 5000);
	CHECK_EQ(setitimer(ITIMER_REAL, &often, NULL), 0);
	const int64_t until = sampling_wall_ms() + 500;
	while (sigsetjmp(back, 1) != 0 || sampling_wall_ms() < until) {
		n_jumps++;
		if (sampling_wall_ms() >= until)
			break;
		for (volatile int k = 0; k < 10000; k++)
			;
	}
	CHECK_EQ(setitimer(ITIMER_REAL, &never, NULL), 0);
	CHECK_EQ(sampling_stats().n_refused, 0);
	CHECK(sampling_wait(has_ticked, (int)sampling_stats().n_samples,
	                    20000));
	CHECK_EQ(syscap_sampler_stop(), 0);
	sampling_finish(0, NULL);
}
