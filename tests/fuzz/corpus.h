/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * corpus.h - the files of make_corpus.c, one table for each generated directory
 * of fuzz/corpus/.
 */
#ifndef SYSCAP_TEST_CORPUS_H
#define SYSCAP_TEST_CORPUS_H

#include "harness/make_capture.h"

struct corpus_case {
	const char *name; /* name of the file; NULL: end of the table */
	/* Fills @bytes, all zero except @is_big.  Depends on nothing else, so
	 * that the output equals the committed files. */
	void (*make)(struct make_capture *bytes);
	bool is_big;
};

extern const struct corpus_case corpus_reader[];
extern const struct corpus_case corpus_join[];
extern const struct corpus_case corpus_elf[];
extern const struct corpus_case corpus_lines[];
extern const struct corpus_case corpus_dropin[];

#endif
