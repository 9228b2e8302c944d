/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_file.c - embedded files: complete, in order, and without holes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <syscap.h>
#include <syscap/capture.h>

#include "base/frame.h"
#include "harness/held_up.h"
#include "harness/peer.h"
#include "harness/test.h"
#include "harness/written.h"

/* Bytes of the file in one chunk, in a ring of at least 32 KiB. */
#define CHUNK  (8192u - 284u)
#define RING   (1u << 18)
#define SMALL  (1u << 16)
#define LARGE  3000001u
#define TWICE  (2 * CHUNK)
#define LAST_1 SYC_FRAME_FLAG /* the field is_last */

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

/* The expected byte at each offset of the file. */
static unsigned char expected_byte(size_t at)
{
	return (unsigned char)(at * 31 + at / 251);
}

static unsigned char *make_content(size_t size)
{
	unsigned char *const data = malloc(size + 1);

	CHECK(data != NULL);
	for (size_t i = 0; i < size; i++)
		data[i] = expected_byte(i);
	return data;
}

static unsigned word_16(const struct peer_frame *frame, size_t at)
{
	uint16_t value;

	memcpy(&value, frame->bytes + at, sizeof(value));
	return value;
}

/* The sums over a file's chunks. */
struct found {
	unsigned n_chunks, n_last;
	bool ends_with_last;
	size_t size;
	int64_t last;
};

/* Checks and adds the next chunk of a file with the content of
 * make_content(). */
static void add_chunk(struct found *found, const unsigned char *data, size_t n,
                      bool is_last, int64_t time)
{
	CHECK(time > found->last);
	CHECK_EQ(found->n_last, 0);
	for (size_t i = 0; i < n; i++)
		if (data[i] != expected_byte(found->size + i))
			test_fail(__FILE__, __LINE__, "wrong at byte %zu",
			          found->size + i);
	found->n_chunks++;
	found->n_last += is_last;
	found->size += n;
	found->last = time;
}

static struct found find_in_ring(const struct peer *peer, const char *path)
{
	struct found found = { 0 };
	struct peer_frame frame;
	size_t at = 0;

	CHECK_EQ(peer->n_rings, 1);
	while (peer_next(&peer->rings[0], &at, &frame)) {
		uint16_t flags, n;

		if (frame.type != 13 ||
		    strcmp((const char *)frame.bytes + 28, path) != 0)
			continue;
		memcpy(&flags, frame.bytes + 24, 2);
		memcpy(&n, frame.bytes + 26, 2);
		CHECK_EQ(frame.pid, peer->pid);
		CHECK_EQ(frame.padding2, 0x5C000000u | (uint32_t)peer->pid);
		add_chunk(&found, frame.bytes + 284, n, flags == LAST_1,
		          frame.time);
	}
	return found;
}

static void run(struct peer *peer, const char *child, uint32_t ring)
{
	peer_start(peer, child, ring, PEER_OURS);
	CHECK_EQ(peer_finish(peer), 0);
}

/* ------------------------------------------------------------------ bytes */

CHILD(two_small_files)
{
	errno = 77;
	CHECK_EQ(syscap_file("/etc/hello", "hello", 5), 0);
	CHECK_EQ(syscap_file("/etc/empty", NULL, 0), 0);
	CHECK_EQ(errno, 77);
}

TEST(a_file_is_a_chunk_behind_a_frame_that_is_none)
{
	struct peer_frame frames[16];
	unsigned n = 0;
	struct peer peer;
	size_t at = 0;

	run(&peer, "two_small_files", RING);
	while (n < 16 && peer_next(&peer.rings[0], &at, &frames[n]))
		n++;
	CHECK_EQ(n, 5); /* the first is about the clock */
	for (unsigned i = 1; i < n; i += 2) {
		CHECK_EQ(frames[i].type, 1);
		CHECK_EQ(frames[i].len, 24);
		CHECK_EQ(frames[i].pid, -1);
		CHECK_EQ(frames[i].cpu, -1);
		CHECK_EQ(frames[i + 1].type, 13);
		CHECK_EQ(frames[i + 1].pid, peer.pid);
		CHECK_EQ(frames[i + 1].padding2,
		         0x5C000000u | (uint32_t)peer.pid);
		CHECK(frames[i + 1].time >= frames[i].time);
	}
	const struct peer_frame hello = frames[2], empty = frames[4];
	CHECK_EQ(hello.len, 296); /* 284 + 5, rounded up to a multiple of 8 */
	CHECK_EQ(word_16(&hello, 24), LAST_1);
	CHECK_EQ(word_16(&hello, 26), 5);
	CHECK_STR((const char *)hello.bytes + 28, "/etc/hello");
	CHECK_EQ(memcmp(hello.bytes + 284, "hello", 5), 0);
	CHECK_EQ(empty.len, 288);
	CHECK_EQ(word_16(&empty, 24), LAST_1);
	CHECK_EQ(word_16(&empty, 26), 0);
	CHECK_STR((const char *)empty.bytes + 28, "/etc/empty");
	peer_free(&peer);
}

/* ----------------------------------------------------------------- chunks */

/* @arg: number of bytes; a final "f" means through a file descriptor. */
CHILD(one_file)
{
	char *end;
	const size_t size = strtoul(peer_arg(), &end, 10);
	unsigned char *const data = make_content(size);
	int r;

	if (*end == 'f') {
		const int fd = memfd_create("content", MFD_CLOEXEC);

		CHECK_EQ(write(fd, data, size), (ssize_t)size);
		CHECK_EQ(lseek(fd, 0, SEEK_SET), 0);
		r = syscap_file_fd("file", fd);
		CHECK_EQ(lseek(fd, 0, SEEK_CUR), (off_t)size);
		close(fd);
	} else {
		r = syscap_file("file", data, size);
	}
	free(data);
	CHECK_EQ(r, 0);
}

static void check_file(const char *arg, uint32_t ring, size_t size,
                       unsigned n_chunks)
{
	struct peer peer;

	peer_start_arg(&peer, "one_file", arg, ring, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	const struct found found = find_in_ring(&peer, "file");
	CHECK_EQ(found.n_chunks, n_chunks);
	CHECK_EQ(found.n_last, 1);
	CHECK_EQ(found.size, size);
	CHECK_EQ(peer_lost_total(&peer.rings[0]), 0);
	peer_free(&peer);
}

TEST(files_are_cut_into_chunks_and_the_last_is_marked)
{
	char arg[32];
	static const size_t sizes[] = { 0,         1,     CHUNK - 1, CHUNK,
		                        CHUNK + 1, TWICE, TWICE + 1 };
	static const unsigned chunks[] = { 1, 1, 1, 1, 2, 2, 3 };
	/* an fd's end shows only when read() returns 0 */
	static const unsigned chunks_of_fd[] = { 1, 1, 1, 2, 2, 3, 3 };

	for (unsigned i = 0; i < 7; i++) {
		snprintf(arg, sizeof(arg), "%zu", sizes[i]);
		check_file(arg, RING, sizes[i], chunks[i]);
		snprintf(arg, sizeof(arg), "%zuf", sizes[i]);
		check_file(arg, RING, sizes[i], chunks_of_fd[i]);
	}
}

TEST(a_file_larger_than_the_ring_waits_for_its_reader)
{
	const unsigned n = (LARGE + CHUNK - 1) / CHUNK;

	check_file("3000001", SMALL, LARGE, n);
	check_file("3000001f", SMALL, LARGE, n);
}

TEST(chunks_are_smaller_in_a_ring_of_a_page)
{
	/* a chunk is a quarter of the ring: 1,024 bytes with 284 of header */
	check_file("20000", 4096, 20000, (20000 + 739) / 740);
	check_file("20000f", 4096, 20000, 28); /* pieces of 7,908 bytes */
}

/* ---------------------------------------------------------------- no room */

CHILD(nobody_reads)
{
	unsigned char *const data = make_content(LARGE);
	struct syscap_stats stats = { .size = sizeof(stats) };
	int64_t begin = now_ms();

	SYSCAP_INSTANT("test", "before", NULL);
	CHECK_EQ(syscap_file("file", data, LARGE), -ENOBUFS);
	const int64_t took = now_ms() - begin;
	CHECK(took >= 250);
	held_up_if(took >= 2000);
	syscap_get_stats(&stats);
	CHECK_EQ(stats.n_dropped, 1); /* a retry is no loss */
	begin = now_ms();
	SYSCAP_INSTANT("test", "after", NULL);
	held_up_if(now_ms() - begin >= 100);
	free(data);
	pthread_exit(NULL);
}

TEST(without_room_a_file_stops_after_250_ms_and_has_no_end)
{
	struct peer peer;
	struct peer_frame frame, loss = { 0 };
	uint64_t n;
	size_t at = 0;

	do
		peer_start(&peer, "nobody_reads", SMALL, PEER_OURS);
	while (is_held_up(&peer, peer_finish_without_draining(&peer)));
	const struct found found = find_in_ring(&peer, "file");
	CHECK_EQ(found.n_last, 0);
	CHECK(found.n_chunks >= 5 && found.n_chunks <= 8);
	CHECK_EQ(found.size, found.n_chunks * CHUNK);
	while (peer_next(&peer.rings[0], &at, &frame))
		if (peer_is_loss(&frame, &n))
			loss = frame;
	CHECK_EQ(peer_loss_value(&loss, "file_chunk"), 1);
	CHECK_EQ(peer_loss_value(&loss, "timestamp"), 0);
	CHECK_EQ(peer_count_marks(&peer, "test", "before"), 1);
	peer_free(&peer);
}

CHILD(no_ring)
{
	SYSCAP_INSTANT("test", "waits for the answer, 250 ms", NULL);
	const int64_t begin = now_ms();
	CHECK_EQ(syscap_file("file", "data", 4), -ENOBUFS);
	held_up_if(now_ms() - begin >= 200);
}

TEST(without_a_ring_a_file_does_not_wait_for_room)
{
	struct peer peer;

	if (test_is_sanitized())
		SKIP("sanitizers make times longer");
	do {
		peer_start(&peer, "no_ring", RING, PEER_OURS);
		peer.holds_replies = true;
	} while (is_held_up(&peer, peer_finish(&peer)));
	peer_free(&peer);
}

/* -------------------------------------------------------------- bad input */

CHILD(bad_input)
{
	char path[300];
	int ends[2];

	memset(path, 'p', sizeof(path));
	path[256] = '\0';
	CHECK_EQ(syscap_file(path, "x", 1), -ENAMETOOLONG);
	CHECK_EQ(syscap_file_fd(path, 0), -ENAMETOOLONG);
	CHECK_EQ(syscap_file(NULL, "x", 1), -EINVAL);
	CHECK_EQ(syscap_file("", "x", 1), -EINVAL);
	CHECK_EQ(syscap_file("x", NULL, 1), -EINVAL);
	CHECK_EQ(syscap_file_fd("x", -1), -EBADF);
	CHECK_EQ(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
	CHECK_EQ(write(ends[1], "part", 4), 4);
	CHECK_EQ(syscap_file_fd("x", ends[0]), -EAGAIN);
	close(ends[0]);
	close(ends[1]);
	path[255] = '\0';
	CHECK_EQ(syscap_file(path, "x", 1), 0);
}

TEST(bad_input_returns_an_error_and_sends_nothing)
{
	struct peer peer;
	char path[256];

	run(&peer, "bad_input", RING);
	CHECK_EQ(peer_count(&peer, 13), 1);
	CHECK_EQ(peer_count(&peer, 1), 1);
	memset(path, 'p', 255);
	path[255] = '\0';
	struct peer_frame frame;
	size_t at = 0;
	while (peer_next(&peer.rings[0], &at, &frame))
		if (frame.type == 13)
			CHECK_STR((const char *)frame.bytes + 28, path);
	peer_free(&peer);
}

/* A read of /proc/self/mem fails at the unmapped page. */
CHILD(fails_later)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t size = (CHUNK / page + 1) * page;
	unsigned char *const map =
		mmap(NULL, size + page, PROT_READ | PROT_WRITE,
	             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const int fd = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);

	CHECK(map != MAP_FAILED && fd >= 0);
	for (size_t i = 0; i < size; i++)
		map[i] = expected_byte(i);
	CHECK_EQ(munmap(map + size, page), 0);
	CHECK(lseek(fd, (off_t)(uintptr_t)map, SEEK_SET) > 0);
	CHECK_EQ(syscap_file_fd("file", fd), -EIO);
	close(fd);
}

TEST(an_error_of_a_later_read_leaves_a_file_without_an_end)
{
	struct peer peer;

	run(&peer, "fails_later", RING);
	const struct found found = find_in_ring(&peer, "file");
	CHECK_EQ(found.n_chunks, 1);
	CHECK_EQ(found.n_last, 0);
	peer_free(&peer);
}

/* ------------------------------------------------------------ interrupted */

static atomic_int n_interrupts; /* feed() waits for the interrupts */

static void interrupt(int number)
{
	(void)number;
	n_interrupts++;
	SYSCAP_INSTANT("test", "in the handler", NULL);
}

struct feeder {
	pthread_t reader;
	int fd;
};

/* Interrupts the reader thread, which is in read() by then. */
static void *feed(void *data)
{
	const struct feeder *const feeder = data;
	unsigned char *const content = make_content(20000);

	for (size_t at = 0; at < 20000; at += 2000) {
		usleep(5000);
		pthread_kill(feeder->reader, SIGUSR1);
		/* Two pending signals would become one */
		while ((size_t)n_interrupts <= at / 2000)
			usleep(1000);
		CHECK_EQ(write(feeder->fd, content + at, 2000), 2000);
	}
	close(feeder->fd);
	free(content);
	return NULL;
}

CHILD(slow_pipe)
{
	struct sigaction action = { .sa_handler = interrupt }; /* no RESTART */
	struct feeder feeder = { .reader = pthread_self() };
	pthread_t thread;
	int ends[2];

	sigaction(SIGUSR1, &action, NULL);
	CHECK_EQ(pipe2(ends, O_CLOEXEC), 0);
	feeder.fd = ends[1];
	pthread_create(&thread, NULL, feed, &feeder);
	CHECK_EQ(syscap_file_fd("file", ends[0]), 0);
	pthread_join(thread, NULL);
	CHECK_EQ(n_interrupts, 10);
	close(ends[0]);
}

TEST(reads_continue_after_signals)
{
	struct peer peer;

	run(&peer, "slow_pipe", RING);
	const struct found found = find_in_ring(&peer, "file");
	CHECK_EQ(found.n_chunks, 3);
	CHECK_EQ(found.n_last, 1);
	CHECK_EQ(found.size, 20000);
	CHECK_EQ(peer_count_marks(&peer, "test", "in the handler"), 10);
	peer_free(&peer);
}

/* ------------------------------------------------------- recorded by itself */

/* The files that the process wrote into its own capture at @path. */
static struct found find_in_capture(const char *path, const char *name)
{
	struct found found = { 0 };
	struct syscap_reader *reader;
	struct syscap_error error;
	struct syscap_frame frame;
	int r;

	CHECK_EQ(syscap_reader_open(path, &reader, &error), 0);
	while ((r = syscap_reader_next(reader, &frame, &error)) > 0)
		if (frame.type == SYSCAP_FRAME_FILE_CHUNK &&
		    strcmp(frame.file_chunk.path, name) == 0)
			add_chunk(&found, frame.file_chunk.data,
			          frame.file_chunk.len,
			          frame.file_chunk.is_last, frame.time);
	CHECK_EQ(r, 0);
	syscap_reader_close(reader);
	return found;
}

static char *in_dir(const char *dir, const char *before, const char *name)
{
	char *text;

	CHECK(asprintf(&text, "%s%s/%s", before, dir, name) > 0);
	return text;
}

static void check_own(const char *thread, const char *arg)
{
	char *const dir = written_make_dir();
	char *const path = in_dir(dir, "", "a.syscap");
	char *const output = in_dir(dir, "SYSCAP_OUTPUT=", "a.syscap");
	const char *const env[] = { output, thread, "SYSCAP_RING_KIB=64",
		                    NULL };

	written_run("one_file", arg, env, -1);
	const struct found found = find_in_capture(path, "file");
	CHECK_EQ(found.size, LARGE);
	CHECK_EQ(found.n_last, 1);
	free(path);
	free(output);
	written_remove_dir(dir);
}

TEST(a_process_that_records_itself_makes_room_for_its_files)
{
	check_own("SYSCAP_THREAD=1", "3000001");
	check_own("SYSCAP_THREAD=1", "3000001f");
	/* without a drain thread only the process itself drains */
	check_own("SYSCAP_THREAD=0", "3000001");
	check_own("SYSCAP_THREAD=0", "3000001f");
}

static void start(const char *name)
{
	struct syscap_options options = { .size = sizeof(options) };
	char path[600];

	snprintf(path, sizeof(path), "%s/%s", peer_arg(), name);
	options.output = path;
	CHECK_EQ(syscap_start(&options), 0);
}

static void *change_captures(void *data)
{
	const int fd = *(const int *)data;
	unsigned char *const content = make_content(TWICE);

	CHECK_EQ(write(fd, content, CHUNK + 1), CHUNK + 1);
	usleep(50000);
	CHECK_EQ(syscap_stop(), 0);
	start("second.syscap");
	CHECK_EQ(write(fd, content + CHUNK + 1, CHUNK - 1), CHUNK - 1);
	close(fd);
	free(content);
	return NULL;
}

CHILD(between_two_captures)
{
	pthread_t thread;
	int ends[2];

	CHECK_EQ(pipe2(ends, O_CLOEXEC), 0);
	start("first.syscap");
	pthread_create(&thread, NULL, change_captures, &ends[1]);
	/* -ENOBUFS: the second recording began before this call looked */
	const int r = syscap_file_fd("file", ends[0]);
	CHECK(r == -ECANCELED || r == -ENOBUFS);
	pthread_join(thread, NULL);
	CHECK_EQ(syscap_file("another", "", 0), 0);
	CHECK_EQ(syscap_stop(), 0);
	CHECK_EQ(syscap_file("off", "", 0), 0);
	close(ends[0]);
}

TEST(a_file_does_not_continue_in_another_capture)
{
	char *const dir = written_make_dir();
	char *const first = in_dir(dir, "", "first.syscap");
	char *const second = in_dir(dir, "", "second.syscap");

	written_run("between_two_captures", dir, NULL, -1);
	const struct found began = find_in_capture(first, "file");
	CHECK_EQ(began.n_chunks, 1);
	CHECK_EQ(began.n_last, 0);
	CHECK_EQ(find_in_capture(second, "file").n_chunks, 0);
	CHECK_EQ(find_in_capture(second, "another").n_last, 1);
	free(first);
	free(second);
	written_remove_dir(dir);
}

TEST(off_reads_nothing)
{
	int ends[2];

	CHECK_EQ(pipe2(ends, O_CLOEXEC), 0); /* read() would block */
	CHECK_EQ(syscap_file_fd("x", ends[0]), 0);
	CHECK_EQ(syscap_file("x", "data", 4), 0);
	CHECK_EQ(syscap_file("", "data", 4), -EINVAL);
	close(ends[0]);
	close(ends[1]);
}
