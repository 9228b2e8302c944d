/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_sample_names.h - the stacks of a capture, named by the table that it
 * carries and by nothing else: a reader of `__symbols__` of its own, which
 * shares nothing with the one that writes it.
 */
#ifndef SYSCAP_RECORD_SAMPLE_NAMES_H
#define SYSCAP_RECORD_SAMPLE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct names {
	size_t n_samples; /* SAMPLE frames */
	size_t n_cut;
	size_t n_stopped; /* of those that are not cut */
	uint64_t weight;
	size_t n_addrs, n_named;
	size_t table_size; /* bytes; 0: there is none */
	/* Samples whose stack has the names asked for, in that order */
	size_t n_found;
};

/**
 * Look at the samples of @pid (0: all) in the capture at @path.  @wanted: names
 * from the inside to the outside, NULL at the end, of which each must stand
 * further out than the one before it.
 */
void names_look(const char *path, int32_t pid, const char *const *wanted,
                struct names *ret_names);

/** Tell the @n functions that were innermost in most samples, by weight. */
void names_hottest(const char *path, unsigned n,
                   void (*each)(const char *name, uint64_t weight));

/** How many PROCESS frames have @text in them; @ret_pid: of the last. */
size_t names_processes(const char *path, const char *text, int32_t *ret_pid);

/** How many processes have samples. */
size_t names_sampled_processes(const char *path);

#endif
