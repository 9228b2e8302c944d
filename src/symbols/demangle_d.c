/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * demangle_d.c - demangled names of D.
 *
 * A name is _D, the parts of the qualified name and a type.  A part is an
 * identifier with its length, a template instance, or a reference.  A reference
 * is Q and the distance to an earlier part or type in base 26.  Functions have
 * their parameters after their part.  The text has no return type and no
 * attributes of the function, as the text of other demanglers.
 *
 * Some names stay mangled: names of data (initializers, TypeInfo), names with
 * suffixes of the compiler (".constprop.0"), and names with anonymous parts.
 * Template arguments may not be floating-point numbers, arrays, structs or
 * special characters.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include "symbols/demangle.h"

#define DEPTH_MAX 64u    /* nested types and names */
#define STEPS_MAX 20000u /* types and parts, with those behind references */

struct d_name {
	const char *name, *at;
	struct syc_demangle_text text;
	unsigned depth, steps;
	unsigned types; /* types and arguments around the current position */
};

static bool read_type(struct d_name *d);
static bool read_qualified(struct d_name *d, bool *ret_is_function);

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void add(struct d_name *d, const char *text)
{
	syc_demangle_add(&d->text, text, strlen(text));
}

static bool take(struct d_name *d, const char *text)
{
	const size_t len = strlen(text);

	if (strncmp(d->at, text, len) != 0)
		return false;
	d->at += len;
	return true;
}

static bool enter(struct d_name *d)
{
	return !d->text.is_full && ++d->depth <= DEPTH_MAX &&
	       ++d->steps <= STEPS_MAX;
}

/* Move the text that begins at @from behind the text that begins at @middle. */
static void swap_texts(struct d_name *d, size_t from, size_t middle)
{
	char first[SYC_DEMANGLE_MAX];
	const size_t len = middle - from;

	memcpy(first, d->text.bytes + from, len);
	memmove(d->text.bytes + from, d->text.bytes + middle,
	        d->text.len - middle);
	memcpy(d->text.bytes + d->text.len - len, first, len);
}

static bool read_number(struct d_name *d, size_t *ret_number)
{
	size_t number = 0;

	if (!is_digit(*d->at))
		return false;
	while (is_digit(*d->at)) {
		number = number * 10 + (size_t)(*d->at++ - '0');
		if (number > SYC_DEMANGLE_MAX)
			return false;
	}
	*ret_number = number;
	return true;
}

/* Read a reference, and return its target before the reference, or NULL. */
static const char *read_reference(struct d_name *d)
{
	const char *const here = d->at++;
	size_t distance = 0;

	while (*d->at >= 'A' && *d->at <= 'Z' && distance < SYC_DEMANGLE_MAX)
		distance = distance * 26 + (size_t)(*d->at++ - 'A');
	if (*d->at < 'a' || *d->at > 'z')
		return NULL;
	distance = distance * 26 + (size_t)(*d->at++ - 'a');
	if (distance == 0 || distance > (size_t)(here - d->name))
		return NULL;
	return here - distance;
}

static bool is_template(const char *at)
{
	return strncmp(at, "__T", 3) == 0 || strncmp(at, "__U", 3) == 0;
}

/* Return whether a part of a name is next: a reference to a part begins like
 * a reference to a type. */
static bool is_part_next(const struct d_name *d)
{
	struct d_name ahead = *d;
	const char *target;

	if (*d->at != 'Q')
		return is_digit(*d->at) || is_template(d->at);
	target = read_reference(&ahead);
	return target != NULL && is_digit(*target);
}

static void add_identifier(struct d_name *d, const char *text, size_t len)
{
	if (len == 6 && memcmp(text, "__ctor", len) == 0)
		add(d, "this");
	else if (len == 6 && memcmp(text, "__dtor", len) == 0)
		add(d, "~this");
	else
		syc_demangle_add(&d->text, text, len);
}

static bool read_character(struct d_name *d, const char *digits, size_t len)
{
	char quoted[] = "'x'";
	unsigned value = 0;

	for (size_t i = 0; i < len && i < 4; i++)
		value = value * 10 + (unsigned)(digits[i] - '0');
	if (value < ' ' || value > '~')
		return false;
	quoted[1] = (char)value;
	add(d, quoted);
	return true;
}

/* Read a number of a template argument of the type @type. */
static bool read_integer(struct d_name *d, char type)
{
	const bool is_negative = take(d, "N");
	const char *const digits = d->at + (!is_negative && *d->at == 'i');
	size_t len;

	d->at = digits;
	while (is_digit(*d->at))
		d->at++;
	len = (size_t)(d->at - digits);
	if (len == 0)
		return false;
	if (type == 'b') {
		if (is_negative || len != 1 ||
		    (*digits != '0' && *digits != '1'))
			return false;
		add(d, *digits == '1' ? "true" : "false");
		return true;
	}
	if (type == 'a')
		return !is_negative && read_character(d, digits, len);
	if (type == 'u' || type == 'w')
		return false;
	if (is_negative)
		add(d, "-");
	syc_demangle_add(&d->text, digits, len);
	add(d, type == 'h' || type == 't' || type == 'k' ? "u"
	       : type == 'l'                             ? "L"
	       : type == 'm'                             ? "uL"
	                                                 : "");
	return true;
}

static int hex_digit(char c)
{
	const char *const digits = "0123456789abcdef";
	const char *const digit = c ? strchr(digits, c) : NULL;

	return digit ? (int)(digit - digits) : -1;
}

/* Read a string of printable characters and line ends: its length, "_" and hex digits. */
static bool read_string(struct d_name *d)
{
	const char kind = *d->at++;
	size_t n;

	if (!read_number(d, &n) || !take(d, "_"))
		return false;
	add(d, "\"");
	for (; n > 0; n--, d->at += 2) {
		const int high = hex_digit(d->at[0]);
		const int low = high < 0 ? -1 : hex_digit(d->at[1]);
		const char c = (char)(16 * high + low);

		if (low < 0 || ((c < ' ' || c > '~') && c != '\n'))
			return false;
		if (c == '\n')
			add(d, "\\n");
		else
			syc_demangle_add(&d->text, &c, 1);
	}
	add(d, kind == 'a' ? "\"" : kind == 'w' ? "\"w" : "\"d");
	return true;
}

static bool read_value(struct d_name *d, char type)
{
	if (*d->at == 'a' || *d->at == 'w' || *d->at == 'd')
		return read_string(d);
	if (take(d, "n")) {
		add(d, "null");
		return true;
	}
	return read_integer(d, type);
}

/* Read V: the type, which is not part of the text, and the value. */
static bool read_value_argument(struct d_name *d)
{
	const size_t len = d->text.len;
	const char *type = d->at;
	struct d_name ahead = *d;

	if (*type == 'Q')
		type = read_reference(&ahead);
	if (type == NULL || !read_type(d))
		return false;
	d->text.len = len;
	return read_value(d, *type);
}

/* Read S: a symbol, which may be a whole mangled name with its length. */
static bool read_symbol_argument(struct d_name *d)
{
	bool ignored;
	size_t len;

	if (is_digit(*d->at)) {
		struct d_name ahead = *d;

		if (read_number(&ahead, &len) &&
		    strncmp(ahead.at, "_D", 2) == 0)
			return false; /* up to D 2.076 */
	}
	if (take(d, "_D")) {
		if (!read_qualified(d, &ignored))
			return false;
		len = d->text.len;
		if (*d->at == 'Z')
			return false; /* data */
		if (!read_type(d))
			return false;
		d->text.len = len;
		return true;
	}
	return read_qualified(d, &ignored);
}

/* Read X: a text in another mangling, with its length. */
static bool read_foreign_argument(struct d_name *d)
{
	size_t len;

	if (!read_number(d, &len) || strnlen(d->at, len) < len)
		return false;
	syc_demangle_add(&d->text, d->at, len);
	d->at += len;
	return true;
}

static bool read_arguments(struct d_name *d)
{
	add(d, "!(");
	for (unsigned n = 0; !take(d, "Z"); n++) {
		if (n > 0)
			add(d, ", ");
		take(d, "H");
		if (take(d, "T")   ? !read_type(d)
		    : take(d, "S") ? !read_symbol_argument(d)
		    : take(d, "X") ? !read_foreign_argument(d)
		                   : !take(d, "V") || !read_value_argument(d))
			return false;
	}
	add(d, ")");
	return true;
}

static bool read_identifier(struct d_name *d);

static bool read_template(struct d_name *d)
{
	bool is_good;

	d->at += 3; /* __T or __U */
	d->types++;
	is_good = read_identifier(d) && read_arguments(d);
	d->types--;
	return is_good;
}

static bool read_part(struct d_name *d)
{
	size_t len;

	if (is_template(d->at))
		return read_template(d);
	if (!read_number(d, &len) || len == 0 || strnlen(d->at, len) < len)
		return false;
	if (len > 3 &&
	    (strncmp(d->at, "__T", 3) == 0 || strncmp(d->at, "__U", 3) == 0)) {
		const char *const end = d->at + len;

		return read_template(d) && d->at == end;
	}
	if (len == 10 && take(d, "__postblitMFZ")) {
		add(d, "this(this)");
		return true;
	}
	add_identifier(d, d->at, len);
	d->at += len;
	return true;
}

static bool read_identifier(struct d_name *d)
{
	bool is_good = enter(d);

	if (is_good && *d->at == 'Q') {
		const char *const target = read_reference(d);
		const char *const after = d->at;

		is_good = target != NULL && is_digit(*target);
		if (is_good) {
			d->at = target;
			is_good = read_part(d);
			d->at = after;
		}
	} else if (is_good) {
		is_good = read_part(d);
	}
	d->depth--;
	return is_good;
}

/* Read modifiers of a method's this, as " const". */
static void read_modifiers(struct d_name *d)
{
	for (;;)
		if (take(d, "x"))
			add(d, " const");
		else if (take(d, "y"))
			add(d, " immutable");
		else if (take(d, "O"))
			add(d, " shared");
		else if (take(d, "Ng"))
			add(d, " inout");
		else
			return;
}

/* Read attributes such as " pure". */
static bool read_attributes(struct d_name *d)
{
	static const char *const attributes[] = {
		['a' - 'a'] = " pure",     ['b' - 'a'] = " nothrow",
		['c' - 'a'] = " ref",      ['d' - 'a'] = " @property",
		['e' - 'a'] = " @trusted", ['f' - 'a'] = " @safe",
		['i' - 'a'] = " @nogc",    ['j' - 'a'] = " return",
		['l' - 'a'] = " scope",    ['m' - 'a'] = " @live",
	};

	while (*d->at == 'N') {
		const char c = d->at[1];

		/* The first parameter begins. */
		if (c == 'g' || c == 'h' || c == 'k' || c == 'n')
			return true;
		if (c < 'a' || c > 'm' || attributes[c - 'a'] == NULL)
			return false;
		add(d, attributes[c - 'a']);
		d->at += 2;
	}
	return true;
}

static bool read_parameters(struct d_name *d)
{
	for (unsigned n = 0;; n++) {
		if (take(d, "Z"))
			return true;
		if (take(d, "X")) {
			add(d, "...");
			return true;
		}
		if (n > 0)
			add(d, ", ");
		if (take(d, "Y")) {
			add(d, "...");
			return true;
		}
		for (;;)
			if (take(d, "M"))
				add(d, "scope ");
			else if (take(d, "Nk"))
				add(d, "return ");
			else
				break;
		if (take(d, "I"))
			add(d, "in ");
		add(d, take(d, "J")   ? "out "
		       : take(d, "K") ? "ref "
		       : take(d, "L") ? "lazy "
		                      : "");
		if (!read_type(d))
			return false;
	}
}

static bool is_function_next(const struct d_name *d)
{
	return *d->at != 0 && strchr("FUWVRY", *d->at) != NULL;
}

/* Read the type of a function pointer or delegate:
 * "extern(C) int(char) pure function". */
static bool read_function_type(struct d_name *d, const char *kind)
{
	size_t attributes, parameters, result;

	if (!is_function_next(d))
		return false;
	switch (*d->at++) {
	case 'U':
		add(d, "extern(C) ");
		break;
	case 'W':
		add(d, "extern(Windows) ");
		break;
	case 'V':
		add(d, "extern(Pascal) ");
		break;
	case 'R':
		add(d, "extern(C++) ");
		break;
	case 'Y':
		add(d, "extern(Objective-C) ");
		break;
	}
	attributes = d->text.len;
	if (!read_attributes(d))
		return false;
	parameters = d->text.len;
	add(d, "(");
	if (!read_parameters(d))
		return false;
	add(d, ")");
	result = d->text.len;
	if (!read_type(d) || d->text.is_full)
		return false;
	/* From "attributes(parameters)result" to "result(parameters)attributes" */
	const size_t len = d->text.len - result;
	swap_texts(d, attributes, result);
	swap_texts(d, attributes + len, parameters + len);
	add(d, kind);
	return true;
}

/* Read a type in another one: "const(", type, ")". */
static bool read_within(struct d_name *d, const char *before, const char *after)
{
	add(d, before);
	if (!read_type(d))
		return false;
	add(d, after);
	return true;
}

static const char *basic_type(char c)
{
	static const char *const names[] = {
		['v' - 'a'] = "void",         ['g' - 'a'] = "byte",
		['h' - 'a'] = "ubyte",        ['s' - 'a'] = "short",
		['t' - 'a'] = "ushort",       ['i' - 'a'] = "int",
		['k' - 'a'] = "uint",         ['l' - 'a'] = "long",
		['m' - 'a'] = "ulong",        ['f' - 'a'] = "float",
		['d' - 'a'] = "double",       ['e' - 'a'] = "real",
		['o' - 'a'] = "ifloat",       ['p' - 'a'] = "idouble",
		['j' - 'a'] = "ireal",        ['q' - 'a'] = "cfloat",
		['r' - 'a'] = "cdouble",      ['c' - 'a'] = "creal",
		['b' - 'a'] = "bool",         ['a' - 'a'] = "char",
		['u' - 'a'] = "wchar",        ['w' - 'a'] = "dchar",
		['n' - 'a'] = "typeof(null)",
	};

	return c >= 'a' && c <= 'w' ? names[c - 'a'] : NULL;
}

static bool read_pointer(struct d_name *d)
{
	if (is_function_next(d))
		return read_function_type(d, " function");
	return read_within(d, "", "*");
}

static bool read_static_array(struct d_name *d)
{
	const char *const digits = d->at;
	size_t len;

	while (is_digit(*d->at))
		d->at++;
	len = (size_t)(d->at - digits);
	if (len == 0 || !read_within(d, "", "["))
		return false;
	syc_demangle_add(&d->text, digits, len);
	add(d, "]");
	return true;
}

/* Read the key and the value, which become "value[key]". */
static bool read_associative_array(struct d_name *d)
{
	const size_t from = d->text.len;
	size_t middle;

	if (!read_within(d, "[", "]"))
		return false;
	middle = d->text.len;
	if (!read_type(d) || d->text.is_full)
		return false;
	swap_texts(d, from, middle);
	return true;
}

static bool read_tuple(struct d_name *d)
{
	add(d, "Tuple!(");
	for (unsigned n = 0; !take(d, "Z"); n++)
		if (!read_within(d, n > 0 ? ", " : "", ""))
			return false;
	add(d, ")");
	return true;
}

static bool read_delegate(struct d_name *d)
{
	const char *after;
	const char *target;
	bool is_good;

	/* Modifiers of a delegate are rare. */
	if (*d->at != 'Q')
		return read_function_type(d, " delegate");
	target = read_reference(d);
	after = d->at;
	if (target == NULL)
		return false;
	d->at = target;
	is_good = read_function_type(d, " delegate");
	d->at = after;
	return is_good;
}

static bool read_type_reference(struct d_name *d)
{
	const char *const target = read_reference(d);
	const char *const after = d->at;
	bool is_good;

	if (target == NULL)
		return false;
	d->at = target;
	is_good = read_type(d);
	d->at = after;
	return is_good;
}

static bool read_plain_type(struct d_name *d)
{
	const char c = *d->at;
	const char *const basic = basic_type(c);
	bool ignored;

	if (c == 0)
		return false;
	d->at++;
	if (basic != NULL) {
		add(d, basic);
		return true;
	}
	switch (c) {
	case 'O':
		return read_within(d, "shared(", ")");
	case 'x':
		return read_within(d, "const(", ")");
	case 'y':
		return read_within(d, "immutable(", ")");
	case 'N':
		if (take(d, "g"))
			return read_within(d, "inout(", ")");
		if (take(d, "h"))
			return read_within(d, "__vector(", ")");
		if (!take(d, "n"))
			return false;
		add(d, "typeof(*null)");
		return true;
	case 'z':
		if (!take(d, "i") && !take(d, "k"))
			return false;
		add(d, d->at[-1] == 'i' ? "cent" : "ucent");
		return true;
	case 'A':
		return read_within(d, "", "[]");
	case 'G':
		return read_static_array(d);
	case 'H':
		return read_associative_array(d);
	case 'P':
		return read_pointer(d);
	case 'I':
	case 'C':
	case 'S':
	case 'E':
	case 'T':
		return read_qualified(d, &ignored);
	case 'D':
		return read_delegate(d);
	case 'B':
		return read_tuple(d);
	case 'Q':
		d->at--;
		return read_type_reference(d);
	default:
		d->at--;
		return read_function_type(d, " function");
	}
}

static bool read_type(struct d_name *d)
{
	bool is_good;

	d->types++;
	is_good = enter(d) && read_plain_type(d);
	d->types--;
	d->depth--;
	return is_good;
}

/* Read the type of a function without its result: "(int) const". */
static bool read_function(struct d_name *d)
{
	char modifiers[64];
	size_t from = d->text.len, len;

	if (take(d, "M"))
		read_modifiers(d);
	len = d->text.len - from;
	if (len >= sizeof(modifiers) || !is_function_next(d))
		return false;
	memcpy(modifiers, d->text.bytes + from, len);
	d->text.len = from;
	d->at++;
	if (!read_attributes(d))
		return false;
	d->text.len = from;
	add(d, "(");
	if (!read_parameters(d))
		return false;
	add(d, ")");
	if (d->types == 0)
		syc_demangle_add(&d->text, modifiers, len);
	return true;
}

/*
 * Read the parts, with the parameters of functions.  The last part is a
 * function if *@ret_is_function.
 */
static bool read_qualified(struct d_name *d, bool *ret_is_function)
{
	bool is_good = enter(d);

	*ret_is_function = false;
	for (unsigned n = 0; is_good && (n == 0 || is_part_next(d)); n++) {
		if (n > 0)
			add(d, ".");
		is_good = read_identifier(d);
		*ret_is_function = false;
		if (!is_good || (*d->at != 'M' && !is_function_next(d)))
			continue;
		/* Other characters belong to the surrounding type. */
		const struct d_name before = *d;

		*ret_is_function = read_function(d);
		if (!*ret_is_function)
			*d = before;
	}
	d->depth--;
	return is_good;
}

bool syc_demangle_d(const char *name, char *text, size_t size)
{
	struct d_name d = {
		.name = name,
		.at = name + 2,
		.text = { .bytes = text, .size = size },
	};
	bool is_function;
	size_t len;

	if (strcmp(name, "_Dmain") == 0) {
		add(&d, "D main");
		return true;
	}
	if (strncmp(name, "_D", 2) != 0 || !read_qualified(&d, &is_function))
		return false;
	len = d.text.len;
	if (!read_type(&d) || *d.at != 0 || d.text.is_full)
		return false;
	text[len] = 0;
	return true;
}
