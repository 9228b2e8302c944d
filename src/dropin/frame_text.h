/* SPDX-License-Identifier: BSD-2-Clause */
/* frame_text.h - a text, or other bytes, at the end of a frame. */
#ifndef SYC_DROPIN_FRAME_TEXT_H
#define SYC_DROPIN_FRAME_TEXT_H

#include <stddef.h>
#include <string.h>

#include <syscap/emit.h>

#include "base/text.h"

/** Of the @len bytes of @text those that fit behind @fixed, with a NUL. */
static inline size_t syc_frame_text_cut(const char *text, size_t len,
                                        size_t fixed)
{
	const size_t max = SYSCAP_FRAME_MAX - fixed - 1;

	return SYC_LIKELY(len <= max) ? len : syc_text_cut(text, len, max);
}

/** The same of all of @text; NULL is the empty one. */
static inline size_t syc_frame_text_size(const char *text, size_t fixed)
{
	return syc_frame_text_cut(text, text != NULL ? strlen(text) : 0, fixed);
}

/** Copy them.  The frame's last 8 bytes are zero already. */
static inline void syc_frame_text_copy(unsigned char *at, const char *text,
                                       size_t n)
{
	syc_text_copy(at, text, n);
}

#endif
