/* SPDX-License-Identifier: BSD-2-Clause */
/* fuzz_frames.c - see fuzz_frames.h. */
#define _GNU_SOURCE
#include "dropin/fuzz_frames.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define HEADER   256u
#define FILE_MAX ((size_t)600 << 10)

static volatile uint64_t sink;

void fuzz_demand(bool condition)
{
	if (!condition)
		abort();
}

/* ------------------------------------------------------------------ files */

int fuzz_file(void)
{
	const int fd = memfd_create("fuzz", MFD_CLOEXEC);

	fuzz_demand(fd >= 0);
	return fd;
}

static void put(int fd, const uint8_t *data, size_t size, size_t at)
{
	while (size > 0) {
		const ssize_t n = pwrite(fd, data, size, (off_t)at);

		fuzz_demand(n > 0);
		data += n;
		size -= (size_t)n;
		at += (size_t)n;
	}
}

size_t fuzz_fill(int fd, const uint8_t *data, size_t size)
{
	size_t n = 1, at = size;

	if (size > HEADER && data[FUZZ_REPEAT] > 128)
		n = 4u * (data[FUZZ_REPEAT] - 128u);
	fuzz_demand(ftruncate(fd, 0) == 0);
	put(fd, data, size, 0);
	for (; n > 1 && at + size <= FILE_MAX; n--) {
		put(fd, data + HEADER, size - HEADER, at);
		at += size - HEADER;
	}
	return at;
}

uint8_t *fuzz_content(int fd, size_t *ret_size)
{
	const off_t size = lseek(fd, 0, SEEK_END);
	uint8_t *const data = malloc(size > 0 ? (size_t)size : 1);

	fuzz_demand(size >= 0 && data != NULL);
	fuzz_demand(pread(fd, data, (size_t)size, 0) == size);
	*ret_size = (size_t)size;
	return data;
}

/* ---------------------------------------------------------------- reading */

/* The frame is the first member of every result. */
#define READ(type, name)                       \
	case SYSPROF_CAPTURE_FRAME_##type:     \
		return (SysprofCaptureFrame *) \
			sysprof_capture_reader_read_##name(reader)

const SysprofCaptureFrame *fuzz_read(SysprofCaptureReader *reader,
                                     unsigned type)
{
	switch (type) {
		READ(TIMESTAMP, timestamp);
		READ(SAMPLE, sample);
		READ(MAP, map);
		READ(PROCESS, process);
		READ(FORK, fork);
		READ(EXIT, exit);
		READ(JITMAP, jitmap);
		READ(CTRDEF, counter_define);
		READ(CTRSET, counter_set);
		READ(MARK, mark);
		READ(METADATA, metadata);
		READ(LOG, log);
		READ(FILE_CHUNK, file);
		READ(ALLOCATION, allocation);
		READ(OVERLAY, overlay);
		READ(TRACE, trace);
		READ(DBUS_MESSAGE, dbus_message);
	default:
		return NULL;
	}
}

/* --------------------------------------------------------------- checking */

static void text(const SysprofCaptureFrame *frame, const char *at, size_t max)
{
	const char *const end = (const char *)frame + frame->len;
	const size_t room = at < end ? (size_t)(end - at) : 0;

	fuzz_demand(at >= (const char *)frame && room > 0);
	if (max == 0 || max > room)
		max = room;
	fuzz_demand(memchr(at, 0, max) != NULL);
}

static void check_jitmap(const SysprofCaptureJitmap *jitmap)
{
	SysprofCaptureJitmapIter iter;
	SysprofCaptureAddress addr;
	const char *path;
	size_t n = 0;

	sysprof_capture_jitmap_iter_init(&iter, jitmap);
	while (sysprof_capture_jitmap_iter_next(&iter, &addr, &path)) {
		text(&jitmap->frame, path, 0);
		sink += addr;
		fuzz_demand(++n <= jitmap->n_jitmaps);
	}
	fuzz_demand(n == jitmap->n_jitmaps);
	sysprof_capture_jitmap_iter_init(&iter, jitmap);
	while (sysprof_capture_jitmap_iter_next(&iter, NULL, NULL))
		n--;
	fuzz_demand(n == 0);
}

static void check_overlay(const SysprofCaptureOverlay *overlay)
{
	const size_t src = overlay->src_len, dst = overlay->dst_len;

	fuzz_demand(32 + src + dst + 2 <= overlay->frame.len);
	fuzz_demand(overlay->data[src] == '\0');
	fuzz_demand(overlay->data[src + 1 + dst] == '\0');
}

/* Checks frames with a number of elements after a fixed part. */
static void check_elements(const SysprofCaptureFrame *frame)
{
	size_t fixed = 0, n = 0, size = 8;

	switch (frame->type) {
	case SYSPROF_CAPTURE_FRAME_SAMPLE:
	case SYSPROF_CAPTURE_FRAME_TRACE:
		fixed = 32;
		n = ((const SysprofCaptureSample *)frame)->n_addrs;
		break;
	case SYSPROF_CAPTURE_FRAME_ALLOCATION:
		fixed = 48;
		n = ((const SysprofCaptureAllocation *)frame)->n_addrs;
		break;
	case SYSPROF_CAPTURE_FRAME_CTRDEF:
		fixed = 32;
		n = ((const SysprofCaptureCounterDefine *)frame)->n_counters;
		size = sizeof(SysprofCaptureCounter);
		break;
	case SYSPROF_CAPTURE_FRAME_CTRSET:
		fixed = 32;
		n = ((const SysprofCaptureCounterSet *)frame)->n_values;
		size = sizeof(SysprofCaptureCounterValues);
		break;
	case SYSPROF_CAPTURE_FRAME_FILE_CHUNK:
		fixed = 284;
		n = ((const SysprofCaptureFileChunk *)frame)->len;
		size = 1;
		break;
	case SYSPROF_CAPTURE_FRAME_DBUS_MESSAGE:
		fixed = 28;
		n = ((const SysprofCaptureDBusMessage *)frame)->message_len;
		size = 1;
		break;
	case SYSPROF_CAPTURE_FRAME_FORK:
		fixed = 28;
		break;
	default:
		break;
	}
	fuzz_demand(fixed + n * size <= frame->len);
}

static void check_counters(const SysprofCaptureCounterDefine *define)
{
	for (unsigned i = 0; i < define->n_counters; i++) {
		const SysprofCaptureCounter *const c = &define->counters[i];

		fuzz_demand(memchr(c->category, 0, sizeof(c->category)) &&
		            memchr(c->name, 0, sizeof(c->name)) &&
		            memchr(c->description, 0, sizeof(c->description)));
	}
}

static void check_texts(const SysprofCaptureFrame *frame)
{
	const SysprofCaptureMark *const mark = (const void *)frame;
	const SysprofCaptureMetadata *const metadata = (const void *)frame;
	const SysprofCaptureLog *const line = (const void *)frame;

	switch (frame->type) {
	case SYSPROF_CAPTURE_FRAME_MAP:
		text(frame, ((const SysprofCaptureMap *)frame)->filename, 0);
		break;
	case SYSPROF_CAPTURE_FRAME_PROCESS:
		text(frame, ((const SysprofCaptureProcess *)frame)->cmdline, 0);
		break;
	case SYSPROF_CAPTURE_FRAME_MARK:
		text(frame, mark->group, sizeof(mark->group));
		text(frame, mark->name, sizeof(mark->name));
		text(frame, mark->message, 0);
		break;
	case SYSPROF_CAPTURE_FRAME_METADATA:
		text(frame, metadata->id, sizeof(metadata->id));
		text(frame, metadata->metadata, 0);
		break;
	case SYSPROF_CAPTURE_FRAME_LOG:
		text(frame, line->domain, sizeof(line->domain));
		text(frame, line->message, 0);
		break;
	case SYSPROF_CAPTURE_FRAME_FILE_CHUNK:
		text(frame, ((const SysprofCaptureFileChunk *)frame)->path,
		     256);
		break;
	default:
		break;
	}
}

uint64_t fuzz_hash(const SysprofCaptureFrame *frame)
{
	uint64_t hash = frame->len, word;

	for (size_t at = 0; at + 8 <= frame->len; at += 8) {
		memcpy(&word, (const char *)frame + at, 8);
		hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
		hash ^= hash >> 29;
	}
	return hash;
}

void fuzz_check(const SysprofCaptureFrame *frame)
{
	fuzz_demand(frame->len >= 24 && frame->len % 8 == 0);
	fuzz_demand(frame->type > 0 &&
	            frame->type < SYSPROF_CAPTURE_FRAME_LAST);
	sink += fuzz_hash(frame);
	check_elements(frame);
	check_texts(frame);
	if (frame->type == SYSPROF_CAPTURE_FRAME_CTRDEF)
		check_counters((const SysprofCaptureCounterDefine *)frame);
	if (frame->type == SYSPROF_CAPTURE_FRAME_JITMAP)
		check_jitmap((const SysprofCaptureJitmap *)frame);
	if (frame->type == SYSPROF_CAPTURE_FRAME_OVERLAY)
		check_overlay((const SysprofCaptureOverlay *)frame);
}

/* ---------------------------------------------------------------- walking */

void fuzz_walk_add(struct fuzz_walk *walk, const SysprofCaptureFrame *frame)
{
	fuzz_check(frame);
	if (walk->n == walk->n_max) {
		walk->n_max = walk->n_max ? 2 * walk->n_max : 256;
		walk->hashes = realloc(walk->hashes,
		                       walk->n_max * sizeof(*walk->hashes));
		fuzz_demand(walk->hashes != NULL);
	}
	walk->hashes[walk->n++] = fuzz_hash(frame);
	walk->bytes += frame->len;
	walk->types[frame->type]++;
}

void fuzz_walk(SysprofCaptureReader *reader, struct fuzz_walk *walk)
{
	SysprofCaptureFrameType type;

	while (sysprof_capture_reader_peek_type(reader, &type)) {
		const SysprofCaptureFrame *const frame =
			fuzz_read(reader, type);

		/* A found frame must be readable, and have the found type */
		fuzz_demand(frame != NULL && frame->type == type);
		fuzz_walk_add(walk, frame);
	}
}

void fuzz_walk_free(struct fuzz_walk *walk)
{
	free(walk->hashes);
	memset(walk, 0, sizeof(*walk));
}
