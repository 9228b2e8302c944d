/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * code_live.c - what code is where, told in the order of time.
 *
 * A treap: a search tree by address that is a heap by random priorities, so
 * that no file can be made such that it degenerates.  Nodes are numbers into
 * an array, which may move when it grows; so room is made before the tree is
 * touched.
 */
#define _GNU_SOURCE
#include "code/code_live.h"

#include <stdbool.h>
#include <stdlib.h>
#include <sys/random.h>

struct syc_code_piece {
	uint64_t low, last;
	int64_t from;
	uint32_t origin;
	uint32_t priority;
	uint32_t left, right; /* of unused ones, left is the next */
};

struct syc_code_part {
	uint64_t low, last;
	uint32_t origin;
};

static uint32_t draw(struct syc_code_live *live)
{
	if (live->random == 0 &&
	    getrandom(&live->random, sizeof(live->random), GRND_NONBLOCK) < 0)
		live->random = (uintptr_t)live;
	live->random |= 1;
	live->random *= UINT64_C(0x9E3779B97F4A7C15);
	live->random ^= live->random >> 29;
	return (uint32_t)(live->random >> 16);
}

/* So that the next two take_piece() find one. */
static int make_room(struct syc_code_live *live)
{
	const struct syc_code_piece none = { 0 };

	if (live->pieces.n == 0 && syc_array_push(&live->pieces, none) < 0)
		return -ENOMEM;
	while (live->unused == 0 ||
	       live->pieces.items[live->unused].left == 0) {
		struct syc_code_piece fresh = { .left = live->unused };

		if (live->pieces.n >= UINT32_MAX ||
		    syc_array_push(&live->pieces, fresh) < 0)
			return -ENOMEM;
		live->unused = (uint32_t)live->pieces.n - 1;
	}
	return 0;
}

static uint32_t take_piece(struct syc_code_live *live, uint64_t low,
                           uint64_t last, int64_t from, uint32_t origin)
{
	const uint32_t number = live->unused;
	struct syc_code_piece *piece = &live->pieces.items[number];

	live->unused = piece->left;
	*piece = (struct syc_code_piece){
		.low = low,
		.last = last,
		.from = from,
		.origin = origin,
		.priority = draw(live),
	};
	return number;
}

static void give_back(struct syc_code_live *live, uint32_t number)
{
	live->pieces.items[number].left = live->unused;
	live->unused = number;
}

/* Pieces that begin below @key, and the others. */
static void split(struct syc_code_piece *pieces, uint32_t tree, uint64_t key,
                  uint32_t *below, uint32_t *others)
{
	while (tree != 0) {
		struct syc_code_piece *piece = &pieces[tree];

		if (piece->low < key) {
			*below = tree;
			below = &piece->right;
			tree = piece->right;
		} else {
			*others = tree;
			others = &piece->left;
			tree = piece->left;
		}
	}
	*below = *others = 0;
}

/* All of @a lies below all of @b. */
static uint32_t merge(struct syc_code_piece *pieces, uint32_t a, uint32_t b)
{
	uint32_t root, *at = &root;

	while (a != 0 && b != 0)
		if (pieces[a].priority > pieces[b].priority) {
			*at = a;
			at = &pieces[a].right;
			a = *at;
		} else {
			*at = b;
			at = &pieces[b].left;
			b = *at;
		}
	*at = a != 0 ? a : b;
	return root;
}

/* Within [@low, @last] there is now nothing of @piece any more. */
static int end_part(struct syc_code_live *live,
                    const struct syc_code_piece *piece, uint64_t low,
                    uint64_t last, bool is_move)
{
	const struct syc_code_rect rect = {
		.low = piece->low > low ? piece->low : low,
		.last = piece->last < last ? piece->last : last,
		.from = piece->from,
		.until = live->now,
		.origin = piece->origin,
	};
	const struct syc_code_part part = { rect.low, rect.last, rect.origin };

	if (is_move && syc_array_push(&live->parts, part) < 0)
		return -ENOMEM;
	if (rect.from == rect.until) /* nobody can have seen it */
		return 0;
	return syc_array_push(&live->rects, rect);
}

/* The first of the tree, which is unhinged without a stack. */
static uint32_t pop_first(struct syc_code_piece *pieces, uint32_t *tree)
{
	uint32_t at = *tree;

	while (pieces[at].left != 0) {
		const uint32_t left = pieces[at].left;

		pieces[at].left = pieces[left].right;
		pieces[left].right = at;
		at = left;
	}
	*tree = pieces[at].right;
	return at;
}

/*
 * What is in [@low, @last] ends; with @is_move it goes to parts.  @origin is
 * there from now on, or NULL: nothing is.
 */
static int put(struct syc_code_live *live, uint64_t low, uint64_t last,
               const struct syc_code_origin *origin, bool is_move)
{
	uint32_t below, within, above, at, fresh = 0, rest = 0;
	struct syc_code_piece *pieces;
	int r = make_room(live);

	if (r < 0)
		return r;
	if (origin != NULL && (live->origins.n >= UINT32_MAX ||
	                       syc_array_push(&live->origins, *origin) < 0))
		return -ENOMEM;
	pieces = live->pieces.items;
	split(pieces, live->root, low, &below, &within);
	split(pieces, within, last + 1, &within, &above);
	for (at = below; at != 0 && pieces[at].right != 0;)
		at = pieces[at].right;
	if (at != 0 && pieces[at].last >= low) {
		r = end_part(live, &pieces[at], low, last, is_move);
		if (pieces[at].last > last)
			rest = take_piece(live, last + 1, pieces[at].last,
			                  pieces[at].from, pieces[at].origin);
		pieces[at].last = low - 1;
	}
	while (r == 0 && within != 0) {
		at = pop_first(pieces, &within);
		r = end_part(live, &pieces[at], low, last, is_move);
		if (pieces[at].last > last) {
			pieces[at].low = last + 1;
			pieces[at].left = pieces[at].right = 0;
			rest = at;
		} else {
			give_back(live, at);
		}
	}
	if (origin != NULL)
		fresh = take_piece(live, low, last, live->now,
		                   (uint32_t)live->origins.n - 1);
	below = merge(pieces, merge(pieces, below, fresh), rest);
	live->root = merge(pieces, below, above);
	return r;
}

int syc_code_live_add(struct syc_code_live *live, int64_t time,
                      const struct syc_code_origin *origin)
{
	live->now = time;
	return put(live, origin->start, origin->start + origin->len - 1, origin,
	           false);
}

int syc_code_live_remove(struct syc_code_live *live, int64_t time,
                         uint64_t start, uint64_t len)
{
	live->now = time;
	return put(live, start, start + len - 1, NULL, false);
}

int syc_code_live_move(struct syc_code_live *live, int64_t time, uint64_t from,
                       uint64_t to, uint64_t len)
{
	int r;

	live->now = time;
	if (live->rects.n + live->pieces.n >= live->most_rects)
		return 0;
	live->parts.n = 0;
	r = put(live, from, from + len - 1, NULL, true);
	if (r == 0)
		r = put(live, to, to + len - 1, NULL, false);
	for (size_t i = 0; r == 0 && i < live->parts.n; i++) {
		const struct syc_code_part *part = &live->parts.items[i];
		struct syc_code_origin origin =
			live->origins.items[part->origin];

		/* Wraps for code that moves down, and back again. */
		origin.start += to - from;
		origin.maybe_from = INT64_MAX;
		r = put(live, part->low + (to - from), part->last + (to - from),
		        &origin, false);
	}
	return r;
}

int syc_code_live_end(struct syc_code_live *live)
{
	int r = 0;

	live->now = INT64_MAX;
	while (r == 0 && live->root != 0) {
		const uint32_t at = pop_first(live->pieces.items, &live->root);

		r = end_part(live, &live->pieces.items[at], 0, UINT64_MAX,
		             false);
		give_back(live, at);
	}
	return r;
}

void syc_code_live_fini(struct syc_code_live *live)
{
	free(live->pieces.items);
	free(live->parts.items);
}
