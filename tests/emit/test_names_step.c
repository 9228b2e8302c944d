/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_names_step.c - a handler at every instruction of an intern. The handler
 * interns the same name, another name, or leaves by siglongjmp().
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <syscap/runtime.h>

#include "emit/sample.h"
#include "harness/stepper.h"
#include "harness/test.h"
#include "harness/tsan.h"

#if defined(__x86_64__)

static char name[40];
static size_t name_len;
static uint64_t outer, inner;

static void next_name(long k)
{
	name_len =
		(size_t)snprintf(name, sizeof(name), "stepped name %06ld", k);
}

static uint64_t intern(void)
{
	return syscap_jit_intern(name, name_len);
}

static void call(void)
{
	outer = intern();
}

static void call_two_parts(void)
{
	outer = syscap_jit_intern2(name, 7, name + 8, name_len - 8);
}

static void intern_too(void)
{
	inner = intern();
}

static void intern_other(void)
{
	inner = syscap_jit_intern(name + 1, name_len - 1);
}

static sigjmp_buf way_out;
static struct stepper *stepper;

static void leave(void)
{
	stepper_abandon(stepper);
	siglongjmp(way_out, 1);
}

static void check_name(uint64_t address, const char *text, size_t len)
{
	uint32_t index;
	size_t known;

	CHECK(syc_names_index(address, &index));
	CHECK_EQ(memcmp(syc_names_text(index, &known), text, len), 0);
	CHECK_EQ(known, len);
}

/* Sanitized code is ten times as long, and gets bigger steps. */
static long stride(void)
{
	return test_is_sanitized() ? 7 : 1;
}

/* Used numbers, beyond the @n existing names. */
static uint32_t wasted(uint32_t n)
{
	return (uint32_t)(syscap_jit_intern("the last", 8) & 0xFFFF) - 1 - n;
}

static void same_name(void (*stepped)(void))
{
	struct stepper mine;
	long k = 1;
	uint32_t n = 0;

	stepper_install(false);
	for (;; k += stride()) {
		next_name(k);
		n++;
		if (!stepper_run(&mine, k, stepped, intern_too))
			break;
		CHECK_EQ(outer, inner);
		CHECK_EQ(intern(), outer);
		check_name(outer, name, name_len);
	}
	CHECK(k > 50);
	/* The last name may use a spare number */
	CHECK(wasted(n) <= 1);
	CHECK_EQ(syc_names_lost(), 0);
}

TEST(a_handler_that_interns_the_same_name_gets_the_same_address)
{
	SKIP_UNDER_TSAN();
	same_name(call);
}

TEST(so_it_is_with_a_name_of_two_parts)
{
	SKIP_UNDER_TSAN();
	same_name(call_two_parts);
}

TEST(a_handler_that_interns_another_name_disturbs_nothing)
{
	struct stepper mine;
	uint32_t n = 0;

	SKIP_UNDER_TSAN();
	stepper_install(false);
	for (long k = 1;; k += stride()) {
		next_name(k);
		n += 2;
		if (!stepper_run(&mine, k, call, intern_other))
			break;
		CHECK(outer != inner);
		CHECK_EQ(intern(), outer);
		check_name(outer, name, name_len);
		check_name(inner, name + 1, name_len - 1);
	}
	CHECK(wasted(n - 1) == 0);
	CHECK_EQ(syc_names_lost(), 0);
}

/* No caller waits for an abandoned call, and each name has one number. */
TEST(a_handler_that_never_returns_harms_no_later_name)
{
	static bool is_taken[65536];
	struct stepper mine;
	static volatile long k;
	static volatile bool is_over;

	SKIP_UNDER_TSAN();
	stepper_install(false);
	stepper = &mine;
	for (k = 1; !is_over; k = k + stride()) {
		next_name(k);
		if (sigsetjmp(way_out, 1) == 0)
			is_over = !stepper_run(&mine, k, call, leave);
		const uint64_t address = intern();
		CHECK_EQ(intern(), address);
		check_name(address, name, name_len);
		CHECK(!is_taken[address & 0xFFFF]);
		is_taken[address & 0xFFFF] = true;
	}
	CHECK_EQ(syc_names_lost(), 0);
}

/* Makes the loader bind functions before the stepping. */
static void bind_functions(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	void *const page = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ,
	                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(page != MAP_FAILED);
	CHECK_EQ(madvise(page, 1, MADV_NORMAL), 0);
	munmap(page, 1);
	CHECK(getpid() != 0);
	CHECK(memcmp(name, name + 1, name_len) != 0);
	memcpy(name + 20, name, name_len < 20 ? name_len : 20);
}

static bool step_first(long k)
{
	struct stepper mine;
	int status;
	const pid_t pid = fork();

	if (pid == 0) {
		stepper_install(false);
		next_name(k);
		bind_functions();
		next_name(k);
		if (!stepper_run(&mine, k, call, intern_too))
			_exit(1);
		CHECK_EQ(outer, inner);
		check_name(outer, name, name_len);
		_exit(intern() == outer ? 0 : 2);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFEXITED(status));
	CHECK(WEXITSTATUS(status) <= 1);
	return WEXITSTATUS(status) == 0;
}

TEST(a_name_precedes_its_stack_while_the_table_is_created)
{
	long k = 1;

	SKIP_UNDER_TSAN();
	while (step_first(k))
		k += (test_is_whole() ? 7 : 31) * stride();
	CHECK(k > 100);
}

#else

TEST(single_steps)
{
	SKIP("the stepper supports x86-64 only");
}

#endif
