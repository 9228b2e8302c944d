/* SPDX-License-Identifier: BSD-2-Clause */
/* soak_deeds.c - work that is hard for an unwinder and for a signal handler. */
#define _GNU_SOURCE
#include "sampler/soak_deeds.h"

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static uint32_t may_end, n_harmed;

void soak_harmed(const char *what)
{
	fprintf(stderr, "soak: %s\n", what);
	__atomic_add_fetch(&n_harmed, 1, __ATOMIC_RELAXED);
}

unsigned soak_count_harmed(void)
{
	return __atomic_load_n(&n_harmed, __ATOMIC_RELAXED);
}

unsigned soak_work(unsigned n)
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
				soak_harmed("cos(0) is not 1");
		cosine = NULL;
		dlclose(handle);
	}
}

/* --------------------------------------------------------------- jumping */

/* Hides from the compiler that longjmp() does not return */
static void (*volatile leap)(jmp_buf, int) = longjmp;

static __attribute__((noinline)) void dive(jmp_buf back, int depth)
{
	soak_work(20);
	if (depth > 0)
		dive(back, depth - 1);
	else
		leap(back, 1);
	soak_work(1);
}

static void jump(void)
{
	jmp_buf back;

	if (setjmp(back) == 0) {
		dive(back, 100);
		soak_harmed("longjmp() returned");
	}
}

/* --------------------------------------------------------------- fibres */

static __thread ucontext_t main_fibre, other_fibre;
static __thread int n_switches;

static void fibre(void)
{
	for (;;) {
		soak_work(500);
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
		soak_harmed("a fibre lost its way");
	munmap(stack, size);
}

/* -------------------------------------------------------------- signals */

static __thread volatile sig_atomic_t n_handled;

static void handle(int signal)
{
	const int saved = errno;

	(void)signal;
	n_handled++;
	soak_work(200);
	errno = saved;
}

static void signal_itself(void)
{
	static __thread char stack[32768];
	const stack_t alternate = { .ss_sp = stack, .ss_size = sizeof(stack) };
	const sig_atomic_t before = n_handled;
	/* a sanitizer's stack, which it removes at the thread's end */
	stack_t others;

	sigaltstack(&alternate, &others);
	errno = 4711;
	for (int i = 0; i < 50; i++)
		pthread_kill(pthread_self(), SIGUSR1);
	if (n_handled != before + 50)
		soak_harmed("a signal was lost");
	if (errno != 4711)
		soak_harmed("errno was changed");
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
		soak_work(10000);
		_exit(3);
	}
	if (pid < 0)
		return;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return;
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 3)
		soak_harmed("a child came to harm");
}

static void *live_shortly(void *nothing)
{
	soak_work(1000);
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

soak_deed *const soak_deeds[SOAK_N_DEEDS] = {
	load_and_unload, jump,       signal_itself, allocate,
	make_child,      soak_throw, switch_stacks, make_thread,
};

/* ------------------------------------------------------------ the threads */

struct doer {
	soak_deed *deed;
	unsigned n_done;
	pthread_t thread;
};

static void *do_over_and_over(void *arg)
{
	struct doer *const doer = arg;

	do {
		doer->deed();
		doer->n_done++;
	} while (__atomic_load_n(&may_end, __ATOMIC_RELAXED) == 0);
	return NULL;
}

static int64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

int64_t soak_run(int seconds, soak_deed *const *deeds, unsigned n,
                 void (*before_end)(void))
{
	const struct sigaction action = { .sa_handler = handle,
		                          .sa_flags = SA_RESTART | SA_ONSTACK };
	struct doer doers[SOAK_MAX_DEEDS];
	const int64_t begin = now();

	sigaction(SIGUSR1, &action, NULL);
	for (unsigned i = 0; i < n; i++) {
		doers[i] = (struct doer){ .deed = deeds[i] };
		pthread_create(&doers[i].thread, NULL, do_over_and_over,
		               &doers[i]);
	}
	while (now() - begin < seconds * INT64_C(1000000000))
		usleep(10000);
	if (before_end != NULL)
		before_end();
	__atomic_store_n(&may_end, 1, __ATOMIC_RELAXED);
	printf("done:");
	for (unsigned i = 0; i < n; i++) {
		pthread_join(doers[i].thread, NULL);
		printf(" %u", doers[i].n_done);
	}
	printf("\n");
	return now() - begin;
}
