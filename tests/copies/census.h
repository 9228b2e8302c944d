/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * census.h - checks and counts of the events of several copies.  Each event
 * must come once and in order, and each counter and each name must have one
 * number.
 */
#ifndef SYSCAP_CENSUS_H
#define SYSCAP_CENSUS_H

#include <stdint.h>

#include "harness/peer.h"

#define CENSUS_PARTS    80
#define CENSUS_EMITTERS 80
#define CENSUS_COUNTERS 1024
#define CENSUS_NAMES    1024

struct census_part {
	char name[24];
	unsigned marks[CENSUS_EMITTERS]; /* marks 0 ... marks - 1 arrived */
	unsigned logs[CENSUS_EMITTERS];
	unsigned n_marks, n_notes;
};

struct census {
	unsigned n_parts;
	struct census_part parts[CENSUS_PARTS];

	unsigned n_counters; /* different counters, each with its own id */
	struct {
		char category[32], name[32];
		uint32_t id;
	} counters[CENSUS_COUNTERS];
	unsigned n_values; /* CTRSET frames */

	unsigned n_names; /* different names, each with its own address */
	struct {
		uint64_t address;
		char name[64];
	} names[CENSUS_NAMES];
	unsigned n_samples;
	unsigned n_addresses; /* different addresses of names */
	uint64_t addresses[CENSUS_NAMES];

	unsigned n_frames;
	uint64_t n_lost; /* lost frames by the loss records */
	unsigned n_ends; /* end markers */
	int32_t pid;     /* pid of the counted frames; 0: all */
};

/**
 * Go over all frames of @peer.  Fails the test if a frame is torn, an event
 * came twice or in wrong order, or a ring holds frames of two threads. Each
 * number must have one meaning, and each meaning one number.
 */
void census_of_peer(struct census *census, const struct peer *peer);
/** Check and count only the frames of process @pid. */
void census_of_process(struct census *census, const struct peer *peer,
                       int32_t pid);

/** Check and count the frames of the complete capture at @path. */
void census_of_file(struct census *census, const char *path);

/** Number of marks of @part; 0 without events of @part. */
unsigned census_marks(const struct census *census, const char *part,
                      unsigned emitter);
unsigned census_logs(const struct census *census, const char *part,
                     unsigned emitter);

/** Number of marks (@part, @name) in @peer, from note(). */
unsigned census_notes(const struct peer *peer, const char *part,
                      const char *name);

/** Checks that no thread has two rings, and that nothing was lost. */
void census_check_one_ring_a_thread(const struct peer *peer);

/** Called for each frame by census.c and census_file.c. */
void census_mark(struct census *census, const char *group, const char *name,
                 const char *message);
void census_log(struct census *census, const char *domain, const char *message);
void census_counter(struct census *census, const char *category,
                    const char *name, uint32_t id);
void census_value(struct census *census, uint32_t id);
void census_name(struct census *census, uint64_t address, const char *name);
void census_address(struct census *census, uint64_t address);
void census_end(const struct census *census);

#endif
