/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * defects_collector_texts.c - texts that can't be formatted or end within a
 * character, and the effect of a bad event on good events.
 */
#define _GNU_SOURCE
#include <printf.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include <sysprof-capture.h>

#include "dropin/defects_collector.h"

/* A character that the C locale can't encode. */
static const wchar_t unencodable[] = { 0x20AC, 0 };

/* ------------------------------------------------------------------- C-2 */

static void *emit_good(void *name)
{
	for (int i = 0; i < 50; i++)
		mark(name, "good");
	return NULL;
}

static int emit_inside(SysprofCaptureAddress *addrs, unsigned int n_addrs,
                       void *unused)
{
	(void)n_addrs;
	(void)unused;
	mark("inside", NULL);
	addrs[0] = 1;
	return 1;
}

/* Emits events of every kind with a known defect, among valid events */
static void emit_good_and_bad(void)
{
	const char *const which = deed_arg();
	char *const text = text_of(65440);
	pthread_t thread;

	emit_good("good");
	NEED(pthread_create(&thread, NULL, emit_good, "good") == 0);
	NEED(pthread_join(thread, NULL) == 0);
	if (strcmp(which, "long") == 0)
		mark("bad", text);
	else if (strcmp(which, "text") == 0)
		sysprof_collector_mark_printf(0, 0, "defect", "bad", "%ls",
		                              unencodable);
	else
		sysprof_collector_sample(emit_inside, NULL);
	emit_good("good");
	NEED(pthread_create(&thread, NULL, emit_good, "good") == 0);
	NEED(pthread_join(thread, NULL) == 0);
	free(text);
}

/* Readers of a recorder's capture stop at the first invalid frame. */
static void good_events_survive_bad_ones(uint32_t pages)
{
	static const char *const which[] = { "long", "text", "inside" };

	for (size_t k = 0; k < sizeof(which) / sizeof(*which); k++) {
		struct ring_peer peer;
		const char *why = NULL;
		unsigned n = 0;

		record(&peer, pages, "good and bad", which[k]);
		for (unsigned i = 0; i < peer.n_rings && why == NULL; i++) {
			struct frame frame = { .data = NULL };

			while ((why = frame_look(&peer.rings[i], &frame)) ==
			               NULL &&
			       frame.data != NULL)
				n += mark_message(&frame, "good") != NULL;
		}
		if (n != 200)
			defect_shows("after one bad event (%s) %u of 200 "
			             "others can be read: %s",
			             which[k], n, why);
		MUST(why == NULL);
		ring_peer_free(&peer);
	}
}

/* ------------------------------------------------------------------- C-3 */

static void emit_unencodable(void)
{
	for (int i = 0; i < 10; i++) {
		mark("good", NULL);
		sysprof_collector_mark_printf(SYSPROF_CAPTURE_CURRENT_TIME, 0,
		                              "defect", "unencodable", "%s %ls",
		                              "text", unencodable);
		sysprof_collector_log_printf(64, "defect", "%ls", unencodable);
	}
	mark("behind", NULL);
}

static void what_cannot_be_formatted_is_no_text(uint32_t pages)
{
	struct ring_peer peer;

	record(&peer, pages, "unencodable", "");
	MUST(marks_count(&peer, "good") == 10);
	MUST(marks_count(&peer, "unencodable") == 10);
	MUST(frames_count(&peer, LOG) == 10);
	MUST(marks_count(&peer, "behind") == 1);
	ring_peer_free(&peer);
}

/* ------------------------------------------------------------------ C-24 */

/* Formats an int for %Y, and counts the calls. */
static int n_formatted;

static int print_counted(FILE *stream, const struct printf_info *info,
                         const void *const *args)
{
	const int *const *const value = (const int *const *)args;

	(void)info;
	n_formatted++;
	return fprintf(stream, "%d", **value);
}

static int describe_counted(const struct printf_info *info, size_t n,
                            int *argtypes, int *sizes)
{
	(void)info;
	if (n > 0) {
		argtypes[0] = PA_INT;
		sizes[0] = sizeof(int);
	}
	return 1;
}

static void emit_counted(void)
{
	const char *volatile format = "%Y";

	NEED(register_printf_specifier('Y', print_counted, describe_counted) ==
	     0);
	/* the compiler warns of %Y */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	sysprof_collector_mark_printf(SYSPROF_CAPTURE_CURRENT_TIME, 0, "defect",
	                              "counted", format, 7);
#pragma GCC diagnostic pop
	if (n_formatted != 1)
		defect_shows("a short message is formatted %d times",
		             n_formatted);
}

/* A character of three bytes crosses the end of each field. */
static void emit_cut_characters(void)
{
	char wide[200] = "";

	for (int i = 0; i < 60; i++)
		strcat(wide, "\xE2\x82\xAC");
	sysprof_collector_mark(SYSPROF_CAPTURE_CURRENT_TIME, 0, wide, wide + 1,
	                       "cut");
	sysprof_collector_mark(SYSPROF_CAPTURE_CURRENT_TIME, 0, wide, wide,
	                       "cut");
	sysprof_collector_log(64, wide, "cut");
}

static void emit_long_line(void)
{
	char *const text = text_of(10000);

	sysprof_collector_log_printf(64, "defect", "%s", text);
	free(text);
}

/* Emits after a first request that failed. */
static void emit_after_failure(void)
{
	mark("first", NULL);
	sleep_ms(1200);
	mark("later", NULL);
}

/* Does a field's text end with a complete character, and could the field not
 * hold another? */
static bool ends_whole(const struct frame *frame, unsigned at, unsigned size)
{
	const char *const text = (const char *)frame->data + at;
	const size_t n = strlen(text);

	return n >= size - 4 &&
	       (n < 3 || memcmp(text + n - 3, "\xE2\x82\xAC", 3) == 0);
}

static void look_at_cut(const struct ring_peer *peer)
{
	unsigned n = 0;

	for (unsigned i = 0; i < peer->n_rings; i++) {
		struct frame frame = { .data = NULL };

		while (frame_next(&peer->rings[i], &frame)) {
			if (frame.type != MARK && frame.type != LOG)
				continue;
			if (!ends_whole(&frame, 32,
			                frame.type == MARK ? 24 : 32) ||
			    (frame.type == MARK && !ends_whole(&frame, 56, 40)))
				defect_shows("a text is cut in the middle of a "
				             "character");
			n++;
		}
	}
	MUST(n == 3);
}

static void look_at_line(const struct ring_peer *peer)
{
	for (unsigned i = 0; i < peer->n_rings; i++) {
		struct frame frame = { .data = NULL };

		while (frame_next(&peer->rings[i], &frame)) {
			if (frame.type != LOG)
				continue;
			const size_t n = strlen((char *)frame.data + 64);
			if (n != 10000)
				defect_shows("a line of 10000 bytes becomes "
				             "%zu",
				             n);
			return;
		}
	}
	defect_shows("a long line does not arrive");
}

static void texts_arrive_as_they_were(uint32_t pages)
{
	struct ring_peer peer;

	record(&peer, pages, "long line", "");
	look_at_line(&peer);
	ring_peer_free(&peer);
	record(&peer, pages, "cut characters", "");
	look_at_cut(&peer);
	ring_peer_free(&peer);
	record(&peer, pages, "counted", "");
	MUST(marks_count(&peer, "counted") == 1);
	ring_peer_free(&peer);

	struct ring_peer failing = { .pages = pages, .n_failures = 1 };
	ended_well("after a failure",
	           ring_peer_run(&failing, "after a failure", ""));
	if (marks_count(&failing, "later") != 1)
		defect_shows(
			"a thread without a ring at its first event never gets "
			"a ring");
	MUST(frames_lost(&failing) == 1);
	ring_peer_free(&failing);
}

const struct defect defects_of_texts[] = {
	{ "C-2", good_events_survive_bad_ones },
	{ "C-3", what_cannot_be_formatted_is_no_text },
	{ "C-24", texts_arrive_as_they_were },
	{ NULL, NULL }
};

const struct deed deeds_of_texts[] = {
	{ "good and bad", emit_good_and_bad },
	{ "unencodable", emit_unencodable },
	{ "counted", emit_counted },
	{ "cut characters", emit_cut_characters },
	{ "long line", emit_long_line },
	{ "after a failure", emit_after_failure },
	{ NULL, NULL }
};
