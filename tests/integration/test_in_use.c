/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_in_use.c - commands that would replace, cut or append to a capture are
 * refused while a process writes the capture.  The error names the process, and
 * no event is lost.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap.h>

#include "harness/peer.h"
#include "harness/test.h"
#include "harness/written.h"
#include "integration/commands.h"

#define MARKS 100u

/* ------------------------------------------------------------- children */

static void emit(unsigned from)
{
	for (unsigned i = from; i < from + MARKS; i++)
		written_mark(0, i);
}

/* Emits, makes "ready" when the marks are in the capture, and continues at
 * "go". */
static void emit_twice(const char *dir)
{
	emit(0);
	while (syscap_drain() == -EAGAIN)
		test_sleep_ms(1);
	commands_touch(dir, "ready");
	commands_await(dir, "go");
	emit(MARKS);
}

CHILD(twice)
{
	emit_twice(peer_arg());
}

CHILD(started)
{
	struct syscap_options options = { .size = sizeof(options) };
	char *const path = commands_name(peer_arg(), "x");

	options.output = path;
	CHECK_EQ(syscap_start(&options), 0);
	emit_twice(peer_arg());
	CHECK_EQ(syscap_stop(), 0);
	free(path);
}

/* AddressSanitizer's allocator lock may be held by another thread at fork().
 * Then the search for leaks at the child's exit waits forever. */
const char *__asan_default_options(void);

__attribute__((visibility("default"))) const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

/* At the end the writer is a child whose parent has ended. */
CHILD(forks)
{
	written_mark(1, 0);
	while (syscap_drain() == -EAGAIN)
		test_sleep_ms(1);
	if (fork() == 0)
		emit_twice(peer_arg());
}

/* The program emits no event before the commands have run. */
CHILD(late)
{
	commands_touch(peer_arg(), "ready");
	commands_await(peer_arg(), "go");
	emit(0);
	emit(MARKS);
}

/* ------------------------------------------------------------- commands */

static const char *const writing[] = {
	"symbolize x",
	"symbolize --force -q x",
	"symbolize -o x other",
	"cat -o x other",
	"cat --force -o x other",
	"record -o x -- true",
	"record --force -qo x -- true",
	"recover x",
};
#define N_WRITING (sizeof(writing) / sizeof(*writing))

/* The commands in this list never overwrite captures. */
static const char *const making[] = {
	"export -f folded -o x other",
	"flamegraph -o x other",
	"import -f folded -o x stacks",
};
#define N_MAKING (sizeof(making) / sizeof(*making))

static const char *const reading[] = {
	"stat x",    "dump x >all", "cat -o copy x", "symbolize -o copy x",
	"stat copy",
};

/* Checks that the first @n commands, which write to x, are refused with an
 * error that names @pid, and that commands that read x work. */
static void check_refused(const char *dir, pid_t pid, unsigned n)
{
	char who[32];
	struct commands_said said;

	snprintf(who, sizeof(who), "process %d (", (int)pid);
	for (unsigned i = 0; i < n + N_MAKING; i++) {
		const char *const line = i < n ? writing[i] : making[i - n];

		commands_run(dir, line, &said);
		if (said.status != (strncmp(line, "record", 6) == 0 ? 125 : 1))
			test_fail(__FILE__, __LINE__, "syscap %s: %d: %s", line,
			          said.status, said.text);
		if (strstr(said.text, who) == NULL)
			test_fail(__FILE__, __LINE__,
			          "syscap %s: no '%s' in: %s", line, who,
			          said.text);
	}
	for (unsigned i = 0; i < sizeof(reading) / sizeof(*reading); i++)
		commands_run_well(dir, reading[i]);
}

/* ----------------------------------------------------------------- modes */

enum mode {
	TRACE,
	TRACE_APPEND,
	TRACE_NO_THREAD,
	OUTPUT,
	OUTPUT_NO_THREAD,
	START,
	MODES
};

/* A directory with a capture `other`, and a writer of `x`. */
struct writer {
	char *dir, *x;
	pid_t pid;
};

static void make_folder(struct writer *writer)
{
	writer->dir = written_make_dir();
	writer->x = commands_name(writer->dir, "x");
	commands_make_other(writer->dir);
}

static void start(struct writer *writer, enum mode mode, const char *child)
{
	char variable[400];
	const char *const env[] = { variable,
		                    mode == TRACE_NO_THREAD ||
		                                    mode == OUTPUT_NO_THREAD
		                            ? "SYSCAP_THREAD=0"
		                            : "SYSCAP_THREAD=1",
		                    NULL };
	int fd = -1;

	snprintf(variable, sizeof(variable), "SYSPROF_TRACE_FD=3");
	if (mode >= OUTPUT)
		snprintf(variable, sizeof(variable),
		         mode == START ? "LC_ALL=C" : "SYSCAP_OUTPUT=%s",
		         writer->x);
	else
		fd = open(writer->x,
		          O_CREAT | O_CLOEXEC |
		                  (mode == TRACE_APPEND ? O_WRONLY | O_APPEND
		                                        : O_RDWR),
		          0666);
	writer->pid = written_start(child, writer->dir, env, fd);
	if (fd >= 0)
		close(fd);
	commands_await(writer->dir, "ready");
}

static void check_all_there(const struct writer *writer, unsigned n)
{
	struct tally t;

	written_tally(writer->x, &t);
	CHECK_EQ(t.emitters[0], n);
	CHECK_EQ(t.gaps + t.doubles, 0);
	CHECK_EQ(t.lost, 0);
	CHECK_EQ(t.torn_at, 0);
}

static void finish(struct writer *writer)
{
	written_remove_dir(writer->dir);
	free(writer->x);
}

static void check_alive(enum mode mode)
{
	struct writer writer;

	make_folder(&writer);
	start(&writer, mode, mode == START ? "started" : "twice");
	check_refused(writer.dir, writer.pid, N_WRITING);
	commands_touch(writer.dir, "go");
	CHECK_EQ(written_wait(writer.pid), 0);
	check_all_there(&writer, 2 * MARKS);
	/* after the exit, these commands work */
	for (unsigned i = N_WRITING; i-- > 0;)
		commands_run_well(writer.dir, writing[i]);
	finish(&writer);
}

TEST(a_trace_file_that_is_written_is_left_alone)
{
	check_alive(TRACE);
}

TEST(a_trace_file_that_is_appended_to_is_left_alone)
{
	check_alive(TRACE_APPEND);
}

TEST(a_trace_file_that_is_written_without_a_thread_is_left_alone)
{
	check_alive(TRACE_NO_THREAD);
}

TEST(an_output_that_is_written_is_left_alone)
{
	check_alive(OUTPUT);
}

TEST(an_output_that_is_written_without_a_thread_is_left_alone)
{
	check_alive(OUTPUT_NO_THREAD);
}

TEST(an_output_that_was_started_by_the_program_is_left_alone)
{
	check_alive(START);
}

/* ------------------------------------ children that continue the file */

/* The pid of the last writer of @name. */
static pid_t find_child(const char *name)
{
	struct tally t;

	written_tally(name, &t);
	CHECK(t.processes > 0);
	return t.pids[t.processes - 1];
}

TEST(a_trace_file_that_a_forked_child_writes_is_left_alone)
{
	static const enum mode modes[] = { TRACE, TRACE_APPEND,
		                           TRACE_NO_THREAD };

	for (unsigned i = 0; i < sizeof(modes) / sizeof(*modes); i++) {
		struct writer writer;
		struct commands_said said;

		make_folder(&writer);
		start(&writer, modes[i], "forks");
		CHECK_EQ(written_wait(writer.pid), 0);
		check_refused(writer.dir, find_child(writer.x), N_WRITING);
		commands_touch(writer.dir, "go");
		/* the writer is no child of this test */
		do {
			test_sleep_ms(5);
			commands_run(writer.dir, "symbolize x", &said);
		} while (said.status != 0);
		check_all_there(&writer, 2 * MARKS);
		finish(&writer);
	}
}

/* ------------------------------------------------- before the first event */

TEST(a_trace_file_is_left_alone_before_its_process_emits)
{
	struct writer writer;

	make_folder(&writer);
	commands_run_well(writer.dir, "cat -o x other");
	start(&writer, TRACE_APPEND, "late");
	/* `recover`, the last command, is left out: it does no harm here */
	check_refused(writer.dir, writer.pid, N_WRITING - 1);
	commands_touch(writer.dir, "go");
	CHECK_EQ(written_wait(writer.pid), 0);
	check_all_there(&writer, 2 * MARKS);
	finish(&writer);
}

/* --------------------------------------------------------------- killed */

TEST(a_trace_file_whose_process_was_killed_is_free)
{
	struct writer writer;

	make_folder(&writer);
	start(&writer, TRACE, "twice");
	kill(writer.pid, SIGKILL);
	CHECK(WIFSIGNALED(written_wait(writer.pid)));
	commands_run_well(writer.dir, "recover x");
	commands_run_well(writer.dir, "symbolize x");
	check_all_there(&writer, MARKS);
	commands_run_well(writer.dir, "record -qo x -- true");
	finish(&writer);
}

CHILD(stopped)
{
	emit(0);
	while (syscap_drain() == -EAGAIN)
		test_sleep_ms(1);
	emit(MARKS); /* these marks stay in the ring file */
	commands_touch(peer_arg(), "ready");
	commands_await(peer_arg(), "go");
}

TEST(an_output_whose_process_was_killed_is_recovered_first)
{
	static const char *const later[] = { "symbolize x",
		                             "symbolize -o x other",
		                             "cat -o x other",
		                             "record -qo x -- true" };
	struct writer writer;
	struct commands_said said;

	make_folder(&writer);
	start(&writer, OUTPUT_NO_THREAD, "stopped");
	kill(writer.pid, SIGKILL);
	CHECK(WIFSIGNALED(written_wait(writer.pid)));
	for (unsigned i = 0; i < sizeof(later) / sizeof(*later); i++) {
		commands_run(writer.dir, later[i], &said);
		CHECK_EQ(said.status,
		         strncmp(later[i], "record", 6) == 0 ? 125 : 1);
		CHECK(strstr(said.text, "run 'syscap recover' first"));
	}
	commands_run_well(writer.dir, "recover x");
	check_all_there(&writer, 2 * MARKS);
	for (unsigned i = 0; i < sizeof(later) / sizeof(*later); i++)
		commands_run_well(writer.dir, later[i]);
	finish(&writer);
}

/* ------------------------------------------------------------- recorders */

TEST(a_capture_that_is_recorded_is_left_alone)
{
	struct writer writer;
	char *command;

	make_folder(&writer);
	CHECK(asprintf(&command,
	               "touch %s/ready; while ! [ -e %s/go ]; do sleep "
	               "0.05; done",
	               writer.dir, writer.dir) > 0);
	writer.pid = fork();
	if (writer.pid == 0) {
		execl(commands_syscap(), "syscap", "record", "-qo", writer.x,
		      "--", "sh", "-c", command, NULL);
		_exit(127);
	}
	commands_await(writer.dir, "ready");
	check_refused(writer.dir, writer.pid, N_WRITING);
	commands_touch(writer.dir, "go");
	CHECK_EQ(written_wait(writer.pid), 0);
	commands_run_well(writer.dir, "check x");
	commands_run_well(writer.dir, "symbolize x");
	free(command);
	finish(&writer);
}

TEST(a_file_that_a_stranger_has_open_for_writing_is_left_alone)
{
	struct writer writer;

	make_folder(&writer);
	commands_run_well(writer.dir, "cat -o x other");
	const int fd = open(writer.x, O_WRONLY | O_APPEND | O_CLOEXEC);
	CHECK(fd >= 0);
	check_refused(writer.dir, getpid(), N_WRITING - 1);
	close(fd);
	for (unsigned i = 0; i < N_WRITING; i++)
		commands_run_well(writer.dir, writing[i]);
	finish(&writer);
}

TEST(redirected_standard_output_is_written)
{
	struct writer writer;

	make_folder(&writer);
	commands_run_well(writer.dir, "cat -o /dev/stdout other >x");
	commands_run_well(writer.dir, "check x");
	finish(&writer);
}
