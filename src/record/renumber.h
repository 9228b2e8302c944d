/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * renumber.h - counter ids that are unique in the file.
 *
 * Processes number their counters without knowing of each other, and copies
 * of the reference client number them anew in every thread.  An id means
 * what its ring defined it to be; where the ring did not, what its process
 * defined; and where nobody did yet, a new id that the first definition by
 * that process takes over.  Equal definitions of one process, repeated in
 * each ring that uses them, become one.  New ids count up from 1.
 */
#ifndef SYC_RECORD_RENUMBER_H
#define SYC_RECORD_RENUMBER_H

#include <stddef.h>
#include <stdint.h>

#include <syscap/format.h>

struct syc_renumber;

/** A map from one id to another; all zero is an empty one. */
struct syc_id_map {
	struct syc_id_pair {
		uint32_t id; /* 0: free */
		uint32_t value;
	} * pairs;
	size_t used, size;
};

/** What one ring defined: all zero at first. */
struct syc_renumber_ring {
	struct syc_id_map defined;
};

int syc_renumber_new(struct syc_renumber **ret_renumber);
void syc_renumber_free(struct syc_renumber *renumber);

/**
 * Rewrite the ids of a CTRDEF or CTRSET that syc_validate_frame() has passed.
 * Counters that are defined already, and values that nobody can name, are
 * taken out: an emptied frame has no counters or groups left, and is not
 * worth writing.  Returns 0; -ENOMEM or -ENOSPC (out of ids, or a process
 * defines counters without end) when something had to be taken out for that.
 */
int syc_renumber_ctrdef(struct syc_renumber *renumber,
                        struct syc_renumber_ring *ring,
                        struct syscap_wire_ctrdef *ctrdef);
int syc_renumber_ctrset(struct syc_renumber *renumber,
                        struct syc_renumber_ring *ring,
                        struct syscap_wire_ctrset *ctrset);

/** An id for a counter of the recorder's own; 0: there is no more. */
uint32_t syc_renumber_new_id(struct syc_renumber *renumber);

/** The largest id that was given out. */
uint32_t syc_renumber_last(const struct syc_renumber *renumber);

/** The process is gone or runs another program: its ids mean nothing now. */
void syc_renumber_forget(struct syc_renumber *renumber, int32_t pid);

/** The ring is gone. */
void syc_renumber_ring_done(struct syc_renumber_ring *ring);

#endif
