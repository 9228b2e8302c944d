/* SPDX-License-Identifier: BSD-2-Clause */
/* make_rings.c - a capture and the ring file of its writer. */
#define _GNU_SOURCE
#include "capture/make_rings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <syscap/capture.h>

#include "common/load.h"

#define MARKS_MAX 4096u

static void must(bool condition, const char *what)
{
	if (condition)
		return;
	perror(what);
	abort();
}

struct syc_ring_file *make_rings_facts(struct make_rings *rings)
{
	return (struct syc_ring_file *)(void *)rings->bytes;
}

struct syc_ring_journal *make_rings_journal(struct make_rings *rings)
{
	return (struct syc_ring_journal *)(void *)(rings->bytes +
	                                           syc_ring_file_journal(
							   MAKE_RINGS_PAGE));
}

struct syc_ring_header *make_rings_header(struct make_rings *rings,
                                          uint32_t slot)
{
	return (struct syc_ring_header *)(void *)(rings->bytes +
	                                          syc_ring_file_front(
							  MAKE_RINGS_PAGE) +
	                                          slot * (MAKE_RINGS_PAGE +
	                                                  MAKE_RINGS_BODY));
}

struct syc_arena_head *make_rings_head(struct make_rings *rings)
{
	return (struct syc_arena_head *)(void *)(rings->bytes +
	                                         syc_ring_file_head(
							 MAKE_RINGS_PAGE));
}

uint32_t *make_rings_word(struct make_rings *rings, uint32_t slot)
{
	return (uint32_t *)(void *)(rings->bytes +
	                            syc_ring_file_words(MAKE_RINGS_PAGE)) +
	       slot;
}

void make_rings_begin(struct make_rings *rings, const char *dir,
                      uint32_t n_slots)
{
	memset(rings, 0, sizeof(*rings));
	snprintf(rings->path, sizeof(rings->path), "%s/a.rings", dir);
	snprintf(rings->capture_path, sizeof(rings->capture_path),
	         "%s/a.syscap", dir);
	rings->size = syc_ring_file_front(MAKE_RINGS_PAGE) +
	              n_slots * (MAKE_RINGS_PAGE + MAKE_RINGS_BODY);
	rings->bytes = calloc(1, rings->size);
	must(rings->bytes != NULL, "calloc");

	struct syc_ring_file *const facts = make_rings_facts(rings);
	memcpy(facts->magic, "SCRINGS2", 8);
	facts->version = SYC_RING_FILE_VERSION;
	facts->front = syc_ring_file_front(MAKE_RINGS_PAGE);
	facts->page_size = MAKE_RINGS_PAGE;
	facts->body_size = MAKE_RINGS_BODY;
	facts->n_slots = n_slots;
	facts->pid = MAKE_RINGS_PID;
	facts->began = 1000;
	strcpy(facts->capture, rings->capture_path);
	make_rings_slot(rings, 0, SYC_SLOT_LIVE, 0, 0);

	make_begin(&rings->capture, SYC_HOST_IS_BIG, 1000, 0);
	make_metadata(&rings->capture, 1000, "syscap.rings", rings->path);
	make_process(&rings->capture, MAKE_RINGS_PID, 1000, "killed");
}

void make_rings_free(struct make_rings *rings)
{
	unlink(rings->path);
	unlink(rings->capture_path);
	make_free(&rings->capture);
	free(rings->bytes);
	rings->bytes = NULL;
}

void make_rings_slot(struct make_rings *rings, uint32_t slot, uint32_t state,
                     int32_t tid, uint32_t at)
{
	struct syc_ring_header *const ring = make_rings_header(rings, slot);

	ring->head = ring->tail = at;
	ring->offset = MAKE_RINGS_PAGE;
	ring->size = MAKE_RINGS_BODY;
	ring->pid = MAKE_RINGS_PID;
	ring->tid = tid;
	*make_rings_word(rings, slot) = syc_slot_word(MAKE_RINGS_PID, state);
	ring->since = 2000;
}

void make_rings_add(struct make_rings *rings, uint32_t slot,
                    const struct make_capture *frame)
{
	struct syc_ring_header *const ring = make_rings_header(rings, slot);
	unsigned char *const body = (unsigned char *)ring + MAKE_RINGS_PAGE;

	for (size_t i = frame->frame; i < frame->size; i++) {
		body[ring->tail] = frame->data[i];
		ring->tail = (ring->tail + 1) % MAKE_RINGS_BODY;
	}
}

static void next_mark(struct make_rings *rings, struct make_capture *to)
{
	char text[20];

	snprintf(text, sizeof(text), "%u", rings->n_marks);
	make_mark(to, MAKE_RINGS_PID, 71, 5000 + 10 * rings->n_marks, 3, "test",
	          "mark", text);
	rings->n_marks++;
}

void make_rings_mark(struct make_rings *rings, uint32_t slot)
{
	struct make_capture frame = { .data = NULL };

	next_mark(rings, &frame);
	make_rings_add(rings, slot, &frame);
	make_free(&frame);
}

void make_rings_drained_mark(struct make_rings *rings)
{
	next_mark(rings, &rings->capture);
}

void make_rings_loss(struct make_capture *to, int32_t tid, int64_t time,
                     unsigned marks)
{
	char text[100];

	snprintf(text, sizeof(text), "frames=%u bytes=%u tid=%d mark=%u", marks,
	         marks * 104, tid, marks);
	make_mark(to, MAKE_RINGS_PID, tid, time, 5, "syscap", "lost", text);
}

unsigned char *make_rings_batch(struct make_rings *rings, size_t *ret_size)
{
	struct syc_ring_journal *const journal = make_rings_journal(rings);
	unsigned char *const batch = malloc(rings->size);
	size_t n = 0;

	must(batch != NULL, "malloc");
	for (uint32_t i = 0; i < make_rings_facts(rings)->n_slots; i++) {
		const struct syc_ring_header *const ring =
			make_rings_header(rings, i);

		if (ring->head == ring->tail)
			continue;
		journal->parts[journal->n++] =
			(struct syc_ring_journal_part){ i, ring->head,
			                                ring->tail };
		for (uint32_t at = ring->head; at != ring->tail;
		     at = (at + 1) % MAKE_RINGS_BODY)
			batch[n++] = ((const unsigned char *)
			                      ring)[MAKE_RINGS_PAGE + at];
	}
	journal->offset = rings->capture.size;
	journal->length = n;
	journal->state = SYC_JOURNAL_UNDER_WAY;
	*ret_size = n;
	return batch;
}

static void write_file(const char *path, const void *bytes, size_t size,
                       const void *more, size_t more_size)
{
	FILE *const file = fopen(path, "we");

	must(file != NULL, path);
	must(fwrite(bytes, 1, size, file) == size, path);
	must(more_size == 0 || fwrite(more, 1, more_size, file) == more_size,
	     path);
	must(fclose(file) == 0, path);
}

void make_rings_write(struct make_rings *rings, const void *torn,
                      size_t torn_size)
{
	struct syc_ring_file *const facts = make_rings_facts(rings);
	struct stat st;

	write_file(rings->capture_path, rings->capture.data,
	           rings->capture.size, torn, torn_size);
	must(stat(rings->capture_path, &st) == 0, "stat");
	facts->capture_dev = st.st_dev;
	facts->capture_ino = st.st_ino;
	write_file(rings->path, rings->bytes, rings->size, NULL, 0);
}

static void find_frame(const struct syscap_frame *frame,
                       struct make_rings_found *found, unsigned char *seen)
{
	unsigned long long frames;

	if (frame->type != SYSCAP_FRAME_MARK) {
		found->others++;
	} else if (strcmp(frame->mark.group, "syscap") == 0) {
		must(sscanf(frame->mark.message, "frames=%llu ", &frames) == 1,
		     frame->mark.message);
		found->losses++;
		found->lost += frames;
	} else {
		const unsigned long n = strtoul(frame->mark.message, NULL, 10);

		must(n < MARKS_MAX, frame->mark.message);
		found->is_each_once &= seen[n] == 0;
		seen[n] = 1;
		found->marks++;
	}
}

void make_rings_find(const char *path, struct make_rings_found *found)
{
	unsigned char seen[MARKS_MAX] = { 0 };
	struct syscap_reader *reader;
	struct syscap_file_info info;
	struct syscap_frame frame;

	memset(found, 0, sizeof(*found));
	found->is_each_once = true;
	found->end = syscap_reader_open(path, &reader, NULL);
	if (found->end != 0)
		return;
	while ((found->end = syscap_reader_next(reader, &frame, NULL)) == 1)
		find_frame(&frame, found, seen);
	for (unsigned i = 0; i < found->marks && i < MARKS_MAX; i++)
		found->is_each_once &= seen[i] == 1;
	syscap_reader_info(reader, &info);
	found->merged = info.merged_frames;
	found->bad = info.merged_bad;
	found->end_time = info.end;
	found->size = info.size;
	memcpy(found->not_merged, info.not_merged, sizeof(info.not_merged));
	syscap_reader_close(reader);
}
