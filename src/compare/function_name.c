/* SPDX-License-Identifier: BSD-2-Clause */
/* function_name.c - what a function is called in every build. */
#include "compare/function_name.h"

#include <stdbool.h>
#include <string.h>

#define DIGITS "0123456789"
#define HEX    "0123456789abcdef"

#define HASH 16 /* digits of a hash of Rust's */

/* What gcc and clang append to the name of a copy or part that they make. */
static const struct suffix {
	const char *text;
	bool has_number; /* always: ".isra.0" */
} suffixes[] = {
	{ ".isra", true },  { ".constprop", true }, { ".part", true },
	{ ".cold", false }, { ".lto_priv", true },  { ".llvm", true },
	{ ".clone", true }, { ".__uniq", true },    { ".localalias", false },
};

/* The length of the suffix at the end of @name; 0: it has none. */
static size_t suffix_length(const char *name, size_t len)
{
	size_t end = len;
	bool has_number;

	while (end > 0 && strchr(DIGITS, name[end - 1]) != NULL)
		end--;
	has_number = end < len && end > 0 && name[end - 1] == '.';
	end = has_number ? end - 1 : len;
	for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
		const struct suffix *suffix = &suffixes[i];
		const size_t n = strlen(suffix->text);

		/* A name of nothing but a suffix keeps it. */
		if (end > n && (has_number || !suffix->has_number) &&
		    memcmp(name + end - n, suffix->text, n) == 0)
			return len - (end - n);
	}
	return 0;
}

/* " [clone .isra.0]": as the C++ demangler has it. */
static size_t clone_length(const char *name, size_t len)
{
	static const char begin[] = " [clone .";
	size_t at = len;

	if (len == 0 || name[len - 1] != ']')
		return 0;
	while (at > 0 && name[at - 1] != '[')
		at--;
	at = at >= 2 ? at - 2 : len;
	return at > 0 && strncmp(name + at, begin, sizeof(begin) - 1) == 0
	               ? len - at
	               : 0;
}

/* "::h0123456789abcdef": of Rust's first mangling, and "17h…E" where nobody
 * has demangled it. */
static size_t hash_length(const char *name, size_t len)
{
	const bool is_mangled =
		len > 3 && strncmp(name, "_ZN", 3) == 0 && name[len - 1] == 'E';
	const char *begin = is_mangled ? "17h" : "::h";
	const size_t n = 3 + HASH + is_mangled;

	if (len <= n || memcmp(name + len - n, begin, 3) != 0 ||
	    strspn(name + len - n + 3, HEX) < HASH)
		return 0;
	return n;
}

/* "core[0123456789abcdef]::": of its second one, with all details. */
static void strip_crates(char *name)
{
	char *to = name;

	for (const char *from = name; *from != 0;) {
		const size_t digits = *from == '[' ? strspn(from + 1, HEX) : 0;

		if (digits >= HASH - 2 && digits <= HASH &&
		    from[digits + 1] == ']' && from > name)
			from += digits + 2;
		else
			*to++ = *from++;
	}
	*to = 0;
}

void syc_function_name_strip(char *name)
{
	size_t len, cut;

	strip_crates(name);
	len = strlen(name);
	do {
		cut = suffix_length(name, len);
		if (cut == 0)
			cut = clone_length(name, len);
		if (cut == 0)
			cut = hash_length(name, len);
		len -= cut;
		name[len] = 0;
	} while (cut > 0);
}
