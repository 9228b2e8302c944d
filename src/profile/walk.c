/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * walk.c - the events of a capture once more, out of the file.
 *
 * A second profile, which keeps no event, takes in the same frames: so it meets
 * the same threads in the same order, and its numbers are the first one's.
 */
#include <errno.h>
#include <stdlib.h>

#include "profile/events.h"
#include "profile/model.h"

struct syscap_profile_walk {
	const struct syscap_profile *first;
	struct syscap_profile *second;
	struct syscap_reader *reader;
	struct syscap_frame frame;
	uint32_t thread;
	unsigned slot, n_slots; /* of values of the frame */
	/* By the low bits of the id: saves most of the look-ups. */
	struct memo {
		uint32_t process, id, counter;
	} memo[256];
};

int syscap_profile_walk_new(const struct syscap_profile *profile,
                            struct syscap_reader *reader,
                            struct syscap_profile_walk **ret_walk)
{
	const struct syscap_profile_options options = {
		.parts = profile->wanted,
		.no_lookup = true,
	};
	struct syscap_profile_walk *walk = calloc(1, sizeof(*walk));
	int r;

	if (walk == NULL)
		return -ENOMEM;
	walk->first = profile;
	walk->reader = reader;
	r = syscap_profile_new(&options, &walk->second);
	if (r < 0) {
		free(walk);
		return r;
	}
	walk->second->is_walk = true;
	syscap_reader_rewind(reader);
	*ret_walk = walk;
	return 0;
}

void syscap_profile_walk_free(struct syscap_profile_walk *walk)
{
	if (walk == NULL)
		return;
	syscap_profile_free(walk->second);
	free(walk);
}

/* 1: a frame was taken in; 0: there are no more that the first one took. */
static int take_next(struct syscap_profile_walk *walk)
{
	int r = -EILSEQ;

	while (r == -EILSEQ) {
		if (syscap_reader_tell(walk->reader) >= walk->first->position)
			return 0;
		r = syscap_reader_next(walk->reader, &walk->frame, NULL);
	}
	if (r <= 0)
		return 0;
	r = syscap_profile_add(walk->second, walk->reader, &walk->frame);
	return r < 0 ? r : 1;
}

int syscap_profile_walk_event(struct syscap_profile_walk *walk,
                              struct syscap_profile_event *ret_event)
{
	int r;

	walk->n_slots = 0;
	while ((r = take_next(walk)) > 0) {
		const size_t n_losses = walk->second->losses.n;

		walk->second->losses.n = 0;
		if (!syc_events_knows(walk->second, walk->frame.type))
			continue;
		walk->thread = walk->second->who.last_thread;
		*ret_event = (struct syscap_profile_event){
			.frame = &walk->frame,
			.thread = walk->thread,
			.is_loss = n_losses > 0,
		};
		return 1;
	}
	return r;
}

/* The next frame of values.  1, 0 or -ENOMEM. */
static int find_values(struct syscap_profile_walk *walk)
{
	struct syscap_profile_event event;
	int r;

	do
		r = syscap_profile_walk_event(walk, &event);
	while (r > 0 && event.frame->type != SYSCAP_FRAME_CTRSET);
	walk->slot = 0;
	walk->n_slots = r > 0 ? 8u * walk->frame.ctrset.n_groups : 0;
	return r;
}

static uint32_t find_counter(struct syscap_profile_walk *walk, uint32_t id)
{
	const struct syscap_profile *first = walk->first;
	const uint32_t process = first->who.threads.items[walk->thread].process;
	struct memo *memo = &walk->memo[id % 256];

	/* No counter has the id 0. */
	if (memo->id != id || memo->process != process)
		*memo = (struct memo){ process, id,
			               syc_counters_find(&first->counters,
			                                 process, id) };
	return memo->counter;
}

int syscap_profile_walk_value(struct syscap_profile_walk *walk,
                              struct syscap_profile_value *ret_value)
{
	uint32_t id;

	for (;;) {
		while (walk->slot < walk->n_slots &&
		       syscap_frame_slot(walk->reader, &walk->frame,
		                         walk->slot++, &id, &ret_value->bits)) {
			if (id == 0)
				continue;
			ret_value->time = walk->frame.time;
			ret_value->thread = walk->thread;
			ret_value->counter = find_counter(walk, id);
			return 1;
		}

		const int r = find_values(walk);
		if (r <= 0)
			return r;
	}
}
