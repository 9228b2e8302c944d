/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * defects_collector_frames.c - a collector's frames: their length, unwritten
 * bytes, values.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sysprof-capture.h>

#include "dropin/defects_collector.h"

/* ------------------------------------------------------------------- C-1 */

#define MESSAGE_MAX 65431 /* text size in the longest possible frame */

static void emit_long(void)
{
	const size_t n = strtoul(deed_arg(), NULL, 10);
	char *const text = text_of(n);

	mark("long", text);
	deed_ask(ASK_DRAIN);
	sysprof_collector_mark_printf(SYSPROF_CAPTURE_CURRENT_TIME, 0, "defect",
	                              "long", "%s", text);
	deed_ask(ASK_DRAIN);
	sysprof_collector_log(64, "defect", text);
	deed_ask(ASK_DRAIN);
	mark("behind", NULL);
	free(text);
}

static void emit_many_counters(void)
{
	enum {
		DEFINED = 600,
		SET = 6000
	};
	SysprofCaptureCounter *const counters =
		calloc(DEFINED, sizeof(*counters));
	SysprofCaptureCounterValue *const values = calloc(SET, sizeof(*values));
	unsigned int *const ids = calloc(SET, sizeof(*ids));
	const unsigned int first = sysprof_collector_request_counters(SET);

	NEED(counters != NULL && values != NULL && ids != NULL);
	MUST(first != 0);
	for (unsigned i = 0; i < DEFINED; i++) {
		counters[i].id = (first + i) & 0xFFFFFF;
		strcpy(counters[i].category, "defect");
	}
	for (unsigned i = 0; i < SET; i++) {
		ids[i] = first + i;
		values[i].v64 = first + i;
	}
	sysprof_collector_define_counters(counters, DEFINED);
	deed_ask(ASK_DRAIN);
	sysprof_collector_set_counters(ids, values, SET);
	deed_ask(ASK_DRAIN);
	mark("behind", NULL);
	free(counters);
	free(values);
	free(ids);
}

/* Checks that a text is complete, or cut at @max. */
static void look_at_text(const char *text, size_t n, size_t max)
{
	const size_t length = strlen(text);

	if (length != n && (n <= max || length < max - 8 || length > max))
		defect_shows("%zu bytes of text became %zu", n, length);
	for (size_t i = 0; i < length; i++)
		if (text[i] != (char)('a' + i % 23))
			defect_shows("byte %zu of a text is another", i);
}

static void look_at_long(const struct ring_peer *peer, size_t n)
{
	unsigned n_texts = 0;

	for (unsigned i = 0; i < peer->n_rings; i++) {
		struct frame frame = { .data = NULL };

		while (frame_next(&peer->rings[i], &frame)) {
			const char *const text = mark_message(&frame, "long");

			if (text != NULL)
				look_at_text(text, n, MESSAGE_MAX);
			if (frame.type == LOG)
				look_at_text((const char *)frame.data + 64, n,
				             MESSAGE_MAX + 32);
			n_texts += text != NULL || frame.type == LOG;
		}
	}
	if (n_texts != 3)
		defect_shows("%u of 3 events with %zu bytes of text arrive",
		             n_texts, n);
	MUST(marks_count(peer, "behind") == 1);
}

static void look_at_counters(const struct ring_peer *peer)
{
	unsigned n_defined = 0, n_values = 0;

	for (unsigned i = 0; i < peer->n_rings; i++) {
		struct frame frame = { .data = NULL };

		while (frame_next(&peer->rings[i], &frame)) {
			if (frame.type == CTRDEF)
				n_defined += frame_u16(&frame, 24);
			for (unsigned at = 32;
			     frame.type == CTRSET && at < frame.len; at += 96)
				for (unsigned k = 0; k < 8; k++)
					n_values += frame_u32(&frame,
					                      at + 4 * k) != 0;
		}
	}
	if (n_defined != 600 || n_values != 6000)
		defect_shows("of 600 counters %u are defined, of 6000 values "
		             "%u are there",
		             n_defined, n_values);
	MUST(marks_count(peer, "behind") == 1);
}

static void long_events_are_cut(uint32_t pages)
{
	static const size_t sizes[] = {
		65431,  65432,  65440,  65448,  65535,  65536,  66000,
		130968, 131000, 131071, 131072, 257920, 258048, 1000000,
	};
	struct ring_peer peer;
	char arg[16];

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		snprintf(arg, sizeof(arg), "%zu", sizes[i]);
		record(&peer, pages, "long", arg);
		look_at_long(&peer, sizes[i]);
		ring_peer_free(&peer);
	}
	record(&peer, pages, "many counters", "");
	look_at_counters(&peer);
	ring_peer_free(&peer);
}

/* ------------------------------------------------------------------ C-12 */

/* An unwinder's function, which also writes the two addresses in front, like
 * real unwinders. */
static int scribble(SysprofCaptureAddress *addrs, unsigned int n_addrs,
                    void *unused)
{
	(void)unused;
	memset(addrs - 2, 0x66, 16);
	memset(addrs, 0x66, n_addrs * sizeof(*addrs));
	for (unsigned i = 0; i < 5; i++)
		addrs[i] = i + 1;
	return 5;
}

static void define_short(unsigned int id)
{
	SysprofCaptureCounter counter;

	memset(&counter, 'S', sizeof(counter));
	strcpy(counter.category, "c");
	strcpy(counter.name, "n");
	strcpy(counter.description, "d");
	counter.id = id & 0xFFFFFF;
	counter.type = SYSPROF_CAPTURE_COUNTER_INT64;
	counter.value.v64 = 0;
	sysprof_collector_define_counters(&counter, 1);
}

static void emit_on_used_memory(void)
{
	static const char letters[] = "abcdefghijklm";
	char *const text = text_of(30000);
	const unsigned int id = sysprof_collector_request_counters(1);
	const SysprofCaptureCounterValue value = { .v64 = 7 };

	/* lets the ring wrap, full of text */
	for (int i = 0; i < 20; i++) {
		sysprof_collector_mark(SYSPROF_CAPTURE_CURRENT_TIME, 0, text,
		                       text, text);
		deed_ask(ASK_DRAIN);
	}
	/* lengths that shift the next frames over the old text */
	for (int i = 0; i < 40; i++) {
		mark("short", letters + i % 13);
		sysprof_collector_log(64, "d", letters + i % 7);
		sysprof_collector_sample(scribble, NULL);
		sysprof_collector_allocate(0x1000, 16, scribble, NULL);
		define_short(id);
		sysprof_collector_set_counters(&id, &value, 1);
	}
	free(text);
}

static void bytes_without_meaning_are_zero(uint32_t pages)
{
	struct ring_peer peer;

	record(&peer, pages, "on used memory", "");
	for (unsigned i = 0; i < peer.n_rings; i++) {
		struct frame frame = { .data = NULL };

		while (frame_next(&peer.rings[i], &frame))
			if (frame.type != END && !frame_is_clean(&frame))
				defect_shows("a frame of type %u holds bytes "
				             "of other events or of the stack",
				             frame.type);
	}
	MUST(marks_count(&peer, "short") == 40);
	ring_peer_free(&peer);
}

/* ------------------------------------------------------------------ C-18 */

static void emit_odd_numbers_of_values(void)
{
	char *const text = text_of(30000);
	SysprofCaptureCounterValue values[20];
	const unsigned int first = sysprof_collector_request_counters(20);
	unsigned int ids[20];

	for (unsigned i = 0; i < 20; i++) {
		ids[i] = first + i;
		values[i].v64 = 1000 + i;
	}
	for (int i = 0; i < 20; i++) {
		mark("old text", text);
		deed_ask(ASK_DRAIN);
	}
	for (unsigned n = 1; n <= 20; n++)
		sysprof_collector_set_counters(ids, values, n);
	free(text);
}

/* Checks that value slots without an id are empty, and that the other slots are
 * consecutive. */
static void look_at_values(const struct frame *frame, unsigned n)
{
	unsigned n_found = 0;

	for (unsigned at = 32; at < frame->len; at += 96)
		for (unsigned k = 0; k < 8; k++) {
			const uint32_t id = frame_u32(frame, at + 4 * k);
			const uint64_t value =
				frame_u64(frame, at + 32 + 8 * k);

			if (id == 0 && value != 0)
				defect_shows("no counter has value %#llx",
				             (unsigned long long)value);
			if (id != 0 && value != 1000 + n_found)
				defect_shows("%u values were set, and number "
				             "%u is of counter %#x, %#llx",
				             n, n_found, id,
				             (unsigned long long)value);
			n_found += id != 0;
		}
	MUST(n_found == n);
}

static void values_are_those_that_were_set(uint32_t pages)
{
	struct ring_peer peer;
	unsigned n = 0;

	record(&peer, pages, "odd numbers of values", "");
	for (unsigned i = 0; i < peer.n_rings; i++) {
		struct frame frame = { .data = NULL };

		while (frame_next(&peer.rings[i], &frame))
			if (frame.type == CTRSET)
				look_at_values(&frame, ++n);
	}
	MUST(n == 20);
	ring_peer_free(&peer);
}

const struct defect defects_of_frames[] = {
	{ "C-1", long_events_are_cut },
	{ "C-12", bytes_without_meaning_are_zero },
	{ "C-18", values_are_those_that_were_set },
	{ NULL, NULL }
};

const struct deed deeds_of_frames[] = {
	{ "long", emit_long },
	{ "many counters", emit_many_counters },
	{ "on used memory", emit_on_used_memory },
	{ "odd numbers of values", emit_odd_numbers_of_values },
	{ NULL, NULL }
};
