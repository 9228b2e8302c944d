/* SPDX-License-Identifier: BSD-2-Clause */
/* test_record_rings.c - rings and processes, from start to end. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/test.h"
#include "integration/recording.h"

static struct recording recording;

static int record(const char *what)
{
	recording_init(&recording);
	return recording_run(&recording, recording_program("ring_deeds"), what,
	                     NULL);
}

/* The frames in their order, with the fields that tests need. */
struct seen {
	uint8_t type;
	int32_t pid;
	int64_t time;
	char text[128];
	uint32_t id, value;
};

static struct seen seen[4096];
static unsigned n_seen;

static void look(void)
{
	struct syscap_reader *reader;
	struct syscap_error error;
	struct syscap_frame frame;
	struct syscap_counter_info counter;
	uint64_t bits = 0;

	n_seen = 0;
	CHECK_EQ(syscap_reader_open(recording.path, &reader, &error), 0);
	while (syscap_reader_next(reader, &frame, &error) > 0) {
		struct seen *one = &seen[n_seen++];
		const char *text = "";

		CHECK(n_seen < 4096);
		*one = (struct seen){ .type = frame.type,
			              .pid = frame.pid,
			              .time = frame.time };
		if (frame.type == SYSCAP_FRAME_MARK)
			text = frame.mark.name[0] == 'l' ? frame.mark.message
			                                 : frame.mark.name;
		else if (frame.type == SYSCAP_FRAME_PROCESS)
			text = frame.process.cmdline;
		else if (frame.type == SYSCAP_FRAME_MAP)
			text = frame.map.filename;
		else if (syscap_frame_counter(reader, &frame, 0, &counter))
			text = counter.name, one->id = counter.id;
		else if (syscap_frame_value(reader, &frame, 0, &one->id, &bits))
			one->value = (uint32_t)bits;
		snprintf(one->text, sizeof(one->text), "%s", text);
	}
	syscap_reader_close(reader);
}

/* Index of the first frame from @at on with @type, @pid and @text, or
 * n_seen. */
static unsigned find(unsigned at, uint8_t type, int32_t pid, const char *text)
{
	for (; at < n_seen; at++)
		if (seen[at].type == type &&
		    (pid == 0 || seen[at].pid == pid) &&
		    (text == NULL || strstr(seen[at].text, text) != NULL))
			break;
	return at;
}

TEST(counters_that_threads_give_one_id_come_out_apart)
{
	uint32_t apples, pears;
	unsigned n[2] = { 0, 0 };

	CHECK_EQ(record("counters"), 0);
	look();
	apples = seen[find(0, SYSCAP_FRAME_CTRDEF, 0, "apples")].id;
	pears = seen[find(0, SYSCAP_FRAME_CTRDEF, 0, "pears")].id;
	CHECK_EQ(apples + pears, 3);
	for (unsigned i = 0; i < n_seen; i++) {
		if (seen[i].type != SYSCAP_FRAME_CTRSET)
			continue;
		CHECK_EQ(seen[i].id, seen[i].value == 1 ? apples : pears);
		n[seen[i].value]++;
	}
	CHECK_EQ(n[0], 100);
	CHECK_EQ(n[1], 100);
	recording_free(&recording);
}

TEST(the_recorder_reports_losses_without_a_record)
{
	unsigned first, second;
	char text[128];

	CHECK_EQ(record("losses"), 128 + SIGKILL);
	look();
	first = find(0, SYSCAP_FRAME_MARK, 0, "frames=4 bytes=400");
	second = find(first + 1, SYSCAP_FRAME_MARK, 0, "frames=");
	CHECK(first < n_seen && second < n_seen);
	snprintf(text, sizeof(text), "frames=5 bytes=600 tid=%d mark=2 log=3",
	         seen[second].pid);
	CHECK_STR(seen[second].text, text);
	CHECK_EQ(seen[second].time, 5000);
	CHECK_EQ(find(second + 1, SYSCAP_FRAME_MARK, 0, NULL), n_seen);
	CHECK(strstr(recording.messages, "9 frames lost") != NULL);
	recording_free(&recording);
}

TEST(threads_that_only_a_sampler_names_are_counted)
{
	CHECK_EQ(record("stacks"), 0);
	CHECK_EQ(recording_count_type(&recording, SYSCAP_FRAME_SAMPLE), 8);
	CHECK(strstr(recording.messages, " of 1 process, 4 threads, ") != NULL);
	recording_free(&recording);
}

TEST(threads_beyond_the_recorders_count_are_reported_as_more)
{
	CHECK_EQ(record("invented"), 0);
	CHECK(strstr(recording.messages,
	             " 1 process, at least 262,144 threads, ") != NULL);
	recording_free(&recording);
}

TEST(every_frame_before_a_sudden_death_arrives)
{
	CHECK_EQ(record("death"), 128 + SIGKILL);
	CHECK_EQ(recording_count_marks(&recording, "test", "before death"),
	         1000);
	CHECK_EQ(recording_count_type(&recording, SYSCAP_FRAME_EXIT), 1);
	recording_free(&recording);
}

static unsigned count_rings(void)
{
	char path[64], line[512];
	unsigned n = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)recording.pid);
	file = fopen(path, "r");
	CHECK(file != NULL);
	while (fgets(line, sizeof(line), file) != NULL)
		n += strstr(line, "syscap-ring") != NULL;
	fclose(file);
	return n / 2; /* the body is mapped twice */
}

/* @done: the file that the program makes after the last death, or NULL. */
static bool has_none(const void *done)
{
	return (done == NULL || access(done, F_OK) == 0) && count_rings() == 0;
}

TEST(rings_of_the_dead_are_given_back)
{
	char done[96];

	recording_init(&recording);
	snprintf(done, sizeof(done), "%s/done", recording.dir);
	setenv("ALL_DEAD", done, 1);
	recording_start(&recording, recording_program("ring_deeds"), "deaths",
	                NULL);
	CHECK(recording_wait(has_none, done));
	unlink(done);
	kill(recording.pid, SIGTERM);
	CHECK_EQ(recording_finish(&recording), 128 + SIGTERM);
	CHECK_EQ(recording_count_marks(&recording, "test", "before death"),
	         50 * 1000);
	recording_free(&recording);
}

static unsigned read_flag(const char *path)
{
	FILE *const file = fopen(path, "r");
	unsigned n = 0;

	if (file == NULL)
		return 0;
	if (fscanf(file, "%u", &n) != 1)
		n = 0;
	fclose(file);
	return n;
}

TEST(rings_of_finished_threads_are_given_back_at_once)
{
	unsigned n = 0, most = 0;
	char flag[96];

	recording_init(&recording);
	snprintf(flag, sizeof(flag), "%s/flag", recording.dir);
	setenv("FLAG", flag, 1);
	recording_start(&recording, recording_program("ring_deeds"), "threads",
	                NULL);
	while (n == 0) {
		const unsigned now = count_rings();

		most = now > most ? now : most;
		usleep(5000);
		n = read_flag(flag);
	}
	printf("%u rings at once of %u\n", most, n);
	CHECK(n >= 100);
	CHECK(most <= n / 4 + 12);
	CHECK(recording_wait(has_none, NULL));
	kill(recording.pid, SIGTERM);
	CHECK_EQ(recording_finish(&recording), 128 + SIGTERM);
	CHECK_EQ(recording_count_marks(&recording, "test", "of a thread"), n);
	unlink(flag);
	recording_free(&recording);
}

TEST(a_ring_lives_as_long_as_a_forked_child_has_it)
{
	CHECK_EQ(record("inherit"), 0);
	CHECK_EQ(recording_count_marks(&recording, "test", "of the parent"), 1);
	CHECK_EQ(recording_count_marks(&recording, "test", "of the child"), 1);
	recording_free(&recording);
}

TEST(another_program_in_the_same_process_is_announced_again)
{
	unsigned before, after, first, second, map;
	int32_t pid;

	CHECK_EQ(record("exec"), 0);
	look();
	before = find(0, SYSCAP_FRAME_MARK, 0, "before exec");
	after = find(0, SYSCAP_FRAME_MARK, 0, "after exec");
	CHECK(before < n_seen && after < n_seen);
	pid = seen[before].pid;
	CHECK_EQ(seen[after].pid, pid);
	first = find(0, SYSCAP_FRAME_PROCESS, pid, "ring_deeds exec");
	second = find(0, SYSCAP_FRAME_PROCESS, pid, "ring_deeds after-exec");
	map = find(second, SYSCAP_FRAME_MAP, pid, "ring_deeds");
	CHECK(first < before);
	CHECK(second < after);
	CHECK(map < n_seen);
	/* The old and the new program have different counters. */
	first = find(0, SYSCAP_FRAME_CTRDEF, pid, "apples");
	second = find(first + 1, SYSCAP_FRAME_CTRDEF, pid, "apples");
	CHECK(second < n_seen);
	CHECK(seen[first].id != seen[second].id);
	recording_free(&recording);
}

TEST(every_process_is_announced_before_its_first_frame_and_ends)
{
	unsigned processes = 0, marks = 0;

	CHECK_EQ(record("children"), 0);
	look();
	for (unsigned i = 0; i < n_seen; i++) {
		const int32_t pid = seen[i].pid;

		processes += seen[i].type == SYSCAP_FRAME_PROCESS;
		if (seen[i].type != SYSCAP_FRAME_MARK)
			continue;
		marks++;
		CHECK(find(0, SYSCAP_FRAME_PROCESS, pid,
		           "ring_deeds children") < i);
		CHECK(find(0, SYSCAP_FRAME_MAP, pid, "ring_deeds") < i);
		CHECK(find(i, SYSCAP_FRAME_EXIT, pid, NULL) < n_seen);
	}
	CHECK_EQ(marks, 3);
	/* three children, and the command, which had no ring */
	CHECK_EQ(processes, 4);
	recording_free(&recording);
}

TEST(mappings_can_be_left_out)
{
	recording_init(&recording);
	CHECK_EQ(recording_run(&recording, "--no-maps",
	                       recording_program("ring_deeds"), "children",
	                       NULL),
	         0);
	CHECK_EQ(recording_count_type(&recording, SYSCAP_FRAME_MAP), 0);
	CHECK_EQ(recording_count_type(&recording, SYSCAP_FRAME_MARK), 3);
	recording_free(&recording);
}

TEST(processes_that_live_on_do_not_hold_the_recorder_up)
{
	CHECK_EQ(record("daemon"), 0);
	CHECK_EQ(recording_count_marks(&recording, "test", "of a daemon"), 1);
	CHECK(strstr(recording.messages, "1 process was still recording") !=
	      NULL);
	recording_free(&recording);
}

/* Each of the two processes has its own pid, MAP frames and EXIT frame. */
TEST(processes_of_two_namespaces_with_one_pid_come_out_apart)
{
	const int status = record("namespaces");
	int32_t alpha, beta;

	if (status == 77) {
		recording_free(&recording);
		SKIP("pid namespaces are unavailable");
	}
	CHECK_EQ(status, 0);
	look();
	alpha = seen[find(0, SYSCAP_FRAME_MARK, 0, "alpha")].pid;
	beta = seen[find(0, SYSCAP_FRAME_MARK, 0, "beta")].pid;
	CHECK_EQ(alpha, 1);
	CHECK(beta > 1);
	for (unsigned i = 0; i < n_seen; i++)
		if (seen[i].type == SYSCAP_FRAME_MARK)
			CHECK_EQ(seen[i].pid, strcmp(seen[i].text, "alpha") == 0
			                              ? alpha
			                              : beta);
	CHECK(find(0, SYSCAP_FRAME_PROCESS, beta, NULL) < n_seen);
	CHECK(find(0, SYSCAP_FRAME_MAP, beta, NULL) < n_seen);
	recording_free(&recording);
}

/* Stock clients request a ring in sysprof_collector_is_active(), too. */
TEST(silent_stock_client_is_not_reported_as_unrecorded)
{
	static const char *const options[] = { "--no-symbols", "--no-maps",
		                               "--sample" };

	for (unsigned i = 0; i < (test_is_sanitized() ? 2 : 3); i++) {
		recording_init(&recording);
		CHECK_EQ(recording_run(&recording, options[i],
		                       recording_program("ring_deeds"), "ask",
		                       NULL),
		         0);
		CHECK(strstr(recording.messages, "could not record") == NULL);
		CHECK_EQ(recording_count_type(&recording, SYSCAP_FRAME_LOG), 0);
		recording_free(&recording);
	}
}
