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

#define NOBODY     65534
#define OTHER_USER 54321

static char directory[40];
static char program[60];

/* Makes a copy of this program, owned by the user "nobody". */
static void install(mode_t mode)
{
	struct stat st;

	snprintf(directory, sizeof(directory), "/tmp/syscap-test-XXXXXX");
	CHECK(mkdtemp(directory) != NULL);
	CHECK_EQ(chmod(directory, 0755), 0);
	snprintf(program, sizeof(program), "%s/program", directory);
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
	rmdir(directory);
}

CHILD(exits_with_at_secure)
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

/* Runs the copy as another user. */
CHILD(starts_copy_as_another_user)
{
	CHECK_EQ(setgid(OTHER_USER), 0);
	CHECK_EQ(setuid(OTHER_USER), 0);
	setenv("SYSCAP_TEST_CHILD", "exits_with_at_secure", 1);
	setenv("SYSCAP_DEBUG", "1", 1);
	close(2); /* debugging messages would go to stderr */
	execl(peer_arg(), "program", NULL);
	_exit(98);
}

static int run_copy(struct peer *peer, mode_t mode)
{
	if (geteuid() != 0)
		SKIP("only root can make a set-user-ID program");
	install(mode);
	peer_start_arg(peer, "starts_copy_as_another_user", program, 1 << 16,
	               PEER_OURS);
	const int status = peer_finish(peer);
	uninstall();
	CHECK(WIFEXITED(status));
	return WEXITSTATUS(status);
}

TEST(program_of_another_user_is_recorded)
{
	struct peer peer;

	CHECK_EQ(run_copy(&peer, 0755), 10);
	CHECK_EQ(peer_count_marks(&peer, "test", "mark"), 1);
	peer_free(&peer);
}

TEST(set_user_id_program_ignores_the_control_fd)
{
	struct peer peer;

	if (test_is_sanitized())
		SKIP("a sanitizer can't trace a set-user-ID program");
	const int status = run_copy(&peer, 04755);

	if (status == 10) {
		peer_free(&peer);
		SKIP("the directory for temporary files is mounted nosuid");
	}
	CHECK_EQ(status, 12);
	CHECK_EQ(peer.n_requests, 0);
	peer_free(&peer);
}
