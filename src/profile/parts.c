/* SPDX-License-Identifier: BSD-2-Clause */
/* parts.c - marks that belong together: operations and arrows. */
#define _GNU_SOURCE
#include "profile/parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NONE SYSCAP_PROFILE_NONE

void syc_parts_fini(struct syc_parts *parts)
{
	free(parts->items.items);
	free(parts->operations.items);
	free(parts->arrows.items);
}

/* ------------------------------------------------------- what a mark says */

static const struct phase {
	const char *key, *name;
	enum syscap_profile_phase phase;
} phases[] = {
	{ "async=", "whole", SYSCAP_PHASE_WHOLE },
	{ "async=", "begin", SYSCAP_PHASE_BEGIN },
	{ "async=", "step", SYSCAP_PHASE_STEP },
	{ "async=", "end", SYSCAP_PHASE_END },
	{ "flow=", "out", SYSCAP_PHASE_OUT },
	{ "flow=", "in", SYSCAP_PHASE_IN },
};

/* Behind @begin, if @text begins so; else NULL. */
static const char *skip(const char *text, const char *begin)
{
	const size_t n = strlen(begin);

	return strncmp(text, begin, n) == 0 ? text + n : NULL;
}

/* To the letter: lower case, no 0 in front, 64 bits. */
static const char *read_id(const char *text, uint64_t *ret_id)
{
	static const char digits[] = "0123456789abcdef";
	const char *const begin = text;
	uint64_t id = 0;

	for (const char *digit;
	     *text != 0 && (digit = strchr(digits, *text)) != NULL; text++) {
		if (text - begin == 16 || (text > begin && *begin == '0'))
			return NULL;
		id = id << 4 | (uint64_t)(digit - digits);
	}
	*ret_id = id;
	return text > begin ? text : NULL;
}

bool syc_part_read(const char *message, struct syscap_profile_part *ret_part)
{
	if (message[0] != 'a' && message[0] != 'f')
		return false;
	for (size_t i = 0; i < sizeof(phases) / sizeof(*phases); i++) {
		const char *text = skip(message, phases[i].key);
		uint64_t id;

		if (text != NULL)
			text = read_id(text, &id);
		if (text != NULL)
			text = skip(text, " phase=");
		if (text != NULL)
			text = skip(text, phases[i].name);
		if (text != NULL && (*text == 0 || *text == ' ')) {
			ret_part->id = id;
			ret_part->phase = phases[i].phase;
			return true;
		}
	}
	return false;
}

/* ------------------------------------------------------ what belongs together */

struct settling {
	struct syc_parts *parts;
	const struct syc_marks *marks;
	const struct syc_who *who;
	const struct syscap_profile_span *span;
	uint32_t *order; /* numbers of parts */
};

static struct syscap_profile_mark mark_of(const struct settling *s,
                                          uint32_t part)
{
	return syc_marks_get(s->marks, s->parts->items.items[part].mark);
}

static const char *group_of(const struct settling *s, uint32_t part)
{
	return s->marks->names.items[mark_of(s, part).name].group;
}

static uint32_t process_of(const struct settling *s, uint32_t part)
{
	return s->who->threads.items[mark_of(s, part).thread].process;
}

static bool is_flow(const struct settling *s, uint32_t part)
{
	return s->parts->items.items[part].phase >= SYSCAP_PHASE_OUT;
}

/* An arrow leaves from the mark's end. */
static int64_t time_of(const struct settling *s, uint32_t part)
{
	const struct syscap_profile_mark mark = mark_of(s, part);

	return s->parts->items.items[part].phase == SYSCAP_PHASE_OUT
	               ? syc_marks_end(&mark)
	               : mark.time;
}

#define COMPARE(a, b)                              \
	do {                                       \
		if ((a) != (b))                    \
			return (a) < (b) ? -1 : 1; \
	} while (0)

/* Whether two parts are of what has one group and id; arrows go between
 * processes, too. */
static int compare_key(const struct settling *s, uint32_t a, uint32_t b)
{
	COMPARE(is_flow(s, a), is_flow(s, b));

	const int order = strcmp(group_of(s, a), group_of(s, b));
	if (order != 0)
		return order;
	COMPARE(s->parts->items.items[a].id, s->parts->items.items[b].id);
	if (!is_flow(s, a))
		COMPARE(process_of(s, a), process_of(s, b));
	return 0;
}

static int compare(const void *left, const void *right, void *data)
{
	const struct settling *s = data;
	const uint32_t a = *(const uint32_t *)left;
	const uint32_t b = *(const uint32_t *)right;
	const int order = compare_key(s, a, b);

	if (order != 0)
		return order;
	COMPARE(time_of(s, a), time_of(s, b));
	COMPARE(a, b);
	return 0;
}

static int add_operation(struct settling *s, uint32_t part, uint32_t begin,
                         uint32_t end, int64_t from, int64_t to)
{
	const struct syscap_profile_operation operation = {
		.id = s->parts->items.items[part].id,
		.begin = begin,
		.end = end,
		.from = from,
		.to = to > from ? to : from,
		.name = mark_of(s, part).name,
		.process = process_of(s, part),
	};

	s->parts->items.items[part].operation =
		(uint32_t)s->parts->operations.n;
	return syc_array_push(&s->parts->operations, operation);
}

/* What is known of one group and id so far. */
struct turn {
	uint32_t open; /* the operation under way, or NONE */
	uint32_t out;  /* the latest mark that arrows leave from, or NONE */
	int64_t since; /* when the operation before ended */
};

static void finish(struct settling *s, struct turn *turn, int64_t to)
{
	struct syscap_profile_operation *item;

	if (turn->open == NONE)
		return;
	item = &s->parts->operations.items[turn->open];
	item->to = to > item->from ? to : item->from;
	turn->open = NONE;
	turn->since = item->to;
}

/* Nothing tells when it began: no operation of the id was under way since. */
static int add_end(struct settling *s, uint32_t part, struct turn *turn,
                   int64_t time)
{
	const int64_t since = turn->since;

	turn->since = time;
	return add_operation(s, part, NONE, s->parts->items.items[part].mark,
	                     since < time ? since : time, time);
}

static int take_async(struct settling *s, uint32_t part, struct turn *turn)
{
	struct syscap_profile_part *item = &s->parts->items.items[part];
	const struct syscap_profile_mark mark = mark_of(s, part);
	int r;

	switch (item->phase) {
	case SYSCAP_PHASE_WHOLE:
		return add_operation(s, part, item->mark, item->mark, mark.time,
		                     syc_marks_end(&mark));
	case SYSCAP_PHASE_BEGIN:
		finish(s, turn, mark.time);
		r = add_operation(s, part, item->mark, NONE, mark.time,
		                  s->span->end);
		turn->open = item->operation;
		return r;
	case SYSCAP_PHASE_STEP:
		item->operation = turn->open;
		return 0;
	default:
		if (turn->open == NONE)
			return add_end(s, part, turn, mark.time);
		item->operation = turn->open;
		s->parts->operations.items[turn->open].end = item->mark;
		finish(s, turn, mark.time);
		return 0;
	}
}

static int take_flow(struct settling *s, uint32_t part, struct turn *turn)
{
	const struct syscap_profile_part *item = &s->parts->items.items[part];

	if (item->phase == SYSCAP_PHASE_OUT) {
		turn->out = item->mark;
	} else if (turn->out != NONE) {
		const struct syscap_profile_arrow arrow = { turn->out,
			                                    item->mark };

		return syc_array_push(&s->parts->arrows, arrow);
	}
	return 0;
}

static int take_all(struct settling *s)
{
	const struct turn none = { NONE, NONE, s->span->begin };
	struct turn turn = none;
	int r = 0;

	for (size_t i = 0; r == 0 && i < s->parts->items.n; i++) {
		const uint32_t part = s->order[i];

		if (i > 0 && compare_key(s, s->order[i - 1], part) != 0)
			turn = none;
		s->parts->items.items[part].operation = NONE;
		r = is_flow(s, part) ? take_flow(s, part, &turn)
		                     : take_async(s, part, &turn);
	}
	return r;
}

int syc_parts_settle(struct syc_parts *parts, const struct syc_marks *marks,
                     const struct syc_who *who,
                     const struct syscap_profile_span *span)
{
	struct settling s = { parts, marks, who, span, NULL };
	int r;

	if (parts->n_settled == parts->items.n &&
	    parts->span.begin == span->begin && parts->span.end == span->end)
		return 0;
	s.order = calloc(parts->items.n + 1, sizeof(*s.order));
	if (s.order == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < parts->items.n; i++)
		s.order[i] = (uint32_t)i;
	qsort_r(s.order, parts->items.n, sizeof(*s.order), compare, &s);
	parts->operations.n = 0;
	parts->arrows.n = 0;
	r = take_all(&s);
	free(s.order);
	parts->n_settled = r == 0 ? parts->items.n : 0;
	parts->span = *span;
	return r;
}
