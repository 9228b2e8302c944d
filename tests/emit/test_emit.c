/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_emit.c - frames that each emitting call puts into the ring, byte for
 * byte if the format specifies the bytes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <syscap.h>

#include "emit/thread.h"
#include "harness/peer.h"
#include "harness/test.h"

#define RING (1u << 18)

/* The @n-th frame of @type in the only ring. */
static struct peer_frame nth(const struct peer *peer, uint8_t type, unsigned n)
{
	struct peer_frame frame;
	size_t at = 0;

	CHECK_EQ(peer->n_rings, 1);
	while (peer_next(&peer->rings[0], &at, &frame))
		if (frame.type == type && n-- == 0)
			return frame;
	test_fail(__FILE__, __LINE__, "no such frame of type %u", type);
}

static uint64_t word(const struct peer_frame *frame, size_t at)
{
	uint64_t value;

	memcpy(&value, frame->bytes + at, 8);
	return value;
}

CHILD(marks)
{
	const int64_t begin = syscap_clock();

	SYSCAP_INSTANT("group", "instant", "hello");
	SYSCAP_MARK("group", "complete", 1234, 56, NULL);
	SYSCAP_MARK_SINCE("group", "since", begin, "since begin");
	SYSCAP_MARK_PRINTF("group", "printf", 7, 8, "%d-%s", 42, "x");
	{
		SYSCAP_SCOPE("group", "scope");
		usleep(2000);
	}
	syscap_mark("dynamic", "name", 1, 2, "message");
	syscap_mark(NULL, NULL, 1, 2, NULL);
	const uint32_t id = syscap_mark_id("by", "id");
	CHECK_EQ(id, syscap_mark_id("by", "id"));
	CHECK(id != syscap_mark_id("by", "another"));
	syscap_mark_by_id(id, 3, 4, NULL);
	syscap_mark_by_id(0, 3, 4, NULL);
	syscap_mark_by_id(9999, 3, 4, NULL);
}

TEST(marks_carry_their_texts_times_and_thread)
{
	struct peer peer;

	peer_start(&peer, "marks", RING, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer_count(&peer, 10), 8);
	const struct peer_frame instant = nth(&peer, 10, 0);
	CHECK_EQ(instant.pid, peer.pid);
	CHECK_EQ(instant.padding2, 0x5C000000u | (uint32_t)peer.pid);
	CHECK(instant.cpu >= 0);
	CHECK_STR(peer_mark_group(&instant), "group");
	CHECK_STR(peer_mark_name(&instant), "instant");
	CHECK_STR(peer_mark_message(&instant), "hello");
	CHECK_EQ(word(&instant, 24), 0);
	CHECK_EQ(instant.len, 104);
	const struct peer_frame complete = nth(&peer, 10, 1);
	CHECK_EQ(complete.time, 1234);
	CHECK_EQ(word(&complete, 24), 56);
	CHECK_STR(peer_mark_message(&complete), "");
	const struct peer_frame since = nth(&peer, 10, 2);
	CHECK(since.time <= instant.time);
	CHECK(since.time + (int64_t)word(&since, 24) >= instant.time);
	const struct peer_frame printf_form = nth(&peer, 10, 3);
	CHECK_STR(peer_mark_message(&printf_form), "42-x");
	const struct peer_frame scope = nth(&peer, 10, 4);
	CHECK_STR(peer_mark_name(&scope), "scope");
	CHECK((int64_t)word(&scope, 24) >= 2000000);
	const struct peer_frame dynamic = nth(&peer, 10, 5);
	CHECK_STR(peer_mark_group(&dynamic), "dynamic");
	const struct peer_frame nulls = nth(&peer, 10, 6);
	CHECK_STR(peer_mark_group(&nulls), "");
	CHECK_STR(peer_mark_name(&nulls), "");
	const struct peer_frame by_id = nth(&peer, 10, 7);
	CHECK_STR(peer_mark_group(&by_id), "by");
	CHECK_STR(peer_mark_name(&by_id), "id");
	peer_free(&peer);
}

static char *repeat(const char *what, size_t n)
{
	const size_t len = strlen(what);
	char *const text = malloc(n * len + 1);

	for (size_t i = 0; i < n; i++)
		memcpy(text + i * len, what, len);
	text[n * len] = '\0';
	return text;
}

CHILD(long_texts)
{
	/* the lengths around which a 16-bit frame length wraps */
	static const size_t lengths[] = {
		65431, 65432, 65439,  65440,  65447,
		65448, 65535, 130984, 131071, 300000
	};
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		char *const text = repeat("x", lengths[i]);

		SYSCAP_INSTANT("long", "mark", text);
		SYSCAP_LOG(SYSCAP_INFO, "long", text);
		SYSCAP_MARK_PRINTF("long", "printf", 1, 1, "%s", text);
		SYSCAP_LOG_PRINTF(SYSCAP_INFO, "long", "%s", text);
		syscap_metadata("long", text);
		free(text);
	}
	char *const utf8 = repeat("\xE2\x82\xAC", 30000); /* euro signs */
	SYSCAP_INSTANT("long", "utf8", utf8);
	SYSCAP_MARK_PRINTF("long", "utf8", 1, 1, "%s", utf8);
	syscap_mark(utf8, utf8, 1, 1, utf8);
	free(utf8);
}

TEST(long_texts_are_cut_between_characters_and_frames_stay_valid)
{
	struct peer peer;

	peer_start(&peer, "long_texts", 1u << 23, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer_count(&peer, 10), 10 + 10 + 3);
	CHECK_EQ(peer_count(&peer, 12), 20);
	CHECK_EQ(peer_count_metadata(&peer), 10);
	for (unsigned i = 0; i < 20; i++) {
		const struct peer_frame mark = nth(&peer, 10, i);

		CHECK_EQ(strlen(peer_mark_message(&mark)), 65431);
		CHECK_EQ(mark.len, 65528);
	}
	for (unsigned i = 20; i < 23; i++) {
		const struct peer_frame mark = nth(&peer, 10, i);
		const size_t n = strlen(peer_mark_message(&mark));

		CHECK_EQ(n, 65430); /* 21,810 whole characters of 3 bytes */
	}
	const struct peer_frame fields = nth(&peer, 10, 22);
	CHECK_EQ(strlen(peer_mark_group(&fields)), 21);
	CHECK_EQ(strlen(peer_mark_name(&fields)), 39);
	peer_free(&peer);
}

SYSCAP_COUNTER(an_int, "cat", "int", "An integer", SYSCAP_INT64);
SYSCAP_COUNTER(a_double, "cat", "double", "A double", SYSCAP_DOUBLE);

CHILD(counters)
{
	struct syscap_counter *many[20];
	union syscap_value values[20];

	SYSCAP_COUNTER_SET(an_int, -5);
	SYSCAP_COUNTER_SET(a_double, 2.5);
	SYSCAP_COUNTER_SET(an_int, 6);
	for (int i = 0; i < 5; i++) /* sent once */
		SYSCAP_COUNTER_UPDATE(an_int, 7);
	SYSCAP_COUNTER_UPDATE(an_int, 8);
	for (int i = 0; i < 20; i++) {
		char name[8];

		snprintf(name, sizeof(name), "n%d", i);
		many[i] = syscap_counter_get("many", name, "", SYSCAP_INT64);
		CHECK(many[i] ==
		      syscap_counter_get("many", name, "other", SYSCAP_INT64));
		values[i].i64 = i;
	}
	syscap_counters_set(many, values, 20);
}

TEST(counters_are_defined_before_they_are_set_and_ids_are_distinct)
{
	struct peer peer;
	struct peer_frame frame;
	uint32_t ids[32];
	unsigned n_ids = 0, n_sets = 0;
	size_t at = 0;

	peer_start(&peer, "counters", RING, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	while (peer_next(&peer.rings[0], &at, &frame)) {
		if (frame.type == 8) {
			const uint32_t id =
				(uint32_t)SYC_WORD_FIELD(counter, id,
			                                 word(&frame, 144)) &
				0xFFFFFF;

			CHECK(id > 255);
			for (unsigned i = 0; i < n_ids; i++)
				CHECK(ids[i] != id);
			ids[n_ids++] = id;
		}
		if (frame.type == 9) {
			const uint32_t id = (uint32_t)SYC_WORD_FIELD(
				values, ids[0], word(&frame, 32));
			bool known = false;

			for (unsigned i = 0; i < n_ids; i++)
				known |= ids[i] == id;
			CHECK(known);
			n_sets++;
		}
	}
	CHECK_EQ(n_ids, 22);
	CHECK_EQ(n_sets, 3 + 2 + 1);
	const struct peer_frame first = nth(&peer, 9, 0);
	CHECK_EQ((int64_t)word(&first, 64), -5);
	const struct peer_frame second = nth(&peer, 9, 1);
	double value;
	memcpy(&value, second.bytes + 64, 8);
	CHECK(value == 2.5);
	const struct peer_frame def = nth(&peer, 8, 1);
	CHECK_EQ(def.bytes[151], 1); /* double */
	CHECK_STR((const char *)def.bytes + 96, "A double");
	const struct peer_frame set = nth(&peer, 9, 5);
	CHECK_EQ(set.len, 32 + 3 * 96);
	for (unsigned i = 0; i < 24; i++) {
		const size_t group = 32 + 96 * (i / 8);
		uint32_t id;

		memcpy(&id, set.bytes + group + 4 * (i % 8), 4);
		CHECK_EQ(id != 0, i < 20); /* no holes, no stale ids */
		CHECK_EQ(word(&set, group + 32 + 8 * (i % 8)), i < 20 ? i : 0);
	}
	peer_free(&peer);
}

SYSCAP_COUNTER(a_sum, "cat", "sum", "A sum", SYSCAP_INT64);
SYSCAP_COUNTER(a_real_sum, "cat", "real", "A sum", SYSCAP_DOUBLE);

#define ADDERS 3
#define ROUNDS 700

static pthread_barrier_t adders;

/* All threads add at the same time.  Then one thread emits a mark. */
static void *add(void *number)
{
	for (int i = 0; i < ROUNDS; i++) {
		pthread_barrier_wait(&adders);
		syscap_counter_add(&a_sum, 1);
		pthread_barrier_wait(&adders);
		if (number == &adders)
			SYSCAP_INSTANT("test", "round", NULL);
	}
	syscap_counter_add(&a_real_sum, 2);
	syscap_counter_add_double(&a_real_sum, 0.25);
	return number;
}

CHILD(sums)
{
	pthread_t threads[ADDERS];

	pthread_barrier_init(&adders, NULL, ADDERS);
	for (int i = 0; i < ADDERS; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, add,
		                        i == 0 ? &adders : NULL),
		         0);
	for (int i = 0; i < ADDERS; i++)
		pthread_join(threads[i], NULL);
	CHECK_EQ(a_sum.last, ADDERS * ROUNDS);
	double sum;
	memcpy(&sum, &a_real_sum.last, sizeof(sum));
	CHECK(sum == 2.25 * ADDERS);
}

/* The newest value of a_sum before @end, and its time. */
struct newest {
	int64_t end, time;
	uint64_t value;
};

TEST(the_newest_value_is_the_sum_of_all_threads_additions)
{
	static struct newest rounds[ROUNDS];
	struct peer_frame frame;
	struct peer peer;
	unsigned n = 0;

	peer_start(&peer, "sums", RING, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	for (unsigned i = 0; i < peer.n_rings; i++)
		for (size_t at = 0; peer_next(&peer.rings[i], &at, &frame);)
			if (frame.type == 10) {
				CHECK(n < ROUNDS);
				rounds[n++].end = frame.time;
			}
	CHECK_EQ(n, ROUNDS);
	for (unsigned i = 0; i < peer.n_rings; i++)
		for (size_t at = 0; peer_next(&peer.rings[i], &at, &frame);)
			for (n = 0; frame.type == 9 && n < ROUNDS; n++) {
				if (frame.time > rounds[n].end ||
				    frame.time < rounds[n].time ||
				    word(&frame, 64) > ADDERS * ROUNDS)
					continue;
				rounds[n].time = frame.time;
				rounds[n].value = word(&frame, 64);
			}
	for (n = 0; n < ROUNDS; n++)
		CHECK_EQ(rounds[n].value, ADDERS * (n + 1));
	peer_free(&peer);
}

CHILD(logs)
{
	SYSCAP_LOG(SYSCAP_WARNING, "domain", "text");
	SYSCAP_LOG_PRINTF(SYSCAP_DEBUG, "domain", "%s=%d", "n", 3);
	SYSCAP_LOG(SYSCAP_INFO, NULL, NULL);
	/* not encodable in the C locale: a valid frame with an empty message */
	SYSCAP_LOG_PRINTF(SYSCAP_INFO, "domain", "%ls", L"\x20AC");
	SYSCAP_METADATA("app.version", "1.2");
}

/* Reads the same clock: the offset may have changed by less than a second. */
static void check_offset(const char *facts, const char *name, clockid_t id)
{
	const char *const at = strstr(facts, name);
	struct timespec here, monotonic;

	CHECK(at != NULL);
	clock_gettime(CLOCK_MONOTONIC, &monotonic);
	clock_gettime(id, &here);
	const int64_t offset =
		(here.tv_sec - monotonic.tv_sec) * INT64_C(1000000000) +
		here.tv_nsec - monotonic.tv_nsec;
	const int64_t told = strtoll(at + strlen(name), NULL, 10);
	CHECK(llabs(told - offset) < INT64_C(1000000000));
}

TEST(logs_and_metadata_carry_severity_domain_and_text)
{
	struct peer peer;

	peer_start(&peer, "logs", RING, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer_count(&peer, 12), 4);
	const struct peer_frame warning = nth(&peer, 12, 0);
	CHECK_EQ(word(&warning, 24), SYC_WORD(log, severity, 16u));
	CHECK_STR((const char *)warning.bytes + 32, "domain");
	CHECK_STR((const char *)warning.bytes + 64, "text");
	const struct peer_frame debug = nth(&peer, 12, 1);
	CHECK_STR((const char *)debug.bytes + 64, "n=3");
	const struct peer_frame bad = nth(&peer, 12, 3);
	CHECK_STR((const char *)bad.bytes + 64, "");
	const struct peer_frame clock = nth(&peer, 11, 0);
	CHECK_STR((const char *)clock.bytes + 24, "syscap.clock");
	const char *const facts = (const char *)clock.bytes + 64;
	CHECK(strstr(facts, "error_ns=") != NULL);
	check_offset(facts, " realtime=", CLOCK_REALTIME);
	check_offset(facts, " boottime=", CLOCK_BOOTTIME);
	const struct peer_frame version = nth(&peer, 11, 1);
	CHECK_STR((const char *)version.bytes + 64, "1.2");
	peer_free(&peer);
}

TEST(a_stock_recorder_gets_the_process_id)
{
	struct peer peer;

	peer_start(&peer, "logs", RING, PEER_STOCK);
	CHECK_EQ(peer_finish(&peer), 0);
	const struct peer_frame process = nth(&peer, 4, 0);
	CHECK_EQ(process.pid, peer.pid);
	CHECK_STR((const char *)process.bytes + 24, "logs");
	CHECK_EQ(peer.rings[0].header->client_magic, 0);
	peer_free(&peer);
}

static void *thread_marks(void *unused)
{
	for (int i = 0; i < 100; i++)
		SYSCAP_INSTANT("test", "thread", NULL);
	return unused;
}

CHILD(threads)
{
	pthread_t threads[4];

	SYSCAP_INSTANT("test", "main", NULL);
	for (int i = 0; i < 4; i++)
		pthread_create(&threads[i], NULL, thread_marks, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
}

TEST(each_thread_has_a_ring_and_ends_it_with_a_marker)
{
	struct peer peer;
	unsigned n_ended = 0;

	peer_start(&peer, "threads", RING, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer.n_rings, 5);
	CHECK_EQ(peer_count_marks(&peer, "test", "thread"), 400);
	for (unsigned i = 0; i < peer.n_rings; i++) {
		struct peer_frame frame = { 0 };
		size_t at = 0;
		int32_t tid = 0;

		while (peer_next(&peer.rings[i], &at, &frame)) {
			if (frame.type != 10)
				continue;
			const int32_t t = (int32_t)(frame.padding2 & 0x3FFFFF);
			CHECK(tid == 0 || tid == t);
			tid = t;
		}
		CHECK_EQ(peer.rings[i].header->tid, tid);
		n_ended += frame.type == 255;
	}
	CHECK_EQ(n_ended, 4); /* exit() does not end the main thread */
	peer_free(&peer);
}

CHILD(a_small_ring)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	errno = 77;
	for (int i = 0; i < 1000; i++)
		SYSCAP_MARK("test", "mark", i, 0, NULL);
	CHECK_EQ(errno, 77);
	syscap_get_stats(&stats);
	CHECK(stats.is_active);
	CHECK(stats.n_dropped > 900);
	CHECK_EQ(stats.n_untold, stats.n_dropped);
	CHECK_EQ(stats.n_rings, 1);
	pthread_exit(NULL);
}

TEST(a_full_ring_reports_its_losses_at_thread_exit)
{
	struct peer peer;
	struct peer_frame frame, last_loss = { 0 };
	uint64_t n;
	size_t at = 0;

	peer_start(&peer, "a_small_ring", 4096, PEER_OURS);
	CHECK_EQ(peer_finish_without_draining(&peer), 0);
	const unsigned n_arrived = peer_count_marks(&peer, "test", "mark");
	CHECK(n_arrived > 20 && n_arrived < 40);
	CHECK_EQ(n_arrived + peer_lost_told(&peer.rings[0]), 1000);
	CHECK_EQ(peer_lost_total(&peer.rings[0]), 1000 - n_arrived);
	while (peer_next(&peer.rings[0], &at, &frame))
		if (peer_is_loss(&frame, &n))
			last_loss = frame;
	CHECK_EQ(frame.type, 255);
	CHECK_EQ(last_loss.time, n_arrived); /* marks are numbered by time */
	CHECK_EQ(last_loss.time + (int64_t)word(&last_loss, 24), 999);
	CHECK_EQ(peer_loss_value(&last_loss, "mark"), 1000 - n_arrived);
	CHECK_EQ(peer_loss_value(&last_loss, "bytes"),
	         (1000 - n_arrived) * 104);
	CHECK_EQ(peer_loss_value(&last_loss, "tid"), peer.pid);
	peer_free(&peer);
}

CHILD(a_ring_with_pauses)
{
	for (int i = 0; i < 20000; i++)
		SYSCAP_MARK("test", "mark", i, 0, NULL);
	pthread_exit(NULL);
}

TEST(losses_are_reported_before_the_next_frame)
{
	struct peer peer;
	struct peer_frame frame;
	int64_t next = 0;
	uint64_t n;
	size_t at = 0;

	peer_start(&peer, "a_ring_with_pauses", 8192, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	while (peer_next(&peer.rings[0], &at, &frame)) {
		if (peer_is_loss(&frame, &n)) {
			CHECK_EQ(frame.time, next);
			next += (int64_t)n;
		} else if (frame.type == 10) {
			CHECK_EQ(frame.time, next);
			next++;
		}
	}
	CHECK_EQ(next, 20000);
	peer_free(&peer);
}

TEST(nothing_is_recorded_without_a_recorder)
{
	struct syscap_stats stats = { .size = sizeof(stats) };
	int evaluated = 0;

	SYSCAP_INSTANT("test", "off", (evaluated++, "message"));
	SYSCAP_COUNTER_SET(an_int, evaluated++);
	SYSCAP_LOG(SYSCAP_INFO, "test", (evaluated++, "message"));
	SYSCAP_SCOPE_MESSAGE("test", "off", (evaluated++, "message"));
	syscap_mark("test", "off", 0, 0, NULL);
	syscap_log(SYSCAP_INFO, "test", "off");
	CHECK_EQ(evaluated, 0);
	CHECK(!syscap_is_active());
	CHECK_EQ(syscap_begin(), 0);
	syscap_get_stats(&stats);
	CHECK(!stats.is_active);
	CHECK_STR(stats.reason, "none of SYSPROF_CONTROL_FD, SYSPROF_TRACE_FD "
	                        "and SYSCAP_OUTPUT is set");
}

/* Abandons an emit, like siglongjmp(), deeper in the stack than the next
 * emit. */
static __attribute__((noinline)) void leave_an_emit_behind(void)
{
	volatile uintptr_t tokens[64]; /* more than a red zone */

	syc_enter(syc_self, tokens);
}

static void *judge_in_thread(void *unused)
{
	SYSCAP_INSTANT("test", "first", NULL);
	CHECK_EQ(syc_state_of(syc_self)->n_stack_looks, 0);
	leave_an_emit_behind();
	SYSCAP_INSTANT("test", "behind", NULL);
	CHECK_EQ(syc_self->owner, 0);
	CHECK_EQ(syc_state_of(syc_self)->n_stack_looks, 1);
	CHECK((uintptr_t)&unused > syc_state_of(syc_self)->stack_low);
	CHECK((uintptr_t)&unused < syc_state_of(syc_self)->stack_high);
	return unused;
}

CHILD(a_thread_that_judges)
{
	pthread_t thread;

	CHECK_EQ(pthread_create(&thread, NULL, judge_in_thread, NULL), 0);
	pthread_join(thread, NULL);
}

TEST(stack_bounds_are_read_only_to_judge_an_emit)
{
	struct peer peer;

	peer_start(&peer, "a_thread_that_judges", RING, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer_count_marks(&peer, "test", "first"), 1);
	CHECK_EQ(peer_count_marks(&peer, "test", "behind"), 1);
	peer_free(&peer);
}
