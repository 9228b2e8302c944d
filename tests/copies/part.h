/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * part.h - a copy of the library, by its functions.
 *
 * part.c is linked into several shared libraries and programs, each with its
 * own archive with hidden symbols.  A test calls each copy through its table of
 * functions, and so chooses the copy of each event.
 */
#ifndef SYSCAP_PART_H
#define SYSCAP_PART_H

#include <stdbool.h>
#include <stdint.h>

#include <syscap.h>

struct part {
	const char *name;

	/* The mark (NAME, "n") with message "EMITTER N": see census.h. */
	void (*mark)(unsigned emitter, unsigned n);
	void (*log)(unsigned emitter, unsigned n); /* the log "EMITTER N" */
	void (*note)(const char *name); /* the mark (NAME, @name), now */

	/* The counter (NAME, "value") of this copy. */
	void (*count)(int64_t value);
	uint32_t (*counter_id)(void);
	/* The counter (NAME, one of 100 texts), defined at its first use */
	void (*count_one)(unsigned i, int64_t value);

	uint64_t (*intern)(const char *name);
	void (*stack)(uint64_t address); /* a sample of one frame */

	bool (*is_active)(void);
	void (*stats)(struct syscap_stats *stats);
	/* @message: a buffer of 1,024 bytes, or NULL */
	int (*start)(const char *output, unsigned flags, char *message);
	int (*stop)(void);
	int (*drain)(void);

	/* Requests marks at exit: (NAME, "atexit") and (NAME, "destructor") */
	void (*tell_end)(void);
};

/** The functions that a part exports. */
const struct part *part_get(void);

#endif
