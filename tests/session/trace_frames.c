/* SPDX-License-Identifier: BSD-2-Clause */
/* trace_frames.c - frames that name their writers. */
#define _GNU_SOURCE
#include "trace_frames.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <syscap/format.h>

#include "harness/test.h"
#include "os/signals.h"

#define TYPE SYSCAP_FRAME_METADATA

static uint32_t mix(uint32_t a, uint32_t b)
{
	uint32_t x = a * 0x9E3779B1u ^ (b + 1) * 0x85EBCA77u;

	x ^= x >> 15;
	x *= 0x2C1B3C6Du;
	return x ^ x >> 13;
}

uint32_t frames_length(unsigned id, unsigned n, uint32_t longest)
{
	return 40 + mix(id, n) % ((longest - 40) / 8 + 1) * 8;
}

void frames_fill(unsigned char *bytes, unsigned id, unsigned n, uint32_t length)
{
	struct syscap_wire_frame frame = {
		.len = (uint16_t)length,
		.cpu = -1,
		.pid = (int32_t)id,
		.time = n,
		.type = TYPE,
	};

	memset(bytes, (int)(mix(n, id) & 0xFF), length);
	memcpy(bytes, &frame, sizeof(frame));
}

int64_t frames_in_ms(int ms)
{
	struct timespec now;

	if (ms < 0)
		return INT64_MAX;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec +
	       ms * INT64_C(1000000);
}

void frames_open(struct frames_writer *writer, unsigned id, int number)
{
	struct syc_trace_target target;
	const char *const why = syc_trace_adopt(number, &target);

	CHECK_STR(why, NULL);
	CHECK_EQ(syc_trace_open(&writer->trace, &target), 0);
	writer->id = id;
	writer->next = 0;
	if (writer->longest == 0)
		writer->longest = 400;
}

int frames_write(struct frames_writer *writer, unsigned n, int wait_ms)
{
	unsigned char *const bytes = malloc((size_t)n * writer->longest + 1);
	const int64_t now = frames_in_ms(0);
	struct syc_batch batch = { .frames = bytes,
		                   .time = now,
		                   .now = now,
		                   .deadline = frames_in_ms(wait_ms) };
	struct syc_write_nosignal quiet;

	CHECK(bytes != NULL);
	for (unsigned i = 0; i < n; i++) {
		const uint32_t length = frames_length(
			writer->id, writer->next + i, writer->longest);
		frames_fill(bytes + batch.size, writer->id, writer->next + i,
		            length);
		batch.size += length;
	}
	syc_write_nosignal_begin(&quiet);
	errno = 12345;
	const int r = syc_trace_write(&writer->trace, &batch);
	CHECK_EQ(errno, 12345);
	syc_write_nosignal_end(&quiet);
	CHECK(r <= 0);
	CHECK(r != 0 || batch.done == batch.size);
	for (uint64_t at = 0; at < batch.done;) {
		at += frames_length(writer->id, writer->next++,
		                    writer->longest);
		CHECK(at <= batch.done); /* whole frames */
	}
	free(bytes);
	return r;
}

void frames_look(const void *bytes, size_t size, struct frames_seen *ret_seen)
{
	static unsigned char expected[SYSCAP_FRAME_MAX + 1];
	const unsigned char *const at = bytes;
	struct syscap_wire_file header;
	size_t i = sizeof(header);

	memset(ret_seen, 0, sizeof(*ret_seen));
	CHECK(size >= sizeof(header));
	memcpy(&header, bytes, sizeof(header));
	CHECK_EQ(header.magic, SYSCAP_MAGIC);
	CHECK_EQ(header.version, 1);
	CHECK_EQ(header.little_endian,
	         __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	while (i < size) {
		struct syscap_wire_frame frame;
		unsigned writer;

		ret_seen->torn_at = i;
		if (size - i < sizeof(frame))
			return;
		memcpy(&frame, at + i, sizeof(frame));
		if (frame.len < 40 || frame.len % 8 != 0)
			test_fail(__FILE__, __LINE__,
			          "no frame of %u bytes, at %zu of %zu",
			          frame.len, i, size);
		if (frame.len > size - i)
			return;
		writer = (unsigned)frame.pid;
		CHECK(writer < FRAMES_WRITERS);
		CHECK_EQ(frame.time, ret_seen->writers[writer]);
		frames_fill(expected, writer, (unsigned)frame.time, frame.len);
		CHECK_EQ(memcmp(expected, at + i, frame.len), 0);
		ret_seen->writers[writer]++;
		ret_seen->total++;
		i += frame.len;
	}
	ret_seen->torn_at = 0;
}

uint64_t frames_size(int fd)
{
	struct stat st;

	CHECK_EQ(fstat(fd, &st), 0);
	return (uint64_t)st.st_size;
}

void frames_look_at_file(int fd, struct frames_seen *ret_seen)
{
	const size_t size = frames_size(fd);
	char path[64];

	CHECK(size != 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	const int again = open(path, O_RDONLY | O_CLOEXEC);
	CHECK(again >= 0);
	void *const bytes = mmap(NULL, size, PROT_READ, MAP_SHARED, again, 0);
	CHECK(bytes != MAP_FAILED);
	frames_look(bytes, size, ret_seen);
	munmap(bytes, size);
	close(again);
}

void frames_look_whole(int fd, struct frames_seen *ret_seen)
{
	frames_look_at_file(fd, ret_seen);
	CHECK_EQ(ret_seen->torn_at, 0);
}

unsigned char *frames_read(int fd, size_t n, size_t *ret_size)
{
	size_t room = 1 << 20, size = 0;
	unsigned char *bytes = malloc(room);

	while (size < n) {
		size_t part;

		if (size == room)
			bytes = realloc(bytes, room *= 2);
		CHECK(bytes != NULL);
		part = room - size < n - size ? room - size : n - size;
		const ssize_t got = read(fd, bytes + size, part);
		CHECK(got >= 0 || errno == EINTR);
		if (got == 0)
			break;
		if (got > 0)
			size += (size_t)got;
	}
	*ret_size = size;
	return bytes;
}

void frames_reap(int pid)
{
	int status;

	CHECK(pid > 0);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}

/* The names of the last files, removed at exit.  An unlinked file on a tmpfs,
 * as /tmp may be, would be taken for a memfd. */
#define N_PATHS 16u
static char made_paths[N_PATHS][32];
static unsigned n_made;
static pid_t maker;

static void remove_made(void)
{
	if (getpid() != maker)
		return;
	for (unsigned i = 0; i < N_PATHS; i++)
		unlink(made_paths[i]);
}

int frames_make_file(int flags)
{
	char *const path = made_paths[n_made++ % N_PATHS];

	if (maker == 0) {
		maker = getpid();
		CHECK_EQ(atexit(remove_made), 0);
	}
	CHECK_EQ(maker, getpid());
	unlink(path);
	strcpy(path, "/tmp/syscap-trace-XXXXXX");
	const int made = mkstemp(path);
	const int fd = open(path, flags | O_CLOEXEC);

	CHECK(made >= 0 && fd >= 0);
	close(made);
	return fd;
}
