/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stacks.h - walks of a view: its tree from the root, its stacks from the leaf,
 * its frames, and its samples by thread.
 */
#ifndef SYC_EXPORT_STACKS_H
#define SYC_EXPORT_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <syscap/profile.h>

#include "common/containers.h"
#include "export/export.h"

/** The callees of each node, by name.  Returns 0 or -ENOMEM. */
int syc_callees_by_name(struct syc_group *callees,
                        const struct syscap_profile *profile,
                        const struct syscap_view *view);

/** Number of stacks in a batch. */
#define SYC_BATCH_WALK_MAX 16u

struct syc_batch_walk {
	const struct syscap_view *view;
	const struct syscap_profile_samples *samples;
	size_t deepest;
	uint32_t *nodes; /* path of each stack, of @deepest nodes */
	uint32_t lens[SYC_BATCH_WALK_MAX];
};

/**
 * Returns 0 or -ENOMEM; the caller calls fini in any case.  @samples belong to
 * @view.
 */
int syc_batch_walk_init(struct syc_batch_walk *batch,
                        const struct syscap_view *view,
                        const struct syscap_profile_samples *samples);
void syc_batch_walk_fini(struct syc_batch_walk *batch);

/** Walk the stacks of @n passing samples, at most SYC_BATCH_WALK_MAX. */
void syc_batch_walk_run(struct syc_batch_walk *batch, const uint32_t *samples,
                        size_t n);

/** The lens[@i] nodes of the @i-th stack, innermost first. */
static inline uint32_t *syc_batch_walk_path(const struct syc_batch_walk *batch,
                                            size_t i)
{
	return batch->nodes + i * batch->deepest;
}

struct syc_frame {
	uint32_t function;
	uint32_t line; /* number of a line of the profile, or NONE */
};

struct syc_frames {
	const struct syc_export *export;
	size_t n;
	SYC_ARRAY(struct syc_frame) items;
	uint32_t *of_nodes, *of_heap; /* frame of each node; NULL: frames are
	                               * functions */
	char *shown;
};

/** Returns 0 or -ENOMEM; the caller calls fini in any case. */
int syc_frames_init(struct syc_frames *frames, const struct syc_export *export);
void syc_frames_fini(struct syc_frames *frames);

/** The frame of @node of one of the export's views. */
uint32_t syc_frames_of(const struct syc_frames *frames,
                       const struct syscap_view *view, uint32_t node);

struct syc_frame syc_frames_get(const struct syc_frames *frames, size_t number);

/** The place of frame @number in the source; NULL: unknown. */
const struct syscap_profile_line *
syc_frames_line(const struct syc_frames *frames, size_t number);

/** The line of @node of a view by line; NULL: unknown. */
const struct syscap_profile_line *
syc_line_of_node(const struct syscap_profile *profile,
                 const struct syscap_view *view, uint32_t node);

/**
 * A function's name, for formats without a flag for inlined functions: "f
 * (inlined)".  The name is valid until the next call.
 */
const char *syc_frames_name(struct syc_frames *frames, uint32_t function);

struct syc_thread_samples {
	size_t n_threads;
	/* Thread t has begins[t + 1] - begins[t] samples. */
	size_t *begins;

	/* Members for stacks.c only. */
	const struct syscap_view *view;
	struct syscap_profile_samples samples;
	/* Flag of each thread: samples are unordered in the file. */
	bool *is_mixed;
	size_t piece; /* number of samples per read */
	/*
	 * The piece: samples of threads first to end - 1.  The piece of a
	 * thread with more samples starts at number @skipped.
	 */
	size_t first, end, skipped;
	uint32_t *rows;
	size_t n;
	size_t next;  /* the first sample not yet examined */
	size_t *ends; /* place of each thread's next sample */
};

/**
 * Returns 0 or -ENOMEM.  The caller ends @by in any case.  The profile and the
 * view must exist as long as @by.
 */
int syc_thread_samples_init(struct syc_thread_samples *by,
                            const struct syscap_profile *profile,
                            const struct syscap_view *view);
void syc_thread_samples_fini(struct syc_thread_samples *by);

/**
 * Get the numbers of some samples of @thread, from its sample @at on.  Returns
 * NULL if no samples are left.  The result is valid until the next call.  Calls
 * for successive threads and parts are cheap.
 *
 *	for (size_t at = 0; (rows = syc_thread_samples_get(by, t, at, &n)) != NULL;
 *	     at += n)
 */
const uint32_t *syc_thread_samples_get(struct syc_thread_samples *by,
                                       uint32_t thread, size_t at,
                                       size_t *ret_n);

/*
 * Stacks as lines of text: "outermost;...;innermost COUNT".
 *
 *	syc_folded_init(&folded, profile, false);
 *	syc_folded_stack(&folded, out, view, node);
 *	syc_folded_fini(&folded);
 */

struct syc_folded {
	/*
	 * Starts of the text to write, by function.  The last text ends at
	 * begins[n].
	 */
	size_t *begins;
	char *names;
	char *line; /* a line, built from the end */
	size_t capacity;
};

/**
 * Each '"' is doubled if @in_quotes.  Returns 0 or -ENOMEM; the caller calls
 * fini in any case.
 */
int syc_folded_init(struct syc_folded *folded,
                    const struct syscap_profile *profile, bool in_quotes);
void syc_folded_fini(struct syc_folded *folded);

/**
 * Write the frames from the root to @node, separated by ';'.  Returns 0 or
 * -ENOMEM.
 */
int syc_folded_stack(struct syc_folded *folded, FILE *out,
                     const struct syscap_view *view, uint32_t node);

/**
 * Write the frames of @n nodes, innermost first, like syc_folded_stack().
 * syc_folded_fetch() prefetches the names of several stacks, before
 * syc_folded_path() of the stacks.
 */
void syc_folded_fetch(const struct syc_folded *folded,
                      const struct syscap_view *view, const uint32_t *nodes,
                      size_t n);
int syc_folded_path(struct syc_folded *folded, FILE *out,
                    const struct syscap_view *view, const uint32_t *nodes,
                    size_t n);

/** Write all stacks in the order of the tree.  Returns 0 or -ENOMEM. */
int syc_folded_write(FILE *out, const struct syscap_profile *profile,
                     const struct syscap_view *view);

#endif
