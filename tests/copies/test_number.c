/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_number.c - copies of three ABI numbers in one process.  The program and
 * a library have the first number, one library the second, and two libraries
 * the third.  Copies of different numbers share nothing, but the capture is the
 * same as with one copy.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "copies/census.h"
#include "copies/parts.h"
#include "harness/peer.h"
#include "harness/test.h"
#include "harness/tsan.h"
#include "harness/written.h"

#define N_PARTS   5
#define N_NUMBERS 3
#define N_THREADS 3
#define N_EVENTS  200
#define CHILD_1   20 /* first emitter of a forked child */
#define RING      (1u << 20)

static const char *const names[N_PARTS] = { "program", "a", "58", "59", "59b" };
/* A name has one address per ABI number. */
static const char *const shared_names[N_PARTS] = {
	"of the first", "of the first", "of the second", "of the third",
	"of the third"
};
static const struct part *parts[N_PARTS];
static struct census census;
static bool drains;

static void load_all(void)
{
	parts[0] = parts_program();
	for (unsigned i = 1; i < N_PARTS; i++)
		parts[i] = parts_load(names[i]);
}

static void check_together(void)
{
	parts_check_together(parts, 2, 2);
	parts_check_together(parts + 2, 1, 1);
	parts_check_together(parts + 3, 2, 2);
}

static void *emit(void *number)
{
	const unsigned emitter = (unsigned)(uintptr_t)number;

	for (unsigned n = 0; n < N_EVENTS; n++)
		for (unsigned i = 0; i < N_PARTS; i++) {
			const unsigned k = (emitter + i) % N_PARTS;
			const struct part *const part = parts[k];

			parts_emit(part, emitter, n, 1);
			part->count_one(n, n);
			if (drains) /* otherwise another thread drains */
				part->drain();
			if (n % 20 == 0) {
				part->stack(part->intern(shared_names[k]));
				part->stack(part->intern(part->name));
			}
		}
	return NULL;
}

static void emit_in_threads(unsigned first)
{
	pthread_t threads[N_THREADS];

	for (uintptr_t i = 0; i < N_THREADS; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, emit,
		                        (void *)(first + i)),
		         0);
	for (unsigned i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
}

/* Starts each number's session before the threads: a thread waits only 250 ms
 * for another thread that starts the session.  This wait may be too short on a
 * busy machine. */
static void begin_all(void)
{
	for (unsigned i = 0; i < N_PARTS; i++)
		parts[i]->note("begun");
}

/* Drains all events of this process: exit() allows 250 ms per number, which may
 * be too short on a busy machine. */
static void drain_all(void)
{
	for (unsigned i = 0; i < N_PARTS; i++) {
		int r;

		do {
			r = parts[i]->drain();
		} while (r == -EAGAIN || r == -EBUSY);
		CHECK_EQ(r, 0);
	}
}

/* The argument: with 'f' the program also forks a child; with 'n' there is no
 * drain thread.  With 'x' only the first thread ends, with 7.  With 's' the
 * output is a socket. */
CHILD(emits)
{
	const char what = *peer_arg();

	drains = what == 'n';
	load_all();
	begin_all();
	emit_in_threads(0);
	if (what == 's') /* the socket refuses copies, and these are off */
		return;
	check_together();
	drain_all();
	if (what == 'f') {
		const pid_t pid = fork();

		if (pid == 0) {
			begin_all();
			emit_in_threads(CHILD_1);
			drain_all();
			exit(0);
		}
		parts_wait(pid);
	}
	if (what == 'x')
		syscall(SYS_exit, 7);
}

static void check_marks(unsigned first)
{
	for (unsigned i = 0; i < N_PARTS; i++)
		for (unsigned t = first; t < first + N_THREADS; t++) {
			CHECK_EQ(census_marks(&census, names[i], t), N_EVENTS);
			CHECK_EQ(census_logs(&census, names[i], t), N_EVENTS);
		}
}

/* The census has checked that no id and no address has two meanings. */
static void check_all(void)
{
	check_marks(0);
	CHECK_EQ(census.n_lost, 0);
	CHECK_EQ(census.n_counters, N_PARTS * 101);
	CHECK_EQ(census.n_values, N_PARTS * N_THREADS * N_EVENTS * 2);
	CHECK_EQ(census.n_samples, N_PARTS * N_THREADS * N_EVENTS / 10);
	CHECK_EQ(census.n_addresses, N_NUMBERS + N_PARTS);
}

/* -------------------------------------------------------------- a recorder */

TEST(under_a_recorder_each_number_has_its_rings_and_no_id_has_two_meanings)
{
	struct peer peer;

	peer_start_arg(&peer, "emits", "", RING, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer.n_rings, N_NUMBERS * (1 + N_THREADS));
	census_of_peer(&census, &peer);
	check_all();
	peer_free(&peer);
}

static void run_syscap(const char *const *arguments)
{
	int status;
	const pid_t pid = fork();

	CHECK(pid >= 0);
	if (pid == 0) {
		execv(arguments[0], (char *const *)arguments);
		_exit(127);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}

static void check_whole(const char *path)
{
	const char *const syscap = getenv("SYSCAP");

	if (syscap != NULL)
		run_syscap((const char *[]){ syscap, "check", path, NULL });
}

TEST(syscap_record_takes_all_of_them)
{
	const char *const syscap = getenv("SYSCAP");
	char self[4096], path[4096];

	if (syscap == NULL)
		SKIP("the tools are not built");
	char *const dir = written_make_dir();
	const ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	CHECK(n > 0);
	self[n] = '\0';
	snprintf(path, sizeof(path), "%s/x", dir);
	setenv("SYSCAP_TEST_CHILD", "emits", 1);
	setenv("SYSCAP_TEST_ARG", "", 1);
	run_syscap((const char *[]){ syscap, "record", "-o", path, "--", self,
	                             NULL });
	check_whole(path);
	census_of_file(&census, path);
	check_all();
	written_remove_dir(dir);
}

/* ------------------------------------------------------- SYSPROF_TRACE_FD */

static int run_traced(const char *how, bool has_thread, int fd)
{
	const char *const env[] = { "SYSPROF_TRACE_FD=3",
		                    has_thread ? NULL : "SYSCAP_THREAD=0",
		                    NULL };

	return written_wait(written_start("emits", how, env, fd));
}

static void check_file(const char *how, bool has_thread, int status)
{
	char *const dir = written_make_dir();
	char path[4096];

	snprintf(path, sizeof(path), "%s/x", dir);
	const int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	CHECK(fd >= 0);
	CHECK_EQ(run_traced(how, has_thread, fd), status);
	close(fd);
	check_whole(path);
	census_of_file(&census, path);
	if (*how == 'f')
		check_marks(CHILD_1);
	else
		check_all();
	check_marks(0);
	CHECK_EQ(census.n_lost, 0);
	written_remove_dir(dir);
}

TEST(into_a_trace_file_each_writes_batches_while_no_other_does)
{
	check_file("", true, 0);
}

TEST(copies_record_without_a_thread_in_a_shared_fd_table)
{
	check_file("n", false, 0);
}

TEST(a_forked_child_writes_into_it_for_each_number)
{
	check_file("f", true, 0);
}

/* Copies the capture from the stream @from into the file @path. */
static void copy_to_file(int from, const char *path)
{
	char bytes[1 << 16];
	ssize_t n;
	const int to =
		open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	CHECK(to >= 0);
	while ((n = read(from, bytes, sizeof(bytes))) > 0)
		CHECK_EQ(write(to, bytes, (size_t)n), n);
	close(to);
}

static void take_stream(const int pair[2], const char *how, bool has_thread)
{
	const char *const env[] = { "SYSPROF_TRACE_FD=3",
		                    has_thread ? NULL : "SYSCAP_THREAD=0",
		                    NULL };
	char *const dir = written_make_dir();
	char path[4096];

	snprintf(path, sizeof(path), "%s/x", dir);
	const pid_t pid = written_start("emits", how, env, pair[1]);
	close(pair[1]);
	copy_to_file(pair[0], path);
	close(pair[0]);
	CHECK_EQ(written_wait(pid), 0);
	check_whole(path);
	census_of_file(&census, path);
	written_remove_dir(dir);
}

static void check_pipe(const char *how, bool has_thread)
{
	int pair[2];

	CHECK_EQ(pipe2(pair, O_CLOEXEC), 0);
	take_stream(pair, how, has_thread);
	check_all();
}

TEST(a_pipe_has_one_header_and_whole_frames_of_all)
{
	check_pipe("", true);
	check_pipe("n", false);
}

/* The mode of a named pipe can't mark the header as written, so this state is
 * only in living processes. */
TEST(so_has_a_named_pipe_while_all_are_there)
{
	char *const dir = written_make_dir();
	char path[4096];
	int pair[2];

	snprintf(path, sizeof(path), "%s/pipe", dir);
	CHECK_EQ(mkfifo(path, 0600), 0);
	pair[0] = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	pair[1] = open(path, O_WRONLY | O_CLOEXEC);
	CHECK(pair[0] >= 0 && pair[1] >= 0);
	CHECK_EQ(fcntl(pair[0], F_SETFL, 0), 0);
	take_stream(pair, "n", false);
	check_all();
	written_remove_dir(dir);
}

/* A socket can't be opened anew, so there is no lock between the numbers. */
TEST(a_socket_is_one_numbers_and_the_others_say_so)
{
	unsigned n_numbers = 0;
	int pair[2];

	CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
	take_stream(pair, "s", true);
	n_numbers += census_marks(&census, "program", 0) == N_EVENTS &&
	             census_marks(&census, "a", 0) == N_EVENTS;
	n_numbers += census_marks(&census, "58", 0) == N_EVENTS;
	n_numbers += census_marks(&census, "59", 0) == N_EVENTS &&
	             census_marks(&census, "59b", 0) == N_EVENTS;
	CHECK_EQ(n_numbers, 1);
	CHECK(census.n_parts <= 2);
}

/* ---------------------------------------------------------- SYSCAP_OUTPUT */

TEST(each_number_writes_a_file_of_its_own_and_together_they_have_all)
{
	const char *const syscap = getenv("SYSCAP");
	char *const dir = written_make_dir();
	char all[3][4096], joined[4096], variable[4200];
	const char *const env[] = { variable, NULL };

	if (syscap == NULL)
		SKIP("the tools are not built");
	snprintf(all[0], sizeof(all[0]), "%s/x", dir);
	snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s", all[0]);
	const pid_t pid = written_start("emits", "", env, -1);
	CHECK_EQ(written_wait(pid), 0);
	CHECK_EQ(written_count_files(dir, ""), N_NUMBERS);
	snprintf(all[1], sizeof(all[1]), "%s/x.%d", dir, (int)pid);
	snprintf(all[2], sizeof(all[2]), "%s/x.%d.2", dir, (int)pid);
	for (unsigned i = 0; i < N_NUMBERS; i++) {
		check_whole(all[i]);
		census_of_file(&census, all[i]);
		CHECK_EQ(census.n_parts, 1 + (i != 1));
	}
	snprintf(joined, sizeof(joined), "%s/joined", dir);
	run_syscap((const char *[]){ syscap, "cat", "-o", joined, all[0],
	                             all[1], all[2], NULL });
	check_whole(joined);
	census_of_file(&census, joined);
	check_all();
	written_remove_dir(dir);
}

/* -------------------------------------------------------------------- ends */

TEST(a_process_whose_threads_ended_unnoticed_ends_as_the_first_one_did)
{
	if (TEST_HAS_TSAN)
		SKIP("ThreadSanitizer's own thread does not end");
	check_file("x", true, 7 << 8);
}
