/* SPDX-License-Identifier: BSD-2-Clause */
/* join_counters.c - unique counter ids in a joined capture. */
#define _GNU_SOURCE
#include "capture/frame.h"
#include "capture/join_state.h"
#include "common/load.h"

#define COUNTER sizeof(struct syscap_wire_counter)
#define GROUP   sizeof(struct syscap_wire_values)

/* These structs are hashed as keys, so they have no padding. */
struct counter_key {
	int32_t pid;
	uint32_t id;
};

struct counter_text {
	int32_t pid;
	uint32_t id;
	char category[32], name[32], description[52];
	uint32_t type;
};

void syc_join_counters_fini(struct syc_join_counters *counters)
{
	syc_map_fini(&counters->by_text);
	syc_map_fini(&counters->by_use);
	syc_map_fini(&counters->by_id);
	free(counters->definitions.items);
	free(counters->uses.items);
	free(counters->last_of_id.items);
}

static uint32_t get_id(const unsigned char *counter, bool big)
{
	const unsigned char *id = counter + SYC_AT(counter, id);

	return big ? (uint32_t)(id[0] << 16 | id[1] << 8 | id[2])
	           : (uint32_t)(id[2] << 16 | id[1] << 8 | id[0]);
}

static void copy_text(char *to, const unsigned char *from, size_t size)
{
	const char *text = (const char *)from;

	memcpy(to, text, strnlen(text, size));
}

/* Copy a counter's texts, without the uninitialized bytes that older writers
 * leave after texts. */
static void get_text(struct counter_text *text, int32_t pid,
                     const unsigned char *counter, bool big)
{
	memset(text, 0, sizeof(*text));
	text->pid = pid;
	text->id = get_id(counter, big);
	copy_text(text->category, counter, sizeof(text->category));
	copy_text(text->name, counter + SYC_AT(counter, name),
	          sizeof(text->name));
	copy_text(text->description, counter + SYC_AT(counter, description),
	          sizeof(text->description));
	text->type = counter[SYC_AT(counter, type)];
}

static struct syc_join_use *find_use(const struct syc_join_counters *counters,
                                     int32_t pid, uint32_t id)
{
	const struct counter_key key = { pid, id };
	size_t number;

	if (!syc_map_get(&counters->by_use, &key, sizeof(key), &number))
		return NULL;
	return &counters->uses.items[number];
}

static struct syc_join_use *put_use(struct syc_join_counters *counters,
                                    int32_t pid, uint32_t id)
{
	const struct syc_join_use use = { .pid = pid, .id = id };
	const struct counter_key key = { pid, id };
	size_t number;
	const int r =
		syc_map_put(&counters->by_use, &key, sizeof(key), &number);

	if (r < 0 || (r > 0 && syc_array_push(&counters->uses, use) < 0))
		return NULL;
	return &counters->uses.items[number];
}

/* Update the meanings of an id by definition @number. */
static int note_definition(struct syc_join_counters *counters, int32_t pid,
                           uint32_t id, size_t number)
{
	struct syc_join_definition *definition =
		&counters->definitions.items[number];
	struct syc_join_use *use = put_use(counters, pid, id);
	size_t id_number;

	if (use == NULL)
		return -ENOMEM;
	if (!use->is_defined) {
		use->is_defined = true;
		use->new_id = definition->new_id;
		definition->is_hoisted = use->early != NULL;
	}

	const int r =
		syc_map_put(&counters->by_id, &id, sizeof(id), &id_number);
	if (r < 0)
		return r;
	if (r > 0)
		return syc_array_push(&counters->last_of_id, number);
	counters->last_of_id.items[id_number] = number;
	return 0;
}

static int scan_definition(struct syc_join_counters *counters,
                           const struct syscap_frame *frame, unsigned i,
                           bool big, uint32_t *last)
{
	const unsigned char *counter =
		frame->bytes + sizeof(struct syscap_wire_ctrdef) + i * COUNTER;
	struct syc_join_definition definition = {
		.frame = frame->bytes,
		.i = (uint16_t)i,
		.value = syc_load_u64(counter + SYC_AT(counter, value), big),
	};
	struct counter_text text;
	size_t number;

	get_text(&text, frame->pid, counter, big);
	if (text.id == 0) /* no value can refer to the counter */
		return 0;

	const int r =
		syc_map_put(&counters->by_text, &text, sizeof(text), &number);
	if (r < 0)
		return r;
	if (r > 0) {
		if (*last == SYC_JOIN_COUNTER_MAX)
			return -ENOSPC;
		definition.new_id = *last + 1;
		if (syc_array_push(&counters->definitions, definition) < 0)
			return -ENOMEM;
		*last += 1;
	}
	return note_definition(counters, frame->pid, text.id, number);
}

int syc_join_counters_scan(struct syc_join_counters *counters,
                           const struct syscap_frame *frame, bool big,
                           uint32_t *last)
{
	uint64_t bits;
	uint32_t id;
	int r = 0;

	if (frame->type == SYSCAP_FRAME_CTRDEF)
		for (unsigned i = 0; r == 0 && i < frame->ctrdef.n_counters;
		     i++)
			r = scan_definition(counters, frame, i, big, last);
	for (unsigned i = 0;
	     r == 0 && syc_frame_slot(frame, big, i, &id, &bits); i++) {
		struct syc_join_use *use;

		if (id == 0)
			continue;
		use = put_use(counters, frame->pid, id);
		if (use == NULL)
			return -ENOMEM;
		if (!use->is_defined && use->early == NULL)
			use->early = frame->bytes;
	}
	return r;
}

/* Mark all definitions of a hoisted frame, because a frame moves as a whole. */
static void hoist_frames(struct syc_join_counters *counters)
{
	struct syc_join_definition *all = counters->definitions.items;
	const size_t n = counters->definitions.n;
	size_t end;

	for (size_t begin = 0; begin < n; begin = end) {
		bool is_hoisted = false;

		for (end = begin; end < n && all[end].frame == all[begin].frame;
		     end++)
			is_hoisted = is_hoisted || all[end].is_hoisted;
		for (size_t i = begin; i < end; i++)
			all[i].is_hoisted = is_hoisted;
	}
}

int syc_join_counters_settle(struct syc_join_counters *counters, uint32_t *last)
{
	for (size_t i = 0; i < counters->uses.n; i++) {
		struct syc_join_use *use = &counters->uses.items[i];
		size_t number;

		if (use->is_defined)
			continue;
		if (syc_map_get(&counters->by_id, &use->id, sizeof(use->id),
		                &number)) {
			struct syc_join_definition *definition =
				&counters->definitions.items
					 [counters->last_of_id.items[number]];

			use->new_id = definition->new_id;
			if (definition->frame > use->early)
				definition->is_hoisted = true;
		} else if (*last == SYC_JOIN_COUNTER_MAX) {
			return -ENOSPC;
		} else {
			use->new_id = ++*last;
		}
	}
	hoist_frames(counters);
	return 0;
}

static void set_id(unsigned char *counter, uint32_t id)
{
	unsigned char *at = counter + SYC_AT(counter, id);

	at[0] = (unsigned char)id;
	at[1] = (unsigned char)(id >> 8);
	at[2] = (unsigned char)(id >> 16);
}

bool syc_join_counters_hoist(struct syc_join_counters *counters, bool big,
                             size_t *at, unsigned char *buffer)
{
	struct syc_join_definition *all = counters->definitions.items;
	const size_t n = counters->definitions.n;
	unsigned char *first = buffer + sizeof(struct syscap_wire_ctrdef);
	const unsigned char *bytes;
	struct syscap_frame frame;
	unsigned kept = 0;

	while (*at < n && !all[*at].is_hoisted)
		++*at;
	if (*at == n)
		return false;
	bytes = all[*at].frame;
	syc_frame_header(bytes, big, &frame);
	if (syc_frame_decode(&frame, big, NULL) < 0)
		return false;
	syc_frame_order_copy(&frame, big, buffer);
	for (; *at < n && all[*at].frame == bytes; ++*at) {
		unsigned char *counter = first + kept * COUNTER;

		if (all[*at].i >= frame.ctrdef.n_counters)
			continue; /* the file has changed since the scan */
		memmove(counter, first + all[*at].i * COUNTER, COUNTER);
		set_id(counter, all[*at].new_id);
		all[*at].is_written = true;
		kept++;
	}
	syc_store_u16(
		buffer + SYC_AT(frame, len),
		(uint16_t)(sizeof(struct syscap_wire_ctrdef) + kept * COUNTER));
	syc_store_u16(buffer + SYC_AT(ctrdef, n_counters), (uint16_t)kept);
	return true;
}

/* Renumber one entry of a CTRDEF.  Returns false if the entry is no longer
 * needed. */
static bool redefine_counter(struct syc_join_counters *counters, int32_t pid,
                             unsigned char *counter)
{
	const uint64_t value =
		syc_load_u64(counter + SYC_AT(counter, value), false);
	struct syc_join_definition *definition;
	struct syc_join_use *use;
	struct counter_text text;
	size_t number;

	get_text(&text, pid, counter, false);
	if (text.id == 0 ||
	    !syc_map_get(&counters->by_text, &text, sizeof(text), &number))
		return true;
	definition = &counters->definitions.items[number];
	use = find_use(counters, pid, text.id);
	if (use != NULL)
		use->new_id = definition->new_id;
	if (definition->is_written && definition->value == value)
		return false;
	definition->is_written = true;
	set_id(counter, definition->new_id);
	return true;
}

unsigned syc_join_counters_define(struct syc_join_counters *counters,
                                  unsigned char *buffer, bool *ret_is_empty)
{
	const int32_t pid = syc_load_i32(buffer + SYC_AT(frame, pid), false);
	const unsigned n =
		syc_load_u16(buffer + SYC_AT(ctrdef, n_counters), false);
	unsigned char *first = buffer + sizeof(struct syscap_wire_ctrdef);
	unsigned kept = 0;

	for (unsigned i = 0; i < n; i++) {
		unsigned char *counter = first + i * COUNTER;

		if (!redefine_counter(counters, pid, counter))
			continue;
		memmove(first + kept * COUNTER, counter, COUNTER);
		kept++;
	}
	*ret_is_empty = kept == 0 && n > 0;
	if (kept < n) {
		syc_store_u16(buffer + SYC_AT(ctrdef, n_counters),
		              (uint16_t)kept);
		syc_store_u16(buffer + SYC_AT(frame, len),
		              (uint16_t)(sizeof(struct syscap_wire_ctrdef) +
		                         kept * COUNTER));
	}
	return n - kept;
}

/* Return the addresses of the id and the value of slot @i of the CTRSET in
 * @buffer. */
static unsigned char *slot_id(unsigned char *buffer, unsigned i)
{
	return buffer + sizeof(struct syscap_wire_ctrset) + i / 8 * GROUP +
	       i % 8 * 4;
}

static unsigned char *slot_value(unsigned char *buffer, unsigned i)
{
	return buffer + sizeof(struct syscap_wire_ctrset) + i / 8 * GROUP +
	       SYC_AT(values, values) + i % 8 * 8;
}

void syc_join_counters_set(const struct syc_join_counters *counters,
                           unsigned char *buffer)
{
	const int32_t pid = syc_load_i32(buffer + SYC_AT(frame, pid), false);
	const unsigned n_groups =
		syc_load_u16(buffer + SYC_AT(ctrset, n_groups), false);
	unsigned used = 0, groups;

	for (unsigned i = 0; i < 8 * n_groups; i++) {
		const uint32_t id = syc_load_u32(slot_id(buffer, i), false);
		const uint64_t value =
			syc_load_u64(slot_value(buffer, i), false);
		const struct syc_join_use *use = find_use(counters, pid, id);

		if (id == 0)
			continue;
		syc_store_u32(slot_id(buffer, i), 0);
		syc_store_u64(slot_value(buffer, i), 0);
		if (use == NULL) /* the file has changed since the scan */
			continue;
		syc_store_u32(slot_id(buffer, used), use->new_id);
		syc_store_u64(slot_value(buffer, used), value);
		used++;
	}
	groups = used == 0 ? n_groups : (used + 7) / 8;
	if (groups == n_groups)
		return;
	syc_store_u16(buffer + SYC_AT(ctrset, n_groups), (uint16_t)groups);
	syc_store_u16(
		buffer + SYC_AT(frame, len),
		(uint16_t)(sizeof(struct syscap_wire_ctrset) + groups * GROUP));
}
