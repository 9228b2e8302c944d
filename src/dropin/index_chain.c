/* SPDX-License-Identifier: BSD-2-Clause */
/* index_chain.c - where a large capture can be divided. */
#include "dropin/index_chain.h"

#include <syscap/format.h>

#include "dropin/frame_head.h"

void syc_index_chain_begin(struct syc_index_chain *chain, uint64_t place)
{
	chain->place = place;
	chain->due = SYC_INDEX_EACH;
	chain->is_made = true;
}

void syc_index_chain_add(struct syc_index_chain *chain, unsigned char *frame,
                         int64_t time, uint64_t n_frames)
{
	chain->due = n_frames + SYC_INDEX_EACH;
	if (frame == NULL)
		return;
	chain->due++; /* itself */
	syc_frame_head_write(frame, SYC_INDEX_SIZE, 0, time, -1, -1);
	syc_store_head(frame, time,
	               (uint64_t)SYSCAP_INDEX_MAGIC << 32 |
	                       SYSCAP_FRAME_TIMESTAMP);
	SYC_SIGNAL_FENCE();
	chain->frame = frame;
}

void syc_index_chain_write(struct syc_index_chain *chain,
                           const unsigned char *bytes, size_t n, int64_t place)
{
	if ((uint64_t)place != chain->place) {
		chain->is_made = false;
		chain->frame = NULL; /* no more than a timestamp */
	}
	/* Else it is in the half that waits no more, or in part in the file */
	if (chain->frame == NULL || chain->frame < bytes ||
	    chain->frame >= bytes + n)
		return;
	chain->at = (uint64_t)place + (uint64_t)(chain->frame - bytes);
	syc_store_word(chain->frame + SYC_HEAD_SIZE, chain->last);
}

bool syc_index_chain_wrote(struct syc_index_chain *chain, size_t done)
{
	chain->place += done;
	if (chain->frame == NULL || chain->at == 0 ||
	    chain->place < chain->at + SYC_INDEX_SIZE)
		return false;
	chain->frame = NULL;
	chain->last = chain->at;
	chain->at = 0;
	return true;
}
