/* SPDX-License-Identifier: BSD-2-Clause */
/* frame_head.h - the header of a frame that is being composed. */
#ifndef SYC_DROPIN_FRAME_HEAD_H
#define SYC_DROPIN_FRAME_HEAD_H

#include <stddef.h>
#include <stdint.h>

#include <syscap/emit.h>

/** Write the header of a frame and its last 8 bytes. */
static inline __attribute__((always_inline)) void
syc_frame_head_write(unsigned char *frame, size_t len, unsigned type,
                     int64_t time, int cpu, int32_t pid)
{
	syc_store_word(frame, syc_head_word(len, cpu, pid));
	syc_store_word(frame + SYC_AT(frame, time), (uint64_t)time);
	syc_store_word(frame + len - 8, 0); /* first: it may be the next one */
	syc_store_word(frame + SYC_AT(frame, type), type);
}

#endif
