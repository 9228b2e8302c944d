/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * demangle.c - demangled and displayable names.
 *
 * A limited child runs the C++ demangler.  The first C++ name starts the child,
 * and the next name after a child's death starts another.  The parent sends a
 * name.  The child answers with a byte, 1 for a result, and the text.
 */
#define _GNU_SOURCE
#include "symbols/demangle.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "common/strings.h"
#include "symbols/limited_child.h"

#define MANGLED_MAX 8192u
#define ANSWER_MAX  8192u
/* Limit of the child's memory, in addition to the inherited memory. */
#define MEMORY_MAX  (256ul << 20)
#define SECONDS_MAX 1 /* seconds of CPU time for one name */
/* Limit of dead children, after which names stay mangled. */
#define DEATHS_MAX 20u

/* Type of abi::__cxa_demangle() of the Itanium C++ ABI. */
typedef char *(*cxa_demangle)(const char *name, char *buffer, size_t *len,
                              int *status);

static struct {
	bool is_tried;
	cxa_demangle demangle; /* NULL if no library has the function */
	struct syc_limited_child child;
	unsigned deaths;
} cxx;

static void load(void)
{
	static const char *const libraries[] = { "libstdc++.so.6",
		                                 "libc++abi.so.1",
		                                 "libc++.so.1" };

	cxx.is_tried = true;
	for (size_t i = 0; i < sizeof(libraries) / sizeof(*libraries); i++) {
		void *const library =
			dlopen(libraries[i], RTLD_LAZY | RTLD_LOCAL);
		void *const symbol =
			library ? dlsym(library, "__cxa_demangle") : NULL;

		if (symbol != NULL) {
			memcpy(&cxx.demangle, &symbol, sizeof(symbol));
			return;
		}
		if (library != NULL)
			dlclose(library);
	}
}

/* Answer names, in the child, until the parent closes its end of the socket. */
static void serve(void *data, int fd)
{
	char name[MANGLED_MAX], answer[ANSWER_MAX];
	ssize_t n;

	(void)data;
	while ((n = recv(fd, name, sizeof(name) - 1, 0)) > 0) {
		size_t len = 1;
		char *text;
		int status;

		name[n] = 0;
		syc_limited_child_give(SECONDS_MAX);
		text = cxx.demangle(name, NULL, NULL, &status);
		answer[0] = text != NULL;
		if (text != NULL) {
			len = strnlen(text, sizeof(answer) - 1);
			memcpy(answer + 1, text, len);
			len++;
		}
		free(text);
		if (send(fd, answer, len, MSG_NOSIGNAL) < 0)
			break;
	}
}

static bool start_server(void)
{
	const struct syc_limited_child_work work = { .memory = MEMORY_MAX,
		                                     .serve = serve };

	return cxx.deaths < DEATHS_MAX &&
	       syc_limited_child_start(&cxx.child, &work);
}

/* End the child, if a child runs. */
static void demangle_cxx_stop(void)
{
	syc_limited_child_stop(&cxx.child);
}

/* Demangle a name that begins with "_Z". */
static char *demangle_cxx(const char *name)
{
	char answer[ANSWER_MAX];
	ssize_t n;

	if (strnlen(name, MANGLED_MAX - 1) == MANGLED_MAX - 1)
		return NULL;
	if (!cxx.is_tried)
		load();
	if (cxx.demangle == NULL || (cxx.child.pid == 0 && !start_server()))
		return NULL;
	n = syc_limited_child_ask(&cxx.child, name, strlen(name), answer,
	                          sizeof(answer));
	if (n > 0)
		return answer[0] ? syc_copy_text(answer + 1, (size_t)n - 1)
		                 : NULL;
	demangle_cxx_stop();
	cxx.deaths++;
	return NULL;
}

/* Return whether a search found no C++ runtime.  Returns false before the first
 * name. */
static bool demangle_cxx_is_missing(void)
{
	return cxx.is_tried && cxx.demangle == NULL;
}

/*
 * Rust's legacy mangling scheme.
 *
 * The scheme resembles C++: _ZN, then the length and the text of each part of
 * the path, then E.  The last part is 17h and a hash of 16 digits, which
 * distinguishes the scheme from C++.  The demangler omits the hash.  Characters
 * that assemblers reject become $LT$, $u7e$ and so on.  "::" within a part
 * becomes "..".
 */

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

/*
 * Parse one part: the length in digits, and the text.  Returns false if no part
 * follows.
 */
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

/* Decode a code such as "$u7e$".  Returns the code's length, or 0. */
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

/*
 * OCaml's scheme.
 *
 * A name is "caml", the modules, the function and a stamp: up to OCaml 5.1
 * camlStdlib__List__map_381, and later camlStdlib__List.map_381.  Modules begin
 * with a capital letter.  So the first other part is the function, in which
 * "__" is no separator.  Special characters become $2b and so on.
 */

static bool is_capital(char c)
{
	return c >= 'A' && c <= 'Z';
}

/* Return the length of the stamp, "_123", without which the name is the name in
 * the source.  The stamp of an anonymous function remains, because the function
 * has no other name. */
static size_t ocaml_stamp_len(const char *function)
{
	const size_t len = strlen(function);
	size_t digits = 0;

	while (digits < len && is_digit(function[len - 1 - digits]))
		digits++;
	if (digits == 0 || len < digits + 2 ||
	    function[len - 1 - digits] != '_' ||
	    (len == digits + 4 && strncmp(function, "fun_", 4) == 0))
		return 0;
	return digits + 1;
}

/* Add a part of a name of OCaml.  Returns false for other characters. */
static bool add_ocaml_part(struct syc_demangle_text *text, const char *part,
                           size_t len)
{
	const char *const digits = "0123456789abcdef";

	for (size_t i = 0; i < len; i++) {
		const char *high, *low;
		char c = part[i];

		if (c == '$') {
			high = i + 2 < len ? strchr(digits, part[i + 1]) : NULL;
			low = high ? strchr(digits, part[i + 2]) : NULL;
			if (low == NULL)
				return false;
			c = (char)((high - digits) * 16 + (low - digits));
			if (c <= ' ' || c > '~')
				return false;
			i += 2;
		} else if (!is_digit(c) && !is_capital(c) && c != '_' &&
		           c != '\'' && c != '.' && !(c >= 'a' && c <= 'z')) {
			return false;
		}
		syc_demangle_add(text, &c, 1);
	}
	return true;
}

static bool demangle_ocaml(const char *name, char *text_bytes, size_t size)
{
	struct syc_demangle_text text = { .bytes = text_bytes, .size = size };
	const char *at = name + 4;
	bool is_good = true;

	if (strncmp(name, "caml", 4) != 0 || !is_capital(*at))
		return false;
	while (is_good && is_capital(*at)) {
		size_t len = 0;

		/* At least one character is before the separator. */
		do
			len++;
		while (at[len] != 0 && at[len] != '.' &&
		       strncmp(at + len, "__", 2) != 0);
		if (at[len] == 0 && ocaml_stamp_len(at) > 0 && text.len > 0)
			break; /* a functor, which is a function */
		if (at[len] == 0)
			return false;
		is_good = add_ocaml_part(&text, at, len);
		syc_demangle_add(&text, ".", 1);
		at += len + (at[len] == '.' ? 1 : 2);
		/* Dune's module of an executable is the only exception. */
		if (strcmp(text.bytes, "Dune.") == 0 &&
		    strncmp(at, "exe__", 5) == 0) {
			syc_demangle_add(&text, "exe.", 4);
			at += 5;
		}
	}
	is_good = is_good && *at != 0 &&
	          add_ocaml_part(&text, at, strlen(at) - ocaml_stamp_len(at));
	return is_good && !text.is_full;
}

char *syc_demangle(const char *name)
{
	char text[SYC_DEMANGLE_MAX];

	if (name[0] == 'c' && demangle_ocaml(name, text, sizeof(text)))
		return strdup(text);
	if (name[0] != '_')
		return NULL;
	if (syc_demangle_d(name, text, sizeof(text)) ||
	    syc_demangle_rust_legacy(name, text, sizeof(text)) ||
	    syc_demangle_rust_v0(name, text, sizeof(text)))
		return strdup(text);
	return name[1] == 'Z' ? demangle_cxx(name) : NULL;
}

bool syc_demangle_lacks_library(void)
{
	return demangle_cxx_is_missing();
}

void syc_demangle_finish(void)
{
	demangle_cxx_stop();
}

/* Longer texts are cut first. */
#define RAW_MAX 65536u

static const char cut_mark[] = "…";

/* Make a displayable text of @text, which is from malloc() and is freed. */
static char *make_readable(char *text)
{
	char *clean, *to;
	size_t room = SYC_READABLE_MAX - sizeof(cut_mark);

	if (text == NULL)
		return NULL;
	clean = malloc(SYC_READABLE_MAX);
	if (clean == NULL) {
		free(text);
		return NULL;
	}
	to = clean;
	for (const char *from = text; *from != 0;) {
		uint32_t point;
		const size_t len = syc_utf8_next(from, &point);
		const bool is_bad = len == 0 || point < 0x20 || point == 0x7f;
		const char *bytes = is_bad ? SYC_UTF8_REPLACEMENT : from;
		const size_t n = is_bad ? strlen(SYC_UTF8_REPLACEMENT) : len;

		if (n > room) {
			memcpy(to, cut_mark, sizeof(cut_mark) - 1);
			to += sizeof(cut_mark) - 1;
			break;
		}
		memcpy(to, bytes, n);
		to += n;
		room -= n;
		from += len ? len : point;
	}
	*to = 0;
	free(text);
	/* Shrink the buffer, because most texts are short. */
	to = realloc(clean, (size_t)(to - clean) + 1);
	return to ? to : clean;
}

/*
 * Shorten "F(F(int)::_Z1Fi.Frame*) [clone .actor]" to "F(int) [clone .actor]".
 * The only parameter of a C++ coroutine's body is its frame, whose name repeats
 * the whole function.
 */
static void shorten_coroutine(char *text)
{
	char *const end = strstr(text, ".Frame*)");
	char *mangled = NULL;

	if (end == NULL)
		return;
	for (char *at = text; (at = strstr(at, "::_Z")) != NULL && at < end;
	     at++)
		mangled = at;
	for (char *open = text; mangled != NULL && (open = strchr(open, '('));
	     open++) {
		const size_t len = (size_t)(open - text) + 1;

		if (open > mangled)
			return;
		if (strncmp(open + 1, text, len) != 0)
			continue;
		const char *const rest = end + strlen(".Frame*)");
		memmove(text, open + 1, (size_t)(mangled - open - 1));
		memmove(text + (mangled - open - 1), rest, strlen(rest) + 1);
		return;
	}
}

char *syc_readable_name(const char *name, bool is_plt)
{
	size_t len = strnlen(name, RAW_MAX);
	const char *version = memchr(name, '@', len);
	char *plain, *text;

	if (version != NULL && version > name)
		len = (size_t)(version - name);
	plain = syc_copy_text(name, len);
	if (plain == NULL)
		return NULL;
	text = syc_demangle(plain);
	if (text == NULL) {
		text = plain;
	} else {
		shorten_coroutine(text);
		free(plain);
	}
	if (is_plt) {
		plain = text;
		if (asprintf(&text, "%s@plt", plain) < 0)
			text = NULL;
		free(plain);
	}
	return make_readable(text);
}

char *syc_readable_text(const char *text)
{
	return make_readable(syc_copy_text(text, strnlen(text, RAW_MAX)));
}

char *syc_readable_place(const char *path, uint64_t offset)
{
	char *text;

	if (asprintf(&text, "In File %s+0x%" PRIx64, path, offset) < 0)
		return NULL;
	return make_readable(text);
}
