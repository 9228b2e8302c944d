/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * index_chain.h - frames that tell readers where a large capture can be
 * divided.
 *
 * One goes before a frame of a file whenever so many frames went before that.
 * Each has the place of the one before it, and the file's header has that of
 * the last: readers can take the pieces between them at the same time.  Older
 * readers take it for a timestamp.
 *
 * There is one in the buffer at a time.  Its place is known when it is
 * written, and counts only while nobody else writes to the file: where
 * somebody does, no more are made.
 *
 * All of it lives in memory that a forked child finds zeroed: that one makes
 * none, for the file is its parent's too.
 *
 * Context of all: signal-safe, by the outermost call of a writer.
 */
#ifndef SYC_INDEX_CHAIN_H
#define SYC_INDEX_CHAIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYC_INDEX_EACH UINT64_C(65536)
#define SYC_INDEX_SIZE 32u

struct syc_index_chain {
	bool is_made;
	unsigned char *frame; /* that is in the buffer; NULL: none is */
	uint64_t at;          /* its place, as the last write began */
	uint64_t last;        /* the newest's that is in the file; 0: none */
	uint64_t due;         /* when the writer has made so many frames */
	uint64_t place;       /* of the next write, if nobody else writes */
};

/** A file of one's own, with a header of @place bytes. */
void syc_index_chain_begin(struct syc_index_chain *chain, uint64_t place);

/** How many frames may come before the next, when there are @n_frames. */
static inline uint64_t syc_index_chain_left(const struct syc_index_chain *chain,
                                            uint64_t n_frames)
{
	if (!chain->is_made)
		return UINT64_MAX;
	return chain->due > n_frames ? chain->due - n_frames : 0;
}

/** Make @frame, SYC_INDEX_SIZE bytes in the buffer, one; or, where that
 * is NULL, none for now. */
void syc_index_chain_add(struct syc_index_chain *chain, unsigned char *frame,
                         int64_t time, uint64_t n_frames);

/** The @n bytes are about to be written at @place. */
void syc_index_chain_write(struct syc_index_chain *chain,
                           const unsigned char *bytes, size_t n, int64_t place);

/** The first @done of them are.  True: the header is to tell chain->last. */
bool syc_index_chain_wrote(struct syc_index_chain *chain, size_t done);

#endif
