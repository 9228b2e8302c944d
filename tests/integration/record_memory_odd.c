/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_memory_odd.c - allocations in unusual contexts.
 *
 *	record_memory_odd FILE
 *	record_memory_odd many N
 *	record_memory_odd stopped -
 *	record_memory_odd timer 5
 *
 * The first form allocates before main(), in thread-specific destructors, on
 * the smallest stacks, in signal handlers, also on alternate stacks of 8 KiB,
 * between vfork() and exec, and after exit().  Some allocations fail.  The
 * program writes the allocations to FILE, in the form of record_memory.c.
 * `many` allocates N blocks and frees none; `stopped` one block of 88 bytes, in
 * a function that can't be unwound. `timer` allocates nothing, while a timer
 * with a thread per expiry expires 5 times.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static unsigned long allocated, bytes, freed;
static const char *file_name;
static pthread_key_t key;
static void *volatile sink;

static void *took(void *block, size_t size)
{
	if (block == NULL)
		abort();
	sink = block;
	__atomic_add_fetch(&allocated, 1, __ATOMIC_RELAXED);
	__atomic_add_fetch(&bytes, size, __ATOMIC_RELAXED);
	return block;
}

static void give(void *block)
{
	__atomic_add_fetch(&freed, 1, __ATOMIC_RELAXED);
	free(block);
}

static void *before_main;

__attribute__((constructor)) static void construct(void)
{
	before_main = malloc(111);
	took(before_main, 111);
}

static void destroy_value(void *value)
{
	void *const last = malloc(222);

	took(last, 222);
	give(value);
	give(last);
}

static __attribute__((noinline)) unsigned go_deep(unsigned depth)
{
	char room[200];

	memset(room, (int)depth, sizeof(room));
	if (depth == 0) {
		void *const block = malloc(333);

		took(block, 333);
		give(block);
		return (unsigned char)room[7];
	}
	return go_deep(depth - 1) + (unsigned char)room[9];
}

static void *run(void *nothing)
{
	void *const value = malloc(444);

	(void)nothing;
	pthread_setspecific(key, took(value, 444));
	for (unsigned i = 0; i < 100; i++)
		go_deep(i % 20);
	return NULL;
}

static void run_small(void)
{
	pthread_attr_t attr;
	pthread_t threads[8];

	pthread_attr_init(&attr);
	if (pthread_attr_setstacksize(&attr, (size_t)PTHREAD_STACK_MIN) != 0)
		abort();
	for (unsigned i = 0; i < 8; i++)
		if (pthread_create(&threads[i], &attr, run, NULL) != 0)
			abort();
	for (unsigned i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	pthread_attr_destroy(&attr);
}

static void *use_most_of_it(void *nothing)
{
	volatile char room[5000];

	for (size_t i = 0; i < sizeof(room); i++)
		room[i] = 1;
	for (unsigned i = 0; i < 20; i++) {
		void *const block = malloc(888);

		took(block, 888);
		give(block);
	}
	return nothing;
}

/* Runs a thread on a stack from mmap(), with an unmapped page below. */
static void run_on_own_memory(void)
{
	const size_t page = 4096, size = (size_t)PTHREAD_STACK_MIN;
	char *const memory = mmap(NULL, page + size, PROT_READ | PROT_WRITE,
	                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	pthread_attr_t attr;
	pthread_t thread;

	if (memory == MAP_FAILED || mprotect(memory, page, PROT_NONE) != 0 ||
	    pthread_attr_init(&attr) != 0 ||
	    pthread_attr_setstack(&attr, memory + page, size) != 0 ||
	    pthread_create(&thread, &attr, use_most_of_it, NULL) != 0)
		abort();
	pthread_join(thread, NULL);
	pthread_attr_destroy(&attr);
	munmap(memory, page + size);
}

/* Runs by raise(), so it does not interrupt malloc(). */
static void handle(int number)
{
	void *const block = malloc(555);

	(void)number;
	took(block, 555);
	give(block);
}

static void check(int holds)
{
	if (!holds)
		abort();
}

/* Raises a signal on an alternate stack of the usual size, with an unmapped
 * page below. */
static void *raise_on_small(void *nothing)
{
	const size_t page = 4096, size = 8192;
	char *const memory = mmap(NULL, page + size, PROT_READ | PROT_WRITE,
	                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const struct sigaction action = { .sa_handler = handle,
		                          .sa_flags = SA_ONSTACK };
	stack_t stack = { .ss_sp = memory + page, .ss_size = size };

	(void)nothing;
	check(memory != MAP_FAILED);
	check(mprotect(memory, page, PROT_NONE) == 0);
	check(sigaltstack(&stack, NULL) == 0);
	check(sigaction(SIGUSR2, &action, NULL) == 0);
	for (unsigned i = 0; i < 10; i++)
		check(raise(SIGUSR2) == 0);
	stack.ss_flags = SS_DISABLE;
	check(sigaltstack(&stack, NULL) == 0 &&
	      munmap(memory, page + size) == 0);
	return NULL;
}

/* The allocation is also the first of its thread. */
static void run_on_alternate(void)
{
	pthread_t thread;

	raise_on_small(NULL);
	check(pthread_create(&thread, NULL, raise_on_small, NULL) == 0);
	check(pthread_join(thread, NULL) == 0);
}

static void fail(void)
{
	volatile size_t too_much = SIZE_MAX / 2;
	void *block = malloc(666), *other = &block;

	took(block, 666);
	errno = 0;
	check(realloc(block, too_much) == NULL && errno == ENOMEM);
	check(reallocarray(block, too_much, 4) == NULL);
	check(calloc(too_much, 4) == NULL);
	check(malloc(too_much) == NULL);
	check(posix_memalign(&other, 3, 8) == EINVAL && other == &block);
	errno = 77;
	free(NULL);
	check(errno == 77);
	give(block);
	check(errno == 77);
	/* malloc(0) allocates a block, recorded as 1 byte */
	block = malloc(0);
	took(block, 1);
	give(block);
}

static void run_another(void)
{
	char *const argv[] = { (char *)"true", NULL };
	const pid_t pid = vfork();

	if (pid == 0) {
		execvp(argv[0], argv);
		_exit(127);
	}
	check(pid > 0 && waitpid(pid, NULL, 0) == pid);
}

#ifdef __x86_64__
/* A function without unwind tables and frame pointer: no unwinder finds its
 * caller. */
__asm__(".text\n"
        ".type no_way_out, @function\n"
        "no_way_out:\n"
        "push %rbp\n"
        "mov $1, %ebp\n"
        "sub $16, %rsp\n"
        "mov $88, %edi\n"
        "call malloc@plt\n"
        "add $16, %rsp\n"
        "pop %rbp\n"
        "ret\n"
        ".size no_way_out, . - no_way_out\n");
void *no_way_out(void);
#endif

static sem_t expiries;

static void expire(union sigval nothing)
{
	(void)nothing;
	sem_post(&expiries);
}

static int wait_for_timer(unsigned long n)
{
	struct sigevent event = { .sigev_notify = SIGEV_THREAD,
		                  .sigev_notify_function = expire };
	const struct itimerspec often = { { 0, 2000000 }, { 0, 2000000 } };
	timer_t timer;

	check(sem_init(&expiries, 0, 0) == 0);
	check(timer_create(CLOCK_MONOTONIC, &event, &timer) == 0);
	check(timer_settime(timer, 0, &often, NULL) == 0);
	for (; n > 0; n--)
		while (sem_wait(&expiries) != 0)
			;
	return 0;
}

static void at_exit(void)
{
	void *const block = malloc(777);

	took(block, 777);
	give(block);
}

__attribute__((destructor)) static void destruct(void)
{
	give(before_main);
	if (file_name == NULL)
		return;
	FILE *const file = fopen(file_name, "w");
	fprintf(file, "allocated %lu %lu\nfreed %lu\nkept %lu\n", allocated,
	        bytes, freed, allocated - freed);
	fclose(file);
}

int main(int argc, char **argv)
{
#ifdef __x86_64__
	if (argc == 3 && strcmp(argv[1], "stopped") == 0) {
		sink = no_way_out();
		return 0;
	}
#endif
	if (argc == 3 && strcmp(argv[1], "timer") == 0)
		return wait_for_timer(strtoul(argv[2], NULL, 10));
	if (argc == 3) {
		for (unsigned long n = strtoul(argv[2], NULL, 10); n > 0; n--)
			sink = malloc(16);
		return 0;
	}
	if (argc != 2)
		return 2;
	file_name = argv[1];
	atexit(at_exit);
	pthread_key_create(&key, destroy_value);
	run_small();
	run_on_own_memory();
	signal(SIGUSR1, handle);
	for (unsigned i = 0; i < 10; i++)
		raise(SIGUSR1);
	run_on_alternate();
	fail();
	run_another();
	return 0;
}
