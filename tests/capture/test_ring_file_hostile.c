/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_ring_file_hostile.c - ring files with every word changed. Readers and
 * recover neither read nor write outside of the two files.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/make_rings.h"
#include "capture/recover.h"
#include "harness/test.h"

static char dir[] = "/tmp/syscap-hostile-XXXXXX";
static char bystander[64];
static unsigned char before[8192], after[8192 * 8];

static void begin(struct make_rings *r)
{
	CHECK(mkdtemp(dir) != NULL);
	make_rings_begin(r, dir, 3);
	for (unsigned i = 0; i < 4; i++)
		make_rings_drained_mark(r);
	make_rings_slot(r, 1, SYC_SLOT_LIVE, 71, MAKE_RINGS_BODY - 200);
	make_rings_slot(r, 2, SYC_SLOT_ENDED, 72, 128);
	for (unsigned i = 0; i < 5; i++) {
		make_rings_mark(r, 1);
		make_rings_mark(r, 2);
	}
	make_rings_header(r, 1)->lost.frames[SYSCAP_FRAME_MARK] = 3;
	snprintf(bystander, sizeof(bystander), "%s/bystander", dir);
	const int fd = open(bystander, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	CHECK_EQ(write(fd, "content", 7), 7);
	close(fd);
}

static void end(struct make_rings *r)
{
	char text[8] = "";
	const int fd = open(bystander, O_RDONLY | O_CLOEXEC);

	CHECK_EQ(read(fd, text, sizeof(text)), 7);
	CHECK_STR(text, "content");
	close(fd);
	CHECK_EQ(unlink(bystander), 0);
	make_rings_free(r);
	/* no other file was made here */
	CHECK_EQ(rmdir(dir), 0);
}

static size_t read_file(const char *path, unsigned char *bytes, size_t size)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = 0;

	CHECK(fd >= 0);
	n = read(fd, bytes, size);
	CHECK(n >= 0 && (size_t)n < size);
	close(fd);
	return (size_t)n;
}

/* Reads and recovers the files; the capture's own frames must stay. */
static void look(struct make_rings *r, size_t torn_size)
{
	struct make_rings_found found;
	struct syc_recovered recovered;
	struct syscap_error error;
	struct stat st;
	const size_t whole = r->capture.size;

	make_rings_find(r->capture_path, &found);
	CHECK(found.marks >= 4);
	(void)syc_recover(r->path, true, &recovered, &error);
	(void)syc_recover(r->capture_path, true, &recovered, &error);
	CHECK_EQ(read_file(r->capture_path, after, sizeof(after)),
	         whole + torn_size);
	for (int i = 0; i < 2; i++) {
		(void)syc_recover(i == 0 ? r->capture_path : r->path, false,
		                  &recovered, &error);
		const size_t n =
			read_file(r->capture_path, after, sizeof(after));
		CHECK(n >= whole);
		CHECK_EQ(memcmp(after, before, 80), 0);
		CHECK_EQ(memcmp(after + 88, before + 88, whole - 88), 0);
	}
	CHECK(stat(r->path, &st) != 0 || (size_t)st.st_size <= r->size);
	make_rings_find(r->capture_path, &found);
	CHECK(found.marks >= 4);
}

static void change_each_word(struct make_rings *r, size_t from, size_t to,
                             const unsigned char *torn, size_t torn_size)
{
	static const uint32_t values[] = { 0,          1,          2,
		                           7,          8,          0x1000,
		                           0x10000,    0x7FFFFFFF, 0x80000000,
		                           0xFFFFFFF8, 0xFFFFFFFF };
	const unsigned n = sizeof(values) / sizeof(values[0]);

	memcpy(before, r->capture.data, r->capture.size);
	for (size_t at = from; at < to; at += 4) {
		uint32_t kept;

		memcpy(&kept, r->bytes + at, 4);
		for (unsigned i = 0; i < n + 2; i++) {
			const uint32_t value = i < n    ? values[i]
			                       : i == n ? kept + 8
			                                : kept ^ 0x40;

			make_rings_write(r, torn, torn_size);
			const int fd = open(r->path, O_WRONLY | O_CLOEXEC);
			CHECK_EQ(pwrite(fd, &value, 4, (off_t)at), 4);
			close(fd);
			look(r, torn_size);
			unlink(r->path);
		}
	}
}

TEST(any_wrong_fact_is_survived)
{
	struct make_rings r;

	begin(&r);
	change_each_word(&r, 0, 160, NULL, 0);
	end(&r);
}

TEST(any_wrong_journal_word_is_survived)
{
	unsigned char *batch;
	struct make_rings r;
	size_t size;

	begin(&r);
	batch = make_rings_batch(&r, &size);
	for (unsigned i = 0; i < 3; i++)
		change_each_word(&r, syc_ring_file_journal(MAKE_RINGS_PAGE),
		                 syc_ring_file_journal(MAKE_RINGS_PAGE) + 56,
		                 batch, size * i / 2);
	make_rings_journal(&r)->state = SYC_JOURNAL_NOTHING;
	change_each_word(&r, syc_ring_file_journal(MAKE_RINGS_PAGE),
	                 syc_ring_file_journal(MAKE_RINGS_PAGE) + 56, NULL, 0);
	free(batch);
	end(&r);
}

TEST(any_wrong_ring_word_is_survived)
{
	struct make_rings r;

	begin(&r);
	for (uint32_t slot = 0; slot < 3; slot++) {
		const size_t at =
			(size_t)((unsigned char *)make_rings_header(&r, slot) -
		                 r.bytes);

		change_each_word(&r, at, at + 16, NULL, 0);
		change_each_word(&r, at + 128, at + 144 + 4 * 8, NULL, 0);
		change_each_word(&r, at + 144 + 128, at + 144 + 152, NULL, 0);
		change_each_word(&r, at + 512, at + 560, NULL, 0);
	}
	end(&r);
}

TEST(any_wrong_frame_word_is_survived)
{
	struct make_rings r;

	begin(&r);
	const size_t at =
		(size_t)((unsigned char *)make_rings_header(&r, 2) - r.bytes) +
		MAKE_RINGS_PAGE + 128;
	change_each_word(&r, at, at + 240, NULL, 0);
	end(&r);
}

TEST(ring_file_cut_anywhere_is_survived)
{
	struct make_rings_found found;
	struct make_rings r;

	begin(&r);
	memcpy(before, r.capture.data, r.capture.size);
	for (size_t n = 0; n < r.size; n += n < 4300 ? 97 : 3000) {
		make_rings_write(&r, NULL, 0);
		CHECK_EQ(truncate(r.path, (off_t)n), 0);
		look(&r, 0);
		make_rings_find(r.capture_path, &found);
		CHECK_EQ(found.marks, 4);
		CHECK_EQ(found.merged, 0);
	}
	end(&r);
}

TEST(rings_that_claim_to_be_huge_cost_little)
{
	struct make_rings_found found;
	struct make_rings r;

	begin(&r);
	struct syc_ring_file *const facts = make_rings_facts(&r);
	facts->body_size = SYC_RING_BODY_MAX;
	facts->n_slots = SYC_RING_FILE_SLOTS;
	for (uint32_t i = 0; i < SYC_RING_FILE_SLOTS; i++)
		*make_rings_word(&r, i) =
			syc_slot_word(MAKE_RINGS_PID, SYC_SLOT_LIVE);
	make_rings_write(&r, NULL, 0);
	/* sparse; slot 0 is at its place, full of zeros */
	if (truncate(r.path, (off_t)1 << 41) != 0)
		SKIP("the file system does not support files of 2 TiB");
	struct syc_ring_header *const ring = make_rings_header(&r, 0);
	ring->head = 0;
	ring->tail = SYC_RING_BODY_MAX - 8;
	const int fd = open(r.path, O_WRONLY | O_CLOEXEC);
	for (uint32_t i = 0; i < SYC_RING_FILE_SLOTS; i++)
		CHECK_EQ(pwrite(fd, ring, 4096,
		                (off_t)syc_ring_file_front(MAKE_RINGS_PAGE) +
		                        (off_t)i * (4096 +
		                                    (off_t)SYC_RING_BODY_MAX)),
		         4096);
	close(fd);
	make_rings_find(r.capture_path, &found);
	CHECK_EQ(found.end, 0);
	CHECK_EQ(found.bad, SYC_RING_FILE_SLOTS);
	end(&r);
}
