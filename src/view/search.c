/* SPDX-License-Identifier: BSD-2-Clause */
/* search.c - search for names: parts, regular expressions, or single
 * characters. */
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

/* Return whether @text has all characters of the word, in order. */
static bool has_word(const char *word, size_t len, const char *text,
                     bool is_exact)
{
	size_t found = 0;

	for (; *text != 0 && found < len; text++)
		found += is_same(*text, word[found], is_exact);
	return found == len;
}

static const char *find_part(const char *text, const char *word, size_t len,
                             bool is_exact)
{
	for (; *text != 0; text++) {
		size_t i = 0;

		while (i < len && text[i] != 0 &&
		       is_same(text[i], word[i], is_exact))
			i++;
		if (i == len)
			return text;
	}
	return NULL;
}

/* The match of all words of the pattern: the worst of their matches. */
static enum syc_search_match match_words(const char *pattern, const char *text)
{
	const bool is_exact = has_capital(pattern);
	enum syc_search_match match = SYC_SEARCH_PART;
	bool has_any = false;

	while (*pattern != 0) {
		const size_t blanks = strspn(pattern, " ");
		const size_t len = strcspn(pattern + blanks, " ");

		pattern += blanks;
		if (len > 0 && !has_word(pattern, len, text, is_exact))
			return SYC_SEARCH_NONE;
		if (len > 0 && find_part(text, pattern, len, is_exact) == NULL)
			match = SYC_SEARCH_LETTERS;
		has_any |= len > 0;
		pattern += len;
	}
	return has_any ? match : SYC_SEARCH_NONE;
}

enum syc_search_match syc_search_match(const struct syc_search *search,
                                       const char *text)
{
	if (search->pattern[0] != '/')
		return match_words(search->pattern, text);
	return search->has_regex &&
	                       regexec(&search->regex, text, 0, NULL, 0) == 0
	               ? SYC_SEARCH_PART
	               : SYC_SEARCH_NONE;
}

void syc_search_fini(struct syc_search *search)
{
	if (search->has_regex)
		regfree(&search->regex);
	search->has_regex = false;
}

enum syc_search_match syc_search_find(const struct syc_search *search, size_t n,
                                      int direction, syc_search_name *name,
                                      void *data, size_t *row)
{
	size_t at = *row, letters = n;

	for (size_t i = 0; i < n; i++) {
		enum syc_search_match match;

		at = (at + n + (size_t)direction) % n;
		match = syc_search_match(search, name(data, at));
		if (match == SYC_SEARCH_PART) {
			*row = at;
			return match;
		}
		if (match == SYC_SEARCH_LETTERS && letters == n)
			letters = at;
	}
	if (letters == n)
		return SYC_SEARCH_NONE;
	*row = letters;
	return SYC_SEARCH_LETTERS;
}

/* Compile a pattern that begins with a slash, without a slash at the end. */
static void compile(struct syc_search *search)
{
	char text[SYC_SEARCH_SIZE];
	size_t len;

	syc_search_fini(search);
	if (search->pattern[0] != '/')
		return;
	strcpy(text, search->pattern + 1);
	len = strlen(text);
	if (len > 0 && text[len - 1] == '/')
		text[len - 1] = 0;
	search->has_regex =
		text[0] != 0 &&
		regcomp(&search->regex, text, REG_EXTENDED | REG_NOSUB) == 0;
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
	compile(search);
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
