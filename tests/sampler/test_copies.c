/* SPDX-License-Identifier: BSD-2-Clause */
/* test_copies.c - only one of several copies in a process samples. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/test.h"
#include "harness/tsan.h"

struct copy {
	int (*start)(void), (*stop)(void);
};

static struct copy load(const char *name)
{
	const char *const dir = getenv("SYSCAP_TEST_BIN");
	struct copy copy;
	char path[512];

	if (dir == NULL)
		SKIP("SYSCAP_TEST_BIN is not set to the directory of the "
		     "copies");
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	void *const handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (handle == NULL)
		test_fail(__FILE__, __LINE__, "%s", dlerror());
	*(void **)&copy.start = dlsym(handle, "copy_start");
	*(void **)&copy.stop = dlsym(handle, "copy_stop");
	CHECK(copy.start != NULL && copy.stop != NULL);
	return copy;
}

TEST(second_copy_is_refused_until_the_first_stops)
{
	const struct copy a = load("sampler_copy_a.so");
	const struct copy b = load("sampler_copy_b.so");

	CHECK(a.start != b.start);
	for (int i = 0; i < 10; i++) {
		CHECK_EQ(a.start(), 0);
		CHECK_EQ(b.start(), -EALREADY);
		CHECK_EQ(b.stop(), -ENOENT);
		CHECK_EQ(a.start(), -EALREADY);
		CHECK_EQ(a.stop(), 0);
		CHECK_EQ(b.start(), 0);
		CHECK_EQ(a.start(), -EALREADY);
		CHECK_EQ(b.stop(), 0);
	}
}

TEST(forked_child_may_start_any_copy)
{
	if (TEST_HAS_TSAN)
		SKIP("under TSan a child of a process with threads has none");

	const struct copy a = load("sampler_copy_a.so");
	const struct copy b = load("sampler_copy_b.so");
	int status;

	CHECK_EQ(a.start(), 0);
	const pid_t pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		CHECK_EQ(b.start(), 0);
		CHECK_EQ(a.start(), -EALREADY);
		CHECK_EQ(b.stop(), 0);
		_exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	CHECK_EQ(b.start(), -EALREADY);
	CHECK_EQ(a.stop(), 0);
}
