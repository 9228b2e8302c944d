/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * defects_reader_words.h - a reader's result for a frame, as text for
 * comparison.
 */
#ifndef SYSCAP_DEFECTS_READER_WORDS_H
#define SYSCAP_DEFECTS_READER_WORDS_H

#include <stdbool.h>
#include <stddef.h>

#include <sysprof-capture.h>

struct words {
	char text[8192];
	size_t size;
};

void words_add(struct words *words, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void words_add_frame(struct words *words, const SysprofCaptureFrame *f);

/** Read the next frame as @type; false: the reader returns no frame. */
bool words_add_next(SysprofCaptureReader *reader, struct words *words,
                    unsigned type);

#endif
