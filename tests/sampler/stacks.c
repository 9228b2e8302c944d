/* SPDX-License-Identifier: BSD-2-Clause */
/* stacks.c - the stacks that a CHILD sampled, as text. */
#define _GNU_SOURCE
#include "sampler/stacks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <syscap.h>

#include "harness/test.h"

enum {
	SAMPLE = 2,
	JITMAP = 7,
	LOG = 12
};

void stacks_tell(const char *name, const char *low, const char *high)
{
	char text[120];

	snprintf(text, sizeof(text), "%s %lx %lx", name,
	         (unsigned long)(uintptr_t)low, (unsigned long)(uintptr_t)high);
	syscap_log(SYSCAP_INFO, "native", text);
}

/* Calls @visit for each frame of @type until it returns true. */
static bool for_each(const struct peer *peer, uint8_t type,
                     bool (*visit)(const struct peer_frame *frame, void *user),
                     void *user)
{
	for (unsigned i = 0; i < peer->n_rings; i++) {
		struct peer_frame frame;
		size_t at = 0;

		while (peer_next(&peer->rings[i], &at, &frame))
			if (frame.type == type && visit(&frame, user))
				return true;
	}
	return false;
}

struct look {
	int32_t pid;
	uint64_t address;
	const char *name;
	unsigned n;
	char text[80];
	struct peer_frame found;
};

/* Calls @one for each name in a JITMAP frame. */
static bool visit_names(const struct peer_frame *frame, struct look *look,
                        bool (*one)(struct look *look, uint64_t address,
                                    const char *name))
{
	size_t at = 28;
	uint32_t n;

	memcpy(&n, frame->bytes + 24, 4);
	if (n == 0) /* the frame is a filler for an abandoned event */
		return false;
	while (n-- != 0) {
		uint64_t address;
		const char *const name = (const char *)frame->bytes + at + 8;

		CHECK(at + 9 <= frame->len);
		memcpy(&address, frame->bytes + at, 8);
		at += 8 + strlen(name) + 1;
		CHECK(at <= frame->len);
		if (one(look, address, name))
			return true;
	}
	CHECK(frame->len - at < 8);
	return false;
}

static bool is_address(struct look *look, uint64_t address, const char *name)
{
	if (address != look->address)
		return false;
	look->name = name;
	return true;
}

static bool look_for_address(const struct peer_frame *frame, void *user)
{
	struct look *const look = user;

	return frame->pid == look->pid && visit_names(frame, look, is_address);
}

const char *stacks_name(const struct peer *peer, int32_t pid, uint64_t address)
{
	struct look look = { .pid = pid, .address = address };

	for_each(peer, JITMAP, look_for_address, &look);
	return look.name;
}

static bool count_name(struct look *look, uint64_t address, const char *name)
{
	(void)address;
	look->n += strcmp(name, look->name) == 0;
	return false;
}

static bool count_names(const struct peer_frame *frame, void *user)
{
	return visit_names(frame, user, count_name);
}

unsigned stacks_count_name(const struct peer *peer, const char *name)
{
	struct look look = { .name = name };

	for_each(peer, JITMAP, count_names, &look);
	return look.n;
}

static bool look_for_function(const struct peer_frame *frame, void *user)
{
	struct look *const look = user;
	unsigned long low, high;
	char name[60];

	if (strcmp((const char *)frame->bytes + 32, "native") != 0)
		return false;
	CHECK_EQ(sscanf((const char *)frame->bytes + 64, "%59s %lx %lx", name,
	                &low, &high),
	         3);
	if (look->address < low || look->address >= high)
		return false;
	snprintf(look->text, sizeof(look->text), "%s", name);
	look->name = look->text;
	return true;
}

static bool take_nth(const struct peer_frame *frame, void *user)
{
	struct look *const look = user;

	look->found = *frame;
	return look->n-- == 0;
}

struct peer_frame stacks_sample(const struct peer *peer, unsigned i)
{
	struct look look = { .n = i };

	if (!for_each(peer, SAMPLE, take_nth, &look))
		test_fail(__FILE__, __LINE__, "there is no sample %u", i);
	return look.found;
}

const char *stacks_text(const struct peer *peer,
                        const struct peer_frame *sample)
{
	static char text[1 << 16];
	size_t n = 0;
	uint16_t n_addrs;

	memcpy(&n_addrs, sample->bytes + 24, 2);
	CHECK_EQ(sample->len, 32 + 8 * n_addrs);
	text[0] = '\0';
	for (unsigned i = 0; i < n_addrs; i++) {
		struct look look = { .pid = sample->pid };

		memcpy(&look.address, sample->bytes + 32 + 8 * i, 8);
		look.name = stacks_name(peer, sample->pid, look.address);
		if (look.name == NULL)
			for_each(peer, LOG, look_for_function, &look);
		if (look.name == NULL && look.address >> 60 == 0xE)
			look.name = "UNNAMED";
		if (look.name != NULL)
			n += (size_t)snprintf(text + n, sizeof(text) - n,
			                      "%s%s", n != 0 ? " < " : "",
			                      look.name);
		CHECK(n < sizeof(text));
	}
	return text;
}

bool stacks_is_in(const struct peer *peer, const struct peer_frame *sample,
                  const char *name)
{
	struct look look = { .pid = sample->pid };

	CHECK(sample->len > 32);
	memcpy(&look.address, sample->bytes + 32, 8);
	for_each(peer, LOG, look_for_function, &look);
	return look.name != NULL && strcmp(look.name, name) == 0;
}

const char *stacks_nth(const struct peer *peer, unsigned i)
{
	const struct peer_frame sample = stacks_sample(peer, i);

	return stacks_text(peer, &sample);
}

unsigned stacks_flags(const struct peer_frame *sample)
{
	uint16_t flags;

	memcpy(&flags, sample->bytes + 26, 2);
	return flags;
}

uint32_t stacks_weight(const struct peer_frame *sample)
{
	if ((sample->padding2 & SYSCAP_WEIGHT_TAG_MASK) != SYSCAP_WEIGHT_TAG)
		return 1;
	return sample->padding2 & ~SYSCAP_WEIGHT_TAG_MASK;
}
