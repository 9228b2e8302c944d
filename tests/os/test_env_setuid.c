/* SPDX-License-Identifier: BSD-2-Clause */
/* test_env_setuid.c - a set-user-ID program ignores the environment. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap.h>

#include "harness/peer.h"
#include "harness/test.h"

#define NOBODY   65534
#define SOMEBODY 54321

static char folder[40];
static char program[60];

/* A copy of this very program, owned by nobody. */
static void install(mode_t mode)
{
	struct stat st;

	snprintf(folder, sizeof(folder), "/tmp/syscap-test-XXXXXX");
	CHECK(mkdtemp(folder) != NULL);
	CHECK_EQ(chmod(folder, 0755), 0);
	snprintf(program, sizeof(program), "%s/program", folder);
	const int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	const int to = open(program, O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
	CHECK_EQ(fstat(from, &st), 0);
	while (sendfile(to, from, NULL, (size_t)st.st_size) > 0)
		;
	CHECK_EQ(fchown(to, NOBODY, NOBODY), 0);
	CHECK_EQ(fchmod(to, mode), 0);
	close(from);
	close(to);
}

static void uninstall(void)
{
	unlink(program);
	rmdir(folder);
}

CHILD(tells_whether_it_is_secure)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	SYSCAP_INSTANT("test", "mark", NULL);
	syscap_get_stats(&stats);
	if (getauxval(AT_SECURE) == 0)
		exit(stats.is_active ? 10 : 11);
	CHECK(!stats.is_active);
	CHECK_STR(stats.reason, "none of SYSPROF_CONTROL_FD, SYSPROF_TRACE_FD "
	                        "and SYSCAP_OUTPUT is set");
	exit(12);
}

/* The copy, started by somebody else: its exit status. */
CHILD(starts_the_copy)
{
	CHECK_EQ(setgid(SOMEBODY), 0);
	CHECK_EQ(setuid(SOMEBODY), 0);
	setenv("SYSCAP_TEST_CHILD", "tells_whether_it_is_secure", 1);
	setenv("SYSCAP_DEBUG", "1", 1);
	close(2); /* whatever a debugging message would go to */
	execl(peer_arg(), "program", NULL);
	_exit(98);
}

static int run_copy(struct peer *peer, mode_t mode)
{
	if (geteuid() != 0)
		SKIP("making a set-user-ID program takes root");
	install(mode);
	peer_start_arg(peer, "starts_the_copy", program, 1 << 16, PEER_OURS);
	const int status = peer_finish(peer);
	uninstall();
	CHECK(WIFEXITED(status));
	return WEXITSTATUS(status);
}

TEST(a_program_started_by_another_user_is_recorded)
{
	struct peer peer;

	CHECK_EQ(run_copy(&peer, 0755), 10);
	CHECK_EQ(peer_count_marks(&peer, "test", "mark"), 1);
	peer_free(&peer);
}

TEST(a_set_user_id_program_ignores_the_control_descriptor)
{
	struct peer peer;

	if (test_is_sanitized())
		SKIP("a sanitizer can't look at a set-user-ID program");
	const int status = run_copy(&peer, 04755);

	if (status == 10) {
		peer_free(&peer);
		SKIP("the folder for temporary files is mounted nosuid");
	}
	CHECK_EQ(status, 12);
	CHECK_EQ(peer.n_requests, 0);
	peer_free(&peer);
}
