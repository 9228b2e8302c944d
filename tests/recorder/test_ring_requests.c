/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_ring_requests.c - processes that connect, and processes that try to
 * block others.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/test.h"
#include "recorder/ring_requests.h"

#define OURS (UINT64_C(4) << 32)

static struct syc_listener listener;
static struct syc_callers *callers;
static struct syc_console console;
static int epoll;
static unsigned n_requests, n_known;
static int32_t last_pid;
static int answer; /* result of a request: 0 for a ring, or -errno */

static int request(void *context, int32_t pid, bool may_retry)
{
	CHECK(context == NULL && !may_retry);
	n_requests++;
	last_pid = pid;
	return answer != 0 ? answer : memfd_create("ring", MFD_CLOEXEC);
}

static void init(void)
{
	const struct syc_control_hooks hooks = { .request = request };

	console.quiet = true;
	epoll = epoll_create1(EPOLL_CLOEXEC);
	CHECK_EQ(syc_listener_open(&listener), 0);
	CHECK_EQ(syc_callers_new(listener.fd, epoll, OURS, &hooks, &console,
	                         &callers),
	         0);
}

static bool is_known(void *context, int32_t pid)
{
	(void)context;
	(void)pid;
	return n_known > 0 && n_known--;
}

/* Returns the number of processes without a ring. */
static unsigned fini(void)
{
	const unsigned n = syc_callers_end(callers, is_known, NULL);

	syc_callers_free(callers);
	syc_listener_close(&listener);
	close(epoll);
	return n;
}

/* One pass of the recorder's loop. */
static unsigned serve(void)
{
	struct epoll_event events[16];
	unsigned n = 0;
	int got;

	syc_callers_look(callers);
	while (n < 4000 && (got = epoll_wait(epoll, events, 16, 0)) > 0)
		for (int i = 0; i < got; i++, n++)
			syc_callers_take(callers, events[i].data.u64);
	syc_callers_look(callers);
	return n;
}

static int connect_to_it(void)
{
	const int fd = socket(AF_UNIX,
	                      SOCK_SEQPACKET | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	CHECK(fd >= 0);
	CHECK_EQ(connect(fd, (struct sockaddr *)&listener.name,
	                 sizeof(listener.name)),
	         0);
	return fd;
}

static void ask(int fd)
{
	CHECK_EQ(send(fd, "CreatRing", 10, MSG_NOSIGNAL), 10);
}

/* Returns 1 for a ring, 0 for a reply without a ring, -EPIPE after a
 * hang-up, or another -errno. */
static int receive(int fd)
{
	char byte;
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr message = { .msg_iov = &iov,
		                  .msg_iovlen = 1,
		                  .msg_control = &control,
		                  .msg_controllen = sizeof(control) };
	const ssize_t n = recvmsg(fd, &message, 0);
	const struct cmsghdr *const cmsg = CMSG_FIRSTHDR(&message);
	int ring;

	if (n < 0)
		return -errno;
	if (n == 0)
		return -EPIPE;
	for (const struct cmsghdr *c = cmsg; c != NULL;
	     c = CMSG_NXTHDR(&message, (struct cmsghdr *)c))
		if (c->cmsg_type == SCM_RIGHTS) {
			memcpy(&ring, CMSG_DATA(c), sizeof(ring));
			close(ring);
			return 1;
		}
	return 0;
}

/* Checks that a process with valid requests gets a ring. */
static void check_honest(void)
{
	const int fd = connect_to_it();

	ask(fd);
	/* the recorder may serve 1,000 other connections first */
	for (int i = 0; i < 100; i++)
		serve();
	CHECK_EQ(receive(fd), 1);
	close(fd);
	serve();
}

TEST(request_gets_a_ring_in_any_pid_namespace)
{
	init();
	const int fd = connect_to_it();
	ask(fd);
	serve();
	CHECK_EQ(last_pid, getpid());
	CHECK(!syc_callers_fetched(callers));
	CHECK_EQ(receive(fd), 1);
	CHECK(syc_callers_fetched(callers));
	ask(fd);
	serve();
	CHECK_EQ(receive(fd), 1);
	close(fd);
	CHECK_EQ(fini(), 0);
}

TEST(request_on_the_parents_connection_is_the_childs)
{
	init();
	const int fd = connect_to_it();
	const pid_t pid = fork();

	if (pid == 0) {
		ask(fd);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	serve();
	CHECK_EQ(last_pid, pid);
	CHECK_EQ(receive(fd), 1);
	close(fd);
	fini();
}

TEST(missing_ring_is_a_reply)
{
	init();
	answer = -EMFILE;
	const int fd = connect_to_it();
	ask(fd);
	serve();
	CHECK_EQ(receive(fd), 0);
	close(fd);
	CHECK_EQ(fini(), 1);
}

TEST(process_gone_before_its_reply_is_counted)
{
	init();
	for (int i = 0; i < 3; i++)
		if (fork() == 0) {
			ask(connect_to_it());
			_exit(0);
		}
	while (wait(NULL) > 0)
		;
	serve();
	CHECK_EQ(n_requests, 0);
	n_known = 1; /* one caller already has a ring */
	CHECK_EQ(fini(), 2);
}

TEST(process_registered_at_the_end_is_counted)
{
	init();
	const int fd = connect_to_it();
	ask(fd);
	CHECK_EQ(fini(), 1);
	CHECK_EQ(n_requests, 0);
	CHECK_EQ(receive(fd), 0);
	close(fd);
}

TEST(garbage_ends_its_own_connection_only)
{
	static const char *const texts[] = { "C", "CreatRinh", "creatring",
		                             "CreatRingCreatRing" };

	init();
	for (unsigned i = 0; i < 4; i++) {
		const int fd = connect_to_it();

		CHECK(send(fd, texts[i], strlen(texts[i]) + 1, 0) > 0);
		serve();
		CHECK_EQ(receive(fd), -EPIPE);
		close(fd);
	}
	CHECK_EQ(n_requests, 0);
	check_honest();
	fini();
}

TEST(unexpected_descriptors_are_dropped)
{
	char request_bytes[10] = "CreatRing";
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec iov = { .iov_base = request_bytes, .iov_len = 10 };
	struct msghdr message = { .msg_iov = &iov,
		                  .msg_iovlen = 1,
		                  .msg_control = &control,
		                  .msg_controllen = sizeof(control) };
	const int file = memfd_create("given", 0);

	init();
	memset(&control, 0, sizeof(control));
	control.header.cmsg_level = SOL_SOCKET;
	control.header.cmsg_type = SCM_RIGHTS;
	control.header.cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(&control.header), &file, sizeof(file));
	const int fd = connect_to_it();
	CHECK_EQ(sendmsg(fd, &message, 0), 10);
	serve();
	CHECK_EQ(receive(fd), 1);
	close(fd);
	close(file);
	fini();
}

TEST(silent_connections_keep_no_caller_out)
{
	static int fds[1200];
	struct rlimit files;

	CHECK_EQ(getrlimit(RLIMIT_NOFILE, &files), 0);
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	if (files.rlim_cur < 3000)
		SKIP("the limit on fds is too low");
	init();
	for (int i = 0; i < 1200; i++) {
		fds[i] = connect_to_it();
		if (i % 100 == 99)
			serve();
	}
	check_honest();
	/* Half of the callers send a request, and some callers are already
	 * disconnected */
	for (int i = 0; i < 1200; i += 2)
		(void)send(fds[i], "CreatRing", 10, MSG_NOSIGNAL);
	check_honest();
	for (int i = 0; i < 1200; i++)
		close(fds[i]);
	serve();
	check_honest();
	fini();
}

/* A process that connects, sends nothing and stays. */
static pid_t start_silent(unsigned n_connections)
{
	int ready[2];
	char byte;

	CHECK_EQ(pipe(ready), 0);
	const pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		CHECK_EQ(dup2(ready[1], STDIN_FILENO), STDIN_FILENO);
		close_range(3, ~0U, 0); /* drops inherited fds */
		while (n_connections-- > 0)
			connect_to_it();
		CHECK_EQ(write(STDIN_FILENO, "", 1), 1);
		pause();
	}
	close(ready[1]);
	CHECK_EQ(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	return pid;
}

TEST(connections_leave_most_descriptors_to_others)
{
	const struct rlimit few = { 64, 64 };
	pid_t pids[3];
	int fds[32];

	CHECK_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
	init();
	for (int i = 0; i < 3; i++) {
		pids[i] = start_silent(40);
		serve();
	}
	for (int i = 0; i < 32; i++) {
		fds[i] = memfd_create("other", MFD_CLOEXEC);
		CHECK(fds[i] >= 0);
	}
	check_honest();
	for (int i = 0; i < 32; i++)
		close(fds[i]);
	for (int i = 0; i < 3; i++) {
		kill(pids[i], SIGKILL);
		waitpid(pids[i], NULL, 0);
	}
	fini();
}

TEST(caller_that_reads_no_replies_is_not_read)
{
	init();
	const int fd = connect_to_it();
	unsigned n = 0;

	while (n < 100000 &&
	       send(fd, "CreatRing", 10, MSG_NOSIGNAL | MSG_DONTWAIT) == 10)
		if (++n % 8 == 0)
			serve();
	serve();
	const unsigned asked = n_requests;
	CHECK(asked < 100000);
	/* the caller does not keep this process busy, either */
	CHECK(serve() < 10);
	CHECK_EQ(n_requests, asked);
	check_honest();
	CHECK_EQ(receive(fd), 1);
	for (unsigned i = 0; i < 1000; i++)
		while (receive(fd) == 1)
			serve();
	CHECK(n_requests > asked + 1);
	close(fd);
	serve();
	CHECK(syc_callers_fetched(callers));
	fini();
}

TEST(hang_up_with_a_due_reply_is_handled)
{
	init();
	const int fd = connect_to_it();

	for (int i = 0; i < 2000; i++) {
		(void)send(fd, "CreatRing", 10, MSG_NOSIGNAL | MSG_DONTWAIT);
		serve();
	}
	close(fd);
	serve();
	CHECK(serve() == 0);
	CHECK(syc_callers_fetched(callers));
	fini();
}

TEST(accept_without_descriptor_is_retried)
{
	struct rlimit files, few;

	init();
	const int fd = connect_to_it();
	ask(fd);
	CHECK_EQ(getrlimit(RLIMIT_NOFILE, &files), 0);
	few = files;
	few.rlim_cur = (rlim_t)fd;
	CHECK_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
	CHECK(serve() < 10);
	CHECK(serve() < 10);
	CHECK_EQ(setrlimit(RLIMIT_NOFILE, &files), 0);
	for (int i = 0; i < 1000 && n_requests == 0; i++) {
		usleep(1000);
		serve();
	}
	CHECK_EQ(receive(fd), 1);
	close(fd);
	fini();
}

TEST(connection_of_another_user_is_closed)
{
	if (geteuid() != 0)
		SKIP("only root can switch to another user");
	init();
	/* The directory looks as if another user had access */
	char *const path = strdup(listener.name.sun_path);
	CHECK_EQ(chmod(path, 0777), 0);
	*strrchr(path, '/') = '\0';
	CHECK_EQ(chmod(path, 0777), 0);
	free(path);
	CHECK_EQ(seteuid(65534), 0);
	const int fd = connect_to_it();
	CHECK_EQ(seteuid(0), 0);
	ask(fd);
	serve();
	CHECK_EQ(n_requests, 0);
	CHECK(receive(fd) < 0);
	close(fd);
	CHECK_EQ(fini(), 0);
}
