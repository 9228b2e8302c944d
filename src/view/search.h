/* SPDX-License-Identifier: BSD-2-Clause */
/* search.h - fuzzy search for names by a few of their letters. */
#ifndef SYC_VIEW_SEARCH_H
#define SYC_VIEW_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#define SYC_SEARCH_SIZE    128
#define SYC_SEARCH_HISTORY 32

struct syc_search {
	char pattern[SYC_SEARCH_SIZE]; /* "": none */
	char history[SYC_SEARCH_HISTORY][SYC_SEARCH_SIZE];
	unsigned n_history;
	/* While it is typed. */
	bool is_open;
	char typed[SYC_SEARCH_SIZE];
	unsigned back; /* position in the history; 0: none */
};

bool syc_search_matches(const char *pattern, const char *text);

void syc_search_open(struct syc_search *search);
/** One more character. */
void syc_search_type(struct syc_search *search, uint32_t point);
/** Delete the last character; false: the pattern is empty. */
bool syc_search_rub_out(struct syc_search *search);
/** Replace it by an older (1) or newer (-1) search. */
void syc_search_recall(struct syc_search *search, int direction);
/** Accept the pattern. */
void syc_search_accept(struct syc_search *search);

#endif
