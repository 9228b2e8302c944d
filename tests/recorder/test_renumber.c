/* SPDX-License-Identifier: BSD-2-Clause */
/* test_renumber.c - counter ids that are unique in the file. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "harness/test.h"
#include "recorder/drain.h"

struct def {
	struct syscap_wire_ctrdef def;
	struct syscap_wire_counter counters[16];
};

struct set {
	struct syscap_wire_ctrset set;
	struct syscap_wire_values groups[4];
};

static struct syc_renumber *renumber;

static void begin(void)
{
	CHECK_EQ(syc_renumber_new(&renumber), 0);
}

static struct def def;

static void add(uint32_t id, const char *name)
{
	struct syscap_wire_counter *counter =
		&def.counters[def.def.n_counters++];

	memset(counter, 0, sizeof(*counter));
	strcpy(counter->category, "c");
	strcpy(counter->name, name);
	counter->id[0] = (uint8_t)id;
	counter->id[1] = (uint8_t)(id >> 8);
	counter->id[2] = (uint8_t)(id >> 16);
	def.def.frame.len += sizeof(*counter);
}

static void make_def(int32_t pid)
{
	memset(&def, 0, sizeof(def));
	def.def.frame.len = sizeof(def.def);
	def.def.frame.type = SYSCAP_FRAME_CTRDEF;
	def.def.frame.pid = pid;
}

static uint32_t id_of(unsigned i)
{
	return def.counters[i].id[0] | def.counters[i].id[1] << 8 |
	       (uint32_t)def.counters[i].id[2] << 16;
}

/* Define one counter; returns the new id, or 0 if the definition was
 * dropped. */
static uint32_t define(struct syc_renumber_ring *ring, int32_t pid, uint32_t id,
                       const char *name)
{
	make_def(pid);
	add(id, name);
	CHECK_EQ(syc_renumber_ctrdef(renumber, ring, &def.def), 0);
	return def.def.n_counters == 0 ? 0 : id_of(0);
}

/* The new id of one value. */
static uint32_t set(struct syc_renumber_ring *ring, int32_t pid, uint32_t id)
{
	struct set values = { 0 };

	values.set.frame.pid = pid;
	values.set.frame.len = sizeof(values.set) + sizeof(values.groups[0]);
	values.set.n_groups = 1;
	values.groups[0].ids[0] = id;
	values.groups[0].values[0] = 99;
	CHECK_EQ(syc_renumber_ctrset(renumber, ring, &values.set), 0);
	CHECK_EQ(values.groups[0].values[0], 99);
	return values.groups[0].ids[0];
}

TEST(threads_that_reuse_one_id_for_different_counters_get_different_ids)
{
	struct syc_renumber_ring a = { 0 }, b = { 0 };

	begin();
	CHECK_EQ(define(&a, 10, 1, "of a"), 1);
	CHECK_EQ(define(&b, 10, 1, "of b"), 2);
	CHECK_EQ(set(&a, 10, 1), 1);
	CHECK_EQ(set(&b, 10, 1), 2);
	syc_renumber_ring_done(&a);
	syc_renumber_ring_done(&b);
	syc_renumber_free(renumber);
}

TEST(definitions_that_a_process_repeats_become_one)
{
	struct syc_renumber_ring a = { 0 }, b = { 0 };

	begin();
	CHECK_EQ(define(&a, 10, 5, "same"), 1);
	CHECK_EQ(define(&b, 10, 5, "same"), 0);
	CHECK_EQ(def.def.frame.len, sizeof(def.def));
	CHECK_EQ(set(&b, 10, 5), 1);
	/* Another process's counter gets another id. */
	CHECK_EQ(define(&b, 11, 5, "same"), 2);
	syc_renumber_ring_done(&a);
	syc_renumber_ring_done(&b);
	syc_renumber_free(renumber);
}

TEST(only_the_repeated_counters_of_a_frame_are_taken_out)
{
	struct syc_renumber_ring a = { 0 };

	begin();
	CHECK_EQ(define(&a, 10, 2, "two"), 1);
	make_def(10);
	add(1, "one");
	add(2, "two");
	add(3, "three");
	add(0, "no process can set this counter");
	CHECK_EQ(syc_renumber_ctrdef(renumber, &a, &def.def), 0);
	CHECK_EQ(def.def.n_counters, 2);
	CHECK_EQ(def.def.frame.len, 32 + 2 * 128);
	CHECK_STR(def.counters[0].name, "one");
	CHECK_EQ(id_of(0), 2);
	CHECK_STR(def.counters[1].name, "three");
	CHECK_EQ(id_of(1), 3);
	syc_renumber_ring_done(&a);
	syc_renumber_free(renumber);
}

TEST(a_counter_that_another_thread_defined_is_found_by_process)
{
	struct syc_renumber_ring a = { 0 }, b = { 0 };

	begin();
	CHECK_EQ(define(&a, 10, 700, "n"), 1);
	CHECK_EQ(set(&b, 10, 700), 1);
	CHECK_EQ(set(&b, 11, 700), 2); /* another id than in process a */
	syc_renumber_ring_done(&a);
	syc_renumber_free(renumber);
}

TEST(a_value_before_its_definition_gets_the_id_that_the_definition_takes)
{
	struct syc_renumber_ring a = { 0 }, b = { 0 };

	begin();
	CHECK_EQ(set(&a, 10, 9), 1);
	CHECK_EQ(set(&a, 10, 9), 1);
	CHECK_EQ(define(&b, 10, 9, "late"), 1);
	CHECK_EQ(set(&a, 10, 9), 1);
	CHECK_EQ(define(&a, 10, 9, "another"), 2);
	CHECK_EQ(set(&a, 10, 9), 2);
	CHECK_EQ(set(&b, 10, 9), 1);
	syc_renumber_ring_done(&a);
	syc_renumber_ring_done(&b);
	syc_renumber_free(renumber);
}

TEST(holes_between_values_are_closed)
{
	struct syc_renumber_ring a = { 0 };
	struct set values = { 0 };

	begin();
	values.set.frame.pid = 10;
	values.set.frame.len = sizeof(values.set) + 2 * 96;
	values.set.n_groups = 2;
	values.groups[0].ids[3] = 5;
	values.groups[0].values[3] = 50;
	values.groups[1].ids[7] = 6;
	values.groups[1].values[7] = 60;
	CHECK_EQ(syc_renumber_ctrset(renumber, &a, &values.set), 0);
	CHECK_EQ(values.set.n_groups, 1);
	CHECK_EQ(values.set.frame.len, 32 + 96);
	CHECK_EQ(values.groups[0].ids[0], 1);
	CHECK_EQ(values.groups[0].values[0], 50);
	CHECK_EQ(values.groups[0].ids[1], 2);
	CHECK_EQ(values.groups[0].values[1], 60);
	for (unsigned i = 2; i < 8; i++) {
		CHECK_EQ(values.groups[0].ids[i], 0);
		CHECK_EQ(values.groups[0].values[i], 0);
	}
	syc_renumber_free(renumber);
}

TEST(a_new_program_of_the_same_number_starts_afresh)
{
	struct syc_renumber_ring a = { 0 }, b = { 0 };

	begin();
	CHECK_EQ(define(&a, 10, 1, "old"), 1);
	syc_renumber_forget(renumber, 10);
	CHECK_EQ(set(&b, 10, 1), 2);
	CHECK_EQ(define(&b, 10, 1, "old"), 2);
	CHECK_EQ(set(&a, 10, 1), 1);
	syc_renumber_ring_done(&a);
	syc_renumber_ring_done(&b);
	syc_renumber_free(renumber);
}

TEST(a_process_cannot_use_up_the_ids_of_all)
{
	struct syc_renumber_ring a = { 0 };
	struct set values = { 0 };
	unsigned refused = 0;

	begin();
	for (uint32_t id = 1; id < 70000; id++) {
		values.set.frame.pid = 10;
		values.set.n_groups = 1;
		values.groups[0].ids[0] = id;
		if (syc_renumber_ctrset(renumber, &a, &values.set) == -ENOSPC) {
			CHECK_EQ(values.set.n_groups, 0);
			refused++;
		}
	}
	CHECK_EQ(refused, 69999 - 65536);
	CHECK_EQ(set(&a, 11, 1), 65537);
	syc_renumber_free(renumber);
}

TEST(ten_thousand_definitions_keep_their_ids)
{
	struct syc_renumber_ring a = { 0 };
	char name[16];

	begin();
	for (uint32_t id = 1; id <= 10000; id++) {
		snprintf(name, sizeof(name), "n%u", id);
		CHECK_EQ(define(&a, 10, id * 7, name), id);
	}
	for (uint32_t id = 1; id <= 10000; id++)
		CHECK_EQ(set(&a, 10, id * 7), id);
	syc_renumber_ring_done(&a);
	syc_renumber_free(renumber);
}
