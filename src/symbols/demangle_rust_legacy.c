/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * demangle_rust_legacy.c - Rust's legacy mangling scheme.
 *
 * It resembles C++: _ZN, then the length and the text of each part of the path,
 * then E.  The last part is 17h and a hash of 16 digits, which distinguishes it
 * from C++ and is left out here.  Characters that assemblers reject are written
 * as $LT$, $u7e$ and so on; "::" within a part is written as "..".
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <string.h>

#include "symbols/demangle.h"

#define HASH_LEN 17u /* h and 16 digits */

static const struct escape {
	const char *text;
	char character;
} escapes[] = {
	{ "$SP$", '@' }, { "$BP$", '*' }, { "$RF$", '&' }, { "$LT$", '<' },
	{ "$GT$", '>' }, { "$LP$", '(' }, { "$RP$", ')' }, { "$C$", ',' },
};

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Take one part: its length in digits, and its text.  False: there is none. */
static bool take_part(const char **at, const char **ret_part, size_t *ret_len)
{
	size_t len = 0;

	if (!is_digit(**at) || **at == '0')
		return false;
	while (is_digit(**at)) {
		len = len * 10 + (size_t)(*(*at)++ - '0');
		if (len > SYC_DEMANGLE_MAX)
			return false;
	}
	if (strnlen(*at, len) < len)
		return false;
	*ret_part = *at;
	*ret_len = len;
	*at += len;
	return true;
}

static bool is_hash(const char *part, size_t len)
{
	return len == HASH_LEN && part[0] == 'h' &&
	       strspn(part + 1, "0123456789abcdef") >= HASH_LEN - 1;
}

/* Decode "$u7e$".  Returns its length, or 0. */
static size_t take_code(const char *at, size_t len, uint32_t *ret_point)
{
	uint32_t point = 0;
	size_t i = 2;

	if (len < 4 || at[1] != 'u')
		return 0;
	for (; i < len && i < 8 && at[i] != '$'; i++) {
		const char *digits = "0123456789abcdef";
		const char *digit = strchr(digits, at[i]);

		if (digit == NULL || at[i] == 0)
			return 0;
		point = point * 16 + (uint32_t)(digit - digits);
	}
	if (i == 2 || i == len || at[i] != '$')
		return 0;
	*ret_point = point;
	return i + 1;
}

static size_t take_escape(struct syc_demangle_text *text, const char *at,
                          size_t len)
{
	uint32_t point;
	size_t n;

	for (size_t i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++) {
		n = strlen(escapes[i].text);
		if (len >= n && memcmp(at, escapes[i].text, n) == 0) {
			syc_demangle_add(text, &escapes[i].character, 1);
			return n;
		}
	}
	n = take_code(at, len, &point);
	if (n > 0)
		syc_demangle_add_point(text, point);
	return n;
}

static void add_part(struct syc_demangle_text *text, const char *part,
                     size_t len)
{
	/* A part may not begin with "$", so an underscore precedes it. */
	if (len >= 2 && part[0] == '_' && part[1] == '$') {
		part++;
		len--;
	}
	while (len > 0) {
		size_t n = 0;

		if (part[0] == '$')
			n = take_escape(text, part, len);
		if (n == 0 && len >= 2 && part[0] == '.' && part[1] == '.') {
			syc_demangle_add(text, "::", 2);
			n = 2;
		}
		if (n == 0) {
			syc_demangle_add(text, part, 1);
			n = 1;
		}
		part += n;
		len -= n;
	}
}

bool syc_demangle_rust_legacy(const char *name, char *text_bytes, size_t size)
{
	struct syc_demangle_text text = { .bytes = text_bytes, .size = size };
	const char *at, *part, *last = NULL;
	size_t len, last_len = 0;

	if (strncmp(name, "_ZN", 3) != 0)
		return false;
	for (at = name + 3; take_part(&at, &part, &len);) {
		last = part;
		last_len = len;
	}
	if (last == NULL || !is_hash(last, last_len) || *at != 'E' ||
	    (at[1] != 0 && at[1] != '.'))
		return false;
	const char *const suffix = at + 1;
	for (at = name + 3; take_part(&at, &part, &len) && part != last;) {
		if (text.len > 0)
			syc_demangle_add(&text, "::", 2);
		add_part(&text, part, len);
	}
	if (strncmp(suffix, ".llvm.", 6) != 0)
		syc_demangle_add(&text, suffix, strlen(suffix));
	return !text.is_full && text.len > 0;
}
