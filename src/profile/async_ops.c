/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * async_ops.c - marks that belong together: asynchronous operations and arrows.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/marks.h"

#define NONE SYSCAP_PROFILE_NONE

/* Mark @i, for changes.  The mark is a part of an operation or arrow. */
static inline struct syscap_profile_mark *marks_part(struct syc_marks *marks,
                                                     size_t i)
{
	/* A mark of an operation is wide, since it has a part number. */
	return &marks->wide.items[marks->items.items[i].duration];
}

void syc_async_ops_fini(struct syc_async_ops *ops)
{
	free(ops->items.items);
	free(ops->operations.items);
	free(ops->arrows.items);
}

/* ------------------------------------------------------ parsing of messages */

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

/*
 * The rest of @text after the prefix @begin; NULL if @text has another prefix.
 */
static const char *skip(const char *text, const char *begin)
{
	const size_t n = strlen(begin);

	return strncmp(text, begin, n) == 0 ? text + n : NULL;
}

/* Parse a number strictly: lower case, no leading 0, 64 bits. */
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

bool syc_async_part_read(const char *message,
                         struct syscap_profile_part *ret_part)
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

/* -------------------------------------------------------- matching of parts */

struct settling {
	struct syc_async_ops *ops;
	struct syc_marks *marks;
	const struct syc_processes *processes;
	const struct syscap_profile_span *span;
	uint32_t *order; /* numbers of parts */
};

static struct syscap_profile_mark mark_of(const struct settling *s,
                                          uint32_t part)
{
	return syc_marks_get(s->marks, s->ops->items.items[part].mark);
}

static const char *group_of(const struct settling *s, uint32_t part)
{
	return s->marks->names.items[mark_of(s, part).name].group;
}

static uint32_t process_of(const struct settling *s, uint32_t part)
{
	return s->processes->threads.items[mark_of(s, part).thread].process;
}

static bool is_flow(const struct settling *s, uint32_t part)
{
	return s->ops->items.items[part].phase >= SYSCAP_PHASE_OUT;
}

/* An arrow starts at the end of the mark that begins the arrow. */
static int64_t time_of(const struct settling *s, uint32_t part)
{
	const struct syscap_profile_mark mark = mark_of(s, part);

	return s->ops->items.items[part].phase == SYSCAP_PHASE_OUT
	               ? syc_marks_end(mark.time, mark.duration)
	               : mark.began;
}

#define COMPARE(a, b)                              \
	do {                                       \
		if ((a) != (b))                    \
			return (a) < (b) ? -1 : 1; \
	} while (0)

/*
 * Compare two parts by group and id, and by process unless the parts are of an
 * arrow.
 */
static int compare_key(const struct settling *s, uint32_t a, uint32_t b)
{
	COMPARE(is_flow(s, a), is_flow(s, b));

	const int order = strcmp(group_of(s, a), group_of(s, b));
	if (order != 0)
		return order;
	COMPARE(s->ops->items.items[a].id, s->ops->items.items[b].id);
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
		.id = s->ops->items.items[part].id,
		.begin = begin,
		.end = end,
		.from = from,
		.to = to > from ? to : from,
		.name = mark_of(s, part).name,
		.process = process_of(s, part),
	};

	s->ops->items.items[part].operation = (uint32_t)s->ops->operations.n;
	return syc_array_push(&s->ops->operations, operation);
}

/* State of one group and id. */
struct turn {
	uint32_t open; /* number of the current operation, or NONE */
	/* Number of the latest mark from which arrows start, or NONE. */
	uint32_t out;
	int64_t since; /* the end of the previous operation */
	bool is_over;  /* the latest begin is of an operation that ended,
	                * unseen, before the recording */
};

static void finish(struct settling *s, struct turn *turn, int64_t to)
{
	struct syscap_profile_operation *item;

	if (turn->open == NONE)
		return;
	item = &s->ops->operations.items[turn->open];
	item->to = to > item->from ? to : item->from;
	turn->open = NONE;
	turn->since = item->to;
}

/* Add an operation whose begin is missing: the id has no current operation. */
static int add_end(struct settling *s, uint32_t part, struct turn *turn,
                   int64_t time)
{
	const int64_t since = turn->since;

	turn->since = time;
	return add_operation(s, part, NONE, s->ops->items.items[part].mark,
	                     since < time ? since : time, time);
}

/* The mark of the beginning represents the whole operation. */
static void join(struct settling *s, const struct syscap_profile_operation *of)
{
	struct syscap_profile_mark *const begin =
		marks_part(s->marks, of->begin);

	begin->duration = of->to - of->from;
	begin->lane = NONE;
	marks_part(s->marks, of->end)->is_end = true;
}

/*
 * Return whether the operation that begins with part @i ended before the
 * recording.  The next begin or end mark of the id ends the operation.
 */
static bool is_over(const struct settling *s, size_t i)
{
	const int64_t begin = s->span->begin;

	if (mark_of(s, s->order[i]).began >= begin)
		return false;
	for (size_t k = i + 1; k < s->ops->items.n &&
	                       compare_key(s, s->order[i], s->order[k]) == 0;
	     k++) {
		const enum syscap_profile_phase phase =
			s->ops->items.items[s->order[k]].phase;

		if (phase == SYSCAP_PHASE_BEGIN || phase == SYSCAP_PHASE_END)
			return mark_of(s, s->order[k]).began <= begin;
	}
	return false;
}

/* Omit a part of an operation that ended before the recording. */
static void omit(struct settling *s, uint32_t part)
{
	struct syscap_profile_mark *const mark =
		marks_part(s->marks, s->ops->items.items[part].mark);

	mark->is_end = true;
	mark->lane = NONE;
}

static int take_async(struct settling *s, size_t i, struct turn *turn)
{
	const uint32_t part = s->order[i];
	struct syscap_profile_part *item = &s->ops->items.items[part];
	const struct syscap_profile_mark mark = mark_of(s, part);
	struct syscap_profile_operation *operation;
	int r;

	switch (item->phase) {
	case SYSCAP_PHASE_WHOLE:
		return add_operation(s, part, item->mark, item->mark, mark.time,
		                     syc_marks_end(mark.time, mark.duration));
	case SYSCAP_PHASE_BEGIN:
		finish(s, turn, mark.time);
		turn->is_over = is_over(s, i);
		if (turn->is_over) {
			omit(s, part);
			return 0;
		}
		r = add_operation(s, part, item->mark, NONE, mark.time,
		                  s->span->end);
		turn->open = item->operation;
		return r;
	case SYSCAP_PHASE_STEP:
		item->operation = turn->open;
		return 0;
	default:
		if (turn->is_over ||
		    (turn->open == NONE && mark.began < s->span->begin)) {
			turn->is_over = false;
			omit(s, part);
			return 0;
		}
		if (turn->open == NONE)
			return add_end(s, part, turn, mark.time);
		item->operation = turn->open;
		operation = &s->ops->operations.items[turn->open];
		operation->end = item->mark;
		finish(s, turn, mark.time);
		join(s, operation);
		return 0;
	}
}

static int take_flow(struct settling *s, uint32_t part, struct turn *turn)
{
	const struct syscap_profile_part *item = &s->ops->items.items[part];

	if (item->phase == SYSCAP_PHASE_OUT) {
		turn->out = item->mark;
	} else if (turn->out != NONE) {
		const struct syscap_profile_arrow arrow = { turn->out,
			                                    item->mark };

		return syc_array_push(&s->ops->arrows, arrow);
	}
	return 0;
}

static int take_all(struct settling *s)
{
	const struct turn none = { NONE, NONE, s->span->begin, false };
	struct turn turn = none;
	int r = 0;

	for (size_t i = 0; r == 0 && i < s->ops->items.n; i++) {
		const uint32_t part = s->order[i];

		if (i > 0 && compare_key(s, s->order[i - 1], part) != 0)
			turn = none;
		s->ops->items.items[part].operation = NONE;
		r = is_flow(s, part) ? take_flow(s, part, &turn)
		                     : take_async(s, i, &turn);
	}
	return r;
}

int syc_async_ops_settle(struct syc_async_ops *ops, struct syc_marks *marks,
                         const struct syc_processes *processes,
                         const struct syscap_profile_span *span)
{
	struct settling s = { ops, marks, processes, span, NULL };
	int r;

	if (ops->n_settled == ops->items.n && ops->span.begin == span->begin &&
	    ops->span.end == span->end)
		return 0;
	s.order = calloc(ops->items.n + 1, sizeof(*s.order));
	if (s.order == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < ops->items.n; i++)
		s.order[i] = (uint32_t)i;
	qsort_r(s.order, ops->items.n, sizeof(*s.order), compare, &s);
	ops->operations.n = 0;
	ops->arrows.n = 0;
	r = take_all(&s);
	free(s.order);
	ops->n_settled = r == 0 ? ops->items.n : 0;
	ops->span = *span;
	return r;
}
