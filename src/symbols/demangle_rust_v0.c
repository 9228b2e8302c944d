/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * demangle_rust_v0.c - demangler of Rust's v0 mangling scheme (RFC 2603).
 *
 * The demangler reads the name once, from left to right, and prints the result
 * at the same time.  A name may refer back to its own parts.  A repeated read
 * of a part prints text or increases the depth.  So the limits on depth and on
 * the result's length also limit the time.  The demangler omits hashes of
 * crates.
 */
#include <stdint.h>
#include <stdio.h>

#include "symbols/demangle.h"

#define DEPTH_MAX    200u
#define STEPS_MAX    100000u
#define PUNYCODE_MAX 128u /* maximum number of characters */

struct reader {
	const char *name; /* rest of the name, after _R */
	size_t len, at;
	unsigned depth, steps;
	bool is_bad;
	bool is_silent; /* the name is read without printing */
	uint64_t n_lifetimes;
	struct syc_demangle_text text;
};

static void read_path(struct reader *reader, bool is_value);
static void read_type(struct reader *reader);
static void read_const(struct reader *reader);

static void print(struct reader *reader, const char *bytes, size_t len)
{
	if (reader->is_silent || reader->is_bad)
		return;
	syc_demangle_add(&reader->text, bytes, len);
	reader->is_bad = reader->text.is_full;
}

static void print_text(struct reader *reader, const char *text)
{
	print(reader, text, strlen(text));
}

static void print_number(struct reader *reader, uint64_t number)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%llu", (unsigned long long)number);
	print_text(reader, digits);
}

static char peek(const struct reader *reader)
{
	return reader->at < reader->len ? reader->name[reader->at] : 0;
}

static char take_char(struct reader *reader)
{
	if (reader->is_bad || reader->at == reader->len) {
		reader->is_bad = true;
		return 0;
	}
	return reader->name[reader->at++];
}

static bool take_if(struct reader *reader, char c)
{
	if (reader->is_bad || peek(reader) != c)
		return false;
	reader->at++;
	return true;
}

/* Enter a level of the recursion, and check the limits. */
static bool enter(struct reader *reader)
{
	if (++reader->depth > DEPTH_MAX || ++reader->steps > STEPS_MAX)
		reader->is_bad = true;
	return !reader->is_bad;
}

static void leave(struct reader *reader)
{
	reader->depth--;
}

static int base62_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'Z')
		return c - 'A' + 36;
	return -1;
}

/* Parse a number: "_" is 0, "0_" is 1, and so on. */
static uint64_t take_base62(struct reader *reader)
{
	uint64_t number = 0;

	if (take_if(reader, '_'))
		return 0;
	while (!take_if(reader, '_')) {
		const int digit = base62_digit(take_char(reader));

		if (digit < 0 || number > (UINT64_MAX - 62) / 62)
			reader->is_bad = true;
		if (reader->is_bad)
			return 0;
		number = number * 62 + (uint64_t)digit;
	}
	return number + 1;
}

/* Parse a number after @tag.  Returns 0 if @tag is absent. */
static uint64_t take_tagged(struct reader *reader, char tag)
{
	uint64_t number;

	if (!take_if(reader, tag))
		return 0;
	number = take_base62(reader);
	if (number == UINT64_MAX)
		reader->is_bad = true;
	return number + 1;
}

static size_t take_decimal(struct reader *reader)
{
	size_t number = 0;

	if (take_if(reader, '0'))
		return 0;
	if (peek(reader) < '1' || peek(reader) > '9')
		reader->is_bad = true;
	while (peek(reader) >= '0' && peek(reader) <= '9') {
		number = number * 10 + (size_t)(take_char(reader) - '0');
		if (number > reader->len) {
			reader->is_bad = true;
			return 0;
		}
	}
	return number;
}

static uint32_t adapt_bias(uint32_t delta, uint32_t n_points, bool is_first)
{
	uint32_t k = 0;

	delta /= is_first ? 700 : 2;
	delta += delta / n_points;
	for (; delta > 455; k += 36)
		delta /= 35;
	return k + 36 * delta / (delta + 38);
}

/* Parse one number of punycode (RFC 3492).  Returns false if no number
 * follows. */
static bool take_delta(const char **at, const char *end, uint32_t bias,
                       uint32_t *ret_delta)
{
	uint64_t delta = 0, weight = 1;

	for (uint32_t k = 36;; k += 36) {
		const uint32_t least = k <= bias ? 1 : k - bias;
		const uint32_t limit = least > 26 ? 26 : least;
		uint32_t digit;

		if (*at == end)
			return false;
		if (**at >= 'a' && **at <= 'z')
			digit = (uint32_t)(**at - 'a');
		else if (**at >= '0' && **at <= '9')
			digit = (uint32_t)(**at - '0') + 26;
		else
			return false;
		(*at)++;
		delta += digit * weight;
		if (delta > UINT32_MAX / 2)
			return false;
		if (digit < limit) {
			*ret_delta = (uint32_t)delta;
			return true;
		}
		weight *= 36 - limit;
	}
}

static void print_punycode(struct reader *reader, const char *bytes, size_t len)
{
	const char *end = bytes + len, *at = end;
	uint32_t points[PUNYCODE_MAX], n = 0, code = 128, i = 0, bias = 72;
	bool is_first = true;

	while (at > bytes && at[-1] != '_')
		at--;
	/* The basic characters precede the last underscore. */
	for (const char *p = bytes; at > bytes && p < at - 1; p++) {
		if (n == PUNYCODE_MAX) {
			reader->is_bad = true;
			return;
		}
		points[n++] = (unsigned char)*p;
	}
	while (at < end) {
		uint32_t delta;

		if (n == PUNYCODE_MAX || !take_delta(&at, end, bias, &delta)) {
			reader->is_bad = true;
			return;
		}
		i += delta;
		n++;
		bias = adapt_bias(delta, n, is_first);
		is_first = false;
		code += i / n;
		i %= n;
		memmove(points + i + 1, points + i,
		        (n - 1 - i) * sizeof(points[0]));
		points[i++] = code;
	}
	for (uint32_t j = 0; j < n && !reader->is_silent; j++)
		syc_demangle_add_point(&reader->text, points[j]);
	reader->is_bad = reader->is_bad || reader->text.is_full;
}

struct identifier {
	const char *bytes;
	size_t len;
	bool is_punycode;
};

static void take_identifier(struct reader *reader, struct identifier *ret)
{
	ret->is_punycode = take_if(reader, 'u');
	ret->len = take_decimal(reader);
	take_if(reader, '_');
	if (reader->is_bad || ret->len > reader->len - reader->at) {
		reader->is_bad = true;
		ret->len = 0;
	}
	ret->bytes = reader->name + reader->at;
	reader->at += ret->len;
}

static void print_identifier(struct reader *reader,
                             const struct identifier *identifier)
{
	if (identifier->is_punycode)
		print_punycode(reader, identifier->bytes, identifier->len);
	else
		print(reader, identifier->bytes, identifier->len);
}

/* Follow a back reference, after its "B": call @read at the earlier position,
 * and return. */
static void follow(struct reader *reader, void (*read)(struct reader *reader))
{
	const size_t from = reader->at - 1;
	const uint64_t to = take_base62(reader);
	const size_t behind = reader->at;

	if (to >= from)
		reader->is_bad = true;
	if (reader->is_bad || reader->is_silent)
		return;
	reader->at = (size_t)to;
	read(reader);
	reader->at = behind;
}

static void read_type_path(struct reader *reader)
{
	read_path(reader, false);
}

static void read_value_path(struct reader *reader)
{
	read_path(reader, true);
}

/* Print a lifetime.  Number 0 is anonymous.  Other numbers count the binders
 * outwards. */
static void print_lifetime(struct reader *reader, uint64_t number)
{
	uint64_t depth;
	char letter;

	print_text(reader, "'");
	if (number == 0) {
		print_text(reader, "_");
		return;
	}
	/* In silent parts, which follow no back references, ignore an unknown
	 * number. */
	if (number > reader->n_lifetimes) {
		reader->is_bad = !reader->is_silent;
		return;
	}
	depth = reader->n_lifetimes - number;
	if (depth < 26) {
		letter = (char)('a' + depth);
		print(reader, &letter, 1);
	} else {
		print_text(reader, "z");
		print_number(reader, depth - 25);
	}
}

/*
 * Print "for<'a, 'b> ".  Returns the number of lifetimes, which the caller
 * subtracts again.
 */
static uint64_t read_binder(struct reader *reader)
{
	const uint64_t n = take_tagged(reader, 'G');

	if (n == 0 || reader->is_bad)
		return 0;
	if (n > SYC_DEMANGLE_MAX) {
		reader->is_bad = true;
		return 0;
	}
	print_text(reader, "for<");
	for (uint64_t i = 0; i < n && !reader->is_bad; i++) {
		if (i > 0)
			print_text(reader, ", ");
		reader->n_lifetimes++;
		print_lifetime(reader, 1);
		if (reader->is_bad)
			return i + 1;
	}
	print_text(reader, "> ");
	return n;
}

static void read_argument(struct reader *reader)
{
	if (take_if(reader, 'L'))
		print_lifetime(reader, take_base62(reader));
	else if (take_if(reader, 'K'))
		read_const(reader);
	else
		read_type(reader);
}

/* Read a list up to its E. */
static unsigned read_list(struct reader *reader,
                          void (*read)(struct reader *reader),
                          const char *between)
{
	unsigned n = 0;

	while (!reader->is_bad && !take_if(reader, 'E')) {
		if (n++ > 0)
			print_text(reader, between);
		read(reader);
	}
	return n;
}

static void read_nested(struct reader *reader, bool is_value)
{
	const char space = take_char(reader);
	struct identifier identifier;
	uint64_t number;

	read_path(reader, is_value);
	number = take_tagged(reader, 's');
	take_identifier(reader, &identifier);
	if (space >= 'A' && space <= 'Z') {
		print_text(reader, "::{");
		if (space == 'C')
			print_text(reader, "closure");
		else if (space == 'S')
			print_text(reader, "shim");
		else
			print(reader, &space, 1);
		if (identifier.len > 0) {
			print_text(reader, ":");
			print_identifier(reader, &identifier);
		}
		print_text(reader, "#");
		print_number(reader, number);
		print_text(reader, "}");
	} else if (space >= 'a' && space <= 'z') {
		if (identifier.len > 0) {
			print_text(reader, "::");
			print_identifier(reader, &identifier);
		}
	} else {
		reader->is_bad = true;
	}
}

/* Skip the path of an impl, because the type is more specific. */
static void skip_impl_path(struct reader *reader)
{
	const bool was_silent = reader->is_silent;

	take_tagged(reader, 's');
	reader->is_silent = true;
	read_path(reader, false);
	reader->is_silent = was_silent;
}

static void read_qualified(struct reader *reader, char tag)
{
	if (tag != 'Y')
		skip_impl_path(reader);
	print_text(reader, "<");
	read_type(reader);
	if (tag != 'M') {
		print_text(reader, " as ");
		read_path(reader, false);
	}
	print_text(reader, ">");
}

static void read_path(struct reader *reader, bool is_value)
{
	struct identifier identifier;
	char tag;

	if (!enter(reader))
		return;
	tag = take_char(reader);
	switch (tag) {
	case 'C':
		take_tagged(reader, 's');
		take_identifier(reader, &identifier);
		print_identifier(reader, &identifier);
		break;
	case 'N':
		read_nested(reader, is_value);
		break;
	case 'M':
	case 'X':
	case 'Y':
		read_qualified(reader, tag);
		break;
	case 'I':
		read_path(reader, is_value);
		print_text(reader, is_value ? "::<" : "<");
		read_list(reader, read_argument, ", ");
		print_text(reader, ">");
		break;
	case 'B':
		follow(reader, is_value ? read_value_path : read_type_path);
		break;
	default:
		reader->is_bad = true;
	}
	leave(reader);
}

static const char *basic_type(char tag)
{
	static const char *const names[26] = {
		"i8",   "bool",  "char",  "f64", "str", "f32", NULL,
		"u8",   "isize", "usize", NULL,  "i32", "u32", "i128",
		"u128", "_",     NULL,    NULL,  "i16", "u16", "()",
		"...",  NULL,    "i64",   "u64", "!",
	};

	return tag >= 'a' && tag <= 'z' ? names[tag - 'a'] : NULL;
}

static void read_abi(struct reader *reader)
{
	struct identifier abi;

	print_text(reader, "extern \"");
	if (take_if(reader, 'C')) {
		print_text(reader, "C");
	} else {
		take_identifier(reader, &abi);
		for (size_t i = 0; i < abi.len && !reader->is_bad; i++)
			print(reader, abi.bytes[i] == '_' ? "-" : &abi.bytes[i],
			      1);
	}
	print_text(reader, "\" ");
}

static void read_function(struct reader *reader)
{
	const uint64_t n = read_binder(reader);

	if (take_if(reader, 'U'))
		print_text(reader, "unsafe ");
	if (take_if(reader, 'K'))
		read_abi(reader);
	print_text(reader, "fn(");
	read_list(reader, read_type, ", ");
	print_text(reader, ")");
	if (!take_if(reader, 'u')) { /* a return type of () is omitted */
		print_text(reader, " -> ");
		read_type(reader);
	}
	reader->n_lifetimes -= n;
}

/*
 * Read a path.  If the path ends in <...>, leave the list open for the
 * associated types of a trait.
 */
static bool read_open_path(struct reader *reader)
{
	bool is_open = false;

	if (!enter(reader))
		return false;
	if (take_if(reader, 'B')) {
		const size_t from = reader->at - 1;
		const uint64_t to = take_base62(reader);
		const size_t behind = reader->at;

		if (to >= from)
			reader->is_bad = true;
		if (!reader->is_bad && !reader->is_silent) {
			reader->at = (size_t)to;
			is_open = read_open_path(reader);
			reader->at = behind;
		}
	} else if (take_if(reader, 'I')) {
		read_path(reader, false);
		print_text(reader, "<");
		read_list(reader, read_argument, ", ");
		is_open = true;
	} else {
		read_path(reader, false);
	}
	leave(reader);
	return is_open;
}

static void read_dyn_trait(struct reader *reader)
{
	bool is_open = read_open_path(reader);

	while (take_if(reader, 'p')) {
		struct identifier name;

		print_text(reader, is_open ? ", " : "<");
		is_open = true;
		take_identifier(reader, &name);
		print_identifier(reader, &name);
		print_text(reader, " = ");
		read_type(reader);
	}
	if (is_open)
		print_text(reader, ">");
}

static void read_dyn(struct reader *reader)
{
	uint64_t n, lifetime;

	print_text(reader, "dyn ");
	n = read_binder(reader);
	read_list(reader, read_dyn_trait, " + ");
	reader->n_lifetimes -= n;
	if (!take_if(reader, 'L')) {
		reader->is_bad = true;
		return;
	}
	lifetime = take_base62(reader);
	if (lifetime != 0) {
		print_text(reader, " + ");
		print_lifetime(reader, lifetime);
	}
}

static void read_reference(struct reader *reader, const char *what)
{
	print_text(reader, "&");
	if (take_if(reader, 'L')) {
		const uint64_t lifetime = take_base62(reader);

		if (lifetime != 0) {
			print_lifetime(reader, lifetime);
			print_text(reader, " ");
		}
	}
	print_text(reader, what);
	read_type(reader);
}

static void read_array(struct reader *reader, bool has_length)
{
	print_text(reader, "[");
	read_type(reader);
	if (has_length) {
		print_text(reader, "; ");
		read_const(reader);
	}
	print_text(reader, "]");
}

static void read_tuple(struct reader *reader)
{
	print_text(reader, "(");
	if (read_list(reader, read_type, ", ") == 1)
		print_text(reader, ",");
	print_text(reader, ")");
}

static void read_type(struct reader *reader)
{
	const char *basic;
	char tag;

	if (!enter(reader))
		return;
	tag = take_char(reader);
	basic = basic_type(tag);
	if (basic != NULL) {
		print_text(reader, basic);
	} else if (tag == 'R' || tag == 'Q') {
		read_reference(reader, tag == 'Q' ? "mut " : "");
	} else if (tag == 'P' || tag == 'O') {
		print_text(reader, tag == 'P' ? "*const " : "*mut ");
		read_type(reader);
	} else if (tag == 'A' || tag == 'S') {
		read_array(reader, tag == 'A');
	} else if (tag == 'T') {
		read_tuple(reader);
	} else if (tag == 'F') {
		read_function(reader);
	} else if (tag == 'D') {
		read_dyn(reader);
	} else if (tag == 'B') {
		follow(reader, read_type);
	} else if (tag != 0) { /* a path, whose first letter is the tag */
		reader->at--;
		read_path(reader, false);
	}
	leave(reader);
}

static int hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/*
 * Parse hex digits up to an underscore.  Returns the number of digits, and
 * stores their value if the value fits.
 */
static size_t take_hex(struct reader *reader, uint64_t *ret_value)
{
	size_t n = 0;

	*ret_value = 0;
	while (!reader->is_bad && !take_if(reader, '_')) {
		const int digit = hex_digit(take_char(reader));

		if (digit < 0)
			reader->is_bad = true;
		*ret_value = *ret_value << 4 | (uint64_t)(digit & 15);
		n++;
	}
	return n;
}

static void read_integer(struct reader *reader)
{
	uint64_t value;
	size_t begin, n;

	if (take_if(reader, 'n'))
		print_text(reader, "-");
	begin = reader->at;
	n = take_hex(reader, &value);
	if (n <= 16) {
		print_number(reader, value);
	} else {
		print_text(reader, "0x");
		print(reader, reader->name + begin, n);
	}
}

static void read_character(struct reader *reader)
{
	uint64_t value;

	if (take_hex(reader, &value) > 8) {
		reader->is_bad = true;
		return;
	}
	print_text(reader, "'");
	if (value < 0x20 || value == 0x7f) {
		char text[16];

		snprintf(text, sizeof(text), "\\u{%x}", (unsigned)value);
		print_text(reader, text);
	} else if (!reader->is_silent && !reader->is_bad) {
		if (value == '\'' || value == '\\')
			print_text(reader, "\\");
		syc_demangle_add_point(&reader->text, (uint32_t)value);
		reader->is_bad = reader->text.is_full;
	}
	print_text(reader, "'");
}

/* Read a value of an integer, bool or char.  Constants of stable Rust have no
 * other types. */
static void read_const(struct reader *reader)
{
	uint64_t value;
	char tag;

	if (!enter(reader))
		return;
	tag = take_char(reader);
	if (tag == 'B') {
		follow(reader, read_const);
	} else if (tag == 'p') {
		print_text(reader, "_");
	} else if (tag == 'b') {
		take_hex(reader, &value);
		print_text(reader, value ? "true" : "false");
	} else if (tag == 'c') {
		read_character(reader);
	} else if (tag != 0 && strchr("ahislxmtyjno", tag) != NULL) {
		read_integer(reader);
	} else {
		reader->is_bad = true;
	}
	leave(reader);
}

bool syc_demangle_rust_v0(const char *name, char *text, size_t size)
{
	struct reader reader = {
		.text = { .bytes = text, .size = size },
	};
	const char *suffix;

	/* Refuse a digit, which would be the version of an unknown scheme. */
	if (strncmp(name, "_R", 2) != 0 || name[2] < 'A' || name[2] > 'Z')
		return false;
	reader.name = name + 2;
	reader.len = strcspn(reader.name, ".$");
	if (reader.len > SYC_DEMANGLE_MAX)
		return false;
	suffix = reader.name + reader.len;
	read_path(&reader, true);
	if (!reader.is_bad && reader.at < reader.len) {
		/* Skip the crate that instantiated a generic function. */
		reader.is_silent = true;
		read_path(&reader, false);
		reader.is_silent = false;
	}
	if (reader.is_bad || reader.at != reader.len)
		return false;
	if (strncmp(suffix, ".llvm.", 6) != 0)
		print_text(&reader, suffix);
	return !reader.is_bad && reader.text.len > 0;
}
