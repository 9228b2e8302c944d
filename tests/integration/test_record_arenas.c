/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_record_arenas.c - rings that processes make and hand over, from start to
 * end.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/test.h"
#include "integration/recording.h"

static struct recording recording;

static void start(const char *what)
{
	recording_init(&recording);
	recording_start(&recording, recording_program("arena_deeds"), what,
	                NULL);
}

static int record(const char *what)
{
	start(what);
	return recording_finish(&recording);
}

static size_t count(const char *name)
{
	return recording_count_marks(&recording, "test", name);
}

/* The capture's facts about one process. */
struct process {
	int32_t pid;
	unsigned commands, exits, marks;
	char first[128], last[128]; /* command lines */
	char name[32];              /* name of the last mark */
	bool too_early;             /* a mark came before its PROCESS frame */
	bool is_mixed;              /* the marks have different names */
};

static struct process processes[1024];
static unsigned n_processes;

static struct process *get_process(int32_t pid)
{
	for (unsigned i = 0; i < n_processes; i++)
		if (processes[i].pid == pid)
			return &processes[i];
	CHECK(n_processes < sizeof(processes) / sizeof(processes[0]));
	processes[n_processes] = (struct process){ .pid = pid };
	return &processes[n_processes++];
}

static bool see(const struct syscap_frame *frame, const void *arg)
{
	struct process *const process = get_process(frame->pid);

	(void)arg;
	if (frame->type == SYSCAP_FRAME_PROCESS) {
		snprintf(process->last, sizeof(process->last), "%s",
		         frame->process.cmdline);
		if (process->commands++ == 0)
			strcpy(process->first, process->last);
	} else if (frame->type == SYSCAP_FRAME_EXIT) {
		process->exits++;
	} else if (frame->type == SYSCAP_FRAME_MARK) {
		process->marks++;
		process->too_early |= process->commands == 0;
		process->is_mixed |=
			process->name[0] != 0 &&
			strcmp(process->name, frame->mark.name) != 0;
		snprintf(process->name, sizeof(process->name), "%s",
		         frame->mark.name);
	}
	return true;
}

static void look(void)
{
	n_processes = 0;
	CHECK(recording_count(&recording, see, NULL) > 0);
	for (unsigned i = 0; i < n_processes; i++)
		CHECK(!processes[i].too_early);
}

static bool says(const char *text)
{
	return strstr(recording.messages, text) != NULL;
}

TEST(threads_claim_slots_and_leave_them)
{
	CHECK_EQ(record("threads"), 0);
	CHECK_EQ(count("of a thread"), 20000);
	CHECK(says("1 process, 200 threads, 0 frames lost"));
	recording_free(&recording);
}

TEST(frames_arrive_whole_from_bodies_that_are_mapped_once)
{
	CHECK_EQ(record("laps"), 0);
	CHECK_EQ(count("of a thread"), 20000);
	recording_free(&recording);
}

TEST(events_before_the_handover_of_the_arena_arrive)
{
	CHECK_EQ(record("by-name"), 0);
	CHECK_EQ(count("early"), 10);
	CHECK_EQ(count("late"), 10);
	recording_free(&recording);
}

TEST(slots_are_used_again_and_their_memory_goes_back)
{
	CHECK_EQ(record("reuse"), 0);
	CHECK_EQ(count("of a thread"), 300000);
	recording_free(&recording);
}

TEST(every_frame_before_a_sudden_death_arrives_from_slots)
{
	CHECK_EQ(record("death"), 128 + SIGKILL);
	CHECK_EQ(count("before death"), 1000);
	look();
	CHECK_EQ(recording_count_type(&recording, SYSCAP_FRAME_EXIT), 1);
	recording_free(&recording);
}

static void check_children(unsigned n, const char *name, unsigned marks,
                           const char *command)
{
	unsigned found = 0;

	for (unsigned i = 0; i < n_processes; i++) {
		const struct process *const process = &processes[i];

		if (strcmp(process->name, name) != 0)
			continue;
		found++;
		CHECK_EQ(process->marks, marks);
		CHECK_EQ(process->commands, 1);
		CHECK_EQ(process->exits, 1);
		CHECK(strstr(process->first, command) != NULL);
	}
	CHECK_EQ(found, n);
}

TEST(children_that_die_leave_their_slots_to_others)
{
	CHECK_EQ(record("children"), 0);
	look();
	check_children(400, "of a child", 3, "arena_deeds children");
	recording_free(&recording);
}

TEST(children_that_were_never_seen_alive_are_shown_by_number_and_name)
{
	CHECK_EQ(record("past"), 0);
	look();
	check_children(3, "of a child", 3, "I was here");
	check_children(1, "of another", 3, "I was here");
	recording_free(&recording);
}

static void *stop_for_a_while(void *arg)
{
	(void)arg;
	kill(recording.pid, SIGSTOP);
	sleep(3);
	kill(recording.pid, SIGCONT);
	return NULL;
}

TEST(a_process_that_ends_while_the_recorder_is_stopped_is_recorded)
{
	start("crowd");
	stop_for_a_while(NULL);
	CHECK_EQ(recording_finish(&recording), 0);
	CHECK_EQ(count("of a crowd"), 8000);
	look();
	check_children(200, "of a crowd", 40, "crowd");
	CHECK(says("201 processes, 200 threads, 0 frames lost"));
	recording_free(&recording);
}

TEST(an_arena_lives_as_long_as_a_forked_child_has_it)
{
	CHECK_EQ(record("outlive"), 0);
	CHECK_EQ(count("of the parent"), 1);
	CHECK_EQ(count("of the child"), 1);
	recording_free(&recording);
}

TEST(slots_stay_with_their_process_after_exec)
{
	const struct process *process;

	CHECK_EQ(record("exec"), 0);
	CHECK_EQ(count("before exec"), 1);
	CHECK_EQ(count("after exec"), 1);
	look();
	for (process = processes; strcmp(process->name, "of a child") != 0;)
		CHECK(++process < processes + n_processes);
	CHECK_EQ(process->marks, 2);
	CHECK(strstr(process->first, "arena_deeds exec") != NULL);
	for (process = processes; strcmp(process->name, "after exec") != 0;)
		CHECK(++process < processes + n_processes);
	CHECK_EQ(process->marks, 2);
	CHECK(process->commands >= 2);
	CHECK(strstr(process->first, "arena_deeds exec") != NULL);
	CHECK(strstr(process->last, "arena_deeds after-exec") != NULL);
	recording_free(&recording);
}

static const struct process *find_by_mark(const char *name)
{
	for (unsigned i = 0; i < n_processes; i++)
		if (strcmp(processes[i].name, name) == 0)
			return &processes[i];
	test_fail(__FILE__, __LINE__, "nobody sent %s", name);
}

TEST(the_exit_of_a_process_after_exec_is_reported)
{
	CHECK_EQ(record("replaced"), 0);
	look();
	CHECK_EQ(find_by_mark("of a child")->marks, 2);
	CHECK_EQ(find_by_mark("of a child")->exits, 1);
	CHECK(strstr(find_by_mark("of a child")->first, "replaced") != NULL);
	recording_free(&recording);
}

static bool is_loss(const struct syscap_frame *frame, const void *arg)
{
	char text[128];

	snprintf(text, sizeof(text), arg, (int)frame->pid);
	return frame->type == SYSCAP_FRAME_MARK &&
	       strcmp(frame->mark.message, text) == 0;
}

TEST(losses_in_slots_and_in_the_head_are_reported_once)
{
	CHECK_EQ(record("losses"), 128 + SIGKILL);
	CHECK_EQ(recording_count(&recording, is_loss,
	                         "frames=5 bytes=600 tid=%d mark=2 log=3"),
	         1);
	CHECK_EQ(recording_count(&recording, is_loss,
	                         "frames=7 bytes=700 tid=%d mark=7"),
	         1);
	CHECK_EQ(recording_count_type(&recording, SYSCAP_FRAME_MARK), 3);
	CHECK(says("16 frames lost"));
	recording_free(&recording);
}

/* Each mark has the pid of a process of its own namespace. */
TEST(arenas_of_two_namespaces_with_the_same_pids_come_out_apart)
{
	const int status = record("namespaces");

	if (status == 77) {
		recording_free(&recording);
		SKIP("pid namespaces are unavailable");
	}
	CHECK_EQ(status, 0);
	CHECK_EQ(count("alpha"), 6);
	CHECK_EQ(count("beta"), 6);
	look();
	for (unsigned i = 0; i < n_processes; i++)
		CHECK(!processes[i].is_mixed);
	recording_free(&recording);
}

TEST(a_process_that_could_not_send_its_arena_is_counted)
{
	CHECK_EQ(record("lost"), 0);
	CHECK(says("could not record 3 processes"));
	recording_free(&recording);
}

TEST(a_process_whose_arena_never_arrives_is_counted)
{
	CHECK_EQ(record("late"), 0);
	CHECK_EQ(count("of a child"), 3);
	CHECK(says("could not record 2 processes"));
	recording_free(&recording);
}

static bool exists(const void *path)
{
	return access(path, F_OK) == 0;
}

TEST(clients_get_notice_of_the_end_of_reading)
{
	char flag[96];

	recording_init(&recording);
	snprintf(flag, sizeof(flag), "%s/flag", recording.dir);
	setenv("FLAG", flag, 1);
	CHECK_EQ(recording_run(&recording, recording_program("arena_deeds"),
	                       "closed", NULL),
	         0);
	CHECK(recording_wait(exists, flag));
	CHECK_EQ(count("of a daemon"), 1);
	unlink(flag);
	recording_free(&recording);
}
