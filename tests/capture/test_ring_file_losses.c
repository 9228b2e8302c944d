/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_ring_file_losses.c - losses of a dead process, reported once by readers
 * and by recover.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/make_rings.h"
#include "capture/recover.h"
#include "harness/test.h"

static char dir[] = "/tmp/syscap-rest-XXXXXX";

static void begin(struct make_rings *r)
{
	CHECK(mkdtemp(dir) != NULL);
	make_rings_begin(r, dir, 4);
	make_rings_slot(r, 1, SYC_SLOT_LIVE, 71, 64);
	make_rings_mark(r, 1);
}

static void set_totals(struct syc_ring_losses *lost,
                       struct syc_ring_losses *told, unsigned n_lost,
                       unsigned n_told)
{
	lost->frames[SYSCAP_FRAME_MARK] = n_lost;
	lost->bytes = n_lost * 104;
	lost->from = 2500;
	lost->to = 2700;
	told->frames[SYSCAP_FRAME_MARK] = n_told;
	told->bytes = n_told * 104;
}

static void lose(struct make_rings *r, uint32_t slot, unsigned lost,
                 unsigned told)
{
	struct syc_ring_header *const ring = make_rings_header(r, slot);

	set_totals(&ring->lost, &ring->told, lost, told);
}

/* Losses of threads without a slot. */
static void lose_in_head(struct make_rings *r, unsigned lost, unsigned told)
{
	struct syc_arena_head *const head = make_rings_head(r);

	set_totals(&head->lost, &head->told, lost, told);
}

static void add_loss(struct make_rings *r, uint32_t slot, int32_t tid,
                     int64_t time, unsigned marks)
{
	struct make_capture frame = { .data = NULL };

	make_rings_loss(&frame, tid, time, marks);
	make_rings_add(r, slot, &frame);
	make_free(&frame);
}

/* Checks that readers and recover report @lost frames, in @records. */
static void check_told(struct make_rings *r, unsigned lost, unsigned records)
{
	struct make_rings_found found;
	struct syc_recovered recovered;
	struct syscap_error error;

	make_rings_write(r, NULL, 0);
	make_rings_find(r->capture_path, &found);
	CHECK_EQ(found.end, 0);
	CHECK_EQ(found.lost, lost);
	CHECK_EQ(found.losses, records);
	if (syc_recover(r->capture_path, false, &recovered, &error) != 0)
		test_fail(__FILE__, __LINE__, "%s", error.message);
	CHECK(recovered.had_rings);
	make_rings_find(r->capture_path, &found);
	CHECK_EQ(found.merged, 0);
	CHECK_EQ(found.lost, lost);
	CHECK_EQ(found.losses, records);
	make_rings_free(r);
	CHECK_EQ(rmdir(dir), 0);
}

TEST(unreported_losses_get_a_record)
{
	struct make_rings r;

	begin(&r);
	lose(&r, 1, 5, 0);
	check_told(&r, 5, 1);
}

TEST(recorded_losses_are_not_repeated)
{
	struct make_rings r;

	begin(&r);
	lose(&r, 1, 9, 5);
	make_rings_loss(&r.capture, 71, 2500, 3);
	add_loss(&r, 1, 71, 2600, 2);
	check_told(&r, 9, 3);
}

TEST(records_of_losses_before_the_ring_count)
{
	struct make_rings r;

	/* the record has an early time; the ring exists since time 2000 */
	begin(&r);
	lose(&r, 1, 3, 3);
	make_rings_loss(&r.capture, 71, 1500, 3);
	check_told(&r, 3, 1);
}

TEST(a_record_that_was_not_published_is_written)
{
	struct make_rings r;

	/* the report is counted; the tail is not stored yet */
	begin(&r);
	lose(&r, 1, 7, 7);
	make_rings_loss(&r.capture, 71, 2500, 3);
	check_told(&r, 7, 2);
}

TEST(unnoted_record_of_the_drainer_counts)
{
	struct make_rings r;

	begin(&r);
	make_rings_slot(&r, 2, SYC_SLOT_ENDED, 72, 64);
	lose(&r, 2, 4, 1);
	make_rings_loss(&r.capture, 72, 2500, 1);
	add_loss(&r, 0, 72, 2600, 3);
	check_told(&r, 4, 2);
}

TEST(losses_of_threads_without_slot_get_a_record)
{
	struct make_rings r;

	begin(&r);
	lose_in_head(&r, 8, 0);
	check_told(&r, 8, 1);
}

TEST(drainers_records_of_these_are_not_repeated)
{
	struct make_rings r;

	/* one record is in the capture, one in the ring and not counted yet */
	begin(&r);
	lose_in_head(&r, 9, 2);
	make_rings_loss(&r.capture, 0, 2500, 2);
	add_loss(&r, 0, 0, 2600, 3);
	check_told(&r, 9, 3);
}

TEST(records_of_an_earlier_capture_are_not_repeated)
{
	struct make_rings r;

	begin(&r);
	lose_in_head(&r, 9, 5);
	make_rings_loss(&r.capture, 0, 2500, 1);
	check_told(&r, 9 - 5 + 1, 2);
}

TEST(a_slot_that_is_free_again_lost_nothing)
{
	struct make_rings r;

	begin(&r);
	make_rings_slot(&r, 2, SYC_SLOT_FREE, 72, 64);
	lose(&r, 2, 4, 1);
	make_rings_slot(&r, 3, SYC_SLOT_BUSY, 73, 64);
	lose(&r, 3, 4, 1);
	check_told(&r, 0, 0);
}

TEST(each_thread_has_a_record_of_its_own)
{
	struct make_rings r;

	begin(&r);
	lose(&r, 1, 5, 0);
	make_rings_slot(&r, 2, SYC_SLOT_LIVE, 72, 64);
	lose(&r, 2, 6, 2);
	make_rings_loss(&r.capture, 72, 2500, 2);
	check_told(&r, 11, 3);
}

TEST(threads_of_one_id_share_a_record)
{
	struct make_rings r;

	begin(&r);
	make_rings_slot(&r, 2, SYC_SLOT_ENDED, 71, 64);
	lose(&r, 1, 5, 1);
	lose(&r, 2, 6, 2);
	make_rings_loss(&r.capture, 71, 2500, 3);
	check_told(&r, 11, 2);
}

TEST(earlier_thread_of_the_id_hides_no_losses)
{
	struct make_rings r;

	/* the earlier slot is free, its 20 losses are reported */
	begin(&r);
	make_rings_loss(&r.capture, 71, 1500, 20);
	make_rings_loss(&r.capture, 71, 2500, 2);
	lose(&r, 1, 5, 2);
	check_told(&r, 25, 3);
}

TEST(record_has_kinds_bytes_and_times)
{
	struct make_rings r;
	struct syscap_reader *reader;
	struct syscap_frame frame;

	begin(&r);
	lose(&r, 1, 5, 0);
	make_rings_header(&r, 1)->lost.frames[SYSCAP_FRAME_LOG] = 2;
	make_rings_write(&r, NULL, 0);
	CHECK_EQ(syscap_reader_open(r.capture_path, &reader, NULL), 0);
	struct syscap_frame last = { .len = 0 };
	while (syscap_reader_next(reader, &frame, NULL) == 1)
		last = frame;
	CHECK_STR(last.mark.group, "syscap");
	CHECK_STR(last.mark.name, "lost");
	CHECK_STR(last.mark.message, "frames=7 bytes=520 tid=71 mark=5 log=2");
	CHECK_EQ(last.time, 2500);
	CHECK_EQ(last.mark.duration, 200);
	CHECK_EQ(last.pid, MAKE_RINGS_PID);
	CHECK_EQ(last.tid, 71);
	syscap_reader_close(reader);
	make_rings_free(&r);
	CHECK_EQ(rmdir(dir), 0);
}

TEST(losses_in_the_header_and_in_the_ring_file_are_both_reported)
{
	struct make_rings r;
	unsigned char *header;

	begin(&r);
	header = r.capture.data;
	memcpy(header + 96, "SCLOST01", 8);
	header[96 + 32 + 4 * SYSCAP_FRAME_MARK] = 6;
	lose(&r, 1, 5, 0);
	check_told(&r, 11, 2);
}
