/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_ring_file.c - a reader's view of a process's capture and ring file,
 * after a death at each step of the protocol, or during the process's life.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "capture/make_rings.h"
#include "capture/ring_file_reader.h"
#include "harness/test.h"

static char dir[] = "/tmp/syscap-rest-XXXXXX";

static void begin(struct make_rings *r, uint32_t n_slots)
{
	CHECK(mkdtemp(dir) != NULL);
	make_rings_begin(r, dir, n_slots);
}

static void end(struct make_rings *r)
{
	make_rings_free(r);
	CHECK_EQ(rmdir(dir), 0);
}

static void check_whole(const struct make_rings *r, unsigned merged)
{
	struct make_rings_found found;

	make_rings_find(r->capture_path, &found);
	CHECK_EQ(found.end, 0);
	CHECK_EQ(found.marks, r->n_marks);
	CHECK(found.is_each_once);
	CHECK_EQ(found.merged, merged);
	CHECK_STR(found.not_merged, "");
}

/* Marks 0 and 1 are in the capture; 10 more in two rings, one of which
 * wraps. */
static void fill(struct make_rings *r)
{
	make_rings_drained_mark(r);
	make_rings_drained_mark(r);
	make_rings_slot(r, 1, SYC_SLOT_LIVE, 71, MAKE_RINGS_BODY - 200);
	make_rings_slot(r, 2, SYC_SLOT_ENDED, 72, 128);
	for (unsigned i = 0; i < 5; i++) {
		make_rings_mark(r, 1);
		make_rings_mark(r, 2);
	}
}

TEST(frames_in_the_rings_follow_those_of_the_capture)
{
	struct make_rings r;

	begin(&r, 4);
	fill(&r);
	make_rings_write(&r, NULL, 0);
	check_whole(&r, 10);
	end(&r);
}

TEST(offsets_of_merged_frames_go_on_behind_the_file)
{
	struct syscap_reader *reader;
	struct syscap_frame frame;
	struct make_rings r;
	uint64_t at = 256;

	begin(&r, 4);
	fill(&r);
	make_rings_write(&r, NULL, 0);
	CHECK_EQ(syscap_reader_open(r.capture_path, &reader, NULL), 0);
	for (int pass = 0; pass < 2; pass++, at = 256) {
		while (syscap_reader_next(reader, &frame, NULL) == 1) {
			CHECK_EQ(frame.offset, at);
			at += frame.len;
			CHECK_EQ(syscap_reader_tell(reader), at);
		}
		CHECK(at > r.capture.size + 1000);
		syscap_reader_rewind(reader);
	}
	syscap_reader_close(reader);
	end(&r);
}

TEST(a_batch_that_is_torn_at_any_byte_is_read_once)
{
	unsigned char *batch;
	struct make_rings r;
	size_t size;

	begin(&r, 4);
	fill(&r);
	batch = make_rings_batch(&r, &size);
	/* published while the drainer wrote */
	make_rings_mark(&r, 1);
	make_rings_mark(&r, 2);
	for (size_t n = 0; n < size; n += n + 5 < size ? 5 : 1) {
		make_rings_write(&r, batch, n);
		check_whole(&r, 12);
	}
	free(batch);
	end(&r);
}

TEST(written_batch_is_read_once_for_any_stored_heads)
{
	unsigned char *batch;
	struct make_rings r;
	size_t size;

	begin(&r, 4);
	fill(&r);
	batch = make_rings_batch(&r, &size);
	make_rings_mark(&r, 1);
	for (unsigned step = 0; step < 4; step++) {
		if (step == 1 || step == 2)
			make_rings_header(&r, step)->head =
				make_rings_journal(&r)->parts[step - 1].to;
		if (step == 3)
			make_rings_journal(&r)->state = SYC_JOURNAL_NOTHING;
		make_rings_write(&r, batch, size);
		check_whole(&r, 1);
	}
	free(batch);
	end(&r);
}

TEST(noted_batch_is_read_once)
{
	struct make_rings r;
	size_t size;

	begin(&r, 4);
	fill(&r);
	free(make_rings_batch(&r, &size));
	make_rings_journal(&r)->state = SYC_JOURNAL_NOTHING;
	make_rings_write(&r, NULL, 0);
	check_whole(&r, 10);
	end(&r);
}

TEST(rings_of_another_file_are_not_merged)
{
	struct make_rings_found found;
	struct make_rings r;

	begin(&r, 4);
	fill(&r);
	make_rings_write(&r, NULL, 0);
	make_rings_facts(&r)->capture_ino++;
	const int fd = open(r.path, O_WRONLY | O_CLOEXEC);
	CHECK_EQ(pwrite(fd, r.bytes, 4096, 0), 4096);
	close(fd);
	make_rings_find(r.capture_path, &found);
	CHECK_EQ(found.end, 0);
	CHECK_EQ(found.marks, 2);
	CHECK(strstr(found.not_merged, "another capture") != NULL);
	end(&r);
}

TEST(links_pipes_and_other_files_are_no_ring_files)
{
	struct make_rings_found found;
	struct make_rings r;
	char elsewhere[400];

	begin(&r, 4);
	fill(&r);
	make_rings_write(&r, NULL, 0);
	snprintf(elsewhere, sizeof(elsewhere), "%s.real", r.path);
	CHECK_EQ(rename(r.path, elsewhere), 0);
	CHECK_EQ(symlink(elsewhere, r.path), 0);
	make_rings_find(r.capture_path, &found);
	CHECK_EQ(found.marks, 2);
	CHECK(found.not_merged[0] != '\0');
	CHECK_EQ(unlink(r.path), 0);
	CHECK_EQ(mkfifo(r.path, 0600), 0);
	make_rings_find(r.capture_path, &found);
	CHECK_EQ(found.marks, 2);
	CHECK(strstr(found.not_merged, "the path names no regular file") !=
	      NULL);
	CHECK_EQ(unlink(r.path), 0);
	CHECK_EQ(rename(r.capture_path, r.path), 0);
	CHECK_EQ(symlink(r.path, r.capture_path), 0);
	make_rings_find(r.capture_path, &found);
	CHECK_EQ(found.marks, 2);
	CHECK(strstr(found.not_merged, "not a ring file") != NULL);
	CHECK_EQ(unlink(elsewhere), 0);
	end(&r);
}

/* ---------------------------------------------------------------- owners */

static int hold_lock(const struct make_rings *r)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	const int fd = open(r->path, O_RDWR | O_CLOEXEC);

	CHECK(fd >= 0);
	CHECK_EQ(fcntl(fd, F_OFD_SETLK, &lock), 0);
	return fd;
}

/* Sets the rings' process: @pid of this machine, started at @ticks. */
static void belong_to(struct make_rings *r, pid_t pid, uint64_t ticks)
{
	struct syc_ring_file *const facts = make_rings_facts(r);
	FILE *const file = fopen("/proc/sys/kernel/random/boot_id", "re");
	struct stat st;

	CHECK(file != NULL);
	CHECK_EQ(fscanf(file, "%39s", facts->boot_id), 1);
	fclose(file);
	CHECK_EQ(stat("/proc/self/ns/pid", &st), 0);
	facts->pid_ns = st.st_ino;
	facts->pid = pid;
	facts->start_ticks = ticks;
}

static uint64_t ticks_of(pid_t pid)
{
	unsigned long long ticks;
	char path[40];

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	FILE *const file = fopen(path, "re");
	CHECK(file != NULL);
	CHECK_EQ(fscanf(file,
	                "%*d (%*[^)]) %*c %*d %*d %*d %*d %*d %*d %*d %*d %*d "
	                "%*d %*d %*d %*d %*d %*d %*d %*d %*d %llu",
	                &ticks),
	         1);
	fclose(file);
	return ticks;
}

static unsigned merged_with_lock(struct make_rings *r)
{
	struct make_rings_found found;

	make_rings_write(r, NULL, 0);
	const int fd = hold_lock(r);
	make_rings_find(r->capture_path, &found);
	close(fd);
	CHECK_EQ(found.end, 0);
	CHECK_STR(found.not_merged, "");
	return (unsigned)found.merged;
}

TEST(locked_file_is_read_without_merging)
{
	struct make_rings r;

	begin(&r, 4);
	fill(&r);
	CHECK_EQ(merged_with_lock(&r), 0);
	end(&r);
}

TEST(a_lock_that_outlives_its_process_does_not_count)
{
	struct make_rings r;
	int status;

	begin(&r, 4);
	fill(&r);
	const pid_t pid = fork();
	if (pid == 0)
		_exit(0);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	belong_to(&r, pid, 1);
	CHECK_EQ(merged_with_lock(&r), 10);
	/* The process has also ended if another process has its pid */
	belong_to(&r, getpid(), ticks_of(getpid()) - 1);
	CHECK_EQ(merged_with_lock(&r), 10);
	belong_to(&r, getpid(), ticks_of(getpid()));
	CHECK_EQ(merged_with_lock(&r), 0);
	/* unknown: another boot, or another namespace */
	belong_to(&r, pid, 1);
	make_rings_facts(&r)->boot_id[3] ^= 1;
	CHECK_EQ(merged_with_lock(&r), 0);
	belong_to(&r, pid, 1);
	make_rings_facts(&r)->pid_ns++;
	CHECK_EQ(merged_with_lock(&r), 0);
	end(&r);
}

static void *wait_for_ever(void *data)
{
	(void)data;
	for (;;)
		pause();
	return NULL;
}

static char state_of(pid_t pid)
{
	char path[40], state = 0;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	FILE *const file = fopen(path, "re");
	CHECK(file != NULL);
	CHECK_EQ(fscanf(file, "%*d (%*[^)]) %c", &state), 1);
	fclose(file);
	return state;
}

TEST(process_without_first_thread_is_alive)
{
	struct make_rings r;
	pthread_t thread;
	int status;

	begin(&r, 4);
	fill(&r);
	const pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		pthread_create(&thread, NULL, wait_for_ever, NULL);
		pthread_exit(NULL);
	}
	while (state_of(pid) != 'Z')
		usleep(1000);
	belong_to(&r, pid, ticks_of(pid));
	CHECK_EQ(merged_with_lock(&r), 0);
	kill(pid, SIGKILL);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(merged_with_lock(&r), 10);
	end(&r);
}

TEST(the_file_of_a_live_process_ends_with_a_whole_frame)
{
	struct make_rings_found found;
	unsigned char *batch;
	struct make_rings r;
	size_t size;

	begin(&r, 4);
	fill(&r);
	batch = make_rings_batch(&r, &size);
	for (size_t n = 0; n <= size; n += n + 24 > size ? 1 : 24) {
		make_rings_write(&r, batch, n);
		const int fd = hold_lock(&r);
		make_rings_find(r.capture_path, &found);
		close(fd);
		CHECK_EQ(found.end, 0);
		CHECK_EQ(found.marks, n < size ? 2 : 12);
		CHECK_EQ(found.merged, 0);
	}
	free(batch);
	end(&r);
}
