/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_record_silence.c - a recorder that is stopped for a moment, as on a busy
 * machine, while many threads emit their first event.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/test.h"
#include "integration/recording.h"

static struct recording recording;

static bool exists(const void *path)
{
	return access(path, F_OK) == 0;
}

static uint64_t n_told;

static bool is_loss(const struct syscap_frame *frame, const void *arg)
{
	unsigned long long n;

	(void)arg;
	if (frame->type != SYSCAP_FRAME_MARK ||
	    strcmp(frame->mark.group, "syscap") != 0 ||
	    strcmp(frame->mark.name, "lost") != 0)
		return false;
	CHECK_EQ(sscanf(frame->mark.message, "frames=%llu ", &n), 1);
	n_told += n;
	return true;
}

/* Reads the program's own numbers. */
static void read_numbers(const char *path, unsigned *ret_sent,
                         unsigned long long *ret_dropped)
{
	FILE *const file = fopen(path, "r");

	CHECK(file != NULL);
	CHECK_EQ(fscanf(file, "%u %llu", ret_sent, ret_dropped), 2);
	fclose(file);
}

static void check_stop(unsigned ms)
{
	char command[1024], ready[96], go[96], said[96];
	unsigned long long dropped;
	unsigned sent;

	recording_init(&recording);
	snprintf(ready, sizeof(ready), "%s/ready", recording.dir);
	snprintf(go, sizeof(go), "%s/go", recording.dir);
	snprintf(said, sizeof(said), "%s/said", recording.dir);
	snprintf(command, sizeof(command), "exec '%s' '%s' '%s' %u >'%s'",
	         recording_program("many_threads"), ready, go, 2 * ms + 1000,
	         said);
	recording_start(&recording, "sh", "-c", command, NULL);
	CHECK(recording_wait(exists, ready));
	CHECK_EQ(kill(recording.pid, SIGSTOP), 0);
	fclose(fopen(go, "w"));
	usleep(1000 * ms);
	CHECK_EQ(kill(recording.pid, SIGCONT), 0);
	CHECK_EQ(recording_finish(&recording), 0);
	read_numbers(said, &sent, &dropped);
	n_told = 0;
	recording_count(&recording, is_loss, NULL);
	const size_t kept = recording_count_marks(&recording, "many", "sent");
	CHECK(kept != 0);
	CHECK_EQ(sent, kept + dropped);
	CHECK_EQ(n_told, dropped);
	recording_free(&recording);
}

TEST(threads_that_begin_while_the_recorder_stands_still_are_recorded)
{
	check_stop(300);
	check_stop(1000);
}

static bool is_missing(const struct syscap_frame *frame, const void *arg)
{
	(void)arg;
	return frame->type == SYSCAP_FRAME_LOG &&
	       strcmp(frame->log.message, "could not record 1 process") == 0;
}

/* Runs record_children with the option @way.  SYSCAP_ARENA is unset so that the
 * process requests its ring: a process with an arena hands it over, and may
 * end. */
static void check_counted(const char *way)
{
	char command[1024], ready[96], go[96], asked[96];

	recording_init(&recording);
	snprintf(ready, sizeof(ready), "%s/ready", recording.dir);
	snprintf(go, sizeof(go), "%s/go", recording.dir);
	snprintf(asked, sizeof(asked), "%s/asked", recording.dir);
	snprintf(command, sizeof(command),
	         ": >'%s'; until test -e '%s'; do sleep 0.01; done; "
	         "unset SYSCAP_ARENA; exec '%s' %s '%s'",
	         ready, go, recording_program("record_children"), way, asked);
	recording_start(&recording, "sh", "-c", command, NULL);
	CHECK(recording_wait(exists, ready));
	CHECK_EQ(kill(recording.pid, SIGSTOP), 0);
	fclose(fopen(go, "w"));
	CHECK(recording_wait(exists, asked));
	CHECK_EQ(kill(recording.pid, SIGCONT), 0);
	CHECK_EQ(recording_finish(&recording), 0);
	CHECK(strstr(recording.messages, "could not record 1 process") != NULL);
	CHECK_EQ(recording_count(&recording, is_missing, NULL), 1);
	recording_free(&recording);
}

TEST(a_process_that_ends_without_its_late_ring_is_counted)
{
	check_counted("--deaf");
}

TEST(a_process_that_ends_at_once_without_its_ring_is_counted)
{
	check_counted("--hasty");
}
