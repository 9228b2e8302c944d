/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_crashes.c - a program that emits 500 marks and then crashes in the way
 * of its argument.  With a second argument the program catches crashes by a
 * call.  Otherwise `syscap record --crashes` does.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap.h>
#include <syscap/runtime.h>
#include <syscap/sampler.h>

#define N_MARKS   500
#define N_THREADS 4
#define NAMED     static __attribute__((noinline))

static volatile int zero;
static int n_busy;
static int n_marks; /* of a busy thread: some milliseconds */
static volatile uintptr_t low = 0x10;
static void *volatile kept;

NAMED void crash_here(void)
{
	*(volatile int *)low = 1;
}

NAMED int overflow_stack(int n)
{
	volatile char bytes[4000];

	bytes[0] = (char)n;
	return n > 0 ? overflow_stack(n + 1) + bytes[0] : 0;
}

NAMED void damage_heap(void)
{
	volatile unsigned char *const block = malloc(40);

	kept = (void *)block;
	for (int i = -8; i < 40; i++)
		block[i] = 0x41;
	free(kept);
}

NAMED void crash_in_handler(int signal)
{
	(void)signal;
	crash_here();
}

NAMED void *crash_together(void *n_ready)
{
	__atomic_add_fetch((int *)n_ready, 1, __ATOMIC_SEQ_CST);
	while (__atomic_load_n((int *)n_ready, __ATOMIC_SEQ_CST) < 2)
		;
	crash_here();
	return NULL;
}

static void crash_in_threads(void)
{
	int n_ready = 0;
	pthread_t thread;

	pthread_create(&thread, NULL, crash_together, &n_ready);
	crash_together(&n_ready);
}

NAMED void *emit_for_ever(void *unused)
{
	__atomic_add_fetch(&n_busy, 1, __ATOMIC_SEQ_CST);
	for (int i = 0; i < n_marks; i++)
		SYSCAP_MARK("app", "busy", syscap_clock(), 1, "a message");
	for (;;)
		pause();
	return unused;
}

/* The signal arrives at any instruction of an event. */
static void crash_while_busy(void)
{
	pthread_t thread;

	for (int i = 0; i < N_THREADS; i++)
		pthread_create(&thread, NULL, emit_for_ever, NULL);
	while (__atomic_load_n(&n_busy, __ATOMIC_SEQ_CST) < N_THREADS)
		;
	usleep(2000 + (useconds_t)getpid() % 5000);
	pthread_kill(thread, SIGSEGV);
	pause();
}

NAMED void read_past_file(void)
{
	FILE *const file = tmpfile();
	const volatile char *const bytes =
		mmap(NULL, 4096, PROT_READ, MAP_SHARED, fileno(file), 0);

	zero += bytes[0];
}

NAMED int crash_in_child(void)
{
	int status;
	const pid_t pid = fork();

	if (pid == 0)
		crash_here();
	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) ? 100 + WTERMSIG(status) : 1;
}

static void return_from_handler(int signal)
{
	(void)signal;
}

/* The action comes back without SA_SIGINFO, so the kernel passes no data. */
static void copy_action(void)
{
	signal(SIGABRT, signal(SIGABRT, return_from_handler));
	raise(SIGABRT);
}

/* ------------------------------------------------- the program's own actions */

static const int signals[] = { SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE };
static struct sigaction former;

static void expect_handler(sighandler_t found, sighandler_t expected)
{
	if (found != expected)
		exit(8);
}

/* The program finds the default action until it has its own. */
static void find_default_actions(void)
{
	const sigset_t none = { { 0 } };

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++) {
		const int number = signals[i];
		struct sigaction action;

		sigaction(number, NULL, &action);
		expect_handler(action.sa_handler, SIG_DFL);
		if (action.sa_flags != 0 ||
		    memcmp(&action.sa_mask, &none, 8) != 0)
			exit(8);
		expect_handler(signal(number, return_from_handler), SIG_DFL);
		expect_handler(signal(number, SIG_DFL), return_from_handler);
		expect_handler(signal(number, SIG_IGN), SIG_DFL);
		expect_handler(signal(number, SIG_DFL), SIG_IGN);
		action.sa_handler = return_from_handler;
		sigaction(number, &action, &former);
		expect_handler(former.sa_handler, SIG_DFL);
		sigaction(number, &former, &action);
		expect_handler(action.sa_handler, return_from_handler);
	}
}

/* Pass the signal on to a former action, as runtimes do. */
static void pass_on(int number, siginfo_t *info, void *context)
{
	if (former.sa_handler == SIG_DFL)
		_exit(3);
	former.sa_sigaction(number, info, context);
}

static void pass_on_segv(void)
{
	struct sigaction action = { .sa_flags = SA_SIGINFO };

	action.sa_sigaction = pass_on;
	sigaction(SIGSEGV, &action, &former);
	crash_here();
}

/* The instruction is repeated under the default action. */
static void reset_action(int number)
{
	const struct sigaction by_default = { .sa_handler = SIG_DFL };

	sigaction(number, &by_default, NULL);
}

static void reset_and_raise(int number)
{
	signal(number, SIG_DFL);
	raise(number);
}

static void reset_and_kill(int number)
{
	signal(number, SIG_DFL);
	kill(getpid(), number);
}

static int must_end;

NAMED void *flip_action(void *unused)
{
	while (!__atomic_load_n(&must_end, __ATOMIC_RELAXED)) {
		const struct sigaction by_default = { .sa_handler = SIG_DFL };
		struct sigaction action = { .sa_handler = return_from_handler };
		struct sigaction before;

		sigaction(SIGSEGV, &action, &before);
		if (before.sa_handler != return_from_handler)
			expect_handler(before.sa_handler, SIG_DFL);
		sigaction(SIGSEGV, &by_default, &before);
		if (before.sa_handler != return_from_handler)
			expect_handler(before.sa_handler, SIG_DFL);
		signal(SIGSEGV, SIG_DFL);
	}
	return unused;
}

static void flip_in_threads(void)
{
	pthread_t threads[N_THREADS];

	for (int i = 0; i < N_THREADS; i++)
		pthread_create(&threads[i], NULL, flip_action, NULL);
	usleep(20000);
	__atomic_store_n(&must_end, 1, __ATOMIC_RELAXED);
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
	signal(SIGSEGV, SIG_DFL);
	crash_here();
}

/* ------------------------------------------- two crashes, one after another */

static struct shared {
	int tids[2];
	int may_crash;
} * shared;

/* The state of /proc/@pid/task/@tid, and the blocked signals. */
static char look(int pid, int tid, unsigned long long *ret_blocked)
{
	char path[64], line[256], state = '?';

	snprintf(path, sizeof(path), "/proc/%d/task/%d/status", pid, tid);
	FILE *const file = fopen(path, "r");
	while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
		sscanf(line, "State: %c", &state);
		sscanf(line, "SigBlk: %llx", ret_blocked);
	}
	if (file != NULL)
		fclose(file);
	return state;
}

/* Wait until the thread is in the library's handler. */
static void wait_for_handler(int pid, int tid)
{
	unsigned long long blocked = 0;

	/* All signals but SIGKILL, SIGSTOP and SIGSYS are blocked */
	while ((blocked & 0x3FFBFEFF) != 0x3FFBFEFF)
		if (look(pid, tid, &blocked) == '?')
			_exit(1);
}

NAMED void *crash_second(void *unused)
{
	__atomic_store_n(&shared->tids[1], gettid(), __ATOMIC_SEQ_CST);
	while (__atomic_load_n(&shared->may_crash, __ATOMIC_SEQ_CST) == 0)
		;
	crash_here();
	return unused;
}

static int32_t crashing_tid;

static void *crash_in_thread(void *unused)
{
	__atomic_store_n(&crashing_tid, gettid(), __ATOMIC_RELEASE);
	crash_here();
	return unused;
}

/* Return while another thread's handler, which blocks all signals, runs. */
static void crash_at_exit(void)
{
	char path[64], status[4096], mask[17] = "";
	pthread_t thread;
	int32_t tid;

	if (pthread_create(&thread, NULL, crash_in_thread, NULL) != 0)
		exit(1);
	while ((tid = __atomic_load_n(&crashing_tid, __ATOMIC_ACQUIRE)) == 0)
		;
	snprintf(path, sizeof(path), "/proc/self/task/%d/status", tid);
	while (strncmp(mask, "fffffff", 7) != 0) {
		const int fd = open(path, O_RDONLY);
		const ssize_t n = read(fd, status, sizeof(status) - 1);

		close(fd);
		status[n > 0 ? n : 0] = '\0';
		const char *const at = strstr(status, "SigBlk:");
		if (at != NULL)
			sscanf(at, "SigBlk: %16s", mask);
	}
}

/*
 * The recorder stops, so the first thread waits for room in its ring.  The second
 * thread crashes meanwhile.
 */
static void crash_in_turn(void)
{
	const int pid = getpid(), recorder = getppid();
	unsigned long long blocked;
	pthread_t thread;

	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
	              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	shared->tids[0] = gettid();
	pthread_create(&thread, NULL, crash_second, NULL);
	while (__atomic_load_n(&shared->tids[1], __ATOMIC_SEQ_CST) == 0)
		;
	if (fork() == 0) {
		wait_for_handler(pid, shared->tids[0]);
		__atomic_store_n(&shared->may_crash, 1, __ATOMIC_SEQ_CST);
		wait_for_handler(pid, shared->tids[1]);
		kill(recorder, SIGCONT);
		_exit(0);
	}
	kill(recorder, SIGSTOP);
	while (look(recorder, recorder, &blocked) != 'T')
		;
	for (int i = 0; i < 20000; i++)
		SYSCAP_MARK("app", "fill", syscap_clock(), 1, "a message");
	crash_here();
}

/* Runtimes that name stacks at their safe points, which a crash does not
 * reach. */
static int push_handle(struct syscap_stack_sink *sink,
                       const struct syscap_regs *regs, void *unused)
{
	const struct syscap_stack_frame frame = { .value = 7,
		                                  .sp = regs->sp,
		                                  .kind = SYSCAP_CALL_HANDLE };

	(void)unused;
	syscap_stack_push(sink, &frame);
	return 0;
}

static int accept_request(void *unused)
{
	(void)unused;
	return 0;
}

static int name_handle(uint64_t handle, char *name, size_t size, void *unused)
{
	(void)handle;
	(void)unused;
	return snprintf(name, size, "handle");
}

static void crash_in_runtime(void)
{
	const struct syscap_provider handles = {
		.size = sizeof(handles),
		.caps = SYSCAP_PROVIDER_SIGNAL | SYSCAP_PROVIDER_SAFEPOINT |
		        SYSCAP_PROVIDER_HANDLES | SYSCAP_PROVIDER_SP,
		.name = "handles",
		.walk = push_handle,
		.request = accept_request,
		.resolve = name_handle,
	};
	const struct syscap_provider safepoint = {
		.size = sizeof(safepoint),
		.caps = SYSCAP_PROVIDER_SAFEPOINT | SYSCAP_PROVIDER_SP,
		.name = "safepoint",
		.walk = push_handle,
		.request = accept_request,
	};

	if (syscap_attach_thread(&handles, NULL) == NULL ||
	    syscap_attach_thread(&safepoint, NULL) == NULL)
		exit(1);
	crash_here();
}

static int use_all_memory(void)
{
	for (;;) {
		char *const block = malloc(1 << 20);

		if (block == NULL)
			return 9;
		memset(block, 1, 1 << 20);
	}
}

static void *exit_at_once(void *unused)
{
	(void)unused;
	exit(7);
}

/* From now on a filter has @result for one system call. */
static void filter_call(long number, uint32_t result)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		         offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, result),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog filter = { sizeof(code) / sizeof(*code), code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter) != 0)
		exit(9);
}

NAMED int crash(const char *way)
{
	if (strcmp(way, "segv") == 0)
		crash_here();
	else if (strcmp(way, "abort") == 0)
		abort();
	else if (strcmp(way, "raise") == 0)
		raise(SIGABRT);
	else if (strcmp(way, "kill") == 0)
		kill(getpid(), SIGBUS);
	else if (strcmp(way, "overflow") == 0)
		return overflow_stack(1);
	else if (strcmp(way, "heap") == 0)
		damage_heap();
	else if (strcmp(way, "division") == 0)
		return 100 / zero;
	else if (strcmp(way, "instruction") == 0)
		__builtin_trap();
	else if (strcmp(way, "file") == 0)
		read_past_file();
	else if (strcmp(way, "handler") == 0 &&
	         signal(SIGUSR1, crash_in_handler) != SIG_ERR)
		raise(SIGUSR1);
	else if (strcmp(way, "threads") == 0)
		crash_in_threads();
	else if (strcmp(way, "event") == 0)
		SYSCAP_MARK("app", "bad", syscap_clock(), 1, (const char *)low);
	else if (strcmp(way, "busy") == 0)
		crash_while_busy();
	else if (strcmp(way, "child") == 0)
		return crash_in_child();
	else if (strcmp(way, "copied") == 0)
		copy_action();
	else if (strcmp(way, "found") == 0) {
		find_default_actions();
		crash_here();
	} else if (strcmp(way, "passed") == 0)
		pass_on_segv();
	else if (strcmp(way, "reset") == 0) {
		signal(SIGSEGV, reset_action);
		crash_here();
	} else if (strcmp(way, "raised") == 0) {
		signal(SIGSEGV, reset_and_raise);
		crash_here();
	} else if (strcmp(way, "flipped") == 0)
		flip_in_threads();
	else if (strcmp(way, "in_turn") == 0)
		crash_in_turn();
	else if (strcmp(way, "exit") == 0)
		crash_at_exit();
	else if (strcmp(way, "runtime") == 0)
		crash_in_runtime();
	else if (strcmp(way, "killed") == 0)
		raise(SIGKILL);
	else if (strcmp(way, "memory") == 0)
		return use_all_memory();
	else if (strcmp(way, "strict") == 0 &&
	         prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT) == 0)
		crash_here();
	else if (strcmp(way, "queue_refused") == 0) {
		filter_call(SYS_rt_tgsigqueueinfo, SECCOMP_RET_ERRNO | EPERM);
		raise(SIGABRT);
	} else if (strcmp(way, "action_refused") == 0) {
		filter_call(SYS_rt_sigaction, SECCOMP_RET_ERRNO | EPERM);
		raise(SIGABRT);
	} else if (strcmp(way, "queue_kills") == 0) {
		filter_call(SYS_rt_tgsigqueueinfo, SECCOMP_RET_KILL_PROCESS);
		raise(SIGABRT);
	} else if (strcmp(way, "reset_in_filter") == 0) {
		signal(SIGSEGV, reset_and_kill);
		filter_call(SYS_tgkill, SECCOMP_RET_KILL_PROCESS);
		crash_here();
	} else if (strcmp(way, "first") == 0) {
		pthread_t thread;

		raise(SIGABRT); /* ignored if the pid is 1 */
		if (pthread_create(&thread, NULL, exit_at_once, NULL) == 0)
			pthread_join(thread, NULL);
	} else if (strcmp(way, "ignored") == 0 &&
	           signal(SIGSEGV, SIG_IGN) != SIG_ERR)
		kill(getpid(), SIGSEGV);
	return 7;
}

int main(int argc, char **argv)
{
	if (argc > 2 && syscap_catch_crashes() != 0)
		return 1;
	n_marks = argc > 2 ? 50000 : 400000;
	for (int i = 0; i < N_MARKS; i++)
		SYSCAP_MARK("app", "step", syscap_clock(), 1, NULL);
	return crash(argv[1]);
}
