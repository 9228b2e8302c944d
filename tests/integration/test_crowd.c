/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_crowd.c - many threads and processes on an overloaded machine, while the
 * recorder, or the first process that records itself, is stopped for a while.
 * All events are in the capture, or reported as lost.
 *
 * With --whole the larger forms drive the load to some hundreds: CROWD_RUNS=3
 * and the name of a test shorten the run.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap/capture.h>

#include "harness/test.h"
#include "integration/recording.h"

enum mode {
	RECORD,
	OUTPUT,
	TRACE,
	MODES
};

/* Numbers of one process's events, by its own count and by the captures. */
struct process {
	int32_t pid;
	unsigned sent, kept, told;
	bool is_named;
};

static struct recording recording;
static struct process processes[8192];
static unsigned n_processes;
/*
 * A reused pid has one entry in `processes`, but a line or frame for each
 * process
 */
static unsigned n_said, n_named, n_spawned;
/* If the parent has no free slot, a child starts its own arena, in its own
 * capture or in the parent's trace.  Then both writers name the child */
static bool are_named_twice;

static struct process *find_process(int32_t pid)
{
	for (unsigned i = 0; i < n_processes; i++)
		if (processes[i].pid == pid)
			return &processes[i];
	CHECK(n_processes < sizeof(processes) / sizeof(*processes));
	processes[n_processes].pid = pid;
	return &processes[n_processes++];
}

/* -------------------------------------------------------------------- load */

static pid_t burners[256];
static unsigned n_burners;

/* Starts processes that end with this process. */
static void make_load(void)
{
	const pid_t self = getpid();

	n_burners = 3 * (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
	if (n_burners > 256)
		n_burners = 256;
	for (unsigned i = 0; i < n_burners; i++) {
		burners[i] = fork();
		if (burners[i] != 0)
			continue;
		while (getppid() == self)
			for (volatile unsigned k = 0; k < 1000000; k++)
				;
		_exit(0);
	}
}

static void end_load(void)
{
	for (unsigned i = 0; i < n_burners; i++) {
		kill(burners[i], SIGKILL);
		waitpid(burners[i], NULL, 0);
	}
}

static const char *name(const char *file)
{
	static char path[4][400];
	static unsigned n;

	n = (n + 1) % 4;
	snprintf(path[n], sizeof(path[n]), "%s/%s", recording.dir, file);
	return path[n];
}

/* ------------------------------------------------------------------- a crowd */

static void touch(const char *file)
{
	const int fd = open(name(file), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	CHECK(fd >= 0);
	close(fd);
}

static bool exists(const void *path)
{
	return access(path, F_OK) == 0;
}

/* @words: the program's arguments after its directory, at most four, and
 * NULL. */
static pid_t start(enum mode mode, const char *const *words)
{
	const char *const program = recording_program("crowd");

	if (mode == RECORD) {
		recording_start(&recording, "--", program, recording.dir,
		                words[0], words[1],
		                words[1] != NULL ? words[2] : NULL, NULL);
		return recording.pid;
	}
	const pid_t pid = fork();
	if (pid != 0)
		return pid;
	if (mode == OUTPUT) {
		setenv("SYSCAP_OUTPUT", name("out.syscap"), 1);
		setenv("XDG_RUNTIME_DIR", recording.dir, 1);
	} else {
		const int fd = open(name("out.syscap"), O_RDWR | O_CREAT, 0600);

		if (fd != 3)
			dup2(fd, 3);
		setenv("SYSPROF_TRACE_FD", "3", 1);
	}
	execl(program, "crowd", recording.dir, words[0], words[1],
	      words[1] != NULL ? words[2] : NULL, (char *)NULL);
	_exit(98);
}

static void read_said(void)
{
	FILE *const file = fopen(name("said"), "re");
	unsigned sent;
	int pid;

	CHECK(file != NULL);
	while (fscanf(file, "%d %u", &pid, &sent) == 2)
		find_process(pid)->sent += sent, n_said++;
	fclose(file);
}

/* Forked processes have their parent's command line. */
static void read_process(const struct syscap_frame *frame)
{
	if (strstr(frame->process.cmdline, "crowd") == NULL)
		return;
	struct process *const p = find_process(frame->pid);
	if (p->is_named && are_named_twice)
		return;
	p->is_named = true;
	n_named++;
	n_spawned += strstr(frame->process.cmdline, " three") != NULL;
}

static void read_mark(const struct syscap_frame *frame)
{
	const char *marks;

	if (strcmp(frame->mark.group, "crowd") == 0) {
		find_process(frame->pid)->kept++;
	} else if (strcmp(frame->mark.group, "syscap") == 0 &&
	           strcmp(frame->mark.name, "lost") == 0 &&
	           (marks = strstr(frame->mark.message, " mark=")) != NULL) {
		find_process(frame->pid)->told +=
			(unsigned)strtoul(marks + 6, NULL, 10);
	}
}

static void read_capture(const char *path)
{
	struct syscap_reader *reader;
	struct syscap_frame frame;
	struct syscap_error error;
	int r;

	if (syscap_reader_open(path, &reader, &error) != 0)
		test_fail(__FILE__, __LINE__, "%s: %s", path, error.message);
	while ((r = syscap_reader_next(reader, &frame, &error)) == 1) {
		if (frame.type == SYSCAP_FRAME_MARK)
			read_mark(&frame);
		else if (frame.type == SYSCAP_FRAME_PROCESS)
			read_process(&frame);
	}
	if (r != 0)
		test_fail(__FILE__, __LINE__, "%s: %s", path, error.message);
	syscap_reader_close(reader);
}

static void read_captures(enum mode mode)
{
	DIR *const dir = opendir(recording.dir);
	struct dirent *e;

	CHECK(dir != NULL);
	if (mode == RECORD)
		read_capture(recording.path);
	while (mode != RECORD && (e = readdir(dir)) != NULL)
		if (strncmp(e->d_name, "out.syscap", 10) == 0 &&
		    strstr(e->d_name, ".rings") == NULL)
			read_capture(name(e->d_name));
	closedir(dir);
}

/*
 * The parent's capture reports losses of a child without a ring, as the
 * parent's own.  Only a recorder attributes each loss to its process.
 */
static void check_processes(enum mode mode, const char *what, unsigned ms)
{
	unsigned sent = 0, kept = 0, told = 0;

	for (unsigned i = 0; i < n_processes; i++) {
		const struct process *const p = &processes[i];

		sent += p->sent;
		kept += p->kept;
		told += p->told;
		if (mode == RECORD ? p->sent != p->kept + p->told
		                   : p->sent < p->kept)
			test_fail(
				__FILE__, __LINE__,
				"mode %d, %s, %u ms, pid %d: sent %u, kept %u, "
				"reported %u: %s",
				mode, what, ms, (int)p->pid, p->sent, p->kept,
				p->told, recording.messages);
	}
	if (kept == 0 || sent != kept + told)
		test_fail(__FILE__, __LINE__,
		          "mode %d, %s, %u ms: sent %u, kept %u, reported %u",
		          mode, what, ms, sent, kept, told);
}

/* Checks that the capture names no unknown process, and that no process has the
 * name of another. */
static void check_names(enum mode mode, const char *kind, unsigned n)
{
	for (unsigned i = 0; i < n_processes; i++) {
		const struct process *const p = &processes[i];

		if (p->is_named ? p->sent == 0 : p->kept != 0)
			test_fail(__FILE__, __LINE__,
			          "mode %d, %s: pid %d, which sent %u, is %s",
			          mode, kind, (int)p->pid, p->sent,
			          p->is_named ? "made up" : "not named");
	}
	CHECK_EQ(n_named, n_said);
	CHECK_EQ(n_spawned, strcmp(kind, "forks") == 0 ? n / 4 : 0);
}

static void check_crowd(enum mode mode, unsigned ms, const char *kind,
                        const char *n, const char *n_threads)
{
	const char *const words[] = { kind, n, n_threads, NULL };

	memset(processes, 0, sizeof(processes));
	n_processes = n_said = n_named = n_spawned = 0;
	are_named_twice = mode != RECORD && strcmp(kind, "threads") == 0;
	recording_init(&recording);
	make_load();
	const pid_t pid = start(mode, words);
	CHECK(recording_wait(exists, name("ready")));
	if (ms != 0)
		CHECK_EQ(kill(pid, SIGSTOP), 0);
	touch("go");
	usleep(1000 * ms);
	if (ms != 0)
		CHECK_EQ(kill(pid, SIGCONT), 0);
	usleep(100000);
	touch("end");
	if (mode == RECORD) {
		CHECK_EQ(recording_finish(&recording), 0);
	} else {
		int status;

		CHECK_EQ(waitpid(pid, &status, 0), pid);
		CHECK_EQ(status, 0);
	}
	end_load();
	read_said();
	read_captures(mode);
	check_processes(mode, kind, ms);
	check_names(mode, kind, (unsigned)atoi(n));
	recording_free(&recording);
}

/* Runs one form several times; the second element of each array applies with
 * --whole. */
static void check_runs(enum mode mode, const char *kind, const char *const n[2],
                       const char *const n_threads[2])
{
	const bool is_whole = test_is_whole();
	const char *const wanted = getenv("CROWD_RUNS");
	const unsigned runs = wanted != NULL ? (unsigned)atoi(wanted)
	                      : is_whole     ? 20
	                                     : 2;

	for (unsigned i = 0; i < runs; i++)
		check_crowd(mode, is_whole && i % 2 == 1 ? 3000 : 300, kind,
		            n[is_whole],
		            n_threads != NULL ? n_threads[is_whole] : NULL);
}

static void check_threads(enum mode mode)
{
	static const char *const one[2] = { "1", "1" };
	static const char *const many[2] = { "200", "200" };

	check_runs(mode, "threads", one, many);
}

static void check_processes_of_threads(enum mode mode)
{
	static const char *const n[2] = { "4", "16" };
	static const char *const n_threads[2] = { "50", "100" };

	check_runs(mode, "threads", n, n_threads);
}

static void check_many_threads(enum mode mode)
{
	static const char *const n[2] = { "2", "4" };
	static const char *const n_threads[2] = { "100", "800" };

	check_runs(mode, "threads", n, n_threads);
}

static void check_forks(enum mode mode)
{
	static const char *const n[2] = { "60", "2000" };

	check_runs(mode, "forks", n, NULL);
}

TEST(two_hundred_threads_under_a_recorder_report_all_losses)
{
	check_threads(RECORD);
}

TEST(processes_of_threads_under_a_recorder_report_all_losses)
{
	check_processes_of_threads(RECORD);
}

TEST(processes_of_many_threads_under_a_recorder_report_all_losses)
{
	check_many_threads(RECORD);
}

TEST(short_children_under_a_recorder_report_all_losses)
{
	check_forks(RECORD);
}

TEST(two_hundred_threads_with_an_output_report_all_losses)
{
	check_threads(OUTPUT);
}

TEST(processes_of_threads_with_an_output_report_all_losses)
{
	check_processes_of_threads(OUTPUT);
}

TEST(processes_of_many_threads_with_an_output_report_all_losses)
{
	check_many_threads(OUTPUT);
}

TEST(short_children_with_an_output_report_all_losses)
{
	check_forks(OUTPUT);
}

TEST(two_hundred_threads_with_a_trace_report_all_losses)
{
	check_threads(TRACE);
}

TEST(processes_of_threads_with_a_trace_report_all_losses)
{
	check_processes_of_threads(TRACE);
}

TEST(processes_of_many_threads_with_a_trace_report_all_losses)
{
	check_many_threads(TRACE);
}

TEST(short_children_with_a_trace_report_all_losses)
{
	check_forks(TRACE);
}
