/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * defects_collector_losses.c - events during events, events without space, and
 * events after the recorder's end.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include <sysprof-capture.h>

#ifdef DEFECTS_OURS
#include <syscap.h>
#endif

#include "dropin/defects_collector.h"

/* ------------------------------------------------------------------- C-4 */

static int emit_inside(SysprofCaptureAddress *addrs, unsigned int n_addrs,
                       void *unused)
{
	(void)n_addrs;
	(void)unused;
	mark("inside", "a text of some length");
	for (unsigned i = 0; i < 3; i++)
		addrs[i] = 0x1000 + i;
	return 3;
}

static void emit_while_unwinding(void)
{
	for (int i = 0; i < 100; i++) {
		sysprof_collector_sample(emit_inside, NULL);
		sysprof_collector_allocate(0x1000, 1, emit_inside, NULL);
	}
	mark("behind", NULL);
}

static volatile sig_atomic_t n_signals;

static void emit_in_handler(int unused)
{
	(void)unused;
	n_signals++;
	mark("signal", "abc");
}

/* Emits until handlers have interrupted enough emits */
static void emit_under_signals(void)
{
	const struct sigaction action = { .sa_handler = emit_in_handler,
		                          .sa_flags = SA_RESTART };
	struct itimerval timer = { .it_interval = { .tv_usec = 50 },
		                   .it_value = { .tv_usec = 50 } };
	const int64_t until = clock_ns() + 1000000000;
	char total[32];
	int n = 0;

	mark("main", NULL);
	n++;
	NEED(sigaction(SIGALRM, &action, NULL) == 0);
	NEED(setitimer(ITIMER_REAL, &timer, NULL) == 0);
	while (clock_ns() < until) {
		for (int i = 0; i < 100; i++)
			mark("main", "a text of some length");
		n += 100;
		sched_yield();
	}
	memset(&timer, 0, sizeof(timer));
	NEED(setitimer(ITIMER_REAL, &timer, NULL) == 0);
	/* Frames may wait behind a full ring, up to 8 MiB of them */
	for (int i = 0; i < 150; i++) {
		deed_ask(ASK_DRAIN);
		mark("main", NULL);
		n++;
	}
	deed_ask(ASK_DRAIN);
	snprintf(total, sizeof(total), "%d", n + (int)n_signals);
	mark("total", total);
}

static void emit_with_errno(void)
{
	for (int i = 0; i < 3; i++) {
		errno = 123;
		mark("errno", NULL);
		if (errno != 123)
			defect_shows("event %d changes errno", i);
	}
}

static void look_at_nested(const struct ring_peer *peer)
{
	MUST(marks_count(peer, "inside") == 200);
	MUST(frames_count(peer, SAMPLE) == 100);
	MUST(frames_count(peer, ALLOCATION) == 100);
	MUST(marks_count(peer, "behind") == 1);
}

static unsigned total_reported(const struct ring_peer *peer)
{
	for (unsigned i = 0; i < peer->n_rings; i++) {
		struct frame frame = { .data = NULL };

		while (frame_next(&peer->rings[i], &frame)) {
			const char *const total = mark_message(&frame, "total");

			if (total != NULL)
				return (unsigned)atoi(total);
		}
	}
	defect_shows("the last event does not arrive");
}

static void events_on_top_of_events_are_whole(uint32_t pages)
{
	struct ring_peer peer;

	record(&peer, pages, "while unwinding", "");
	look_at_nested(&peer);
	ring_peer_free(&peer);
	record(&peer, pages, "under signals", "");
	const unsigned total = total_reported(&peer);
	const unsigned n =
		marks_count(&peer, "main") + marks_count(&peer, "signal");
	if (n + frames_lost(&peer) != total)
		defect_shows("%u events under signals: %u are there, %llu are "
		             "reported lost",
		             total, n, (unsigned long long)frames_lost(&peer));
	ring_peer_free(&peer);
	record(&peer, pages, "with errno", "");
	MUST(marks_count(&peer, "errno") == 3);
	ring_peer_free(&peer);
}

/* ------------------------------------------------------------------- C-5 */

static void fill_ring(void)
{
	int64_t longest = 0;

	mark("first", NULL);
	for (int i = 0; i < 20000; i++) {
		const int64_t before = clock_ns();

		mark("filling", "a text of some length");
		const int64_t took = clock_ns() - before;
		if (took > longest)
			longest = took;
	}
	if (longest > 900000000)
		defect_shows("with a full ring one event takes %lld ms",
		             (long long)longest / 1000000);
}

static void full_rings_do_not_block(uint32_t pages)
{
	struct ring_peer peer = { .pages = pages, .is_lazy = true };

	ended_well("fill a ring", ring_peer_run(&peer, "fill a ring", ""));
	MUST(marks_count(&peer, "first") == 1);
	MUST(marks_count(&peer, "filling") > 500);
	ring_peer_free(&peer);
}

/* ------------------------------------------------------------------- C-6 */

#define BURST 6000

static void emit_bursts(void)
{
	char *const text = text_of(200);

	for (int burst = 0; burst < 3; burst++) {
		for (int i = 0; i < BURST / 3; i++) {
			mark("burst", text);
			sysprof_collector_log(64, "defect", text);
			sysprof_collector_allocate(0x1000, 1, NULL, NULL);
		}
		deed_ask(ASK_DRAIN);
	}
	mark("behind", NULL);
	free(text);
}

static void losses_are_reported(uint32_t pages)
{
	struct ring_peer peer = { .pages = pages, .is_lazy = true };

	ended_well("bursts", ring_peer_run(&peer, "bursts", ""));
	/* The last mark may wait behind marks that the recorder never reads */
	const unsigned n =
		marks_count(&peer, "burst") + marks_count(&peer, "behind") +
		frames_count(&peer, LOG) + frames_count(&peer, ALLOCATION);
	const uint64_t lost = frames_lost(&peer);
	NEED(n < 3 * BURST);
	if (n + lost != 3 * BURST + 1)
		defect_shows("of %d events %u arrive, and %llu are reported "
		             "lost",
		             3 * BURST + 1, n, (unsigned long long)lost);
	ring_peer_free(&peer);
}

/* ------------------------------------------------------------------ C-20 */

#ifdef DEFECTS_OURS

#if defined(__SANITIZE_THREAD__)
/* under TSan, events are ten times slower */
#define MOST_NS INT64_C(9000000000)
#else
#define MOST_NS INT64_C(900000000)
#endif

static void *emit_once(void *unused)
{
	mark("late", NULL);
	return unused;
}

/* Goes on with a full ring after the recorder's end. */
static void outlive_recorder(void)
{
	pthread_t threads[20];

	mark("first", NULL);
	deed_ask(ASK_LEAVE);
	for (int i = 0; i < 5000; i++)
		mark("filling", NULL);
	const int64_t before = clock_ns();
	for (int i = 0; i < 20000; i++)
		mark("unwanted", NULL);
	for (int i = 0; i < 20; i++) {
		NEED(pthread_create(&threads[i], NULL, emit_once, NULL) == 0);
		NEED(pthread_join(threads[i], NULL) == 0);
	}
	const int64_t took = clock_ns() - before;
	if (took > MOST_NS)
		defect_shows("20000 events without a recorder take %lld ms",
		             (long long)took / 1000000);
}

/* No recorder: the program starts and stops its own recording. */
static void start_and_stop(void)
{
	struct syscap_options options = { .size = sizeof(options) };
	char path[] = "/tmp/defect-XXXXXX";

	MUST(!sysprof_collector_is_active());
	mark("before", NULL);
	NEED(close(mkstemp(path)) == 0 && unlink(path) == 0);
	options.output = path;
	MUST(syscap_start(&options) == 0);
	MUST(sysprof_collector_is_active());
	mark("wanted", NULL);
	MUST(syscap_stop() == 0);
	MUST(!sysprof_collector_is_active());
	mark("behind", NULL);

	char *const bytes = malloc(65536);
	FILE *const file = fopen(options.message, "re");
	NEED(bytes != NULL && file != NULL);
	const size_t n = fread(bytes, 1, 65536, file);
	MUST(memmem(bytes, n, "wanted", 7) != NULL);
	MUST(memmem(bytes, n, "before", 7) == NULL);
	MUST(memmem(bytes, n, "behind", 7) == NULL);
	fclose(file);
	free(bytes);
	unlink(options.message);
}

static void recordings_begin_and_end(uint32_t pages)
{
	struct ring_peer peer;

	record(&peer, pages, "outlive the recorder", "");
	MUST(marks_count(&peer, "first") == 1);
	ring_peer_free(&peer);
	ended_well("start and stop",
	           ring_peer_run_alone("start and stop", NULL, -1, -1));
}

#endif

const struct defect defects_of_losses[] = {
	{ "C-4", events_on_top_of_events_are_whole },
	{ "C-5", full_rings_do_not_block },
	{ "C-6", losses_are_reported },
#ifdef DEFECTS_OURS
	{ "C-20", recordings_begin_and_end },
#else
	{ "C-20", NULL },
#endif
	{ NULL, NULL }
};

const struct deed deeds_of_losses[] = {
	{ "while unwinding", emit_while_unwinding },
	{ "under signals", emit_under_signals },
	{ "with errno", emit_with_errno },
	{ "fill a ring", fill_ring },
	{ "bursts", emit_bursts },
#ifdef DEFECTS_OURS
	{ "outlive the recorder", outlive_recorder },
	{ "start and stop", start_and_stop },
#endif
	{ NULL, NULL }
};
