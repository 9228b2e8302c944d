/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * soak.c - sample, 20,000 times a second in all, threads that do what makes
 * life hard for an unwinder and for a signal handler.
 *
 *	soak SECONDS CAPTURE
 *
 * Prints what was delivered.  Exits 0, or 1 where a thread came to harm.
 * Its C++ half is soak_throw.cc, where there is a C++ compiler.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include <syscap.h>
#include <syscap/sampler.h>

#define TOTAL_HZ 20000u

static uint32_t may_end, n_harmed;

static bool goes_on(void)
{
	return __atomic_load_n(&may_end, __ATOMIC_RELAXED) == 0;
}

static void harmed(const char *what)
{
	fprintf(stderr, "soak: %s\n", what);
	__atomic_add_fetch(&n_harmed, 1, __ATOMIC_RELAXED);
}

static unsigned work(unsigned n)
{
	volatile unsigned x = 0;

	for (unsigned i = 0; i < n; i++)
		x += i;
	return x;
}

/* ------------------------------------------------------------ libraries */

static void load_and_unload(void)
{
	static const char *const names[] = { "libm.so.6", "libresolv.so.2",
		                             "libanl.so.1", "libutil.so.1" };
	double (*cosine)(double) = NULL;

	for (unsigned i = 0; i < 4; i++) {
		void *const handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);

		if (handle == NULL)
			continue;
		if (i == 0)
			*(void **)&cosine = dlsym(handle, "cos");
		for (int k = 0; cosine != NULL && k < 1000; k++)
			if (cosine(0.0) != 1.0)
				harmed("cos(0) is not 1");
		cosine = NULL;
		dlclose(handle);
	}
}

/* --------------------------------------------------------------- jumping */

/* The compiler is not to know that it does not return */
static void (*volatile leap)(jmp_buf, int) = longjmp;

static __attribute__((noinline)) void dive(jmp_buf back, int depth)
{
	work(20);
	if (depth > 0)
		dive(back, depth - 1);
	else
		leap(back, 1);
	work(1);
}

static void jump(void)
{
	jmp_buf back;

	if (setjmp(back) == 0) {
		dive(back, 100);
		harmed("longjmp() returned");
	}
}

/* --------------------------------------------------------------- fibres */

static __thread ucontext_t main_fibre, other_fibre;
static __thread int n_switches;

static void fibre(void)
{
	for (;;) {
		work(500);
		n_switches++;
		swapcontext(&other_fibre, &main_fibre);
	}
}

static void switch_stacks(void)
{
	const size_t size = 65536;
	char *const stack = mmap(NULL, size, PROT_READ | PROT_WRITE,
	                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (stack == MAP_FAILED)
		return;
	getcontext(&other_fibre);
	other_fibre.uc_stack.ss_sp = stack;
	other_fibre.uc_stack.ss_size = size;
	other_fibre.uc_link = NULL;
	makecontext(&other_fibre, fibre, 0);
	n_switches = 0;
	for (int i = 0; i < 50; i++)
		swapcontext(&main_fibre, &other_fibre);
	if (n_switches != 50)
		harmed("a fibre lost its way");
	munmap(stack, size);
}

/* -------------------------------------------------------------- signals */

static __thread volatile sig_atomic_t n_handled;

static void handle(int signal)
{
	const int saved = errno;

	(void)signal;
	n_handled++;
	work(200);
	errno = saved;
}

static void signal_itself(void)
{
	static __thread char stack[32768];
	const stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	const sig_atomic_t before = n_handled;
	stack_t others; /* a sanitizer's, which undoes it when we end */

	sigaltstack(&alternate, &others);
	errno = 4711;
	for (int i = 0; i < 50; i++)
		pthread_kill(pthread_self(), SIGUSR1);
	if (n_handled != before + 50)
		harmed("a signal was lost");
	if (errno != 4711)
		harmed("errno was changed");
	sigaltstack(&others, NULL);
}

/* ------------------------------------------------------ memory, children */

static void allocate(void)
{
	void *blocks[64];

	for (unsigned i = 0; i < 64; i++) {
		blocks[i] = malloc(16u << i % 12);
		if (blocks[i] != NULL)
			memset(blocks[i], (int)i, 16);
	}
	for (unsigned i = 0; i < 64; i++)
		free(blocks[i]);
}

static void make_child(void)
{
	const pid_t pid = fork();
	int status;

	if (pid == 0) {
		work(10000);
		_exit(3);
	}
	if (pid < 0)
		return;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return;
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 3)
		harmed("a child came to harm");
}

static void *live_shortly(void *nothing)
{
	work(1000);
	return nothing;
}

static void make_thread(void)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, live_shortly, NULL) == 0)
		pthread_join(thread, NULL);
}

#if defined(SOAK_HAS_THROW)
void soak_throw(void); /* soak_throw.cc */
#else
static void soak_throw(void)
{
	jump();
}
#endif

static void (*const deeds[])(void) = {
	load_and_unload, jump,       switch_stacks, signal_itself,
	allocate,        make_child, make_thread,   soak_throw,
};
#define N_DEEDS (sizeof(deeds) / sizeof(*deeds))
static unsigned n_done[N_DEEDS];

static void *run(void *arg)
{
	const size_t i = (size_t)(uintptr_t)arg;

	while (goes_on()) {
		deeds[i]();
		n_done[i]++;
	}
	return NULL;
}

static int64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

static void report(int64_t ns)
{
	struct syscap_sampler_stats s = { .size = sizeof(s) };
	struct syscap_stats all = { .size = sizeof(all) };
	const double seconds = (double)ns / 1e9;

	syscap_sampler_get_stats(&s);
	syscap_get_stats(&all);
	printf("%.1f s: %.0f samples a second taken, %.0f due, %.0f asked for;"
	       " %llu overruns; %llu cut, %llu stopped, %llu refused, "
	       "%llu foreign; %llu frames dropped\ndone:",
	       seconds, (double)s.n_samples / seconds,
	       (double)s.n_due / seconds, (double)TOTAL_HZ,
	       (unsigned long long)(s.n_due - s.n_samples),
	       (unsigned long long)s.n_cut, (unsigned long long)s.n_stopped,
	       (unsigned long long)s.n_refused, (unsigned long long)s.n_foreign,
	       (unsigned long long)all.n_dropped);
	for (size_t i = 0; i < N_DEEDS; i++)
		printf(" %u", n_done[i]);
	printf("\n");
	if (s.n_samples == 0)
		harmed("no samples");
}

int main(int argc, char **argv)
{
	const int seconds = argc > 1 ? atoi(argv[1]) : 3;
	struct syscap_options recording = { .size = sizeof(recording),
		                            .output = argc > 2 ? argv[2] : NULL,
		                            .ring_kib = 1024 };
	struct syscap_sampler_options options = {
		.size = sizeof(options),
		.clock = SYSCAP_SAMPLER_WALL,
		.hz = TOTAL_HZ / (N_DEEDS + 1),
	};
	struct sigaction action = { .sa_handler = handle,
		                    .sa_flags = SA_RESTART | SA_ONSTACK };
	pthread_t threads[N_DEEDS];

	sigaction(SIGUSR1, &action, NULL);
	if (argc <= 2 || syscap_start(&recording) != 0 ||
	    syscap_sampler_start(&options) != 0) {
		fprintf(stderr, "soak: %s %s\n", recording.message,
		        options.message);
		return 2;
	}
	const int64_t begin = now();
	for (size_t i = 0; i < N_DEEDS; i++)
		pthread_create(&threads[i], NULL, run, (void *)(uintptr_t)i);
	while (now() - begin < seconds * INT64_C(1000000000))
		usleep(10000);
	__atomic_store_n(&may_end, 1, __ATOMIC_RELAXED);
	for (size_t i = 0; i < N_DEEDS; i++)
		pthread_join(threads[i], NULL);
	const int64_t passed = now() - begin;
	if (syscap_sampler_stop() != 0)
		harmed("sampling did not stop");
	report(passed);
	if (syscap_stop() != 0)
		harmed("the recording did not end");
	return n_harmed != 0;
}
