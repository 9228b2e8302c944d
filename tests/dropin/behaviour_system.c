/* SPDX-License-Identifier: BSD-2-Clause */
/* behaviour_system.c - clock, platform, addresses, and the macros. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "behaviour.h"

#define MILLISECOND 1000000

static int64_t monotonic(void)
{
	struct timespec now;

	CHECK(clock_gettime(CLOCK_MONOTONIC, &now) == 0);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The two clocks may be read at different ticks. */
static void check_is_now(int64_t time, int64_t before)
{
	CHECK(time >= before - MILLISECOND);
	CHECK(time <= monotonic() + MILLISECOND);
}

static void the_clock_is_monotonic_time_before_and_after_init(void)
{
	int64_t before = monotonic();

	CHECK(sysprof_clock == -1);
	check_is_now(sysprof_clock_get_current_time(), before);
	check_is_now(SYSPROF_CAPTURE_CURRENT_TIME, before);
	sysprof_clock_init();
	CHECK(sysprof_clock == CLOCK_MONOTONIC);
	before = monotonic();
	check_is_now(sysprof_clock_get_current_time(), before);
	sysprof_clock_init();
	CHECK(sysprof_clock == CLOCK_MONOTONIC);
}

static void the_clock_never_goes_back(void)
{
	SysprofTimeStamp last = 0, now;
	int i;

	for (i = 0; i < 100000; i++) {
		now = sysprof_clock_get_current_time();
		CHECK(now >= last);
		last = now;
	}
}

static void relative_time_counts_from_its_epoch(void)
{
	SysprofTimeStamp now = sysprof_clock_get_current_time();
	SysprofTimeSysprofan since;

	since = sysprof_clock_get_relative_time(now - 1000 * MILLISECOND);
	CHECK(since >= 1000 * MILLISECOND);
	CHECK(since <=
	      sysprof_clock_get_current_time() - now + 1000 * MILLISECOND);
}

static void a_memfd_is_an_empty_file_that_is_inherited(void)
{
	int fd = sysprof_memfd_create("a name");
	char link[64], target[256] = { 0 };
	struct stat st;

	CHECK(fd >= 0);
	CHECK(fstat(fd, &st) == 0);
	CHECK(S_ISREG(st.st_mode) && st.st_size == 0);
	CHECK(fcntl(fd, F_GETFD) == 0);
	CHECK(ftruncate(fd, 4096) == 0);
	CHECK(write(fd, "x", 1) == 1);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	CHECK(readlink(link, target, sizeof(target) - 1) > 0);
	CHECK(strstr(target, "a name") != NULL);
	close(fd);
}

static void a_memfd_needs_no_name(void)
{
	int fd = sysprof_memfd_create(NULL);
	char link[64], target[256] = { 0 };

	CHECK(fd >= 0);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	CHECK(readlink(link, target, sizeof(target) - 1) > 0);
	CHECK(strstr(target, "[sysprof]") != NULL);
	close(fd);
}

static void the_page_size_is_the_systems(void)
{
	CHECK(sysprof_getpagesize() == (size_t)sysconf(_SC_PAGESIZE));
}

static void addresses_compare_as_unsigned_numbers(void)
{
	CHECK(sysprof_address_compare(1, 2) == -1);
	CHECK(sysprof_address_compare(2, 2) == 0);
	CHECK(sysprof_address_compare(3, 2) == 1);
	CHECK(sysprof_address_compare(UINT64_MAX, 0) == 1);
	CHECK(sysprof_capture_address_compare(0, UINT64_MAX) == -1);
	CHECK(sysprof_capture_address_compare(7, 7) == 0);
	CHECK(sysprof_capture_address_compare(UINT64_MAX, 7) == 1);
}

static const struct {
	int64_t address;
	SysprofAddressContext context;
	const char *text;
} contexts[] = {
	{ -32, SYSPROF_ADDRESS_CONTEXT_HYPERVISOR, "- - hypervisor - -" },
	{ -128, SYSPROF_ADDRESS_CONTEXT_KERNEL, "- - kernel - -" },
	{ -512, SYSPROF_ADDRESS_CONTEXT_USER, "- - user - -" },
	{ -2048, SYSPROF_ADDRESS_CONTEXT_GUEST, "- - guest - -" },
	{ -2176, SYSPROF_ADDRESS_CONTEXT_GUEST_KERNEL, "- - guest kernel - -" },
	{ -2560, SYSPROF_ADDRESS_CONTEXT_GUEST_USER, "- - guest user - -" },
};

static void six_addresses_switch_the_context(void)
{
	SysprofAddressContext context;
	SysprofAddress address;
	size_t i;

	for (i = 0; i < sizeof(contexts) / sizeof(*contexts); i++) {
		address = (SysprofAddress)contexts[i].address;
		context = SYSPROF_ADDRESS_CONTEXT_NONE;
		CHECK(sysprof_address_is_context_switch(address, &context));
		CHECK(context == contexts[i].context);
		CHECK(sysprof_address_is_context_switch(address, NULL));
		CHECK(!sysprof_address_is_context_switch(address + 1, NULL));
		CHECK_STR(sysprof_address_context_to_string(context),
		          contexts[i].text);
	}
	context = SYSPROF_ADDRESS_CONTEXT_KERNEL;
	CHECK(!sysprof_address_is_context_switch(0x401000, &context));
	CHECK(context == SYSPROF_ADDRESS_CONTEXT_NONE);
}

static void other_contexts_are_unknown(void)
{
	CHECK_STR(
		sysprof_address_context_to_string(SYSPROF_ADDRESS_CONTEXT_NONE),
		"- - unknown - -");
	CHECK_STR(
		sysprof_address_context_to_string((SysprofAddressContext)12345),
		"- - unknown - -");
}

SYSPROF_BEGIN_DECLS
SYSPROF_STATIC_ASSERT(sizeof(uint64_t) == 8, "holds");
SYSPROF_INTERNAL int behaviour_internal(const char *format, ...)
	SYSPROF_PRINTF(1, 2);
SYSPROF_END_DECLS

int behaviour_internal(const char *format, ...)
{
	return format != NULL;
}

/* Some callers add no parentheses of their own */
static int likely(int value)
{
	if SYSPROF_LIKELY (value > 0)
		return 1;
	if SYSPROF_UNLIKELY (value < 0)
		return -1;
	return 0;
}

static void the_macros_can_be_used(void)
{
	SYSPROF_ALIGNED_BEGIN(1)
	struct {
		uint64_t number;
	} SYSPROF_ALIGNED_END(1) packed = { 5 };
	char text[32];

	CHECK(likely(5) == 1 && likely(0) == 0 && likely(-5) == -1);
	CHECK(behaviour_internal("%d", 1) == 1);
	CHECK(packed.number == 5);
	CHECK((uint64_t)SYSPROF_INT64_CONSTANT(1) << 40 == 1099511627776);
	CHECK((uint64_t)SYSPROF_UINT64_CONSTANT(1) << 40 == 1099511627776);
	CHECK(5 * SYSPROF_NSEC_PER_SEC == 5000000000);
	snprintf(text, sizeof(text), SYSPROF_CAPTURE_ADDRESS_FORMAT,
	         (SysprofCaptureAddress)0x1234);
	CHECK_STR(text, "0x0000000000001234");
	CHECK(SYSPROF_CHECK_VERSION(3, 46, 0));
}

const struct behaviour behaviour_system[] = {
	BEHAVIOUR(the_clock_is_monotonic_time_before_and_after_init),
	BEHAVIOUR(the_clock_never_goes_back),
	BEHAVIOUR(relative_time_counts_from_its_epoch),
	BEHAVIOUR(a_memfd_is_an_empty_file_that_is_inherited),
	BEHAVIOUR(a_memfd_needs_no_name),
	BEHAVIOUR(the_page_size_is_the_systems),
	BEHAVIOUR(addresses_compare_as_unsigned_numbers),
	BEHAVIOUR(six_addresses_switch_the_context),
	BEHAVIOUR(other_contexts_are_unknown),
	BEHAVIOUR(the_macros_can_be_used),
	{ NULL, NULL },
};
