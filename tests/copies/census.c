/* SPDX-License-Identifier: BSD-2-Clause */
/* census.c - counts of the events of several copies; see census.h. */
#include "copies/census.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <syscap/format.h>

#include "harness/test.h"

static struct census_part *part_of(struct census *c, const char *name)
{
	for (unsigned i = 0; i < c->n_parts; i++)
		if (strcmp(c->parts[i].name, name) == 0)
			return &c->parts[i];
	CHECK(c->n_parts < CENSUS_PARTS);
	struct census_part *const part = &c->parts[c->n_parts++];
	snprintf(part->name, sizeof(part->name), "%s", name);
	return part;
}

static const struct census_part *look(const struct census *c, const char *name)
{
	static const struct census_part none;

	for (unsigned i = 0; i < c->n_parts; i++)
		if (strcmp(c->parts[i].name, name) == 0)
			return &c->parts[i];
	return &none;
}

unsigned census_marks(const struct census *c, const char *part,
                      unsigned emitter)
{
	return look(c, part)->marks[emitter];
}

unsigned census_logs(const struct census *c, const char *part, unsigned emitter)
{
	return look(c, part)->logs[emitter];
}

static void follow(unsigned counts[CENSUS_EMITTERS], const char *text,
                   const char *what)
{
	unsigned emitter, n;

	if (sscanf(text, "%u %u", &emitter, &n) != 2)
		test_fail(__FILE__, __LINE__, "%s: \"%s\"", what, text);
	CHECK(emitter < CENSUS_EMITTERS);
	if (n != counts[emitter])
		test_fail(__FILE__, __LINE__, "%s: emitter %u: %u after %u",
		          what, emitter, n, counts[emitter]);
	counts[emitter]++;
}

void census_mark(struct census *c, const char *group, const char *name,
                 const char *message)
{
	if (strcmp(group, "syscap") == 0 && strcmp(name, "lost") == 0) {
		unsigned long long n = 0;

		sscanf(message, "frames=%llu", &n);
		c->n_lost += n;
	}
	if (strcmp(group, "syscap") == 0)
		return;
	struct census_part *const part = part_of(c, group);
	part->n_marks++;
	if (strcmp(name, "n") == 0)
		follow(part->marks, message, part->name);
	else
		part->n_notes++;
}

void census_log(struct census *c, const char *domain, const char *message)
{
	follow(part_of(c, domain)->logs, message, domain);
}

void census_counter(struct census *c, const char *category, const char *name,
                    uint32_t id)
{
	CHECK(id != 0);
	for (unsigned i = 0; i < c->n_counters; i++) {
		const bool is_same =
			strcmp(c->counters[i].category, category) == 0 &&
			strcmp(c->counters[i].name, name) == 0;

		if (is_same != (c->counters[i].id == id))
			test_fail(__FILE__, __LINE__,
			          "counter %s/%s has id %u, %s/%s has %u",
			          category, name, id, c->counters[i].category,
			          c->counters[i].name, c->counters[i].id);
		if (is_same)
			return;
	}
	CHECK(c->n_counters < CENSUS_COUNTERS);
	snprintf(c->counters[c->n_counters].category, 32, "%s", category);
	snprintf(c->counters[c->n_counters].name, 32, "%s", name);
	c->counters[c->n_counters++].id = id;
}

void census_value(struct census *c, uint32_t id)
{
	c->n_values++;
	for (unsigned i = 0; i < c->n_counters; i++)
		if (c->counters[i].id == id)
			return;
	test_fail(__FILE__, __LINE__, "counter %u is not defined", id);
}

void census_name(struct census *c, uint64_t address, const char *name)
{
	for (unsigned i = 0; i < c->n_names; i++) {
		const bool is_same = strcmp(c->names[i].name, name) == 0;

		if (is_same != (c->names[i].address == address))
			test_fail(__FILE__, __LINE__,
			          "\"%s\" is %#llx, \"%s\" is %#llx", name,
			          (unsigned long long)address, c->names[i].name,
			          (unsigned long long)c->names[i].address);
		if (is_same)
			return;
	}
	CHECK(c->n_names < CENSUS_NAMES);
	snprintf(c->names[c->n_names].name, 64, "%s", name);
	c->names[c->n_names++].address = address;
}

void census_address(struct census *c, uint64_t address)
{
	unsigned i = 0;

	c->n_samples++;
	if (address >> 32 != 0xE0000000)
		return;
	while (i < c->n_addresses && c->addresses[i] != address)
		i++;
	CHECK(i < CENSUS_NAMES);
	c->addresses[i] = address;
	c->n_addresses += i == c->n_addresses;
}

/* Checks that each address has a name, perhaps in another thread's ring. */
void census_end(const struct census *c)
{
	for (unsigned i = 0; i < c->n_addresses; i++) {
		unsigned k = 0;

		while (k < c->n_names && c->names[k].address != c->addresses[i])
			k++;
		if (k == c->n_names)
			test_fail(__FILE__, __LINE__,
			          "address %#llx has no name",
			          (unsigned long long)c->addresses[i]);
	}
}

/* ------------------------------------------------------------- of a peer */

static void look_at_names(struct census *c, const struct peer_frame *f)
{
	const unsigned char *at = f->bytes + 28;
	uint64_t address;
	uint32_t n;

	memcpy(&n, f->bytes + 24, 4);
	for (uint32_t i = 0; i < n; i++) {
		memcpy(&address, at, 8);
		census_name(c, address, (const char *)at + 8);
		at += 8 + strlen((const char *)at + 8) + 1;
	}
}

static void look_at_counters(struct census *c, const struct peer_frame *f)
{
	uint16_t n;
	uint32_t id;

	memcpy(&n, f->bytes + 24, 2);
	for (unsigned i = 0; i < n; i++) {
		const char *const d = (const char *)f->bytes + 32 + 128 * i;

		memcpy(&id, d + 116, 4);
		census_counter(c, d, d + 32, id & 0xFFFFFF);
	}
}

static void look_at_values(struct census *c, const struct peer_frame *f)
{
	uint16_t n;
	uint32_t id;

	memcpy(&n, f->bytes + 24, 2);
	for (unsigned i = 0; i < n; i++)
		for (unsigned k = 0; k < 8; k++) {
			memcpy(&id, f->bytes + 32 + 96 * i + 4 * k, 4);
			if (id != 0)
				census_value(c, id);
		}
}

static void look_at_frame(struct census *c, const struct peer_frame *f)
{
	uint64_t address;

	c->n_frames++;
	switch (f->type) {
	case SYSCAP_FRAME_SAMPLE:
		memcpy(&address, f->bytes + 32, 8);
		census_address(c, address);
		break;
	case SYSCAP_FRAME_JITMAP:
		look_at_names(c, f);
		break;
	case SYSCAP_FRAME_CTRDEF:
		look_at_counters(c, f);
		break;
	case SYSCAP_FRAME_CTRSET:
		look_at_values(c, f);
		break;
	case SYSCAP_FRAME_MARK:
		census_mark(c, peer_mark_group(f), peer_mark_name(f),
		            peer_mark_message(f));
		break;
	case SYSCAP_FRAME_LOG:
		census_log(c, (const char *)f->bytes + 32,
		           (const char *)f->bytes + 64);
		break;
	case 255:
		c->n_ends++;
		break;
	default:
		break;
	}
}

/* Checks that each frame names its thread, and that all frames of a ring name
 * the same thread. */
static void look_at_ring(struct census *c, const struct peer_ring *ring)
{
	const int32_t pid = ring->header->pid, tid = ring->header->tid;
	struct peer_frame f;
	size_t at = 0;

	if (c->pid != 0 && pid != c->pid)
		return;
	while (peer_next(ring, &at, &f)) {
		if (f.type != SYSCAP_FRAME_TIMESTAMP && f.type != 255) {
			CHECK_EQ(f.pid, pid);
			if (f.padding2 != 0 && f.type != SYSCAP_FRAME_SAMPLE)
				CHECK_EQ(f.padding2,
				         0x5C000000u | (uint32_t)tid);
		}
		look_at_frame(c, &f);
	}
}

void census_of_process(struct census *c, const struct peer *peer, int32_t pid)
{
	memset(c, 0, sizeof(*c));
	c->pid = pid;
	for (unsigned i = 0; i < peer->n_rings; i++)
		look_at_ring(c, &peer->rings[i]);
	census_end(c);
}

void census_of_peer(struct census *c, const struct peer *peer)
{
	census_of_process(c, peer, 0);
}

unsigned census_notes(const struct peer *peer, const char *part,
                      const char *name)
{
	return peer_count_marks(peer, part, name);
}

void census_check_one_ring_a_thread(const struct peer *peer)
{
	for (unsigned i = 0; i < peer->n_rings; i++) {
		const struct syc_ring_header *const a = peer->rings[i].header;

		CHECK_EQ(peer_lost_total(&peer->rings[i]), 0);
		for (unsigned k = 0; k < i; k++) {
			const struct syc_ring_header *const b =
				peer->rings[k].header;

			if (a->pid == b->pid && a->tid == b->tid)
				test_fail(__FILE__, __LINE__,
				          "thread %d has two rings", a->tid);
		}
	}
}
