/* SPDX-License-Identifier: BSD-2-Clause */
/* test_record_life.c - the beginning and end of a recording, and its status. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness/test.h"
#include "integration/recording.h"

static struct recording recording;

static bool exists(const void *path)
{
	return access(path, F_OK) == 0;
}

static uint64_t size_of(void)
{
	struct stat st;

	CHECK_EQ(stat(recording.path, &st), 0);
	return (uint64_t)st.st_size;
}

static int64_t end_time(void)
{
	struct syscap_file_info info;
	struct syscap_reader *reader;

	CHECK_EQ(syscap_reader_open(recording.path, &reader, NULL), 0);
	syscap_reader_info(reader, &info);
	syscap_reader_close(reader);
	CHECK(info.begin > 0);
	CHECK(info.end == 0 || info.end >= info.begin);
	return info.end;
}

TEST(the_status_of_the_command_is_passed_on)
{
	recording_init(&recording);
	CHECK_EQ(recording_run(&recording, "true", NULL), 0);
	CHECK_EQ(recording_run(&recording, "--", "sh", "-c", "exit 7", NULL),
	         7);
	CHECK_EQ(recording_run(&recording, "sh", "-c", "kill -9 $$", NULL),
	         128 + 9);
	CHECK(end_time() > 0);
	recording_free(&recording);
}

TEST(a_command_that_cannot_run_leaves_no_capture)
{
	recording_init(&recording);
	CHECK_EQ(recording_run(&recording, "./there/is/no/such", NULL), 127);
	CHECK(!exists(recording.path));
	CHECK_EQ(recording_run(&recording, "/", NULL), 126);
	CHECK(!exists(recording.path));
	recording_free(&recording);
}

TEST(wrong_use_is_status_2)
{
	recording_init(&recording);
	CHECK_EQ(recording_run(&recording, NULL), 2);
	CHECK_EQ(recording_run(&recording, "--no-such-option", "true", NULL),
	         2);
	CHECK_EQ(recording_run(&recording, "--ring-kib", "3", "true", NULL), 2);
	CHECK_EQ(recording_run(&recording, "--ring-kib", "8x", "true", NULL),
	         2);
	CHECK_EQ(recording_run(&recording, "--drain-interval", "0", "true",
	                       NULL),
	         2);
	setenv("SYSCAP_RING_KIB", "many", 1);
	CHECK_EQ(recording_run(&recording, "true", NULL), 2);
	CHECK(!exists(recording.path));
	recording_free(&recording);
}

static void write_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "w");

	CHECK(file != NULL);
	fputs(text, file);
	fclose(file);
}

TEST(a_file_that_is_no_capture_is_overwritten_by_force_only)
{
	recording_init(&recording);
	write_file(recording.path, "dear diary");
	CHECK_EQ(recording_run(&recording, "true", NULL), 125);
	CHECK(strstr(recording.messages, "--force") != NULL);
	CHECK_EQ(recording_run(&recording, "--force", "true", NULL), 0);
	CHECK(end_time() > 0);
	CHECK_EQ(recording_run(&recording, "true", NULL), 0);
	recording_free(&recording);
}

static bool is_our_metadata(const struct syscap_frame *frame, const void *arg)
{
	return frame->type == SYSCAP_FRAME_METADATA &&
	       strcmp(frame->metadata.id, arg) == 0 &&
	       frame->metadata.value[0] != 0;
}

static bool is_process(const struct syscap_frame *frame, const void *arg)
{
	return frame->type == SYSCAP_FRAME_PROCESS &&
	       strcmp(frame->process.cmdline, arg) == 0;
}

TEST(a_capture_has_metadata_of_the_recording)
{
	static const char *const ids[] = { "syscap.version", "syscap.command",
		                           "syscap.ring-kib", "syscap.kernel" };

	recording_init(&recording);
	CHECK_EQ(recording_run(&recording, "sh", "-c", "exit 0", NULL), 0);
	for (unsigned i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		CHECK_EQ(recording_count(&recording, is_our_metadata, ids[i]),
		         1);
	CHECK_EQ(recording_count(&recording, is_process, "sh -c exit 0"), 1);
	recording_free(&recording);
}

static void start_shell(const char *script)
{
	static char flag[128];

	recording_init(&recording);
	snprintf(flag, sizeof(flag), "%s/messages.flag", recording.dir);
	recording_start(&recording, "sh", "-c", script, flag, NULL);
	/* $0 is the flag, a file that the script makes when it is ready. */
	CHECK(recording_wait(exists, flag));
	unlink(flag);
}

TEST(signals_are_forwarded_and_the_capture_is_finished)
{
	static const int signals[] = { SIGTERM, SIGINT, SIGHUP, SIGQUIT };

	for (unsigned i = 0; i < 4; i++) {
		start_shell("trap 'exit 9' TERM INT HUP QUIT; : > $0;"
		            "while :; do sleep 0.02; done");
		kill(recording.pid, signals[i]);
		CHECK_EQ(recording_finish(&recording), 9);
		CHECK(end_time() > 0);
		recording_free(&recording);
	}
}

static bool is_killed(const struct syscap_frame *frame, const void *arg)
{
	if (frame->type == SYSCAP_FRAME_PROCESS)
		kill(frame->pid, *(const int *)arg);
	return frame->type == SYSCAP_FRAME_PROCESS;
}

/* Two pending signals would become one, so this waits until the process has
 * taken the first. */
static bool has_taken(const void *signo)
{
	char path[64], line[128];
	unsigned long long pending = ~0ull;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)recording.pid);
	FILE *const file = fopen(path, "re");
	CHECK(file != NULL);
	while (fgets(line, sizeof(line), file) != NULL)
		sscanf(line, "ShdPnd: %llx", &pending);
	fclose(file);
	return (pending >> (*(const int *)signo - 1) & 1) == 0;
}

TEST(a_second_signal_stops_waiting_for_a_stubborn_command)
{
	const int signo = SIGKILL, first = SIGINT;

	start_shell("trap '' INT; : > $0; exec sleep 60");
	kill(recording.pid, SIGINT);
	CHECK(recording_wait(has_taken, &first));
	usleep(200000);
	CHECK_EQ(waitpid(recording.pid, NULL, WNOHANG), 0);
	kill(recording.pid, SIGINT);
	CHECK_EQ(recording_finish(&recording), 128 + SIGINT);
	CHECK(end_time() > 0);
	CHECK(recording_count(&recording, is_killed, &signo) >= 1);
	recording_free(&recording);
}

/* The first line of @path. */
static void read_line(const char *path, char *line, int size)
{
	FILE *file = fopen(path, "r");

	CHECK(file != NULL);
	CHECK(fgets(line, size, file) != NULL);
	fclose(file);
	unlink(path);
}

TEST(the_command_gets_the_signals_limits_and_files_it_would_have_had)
{
	static const char script[] =
		"echo $(grep -E 'Sig(Blk|Ign)' /proc/self/status) $(ulimit -n)"
		" $(ls /proc/self/fd) > $0";
	char with[1024], without[1024], path[128], fd[16];
	pid_t pid;

	recording_init(&recording);
	snprintf(path, sizeof(path), "%s/said", recording.dir);
	pid = fork();
	if (pid == 0) {
		execlp("sh", "sh", "-c", script, path, (char *)NULL);
		_exit(99);
	}
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	read_line(path, without, sizeof(without));
	CHECK_EQ(recording_run(&recording, "sh", "-c", script, path, NULL), 0);
	read_line(path, with, sizeof(with));
	CHECK_EQ(recording_run(&recording, "sh", "-c",
	                       "echo $SYSPROF_CONTROL_FD > $0", path, NULL),
	         0);
	read_line(path, fd, sizeof(fd));
	/* There is one fd more, the socket. */
	CHECK_EQ(strlen(with), strlen(without) + strlen(fd));
	CHECK_EQ(strncmp(with, without, strcspn(without, "\n") - 6), 0);
	recording_free(&recording);
}

TEST(a_full_disk_stops_the_recording_and_not_the_command)
{
	const struct rlimit limit = { 300000, 300000 };
	char path[128], line[16];

	recording_init(&recording);
	snprintf(path, sizeof(path), "%s/said", recording.dir);
	CHECK_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
	/* The limit also applies to memory files. */
	CHECK_EQ(recording_run(&recording, "--ring-kib", "100", "sh", "-c",
	                       "\"$0\" good 100000; echo $? > $1",
	                       recording_program("hostile_client"), path, NULL),
	         125);
	read_line(path, line, sizeof(line));
	CHECK_STR(line, "0\n");
	CHECK(strstr(recording.messages, "File too large") != NULL);
	CHECK(strstr(recording.messages, "not written") != NULL);
	/* The capture is valid, and as large as the limit allows. */
	const size_t kept = recording_count_marks(&recording, "test", "good");
	CHECK(kept > 2000);
	CHECK_EQ(kept + recording_count_lost(&recording, SYSCAP_FRAME_MARK),
	         100000);
	CHECK(end_time() > 0);
	recording_free(&recording);
}

static bool has_frames(const void *arg)
{
	struct stat st;

	return stat(recording.path, &st) == 0 &&
	       st.st_size > *(const off_t *)arg;
}

/* The capture has at least @arg marks, and no torn frame. */
static bool has_marks(const void *arg)
{
	struct syscap_reader *reader;
	struct syscap_frame frame;
	unsigned n = 0;
	int r;

	if (syscap_reader_open(recording.path, &reader, NULL) != 0)
		return false;
	while ((r = syscap_reader_next(reader, &frame, NULL)) > 0)
		n += frame.type == SYSCAP_FRAME_MARK;
	syscap_reader_close(reader);
	return r == 0 && n >= *(const unsigned *)arg;
}

TEST(the_capture_can_be_read_while_it_grows)
{
	const unsigned expected = 1000;

	recording_init(&recording);
	recording_start(&recording, "sh", "-c", "\"$0\" good 1000; sleep 60",
	                recording_program("hostile_client"), NULL);
	CHECK(recording_wait(has_marks, &expected));
	recording_check_good(&recording, expected);
	CHECK_EQ(end_time(), 0);
	/* The recorder passes the signal on to its command, the shell. */
	kill(recording.pid, SIGTERM);
	CHECK_EQ(recording_finish(&recording), 128 + SIGTERM);
	recording_free(&recording);
}

TEST(a_recorder_that_is_killed_tears_at_most_the_last_frame)
{
	const off_t expected = 1000 * 104;
	struct syscap_reader *reader;
	struct syscap_error error;
	struct syscap_frame frame;
	unsigned n = 0;
	int r;

	recording_init(&recording);
	recording_start(&recording, recording_program("hostile_client"), "good",
	                "100000000", NULL);
	CHECK(recording_wait(has_frames, &expected));
	kill(recording.pid, SIGKILL);
	CHECK_EQ(recording_finish(&recording), 1000 + SIGKILL);
	CHECK_EQ(syscap_reader_open(recording.path, &reader, &error), 0);
	while ((r = syscap_reader_next(reader, &frame, &error)) > 0)
		n += is_killed(&frame, &(int){ SIGKILL }) ? 0 : 1;
	CHECK(n >= 1000);
	CHECK(r == 0 || syscap_reader_tell(reader) + 104 > size_of());
	syscap_reader_close(reader);
	CHECK_EQ(end_time(), 0);
	recording_free(&recording);
}

TEST(a_fixed_interval_drains_no_more_often)
{
	struct timespec from, to;

	recording_init(&recording);
	clock_gettime(CLOCK_MONOTONIC, &from);
	/* 200 marks of 104 bytes need 6 drains of 4 KiB. */
	CHECK_EQ(recording_run(&recording, "--ring-kib", "4",
	                       "--drain-interval", "200",
	                       recording_program("hostile_client"), "good",
	                       "200", NULL),
	         0);
	clock_gettime(CLOCK_MONOTONIC, &to);
	recording_check_good(&recording, 200);
	CHECK((to.tv_sec - from.tv_sec) * 1000 +
	              (to.tv_nsec - from.tv_nsec) / 1000000 >=
	      800);
	recording_free(&recording);
}

TEST(rings_of_every_size_carry_all_frames)
{
	static const char *const sizes[] = { "4", "5", "100", "1048576" };

	for (unsigned i = 0; i < 4; i++) {
		recording_init(&recording);
		CHECK_EQ(recording_run(&recording, "--ring-kib", sizes[i],
		                       recording_program("hostile_client"),
		                       "good", "5000", NULL),
		         0);
		recording_check_good(&recording, 5000);
		recording_free(&recording);
	}
}
