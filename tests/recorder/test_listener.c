/* SPDX-License-Identifier: BSD-2-Clause */
/* test_listener.c - a socket that only this user finds, and no leftovers. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/test.h"
#include "recorder/ring_requests.h"

static struct syc_listener listener;
static char parent[32];

static void init(void)
{
	snprintf(parent, sizeof(parent), "/tmp/syscap-test-XXXXXX");
	CHECK(mkdtemp(parent) != NULL);
	setenv("XDG_RUNTIME_DIR", parent, 1);
}

static unsigned count_entries(const char *path)
{
	DIR *const dir = opendir(path);
	unsigned n = 0;

	CHECK(dir != NULL);
	while (readdir(dir) != NULL)
		n++;
	closedir(dir);
	return n - 2;
}

static void fini(void)
{
	CHECK_EQ(count_entries(parent), 0);
	CHECK_EQ(rmdir(parent), 0);
}

/* 0 or -errno. */
static int try_to_connect(void)
{
	const int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0);
	const int r = connect(fd, (struct sockaddr *)&listener.name,
	                      sizeof(listener.name)) == 0
	                      ? 0
	                      : -errno;

	close(fd);
	return r;
}

TEST(directory_is_private_and_removed_at_the_end)
{
	struct stat st;

	init();
	CHECK_EQ(syc_listener_open(&listener), 0);
	CHECK_EQ(strncmp(listener.name.sun_path, parent, strlen(parent)), 0);
	char *const slash = strrchr(listener.name.sun_path, '/');
	*slash = '\0';
	CHECK_EQ(stat(listener.name.sun_path, &st), 0);
	CHECK_EQ(st.st_mode & 07777, 0700);
	CHECK_EQ(st.st_uid, geteuid());
	*slash = '/';
	CHECK_EQ(try_to_connect(), 0);
	syc_listener_close(&listener);
	fini();
}

TEST(other_users_cannot_connect)
{
	if (geteuid() != 0)
		SKIP("only root can switch to another user");
	init();
	CHECK_EQ(chmod(parent, 0777), 0);
	CHECK_EQ(syc_listener_open(&listener), 0);
	CHECK_EQ(seteuid(65534), 0);
	CHECK_EQ(try_to_connect(), -EACCES);
	CHECK_EQ(seteuid(0), 0);
	syc_listener_close(&listener);
	fini();
}

TEST(next_recorder_removes_directories_of_killed_ones_only)
{
	struct syc_listener other;
	int status;

	init();
	CHECK_EQ(syc_listener_open(&other), 0);
	const pid_t pid = fork();
	if (pid == 0) {
		syc_listener_open(&listener);
		kill(getpid(), SIGKILL);
	}
	waitpid(pid, &status, 0);
	CHECK(WIFSIGNALED(status));
	CHECK_EQ(count_entries(parent), 2);
	CHECK_EQ(syc_listener_open(&listener), 0);
	CHECK_EQ(count_entries(parent), 2);
	CHECK_EQ(access(other.name.sun_path, F_OK), 0);
	CHECK_EQ(try_to_connect(), 0);
	syc_listener_close(&listener);
	syc_listener_close(&other);
	fini();
}

TEST(unusable_directory_is_skipped)
{
	char longer[200];

	memset(longer, 'x', sizeof(longer));
	longer[0] = '/';
	longer[199] = '\0';
	setenv("XDG_RUNTIME_DIR", "/nowhere/at/all", 1);
	setenv("TMPDIR", longer, 1);
	CHECK_EQ(syc_listener_open(&listener), 0);
	CHECK_EQ(strncmp(listener.name.sun_path, "/tmp/", 5), 0);
	CHECK_EQ(try_to_connect(), 0);
	syc_listener_close(&listener);
	CHECK(listener.fd < 0);
}

TEST(thousands_of_connections_wait_for_accept)
{
	FILE *const file = fopen("/proc/sys/net/core/somaxconn", "r");
	int allowed = 0, n = 0, fds[300];

	if (file == NULL || fscanf(file, "%d", &allowed) != 1 || allowed < 300)
		SKIP("the system does not allow 300 pending connections");
	fclose(file);
	init();
	CHECK_EQ(syc_listener_open(&listener), 0);
	for (; n < 300; n++) {
		fds[n] = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_NONBLOCK, 0);
		CHECK_EQ(connect(fds[n], (struct sockaddr *)&listener.name,
		                 sizeof(listener.name)),
		         0);
	}
	while (n > 0)
		close(fds[--n]);
	syc_listener_close(&listener);
	fini();
}
