/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * renumber.h - counter ids that are unique in the file.
 *
 * Processes number their counters independently, and copies of the reference
 * client number counters anew in every thread.  The meaning of an id is the
 * definition in its ring, or else the definition in its process.  An id without
 * a definition gets a new id, which the first definition by the process takes
 * over.
 *
 * Equal definitions of one process, repeated in each ring that uses the
 * counters, become one definition.  New ids count up from 1.
 */
#ifndef SYC_RECORDER_RENUMBER_H
#define SYC_RECORDER_RENUMBER_H

#include <stddef.h>
#include <stdint.h>

#include <syscap/format.h>

struct syc_renumber;

/** A map from one id to another; all zero is empty. */
struct syc_id_map {
	struct syc_id_pair {
		uint32_t id; /* id; 0: the slot is free */
		uint32_t value;
	} * pairs;
	size_t used, size;
};

/** Definitions of one ring: all zero at first. */
struct syc_renumber_ring {
	struct syc_id_map defined;
};

int syc_renumber_new(struct syc_renumber **ret_renumber);
void syc_renumber_free(struct syc_renumber *renumber);

/**
 * Rewrite the ids of a CTRDEF or CTRSET that syc_validate_frame() has passed.
 * Removes repeated definitions, and values whose id cannot be a counter.  A
 * frame without remaining counters or groups need not be written.
 *
 * Returns 0; or -ENOMEM or -ENOSPC (out of ids, or too many definitions of a
 * process) if content was removed for such a reason.
 */
int syc_renumber_ctrdef(struct syc_renumber *renumber,
                        struct syc_renumber_ring *ring,
                        struct syscap_wire_ctrdef *ctrdef);
int syc_renumber_ctrset(struct syc_renumber *renumber,
                        struct syc_renumber_ring *ring,
                        struct syscap_wire_ctrset *ctrset);

/** An id for a counter of the recorder; 0: no ids are left. */
uint32_t syc_renumber_new_id(struct syc_renumber *renumber);

/** The largest id in use. */
uint32_t syc_renumber_last(const struct syc_renumber *renumber);

/** Drop the ids of @pid, which has ended or exec'ed. */
void syc_renumber_forget(struct syc_renumber *renumber, int32_t pid);

/** Note that the ring is gone. */
void syc_renumber_ring_done(struct syc_renumber_ring *ring);

#endif
