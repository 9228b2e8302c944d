/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_connection.c - a recorder found by its name, if there is no inherited
 * socket.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap.h>

#include "emit/thread.h"
#include "harness/peer.h"
#include "harness/test.h"
#include "harness/tsan.h"

static struct peer peer;

static struct syscap_stats get_stats(void)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	syscap_get_stats(&stats);
	return stats;
}

static void emit(void)
{
	SYSCAP_INSTANT("test", "mark", NULL);
}

/* The first answer may come late on a busy machine. */
static void emit_with_ring(void)
{
	emit();
	while (syc_state_of(syc_self)->ring == NULL) {
		usleep(1000);
		emit();
	}
}

/* Number of open fds, without opendir()'s own. */
static unsigned count_open(void)
{
	DIR *const dir = opendir("/proc/self/fd");
	unsigned n = 0;

	CHECK(dir != NULL);
	while (readdir(dir) != NULL)
		n++;
	closedir(dir);
	return n - 3;
}

static int find_socket(void)
{
	struct stat st;

	for (int fd = 3; fd < 1024; fd++)
		if (fstat(fd, &st) == 0 && S_ISSOCK(st.st_mode))
			return fd;
	return -1;
}

static uint64_t all_told(void)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < peer.n_rings; i++)
		n += peer_lost_told(&peer.rings[i]);
	return n;
}

static void start(const char *child)
{
	peer_start_named(&peer, child, "", true);
}

static void finish(unsigned n_marks)
{
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer_count_marks(&peer, "test", "mark"), n_marks);
	peer_free(&peer);
}

/* ------------------------------------------------------------------- found */

CHILD(has_an_event)
{
	const unsigned before = count_open();

	emit_with_ring();
	CHECK_EQ(count_open(), before);
	CHECK_STR(get_stats().reason, "SYSCAP_RECORDER leads to a recorder");
}

TEST(a_process_without_the_control_socket_is_recorded_and_keeps_no_descriptor)
{
	start("has_an_event");
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK(peer_count_marks(&peer, "test", "mark") >= 1);
	peer_free(&peer);
}

static void on_signal(int signo)
{
	(void)signo;
	emit();
}

CHILD(begins_in_a_handler)
{
	signal(SIGUSR1, on_signal);
	raise(SIGUSR1);
	emit_with_ring();
}

TEST(the_first_event_may_come_from_a_signal_handler)
{
	start("begins_in_a_handler");
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK(peer_count_marks(&peer, "test", "mark") + all_told() >= 2);
	peer_free(&peer);
}

static void *run_emit(void *unused)
{
	emit();
	return unused;
}

static void *run_emit_with_ring(void *unused)
{
	emit_with_ring();
	return unused;
}

CHILD(begins_in_many_threads)
{
	pthread_t threads[32];

	for (int i = 0; i < 32; i++)
		pthread_create(&threads[i], NULL, run_emit, NULL);
	for (int i = 0; i < 32; i++)
		pthread_join(threads[i], NULL);
}

TEST(each_thread_has_a_ring_by_a_connection_of_its_own)
{
	start("begins_in_many_threads");
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer_count_marks(&peer, "test", "mark") + all_told(), 32);
	CHECK(peer.n_connections >= 32);
	peer_free(&peer);
}

CHILD(forks_twice)
{
	emit_with_ring();
	if (fork() == 0) {
		emit_with_ring();
		if (fork() == 0) {
			emit_with_ring();
			exit(0);
		}
		wait(NULL);
		exit(0);
	}
	wait(NULL);
}

TEST(forked_children_connect_by_themselves)
{
	start("forks_twice");
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK(peer_count_marks(&peer, "test", "mark") >= 3);
	CHECK(peer.n_connections >= 3);
	peer_free(&peer);
}

CHILD(has_no_standard_streams)
{
	for (int fd = 0; fd < 3; fd++)
		close(fd);
	emit_with_ring();
	_exit(open("/dev/null", O_RDWR));
}

TEST(the_numbers_of_standard_streams_stay_free)
{
	start("has_no_standard_streams");
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK(peer_count_marks(&peer, "test", "mark") >= 1);
	peer_free(&peer);
}

/* -------------------------------------------------- lost inherited sockets */

CHILD(closes_what_it_inherited)
{
	emit();
	close(atoi(getenv("SYSPROF_CONTROL_FD")));
	setenv("SYSCAP_RECORDER", "/nowhere", 1);
	pthread_t thread;
	pthread_create(&thread, NULL, run_emit_with_ring, NULL);
	pthread_join(thread, NULL);
	if (fork() == 0) {
		emit_with_ring();
		exit(0);
	}
	int status;
	wait(&status);
	CHECK_EQ(status, 0);
}

TEST(a_program_without_its_inherited_socket_connects_by_name)
{
	struct peer inherited;

	/* a named peer whose own child has ended */
	start("has_an_event");
	CHECK_EQ(peer_finish(&peer), 0);
	const unsigned before = peer_count_marks(&peer, "test", "mark");
	setenv("SYSCAP_RECORDER", peer.path, 1);
	peer_start(&inherited, "closes_what_it_inherited", 1 << 16, PEER_OURS);
	peer.pid = inherited.pid;
	while (peer_serve(&inherited) == 0)
		usleep(100);
	CHECK_EQ(peer_finish(&peer), 0);
	peer_drain(&inherited);
	CHECK_EQ(peer_count_marks(&inherited, "test", "mark"), 1);
	CHECK(peer_count_marks(&peer, "test", "mark") - before >= 2);
	peer_free(&peer);
	peer_free(&inherited);
}

/* ------------------------------------------------------------ refused, late */

/* Emits until the thread has a ring. */
static unsigned emit_until_recorded(void)
{
	unsigned n = 0;

	while (get_stats().n_rings == 0) {
		emit();
		usleep(1000);
		n++;
	}
	return n;
}

/* In a child: lets the recorder continue. */
static void say_ready(void)
{
	fclose(fopen(peer_arg(), "w"));
}

static void wait_until_ready(const char *path)
{
	while (access(path, F_OK) != 0)
		usleep(1000);
	unlink(path);
}

CHILD(is_refused_for_a_while)
{
	emit();
	CHECK_EQ(get_stats().n_dropped, 1);
	CHECK(get_stats().is_active);
	say_ready();
	emit_until_recorded();
}

TEST(losses_without_a_listening_recorder_are_reported)
{
	char path[64];

	snprintf(path, sizeof(path), "/tmp/syscap-test-%d.ready", getpid());
	peer_start_named(&peer, "is_refused_for_a_while", path, false);
	wait_until_ready(path);
	peer_listen(&peer);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK(peer_count_marks(&peer, "test", "mark") >= 1);
	CHECK(all_told() >= 1);
	peer_free(&peer);
}

CHILD(is_never_listened_to)
{
	for (int i = 0; i < 100; i++)
		emit();
	CHECK_EQ(get_stats().n_dropped, 100);
	CHECK_EQ(get_stats().n_untold, 100);
	CHECK(get_stats().is_active);
}

TEST(statistics_count_losses_without_a_recorder)
{
	peer_start_named(&peer, "is_never_listened_to", "", false);
	finish(0);
}

CHILD(may_open_no_file)
{
	const struct rlimit none = { 3, 64 }, some = { 64, 64 };

	setrlimit(RLIMIT_NOFILE, &none);
	emit();
	CHECK_EQ(get_stats().n_dropped, 1);
	setrlimit(RLIMIT_NOFILE, &some);
	emit_until_recorded();
}

TEST(recording_begins_when_a_file_can_be_opened_again)
{
	start("may_open_no_file");
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK(all_told() >= 1);
	peer_free(&peer);
}

CHILD(waits_in_vain)
{
	const unsigned before = count_open();

	emit();
	CHECK_EQ(get_stats().n_dropped, 1);
	CHECK_EQ(count_open(), before + 1); /* the answer may still come */
	say_ready();
	emit_until_recorded();
	CHECK_EQ(count_open(), before);
}

static void start_silent(const char *child)
{
	char path[64];

	snprintf(path, sizeof(path), "/tmp/syscap-test-%d.ready", getpid());
	peer_start_named(&peer, child, path, true);
	peer.holds_replies = true;
	wait_until_ready(path);
	while (peer.n_requests == 0)
		peer_serve(&peer);
	peer.holds_replies = false;
	for (unsigned n = peer.n_requests; n != 0; n--)
		peer_reply(&peer);
}

TEST(an_answer_that_is_late_is_taken)
{
	start_silent("waits_in_vain");
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer.n_connections, 1);
	CHECK_EQ(peer.n_rings, 1);
	CHECK(all_told() >= 1);
	peer_free(&peer);
}

/* --------------------------------------- the program and the parked number */

CHILD(puts_a_file_there)
{
	char name[] = "/tmp/syscap-test-XXXXXX";
	const int file = mkstemp(name);
	struct stat st;

	unlink(name);
	emit();
	const int parked = find_socket();
	CHECK(parked > 2);
	CHECK_EQ(dup2(file, parked), parked);
	say_ready();
	emit_until_recorded();
	CHECK_EQ(fstat(parked, &st), 0);
	CHECK(S_ISREG(st.st_mode));
	CHECK_EQ(st.st_size, 0);
	close(parked);
	CHECK_EQ(fstat(file, &st), 0);
	close(file);
}

TEST(a_file_reusing_a_pending_connections_fd_is_not_changed)
{
	start_silent("puts_a_file_there");
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK(peer.n_connections >= 2);
	CHECK(all_told() >= 1);
	peer_free(&peer);
}

CHILD(closes_everything)
{
	emit();
	say_ready();
	syscall(SYS_close_range, 3, ~0U, 0);
	emit_until_recorded();
}

TEST(a_program_that_closes_a_pending_connection_makes_another)
{
	start_silent("closes_everything");
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK(peer.n_connections >= 2);
	peer_free(&peer);
}

CHILD(forks_with_one_parked)
{
	int status;

	emit();
	CHECK(find_socket() > 2);
	if (fork() == 0) {
		CHECK_EQ(find_socket(), -1);
		say_ready();
		emit_until_recorded();
		_exit(0);
	}
	wait(&status);
	CHECK_EQ(status, 0);
	emit_until_recorded();
}

TEST(a_forked_child_leaves_its_parents_connection_alone)
{
	start_silent("forks_with_one_parked");
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK(peer.n_connections >= 2);
	CHECK(peer.n_rings >= 2);
	peer_free(&peer);
}

static bool is_connected(int fd)
{
	struct sockaddr_un name;
	socklen_t size = sizeof(name);

	return getpeername(fd, (struct sockaddr *)&name, &size) == 0;
}

CHILD(forks_while_a_thread_waits)
{
	pthread_t thread;
	int status;

	pthread_create(&thread, NULL, run_emit, NULL);
	while (!is_connected(find_socket()))
		usleep(100);
	const pid_t pid = fork();
	if (pid == 0)
		_exit(find_socket() == -1 ? 0 : 1);
	waitpid(pid, &status, 0);
	CHECK_EQ(status, 0);
	say_ready();
	pthread_join(thread, NULL);
}

TEST(a_forked_child_has_no_connection_of_a_thread_that_waits)
{
	SKIP_UNDER_TSAN(); /* find_socket() races a close() */
	start_silent("forks_while_a_thread_waits");
	CHECK_EQ(peer_finish(&peer), 0);
	peer_free(&peer);
}

CHILD(lends_itself_with_one_parked)
{
	const unsigned before = count_open();

	emit();
	struct pollfd late = { .fd = find_socket(), .events = POLLIN };
	say_ready();
	CHECK_EQ(poll(&late, 1, -1), 1);
	for (int i = 0; i < 10; i++) {
		usleep(20000); /* the parked socket is due for a check */
		const pid_t pid = vfork();
		if (pid == 0) {
			emit();
			_exit(0);
		}
		waitpid(pid, NULL, 0);
	}
	emit_until_recorded();
	CHECK_EQ(count_open(), before);
}

TEST(a_vfork_child_leaves_a_waiting_connection_to_its_parent)
{
	SKIP_UNDER_TSAN();
	start_silent("lends_itself_with_one_parked");
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer.n_connections, 1);
	peer_free(&peer);
}

/* -------------------------------------------------------------- other users */

CHILD(is_another_user)
{
	CHECK_EQ(chmod(getenv("SYSCAP_RECORDER"), 0777), 0);
	CHECK_EQ(seteuid(65534), 0);
	emit();
	CHECK_EQ(get_stats().n_dropped, 1);
	_exit(0); /* after seteuid() LeakSanitizer can't read this process */
}

TEST(a_socket_of_another_user_is_not_spoken_to)
{
	if (geteuid() != 0)
		SKIP("only root can switch to another user");
	peer_start_named(&peer, "is_another_user", "", true);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK(peer.n_connections >= 1);
	CHECK_EQ(peer.n_requests, 0);
	peer_free(&peer);
}

CHILD(finds_nothing)
{
	emit();
	CHECK(!get_stats().is_active);
	CHECK_STR(get_stats().reason, "the recorder has ended");
}

TEST(a_name_that_leads_nowhere_means_that_nothing_is_recorded)
{
	static const char *const names[] = { "/nowhere/at/all", "relative",
		                             "@abstract" };

	for (int i = 0; i < 3; i++) {
		setenv("SYSCAP_RECORDER", names[i], 1);
		CHECK_EQ(peer_run_alone("finds_nothing", "", NULL), 0);
	}
}
