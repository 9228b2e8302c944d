/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * texts.h - interned, displayable texts.
 *
 * Invalid UTF-8 and control characters become U+FFFD, so a text is always one
 * line.  Texts never move.
 */
#ifndef SYC_PROFILE_TEXTS_H
#define SYC_PROFILE_TEXTS_H

#include <stddef.h>

#include "common/map.h"

/** A struct of zeros is empty. */
struct syc_texts {
	struct syc_map map;
	char *shown; /* the text shown last */
};

/** Intern the first @len bytes of @text.  Returns 0 or -ENOMEM. */
int syc_texts_keep(struct syc_texts *texts, const char *text, size_t len,
                   const char **ret_text);

/**
 * The form in which @text would be interned, valid until the next call.  NULL:
 * no memory.
 */
const char *syc_texts_show(struct syc_texts *texts, const char *text);

void syc_texts_fini(struct syc_texts *texts);

#endif
