/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * corpus.h - the files that make_corpus.c writes, one table for each folder of
 * fuzz/corpus/ that is made and not found.
 */
#ifndef SYSCAP_TEST_CORPUS_H
#define SYSCAP_TEST_CORPUS_H

#include "harness/make_capture.h"

struct corpus_case {
	const char *name; /* of the file; NULL: the table ends */
	/* Fills what is all zero but @is_big; depends on nothing else, so that
	 * the committed files are what this writes. */
	void (*make)(struct make_capture *bytes);
	bool is_big;
};

extern const struct corpus_case corpus_reader[];
extern const struct corpus_case corpus_join[];
extern const struct corpus_case corpus_elf[];
extern const struct corpus_case corpus_lines[];
extern const struct corpus_case corpus_dropin[];

#endif
