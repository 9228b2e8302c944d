/* SPDX-License-Identifier: BSD-2-Clause */
/* loss_stats.c - loss records: what a capture says about frames it misses. */
#include "cli/loss_stats.h"

void sc_loss_stats_fini(struct sc_loss_stats *losses)
{
	sc_map_fini(&losses->by_thread);
	free(losses->threads.items);
}

const char *sc_loss_stats_type_name(unsigned type)
{
	if (type == 0)
		return "abandoned";
	return type < SC_LOSS_TYPES ? syscap_frame_type_name((uint8_t)type)
	                            : NULL;
}

bool sc_loss_stats_is_record(const struct syscap_frame *frame)
{
	return frame->type == SYSCAP_FRAME_MARK && frame->mark.group &&
	       strcmp(frame->mark.group, "syscap") == 0 &&
	       strcmp(frame->mark.name, "lost") == 0;
}

/* "-1", "42": a whole decimal number that fits, up to a blank or the end. */
static const char *parse_number(const char *text, bool *ret_negative,
                                uint64_t *ret_number)
{
	uint64_t number = 0;

	*ret_negative = *text == '-';
	text += *ret_negative;
	if (*text < '0' || *text > '9')
		return NULL;
	for (; *text >= '0' && *text <= '9'; text++) {
		if (__builtin_mul_overflow(number, 10u, &number) ||
		    __builtin_add_overflow(number, (unsigned)(*text - '0'),
		                           &number))
			return NULL;
	}
	*ret_number = number;
	return *text == ' ' || *text == '\0' ? text : NULL;
}

static bool is_word(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && memcmp(text, word, len) == 0;
}

/* Put a word of the message where it belongs; other words are skipped. */
static bool take_word(struct sc_loss *loss, const char *key, size_t len,
                      bool negative, uint64_t number)
{
	if (is_word(key, len, "tid")) {
		const bool is_tid =
			!negative && number > 0 && number <= INT32_MAX;

		loss->tid = is_tid ? (int32_t)number : -1;
		return true;
	}
	if (negative)
		return false;
	if (is_word(key, len, "frames"))
		loss->frames = number;
	else if (is_word(key, len, "bytes"))
		loss->bytes = number;
	for (unsigned type = 0; type < SC_LOSS_TYPES; type++)
		if (is_word(key, len, sc_loss_stats_type_name(type)))
			loss->by_type[type] += number;
	return true;
}

bool sc_loss_stats_parse(const char *message, struct sc_loss *ret_loss)
{
	struct sc_loss loss = { .tid = -1 };
	const char *p = message;

	if (strncmp(p, "frames=", 7) != 0)
		return false;
	while (*p) {
		const size_t len = strcspn(p, "= ");
		uint64_t number;
		bool negative;

		if (p[len] != '=')
			return false;
		const char *rest =
			parse_number(p + len + 1, &negative, &number);
		if (!rest || !take_word(&loss, p, len, negative, number))
			return false;
		p = rest + strspn(rest, " ");
	}
	*ret_loss = loss;
	return true;
}

int64_t sc_loss_stats_mark_end(const struct syscap_frame *frame)
{
	int64_t end;

	if (frame->mark.duration < 0)
		return frame->time;
	if (__builtin_add_overflow(frame->time, frame->mark.duration, &end))
		return INT64_MAX;
	return end;
}

/* Damaged captures can say anything: the sum stops at the largest number. */
static void add(uint64_t *to, uint64_t number)
{
	if (__builtin_add_overflow(*to, number, to))
		*to = UINT64_MAX;
}

int sc_loss_stats_add(struct sc_loss_stats *losses,
                      const struct syscap_frame *frame,
                      const struct sc_loss *loss)
{
	const int32_t key[2] = { frame->pid, loss->tid };
	const int64_t end = sc_loss_stats_mark_end(frame);
	size_t number;

	const int r = sc_map_put(&losses->by_thread, key, sizeof(key), &number);
	if (r < 0)
		return r;
	if (r > 0) {
		const struct sc_thread_loss thread = {
			.pid = frame->pid,
			.tid = loss->tid,
			.from = frame->time,
			.to = end,
		};

		if (sc_array_push(&losses->threads, thread) < 0)
			return -ENOMEM;
	}

	struct sc_thread_loss *thread = &losses->threads.items[number];
	if (frame->time < thread->from)
		thread->from = frame->time;
	if (end > thread->to)
		thread->to = end;
	add(&thread->frames, loss->frames);
	add(&thread->bytes, loss->bytes);
	add(&losses->sum.frames, loss->frames);
	add(&losses->sum.bytes, loss->bytes);
	for (unsigned type = 0; type < SC_LOSS_TYPES; type++)
		add(&losses->sum.by_type[type], loss->by_type[type]);
	return 0;
}

static int compare_threads(const void *left, const void *right)
{
	const struct sc_thread_loss *a = left, *b = right;

	if (a->pid != b->pid)
		return (a->pid > b->pid) - (a->pid < b->pid);
	return (a->tid > b->tid) - (a->tid < b->tid);
}

void sc_loss_stats_finish(struct sc_loss_stats *losses)
{
	if (losses->threads.n)
		qsort(losses->threads.items, losses->threads.n,
		      sizeof(*losses->threads.items), compare_threads);
}
