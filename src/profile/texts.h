/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * texts.h - texts of a capture, each kept once, fit to be shown.
 *
 * What is not UTF-8, and control characters, become U+FFFD: so a text is one
 * line wherever it is put.  Texts never move.
 */
#ifndef SC_PROFILE_TEXTS_H
#define SC_PROFILE_TEXTS_H

#include <stddef.h>

#include "data/map.h"

/** All zero is empty. */
struct sc_texts {
	struct sc_map map;
};

/** Keep the first @len bytes of @text.  0 or -ENOMEM. */
int sc_texts_keep(struct sc_texts *texts, const char *text, size_t len,
                  const char **ret_text);

void sc_texts_fini(struct sc_texts *texts);

#endif
