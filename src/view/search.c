/* SPDX-License-Identifier: BSD-2-Clause */
/* search.c - fuzzy search for names by a few of their letters. */
#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "common/strings.h"
#include "view/page_context.h"

static bool has_capital(const char *text)
{
	for (; *text != 0; text++)
		if (isupper((unsigned char)*text))
			return true;
	return false;
}

static bool is_same(char a, char b, bool is_exact)
{
	return a == b || (!is_exact && tolower((unsigned char)a) ==
	                                       tolower((unsigned char)b));
}

/* Whether @text has all letters of the word, in their order. */
static bool has_word(const char *word, size_t len, const char *text,
                     bool is_exact)
{
	size_t found = 0;

	for (; *text != 0 && found < len; text++)
		found += is_same(*text, word[found], is_exact);
	return found == len;
}

bool syc_search_matches(const char *pattern, const char *text)
{
	const bool is_exact = has_capital(pattern);
	bool has_any = false;

	while (*pattern != 0) {
		const size_t blanks = strspn(pattern, " ");
		const size_t len = strcspn(pattern + blanks, " ");

		pattern += blanks;
		if (len > 0 && !has_word(pattern, len, text, is_exact))
			return false;
		has_any |= len > 0;
		pattern += len;
	}
	return has_any;
}

void syc_search_open(struct syc_search *search)
{
	search->is_open = true;
	search->typed[0] = 0;
	search->back = 0;
}

void syc_search_type(struct syc_search *search, uint32_t point)
{
	const size_t len = strlen(search->typed);

	if (len + 5 > sizeof(search->typed) || syc_utf8_is_control(point))
		return;
	search->typed[len + syc_utf8_put(point, search->typed + len)] = 0;
}

bool syc_search_rub_out(struct syc_search *search)
{
	size_t len = strlen(search->typed);

	if (len == 0)
		return false;
	do
		len--;
	while (len > 0 && (search->typed[len] & 0xC0) == 0x80);
	search->typed[len] = 0;
	return true;
}

void syc_search_recall(struct syc_search *search, int direction)
{
	if (direction > 0 && search->back < search->n_history)
		search->back++;
	else if (direction < 0 && search->back > 0)
		search->back--;
	if (search->back == 0)
		search->typed[0] = 0;
	else
		strcpy(search->typed,
		       search->history[search->n_history - search->back]);
}

void syc_search_accept(struct syc_search *search)
{
	const unsigned most = SYC_SEARCH_HISTORY;

	search->is_open = false;
	strcpy(search->pattern, search->typed);
	if (search->typed[0] == 0 ||
	    (search->n_history > 0 &&
	     strcmp(search->history[search->n_history - 1], search->typed) ==
	             0))
		return;
	if (search->n_history == most)
		memmove(search->history[0], search->history[1],
		        (most - 1) * sizeof(search->history[0]));
	else
		search->n_history++;
	strcpy(search->history[search->n_history - 1], search->typed);
}
