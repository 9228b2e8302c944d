/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_self_limits.c - a process that records itself, and forks, with limited
 * or locked memory and addresses.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap.h>

#include "harness/peer.h"
#include "harness/test.h"
#include "harness/written.h"

#define MIB (UINT64_C(1) << 20)

/* Emitter 0 is the process, emitter 1 its child. */
static void emit_with_child(void)
{
	for (unsigned i = 0; i < 10; i++)
		written_mark(0, i);
	test_sleep_ms(50);
	const pid_t pid = fork();
	for (unsigned i = pid == 0 ? 0 : 10; i < 500; i++)
		written_mark(pid == 0, i);
	if (pid == 0)
		_exit(0);
	CHECK_EQ(written_wait(pid), 0);
}

/* The value of a line of /proc/self/status, in KiB. */
static uint64_t status(const char *name)
{
	FILE *const file = fopen("/proc/self/status", "re");
	unsigned long long kib = 0;
	char line[200];

	CHECK(file != NULL);
	while (fgets(line, sizeof(line), file) != NULL)
		if (strncmp(line, name, strlen(name)) == 0)
			CHECK_EQ(sscanf(line + strlen(name), ": %llu", &kib),
			         1);
	fclose(file);
	return kib;
}

CHILD(locks_its_memory)
{
	const int flags = (int)strtol(peer_arg(), NULL, 10);

	if ((flags & MCL_FUTURE) == 0)
		emit_with_child();
	if (mlockall(flags) != 0)
		_exit(77);
	if ((flags & MCL_FUTURE) != 0)
		emit_with_child();
	if (status("RssShmem") > 4096)
		test_fail(__FILE__, __LINE__, "%llu KiB",
		          (unsigned long long)status("RssShmem"));
	exit(0);
}

static int run(const char *child, const char *arg, bool is_trace,
               struct tally *tally)
{
	char *const dir = written_make_dir();
	char variable[500], path[400];
	const char *const env[] = { variable, NULL };
	const int fd = is_trace ? memfd_create("trace", MFD_CLOEXEC) : -1;

	snprintf(path, sizeof(path), "%s/out.syscap", dir);
	snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s", path);
	if (is_trace) {
		snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
		snprintf(variable, sizeof(variable), "SYSPROF_TRACE_FD=3");
	}
	const int status = written_wait(written_start(child, arg, env, fd));
	memset(tally, 0, sizeof(*tally));
	if (status == 0)
		written_tally(path, tally);
	if (fd >= 0)
		close(fd);
	written_remove_dir(dir);
	return status;
}

static void check(const char *child, const char *arg)
{
	struct tally t;

	for (int is_trace = 0; is_trace < 2; is_trace++) {
		const int status = run(child, arg, is_trace != 0, &t);

		if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
			SKIP("memory can't be locked");
		CHECK_EQ(status, 0);
		CHECK_EQ(t.emitters[0], 500);
		CHECK_EQ(t.emitters[1], 500);
		CHECK_EQ(t.lost + t.doubles + t.gaps + t.unnamed, 0);
	}
}

TEST(mlockall_locks_only_rings_in_use)
{
	char flags[20];

	snprintf(flags, sizeof(flags), "%d", MCL_CURRENT);
	check("locks_its_memory", flags);
	snprintf(flags, sizeof(flags), "%d", MCL_CURRENT | MCL_FUTURE);
	check("locks_its_memory", flags);
}

/* The program can still map most of the remaining address space. */
CHILD(has_few_addresses)
{
	const uint64_t limit = strtoull(peer_arg(), NULL, 10) * MIB;
	const struct rlimit addresses = { limit, limit };

	CHECK_EQ(setrlimit(RLIMIT_AS, &addresses), 0);
	emit_with_child();
	const uint64_t used = status("VmSize") * 1024;
	if (used > limit / 4 * 3)
		test_fail(__FILE__, __LINE__, "%llu bytes of %llu",
		          (unsigned long long)used, (unsigned long long)limit);
	exit(0);
}

TEST(where_addresses_are_few_most_of_them_stay_with_the_program)
{
	static const char *const limits[] = { "64", "300", "1000" };

	for (unsigned i = 0; i < 3; i++)
		check("has_few_addresses", limits[i]);
}
