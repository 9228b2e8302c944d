/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * join_counters.h - counter ids that are unique in a joined capture.
 *
 * Readers know a counter by its id alone, in the whole file.  A process of an
 * input means by an id
 *
 *	what it defined it as last, before the value in the file; or else
 *	what it defines it as first, behind the value; or else
 *	what some process of that input defined it as last: the children of a
 *	process set its counters; or else
 *	a counter without a definition, of this process only.
 *
 * Each of these gets an id of its own.
 */
#ifndef SYC_CAPTURE_JOIN_COUNTERS_H
#define SYC_CAPTURE_JOIN_COUNTERS_H

#include <syscap/capture.h>

#include "data/array.h"
#include "data/map.h"

#define SYC_JOIN_COUNTER_MAX UINT32_C(0xFFFFFF)

struct syc_join_definition {
	const unsigned char *frame; /* the CTRDEF in the map, and which in it */
	uint16_t i;
	bool is_hoisted; /* goes before all other frames */
	bool is_written;
	uint32_t new_id;
	uint64_t value;
};

/* What a process means by an id. */
struct syc_join_use {
	int32_t pid;
	uint32_t id;
	bool is_defined;            /* by this process */
	const unsigned char *early; /* a CTRSET before that, or NULL */
	uint32_t new_id;            /* for the next value */
};

/** The counters of one input; all zero at first. */
struct syc_join_counters {
	struct syc_map by_text; /* pid, id, and all that tells it apart */
	struct syc_map by_use;  /* pid, id */
	struct syc_map by_id;
	SYC_ARRAY(struct syc_join_definition) definitions;
	SYC_ARRAY(struct syc_join_use) uses;
	SYC_ARRAY(size_t) last_of_id; /* a definition's number */
};

void syc_join_counters_fini(struct syc_join_counters *counters);

/**
 * Learn from @frame, a CTRDEF or CTRSET.  *@last is the latest new id.
 * Returns 0, -ENOMEM, or -ENOSPC when there are no more.
 */
int syc_join_counters_scan(struct syc_join_counters *counters,
                           const struct syscap_frame *frame, bool big,
                           uint32_t *last);

/** All frames were scanned: decide about values without a definition. */
int syc_join_counters_settle(struct syc_join_counters *counters,
                             uint32_t *last);

/**
 * Step through the CTRDEFs that go before all other frames, from *@at, which
 * is 0 at first: put what is new in each into @buffer, renumbered.
 */
bool syc_join_counters_hoist(struct syc_join_counters *counters, bool big,
                             size_t *at, unsigned char *buffer);

/**
 * Renumber the CTRDEF in @buffer, which is little-endian, and take out what
 * was written already.  Returns how many definitions are left out, and
 * whether the frame is still worth writing.
 */
unsigned syc_join_counters_define(struct syc_join_counters *counters,
                                  unsigned char *buffer, bool *ret_is_empty);

/**
 * Renumber the CTRSET in @buffer, which is little-endian; unused slots move
 * behind the used ones.
 */
void syc_join_counters_set(const struct syc_join_counters *counters,
                           unsigned char *buffer);

#endif
