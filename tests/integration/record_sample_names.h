/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_sample_names.h - the stacks of a capture, named only by its own
 * `__symbols__` table.  This reader shares no code with the table's writer.
 */
#ifndef SYSCAP_RECORD_SAMPLE_NAMES_H
#define SYSCAP_RECORD_SAMPLE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct names {
	size_t n_samples; /* SAMPLE frames */
	size_t n_cut;
	size_t n_stopped; /* stopped stacks that are not cut */
	uint64_t weight;
	size_t n_addrs, n_named;
	size_t table_size; /* size in bytes; 0: no table */
	/* Samples whose stack has the wanted names, in that order */
	size_t n_found;
};

/**
 * Examine the samples of @pid (0: all) in the capture at @path.  @wanted: names
 * from the inside to the outside, NULL at the end; each must be further out
 * than the previous name.
 */
void names_look(const char *path, int32_t pid, const char *const *wanted,
                struct names *ret_names);

/** Call @each with the @n functions that were innermost in most samples, by
 * weight. */
void names_hottest(const char *path, unsigned n,
                   void (*each)(const char *name, uint64_t weight));

/** Number of PROCESS frames that contain @text; @ret_pid: pid of the last. */
size_t names_processes(const char *path, const char *text, int32_t *ret_pid);

/** Number of processes with samples. */
size_t names_sampled_processes(const char *path);

#endif
