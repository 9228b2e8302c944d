/* SPDX-License-Identifier: BSD-2-Clause */
/* frame.h - header of a composed frame, and the text at its end. */
#ifndef SYC_SYSPROF_COMPAT_FRAME_H
#define SYC_SYSPROF_COMPAT_FRAME_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <syscap/emit.h>

#include "base/text.h"

/** Write the header of a frame and its last 8 bytes. */
static inline __attribute__((always_inline)) void
syc_frame_head_write(unsigned char *frame, size_t len, unsigned type,
                     int64_t time, int cpu, int32_t pid)
{
	syc_store_word(frame, syc_head_word(len, cpu, pid));
	syc_store_word(frame + SYC_AT(frame, time), (uint64_t)time);
	syc_store_word(frame + len - 8, 0); /* stored first, because this may be
	                                     * a header word */
	syc_store_word(frame + SYC_AT(frame, type), type);
}

/* A text, or other bytes, at the end of a frame. */

/** The number of the @len bytes of @text that fit after @fixed bytes, with a
 * NUL. */
static inline size_t syc_frame_text_cut(const char *text, size_t len,
                                        size_t fixed)
{
	const size_t max = SYSCAP_FRAME_MAX - fixed - 1;

	return SYC_LIKELY(len <= max) ? len : syc_text_cut(text, len, max);
}

/** The result of syc_frame_text_cut() for the whole @text; NULL is the empty
 * text. */
static inline size_t syc_frame_text_size(const char *text, size_t fixed)
{
	return syc_frame_text_cut(text, text != NULL ? strlen(text) : 0, fixed);
}

/** Copy @n bytes of @text.  The frame's last 8 bytes are already zero. */
static inline void syc_frame_text_copy(unsigned char *at, const char *text,
                                       size_t n)
{
	syc_text_copy(at, text, n);
}

#endif
