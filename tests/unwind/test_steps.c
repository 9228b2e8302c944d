/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_steps.c - stacks at every instruction of prologues, epilogues, leaves,
 * the C library's assembly, and stubs. Other tests step through the dynamic
 * linker at a function's first call.
 *
 * Reads UNWIND_MODULES, see test_modules.c.
 */
#define _GNU_SOURCE
#include <alloca.h>
#include <dlfcn.h>
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "harness/test.h"
#include "unwind/shadow.h"
#include "unwind/stack_walk.h"

static struct shadow shadow;
static volatile unsigned sink;

/* Steps through @call: stacks at all instructions except @n_allowed must be
 * right. */
static void step(const char *what, void (*call)(void *), void *data,
                 unsigned long n_allowed)
{
	if (!shadow_is_possible())
		SKIP("single steps are unavailable here");
	shadow_run(&shadow, call, data);
	shadow_print(&shadow, what);
	CHECK(shadow.n_same + n_allowed >= shadow.n_steps);
}

/* --- code of this compiler */

WALK_OWN static unsigned leaf(unsigned a)
{
	return a * 3 + sink;
}

WALK_OWN static double many(unsigned a, double b, unsigned c)
{
	unsigned x = leaf(a), y = leaf(c), z = leaf(x + y);
	double d = b * x;

	for (unsigned i = 0; i < 3; i++) {
		x += leaf(y);
		y ^= leaf(z);
		z -= leaf(x);
		d *= leaf(i);
	}
	CHAIN_END();
	return d + x + y + z;
}

WALK_OWN static unsigned early(unsigned a)
{
	if (a == 0)
		/* this call comes before or after the save of registers */
		return leaf(1) + 1;
	return leaf(a) + leaf(a + 1) + (unsigned)many(a, 2, 3) + early(a - 1);
}

WALK_OWN static unsigned dynamic(size_t n)
{
	_Alignas(64) volatile char vector[64];
	char *bytes = alloca(n);

	memset(bytes, 1, n);
	vector[n % 64] = bytes[n - 1];
	sink += leaf((unsigned)(uintptr_t)vector);
	for (char *more; n > 8; n /= 2) {
		more = alloca(n);
		more[0] = 1;
		sink += leaf((unsigned char)more[0]);
	}
	CHAIN_END();
	return (unsigned)vector[1];
}

WALK_OWN static unsigned large(unsigned a)
{
	volatile char bytes[100000]; /* the prologue touches each page */

	bytes[a] = 1;
	return leaf(a) + bytes[a + 1];
}

static void compiled(void *data)
{
	(void)data;
	sink += leaf(1);
	sink += (unsigned)many(1, 2, 3);
	sink += early(3);
	sink += dynamic(100);
	sink += large(50);
	CHAIN_END();
}

TEST(compiled_functions_at_every_instruction)
{
	/*
	 * Between pop %rbp and ret of a realigned frame, gcc's tables still
	 * describe %rbp as the callee's.  The mistake shows only if the
	 * caller's frame is found by %rbp, as in sanitizer builds.
	 */
	step("compiled", compiled, NULL, test_is_sanitized() ? 2 : 0);
	CHECK(shadow.n_steps > 300);
}

#if defined(__x86_64__)
void steps_liar(void *data);
/* The table of this function omits the push. */
__asm__(".pushsection .text\n"
        ".type steps_liar, @function\n"
        "steps_liar:\n\t.cfi_startproc\n\t"
        "push %rbx\n\t"
        "xor %ebx, %ebx\n\t"
        "pop %rbx\n\t"
        "ret\n\t"
        ".cfi_endproc\n.size steps_liar, . - steps_liar\n"
        ".popsection\n");

TEST(wrong_table_is_detected)
{
	if (!shadow_is_possible())
		SKIP("single steps are unavailable here");
	shadow_run(&shadow, steps_liar, NULL);
	CHECK_EQ(shadow.n_steps, 4);
	CHECK_EQ(shadow.n_same, 2);
	CHECK_EQ(shadow.n_differences, 2);
	CHECK_EQ(shadow.differences[0].pc, (uintptr_t)steps_liar + 1);
	CHECK_EQ(shadow.differences[0].frame, 1);
}
#endif

/* --- the C library */

static int by_number(const void *a, const void *b)
{
	return (*(const int *)a > *(const int *)b) -
	       (*(const int *)a < *(const int *)b);
}

static void sort(void *data)
{
	int numbers[20];

	(void)data;
	for (int i = 0; i < 20; i++)
		numbers[i] = i * 7 % 20;
	qsort(numbers, 20, sizeof(numbers[0]), by_number);
	CHAIN_END();
}

TEST(sort_with_callback_at_every_instruction)
{
	sort(NULL);
	step("sort", sort, NULL, 0);
}

static void print(void *data)
{
	char text[200];

	(void)data;
	snprintf(text, sizeof(text), "%d %s %p %ls", 12, "text", data, L"wide");
	sink += (unsigned)strtoul(text, NULL, 10);
	CHAIN_END();
}

static void print_real(void *data)
{
	char text[200];

	(void)data;
	snprintf(text, sizeof(text), "%.17g", 1e100);
	sink += (unsigned)strtod(text, NULL);
	CHAIN_END();
}

TEST(printing_and_parsing_at_every_instruction)
{
	print(NULL);
	step("print", print, NULL, 0);
}

/* The C library multiplies long numbers by assembly whose tables omit its
 * pushes (glibc 2.36: mpn/mul_1). */
TEST(printing_of_reals_except_at_wrong_tables)
{
	print_real(NULL);
	step("reals", print_real, NULL, 500);
	CHECK(shadow.n_steps > 5000);
}

static void strings(void *data)
{
	static char from[5000], to[5000];
	char *copy;

	(void)data;
	for (size_t n = 1; n < sizeof(from); n = n * 2 + 1) {
		memset(from, 'x', n);
		memcpy(to, from, n);
		memmove(to + 1, to, n);
		sink += (unsigned)strlen(to) + (unsigned)memcmp(from, to, n);
		sink += strchr(to, 'y') != NULL;
	}
	copy = strdup(from);
	sink += (unsigned)strcmp(copy, to) + (unsigned)strspn(copy, "xyz");
	free(copy);
	CHAIN_END();
}

TEST(string_functions_at_every_instruction)
{
	strings(NULL);
	step("strings", strings, NULL, 0);
}

static void allocate(void *data)
{
	void *blocks[30];

	(void)data;
	for (unsigned i = 0; i < 30; i++)
		blocks[i] = malloc(17u << i % 15);
	for (unsigned i = 0; i < 30; i++)
		free(blocks[i]);
	CHAIN_END();
}

TEST(allocation_at_every_instruction)
{
	allocate(NULL);
	step("malloc", allocate, NULL, 0);
}

static void system_calls(void *data)
{
	struct timespec ts = { .tv_nsec = 1 };
	char byte;
	int fds[2];

	(void)data;
	sink += (unsigned)getppid();
	if (pipe(fds) == 0) {
		sink += (unsigned)write(fds[1], "x", 1);
		sink += (unsigned)read(fds[0], &byte, 1);
		close(fds[0]);
		close(fds[1]);
	}
	nanosleep(&ts, NULL);
	sink += (unsigned)access("/", R_OK);
	CHAIN_END();
}

TEST(system_calls_at_every_instruction)
{
	system_calls(NULL);
	step("system calls", system_calls, NULL, 0);
}

static void tell_time(void *data)
{
	struct timespec ts;

	(void)data;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	sink += (unsigned)ts.tv_nsec;
	clock_gettime(CLOCK_REALTIME_COARSE, &ts);
	sink += (unsigned)time(NULL);
	CHAIN_END();
}

TEST(kernel_page_at_every_instruction)
{
	tell_time(NULL);
	step("vDSO", tell_time, NULL, 0);
}

static void match(void *data)
{
	regex_t regex;

	(void)data;
	if (regcomp(&regex, "^(a|b)*c+[0-9]$", REG_EXTENDED) == 0) {
		sink += (unsigned)regexec(&regex, "ababccc7", 0, NULL, 0);
		regfree(&regex);
	}
	CHAIN_END();
}

TEST(regular_expression_at_every_instruction)
{
	match(NULL);
	step("regex", match, NULL, 0);
}

static void *thread_main(void *data)
{
	return data;
}

static void make_thread(void *data)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	pthread_t thread;

	(void)data;
	pthread_mutex_lock(&mutex);
	if (pthread_create(&thread, NULL, thread_main, NULL) == 0)
		pthread_join(thread, NULL);
	pthread_mutex_unlock(&mutex);
	CHAIN_END();
}

/* All signals are blocked while a thread is made, and a step then would end the
 * process. */
static void lock_and_wait(void *data)
{
	static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
	static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
	struct timespec ts = { .tv_nsec = 1 };

	(void)data;
	pthread_mutex_lock(&mutex);
	sink += (unsigned)pthread_cond_timedwait(&condition, &mutex, &ts);
	pthread_cond_broadcast(&condition);
	pthread_mutex_unlock(&mutex);
	CHAIN_END();
}

TEST(locks_and_waits_at_every_instruction)
{
	make_thread(NULL);
	lock_and_wait(NULL);
	step("locks", lock_and_wait, NULL, 0);
}

/* --- the dynamic linker */

static void *open_module(int mode)
{
	const char *folder = getenv("UNWIND_MODULES");
	char path[4096];
	void *handle;

	if (folder == NULL)
		SKIP("UNWIND_MODULES is not set");
	snprintf(path, sizeof(path), "%s/module_small.so", folder);
	handle = dlopen(path, mode);
	if (handle == NULL)
		test_fail(__FILE__, __LINE__, "%s", dlerror());
	return handle;
}

static void call_module(void *data)
{
	sink += (*(unsigned (**)(void))data)();
	CHAIN_END();
}

TEST(lazy_binding_at_every_instruction)
{
	void *const handle = open_module(RTLD_LAZY);
	unsigned (*first)(void);
	unsigned long n_first;

	void *const symbol = dlsym(handle, "module_first_call");

	CHECK(symbol != NULL);
	memcpy(&first, &symbol, sizeof(symbol));
	step("first call", call_module, &first, 0);
	n_first = shadow.n_steps;
	step("second call", call_module, &first, 0);
	CHECK(n_first > 4 * shadow.n_steps);
	dlclose(handle);
}

static void load(void *data)
{
	void **const handle = data;

	*handle = open_module(RTLD_NOW);
	sink += dlsym(*handle, "module_call") != NULL;
	dlclose(*handle);
	CHAIN_END();
}

/*
 * The compiler's start files in a library have no tables, and make no frames.
 */
TEST(loading_and_unloading_except_without_tables)
{
	void *handle;

	load(&handle);
	step("dlopen, dlsym, dlclose", load, &handle, 60);
	CHECK(shadow.n_steps > 5000);
}
