#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# make_api_test.sh [46] [TABLE] - makes a C (and C++) program for
# <sysprof-capture.h>.  The program compiles, links and exits 0 if the header
# and its library match TABLE (api.txt beside this script).  46: omits additions
# after release 3.46, so that headers and library of that release pass too.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
old=0
if [ "${1:-}" = 46 ]; then
	old=1
	shift
fi

awk -v old="$old" '
function fail(why)
{
	printf "%s:%d: %s\n", FILENAME, FNR, why > "/dev/stderr"
	failed = 1
	exit 1
}

# The text after the first n words
function rest(n,   text)
{
	text = $0
	while (n-- > 0 && sub(/^[^ ]+ /, "", text))
		;
	return text
}

function name_of(prototype)
{
	if (!match(prototype, /[a-z_0-9]+ \(/))
		fail("no prototype")
	return substr(prototype, RSTART, RLENGTH - 2)
}

function pointer(prototype, name, to)
{
	sub(name " [(]", "(*const " to ")(", prototype)
	return prototype
}

function unnamed(prototype, name)
{
	sub(name " ", "", prototype)
	return prototype
}

function check_function(prototype, in_library,   name)
{
	name = name_of(prototype)
	printf "static %s UNUSED = %s;\n",
		pointer(prototype, name, "type_" FNR), name
	printf "SAME(\"%s\", %s, %s);\n", name, name, unnamed(prototype, name)
	if (in_library)
		functions[++n_functions] = name
}

BEGIN {
	print "/* Made by make_api_test.sh from api.txt. */"
	print "#ifndef _GNU_SOURCE"
	print "#define _GNU_SOURCE /* headers of 3.46 need it */"
	print "#endif"
	print "#include <stddef.h>"
	print "#include <stdint.h>"
	print "#include <stdio.h>"
	print "#include <stdlib.h>"
	print "#include <string.h>"
	print "#include <sysprof-capture.h>"
	print ""
	print "#ifdef __cplusplus"
	print "#define TRUE_OF(name, expr) static_assert(expr, name)"
	print "#define ALIGNMENT(t) alignof(t)"
	print "#define SAME(name, type, t)"
	print "#else"
	print "#define TRUE_OF(name, expr) _Static_assert(expr, name)"
	print "#define ALIGNMENT(t) _Alignof(t)"
	print "#define SAME(name, type, ...) \\"
	print "\t_Static_assert(__builtin_types_compatible_p( \\"
	print "\t\t__typeof__(type), __VA_ARGS__), name)"
	print "#endif"
	print "#define MEMBER(s, m) (((s *)0)->m)"
	print "#define UNUSED __attribute__((unused))"
	print ""
}

/^#/ || /^$/ { next }
$2 != "3.46" && $2 != "45" && $2 != "syscap" { fail("since " $2 "?") }
old && $2 != "3.46" { next }

$1 == "function" { check_function(rest(2), 1); next }
$1 == "inline" { check_function(rest(2), 0); next }
$1 == "variable" {
	printf "static const %s *const variable_%d UNUSED = &%s;\n",
		$3, FNR, $4
	variables[++n_variables] = $4
	next
}
$1 == "macro" {
	printf "#ifndef %s\n#error \"%s is not defined\"\n#endif\n", $3, $3
	next
}
$1 == "number" {
	printf "#if %s != %s\n#error \"%s is another\"\n#endif\n",
		$3, rest(3), $3
	printf "TRUE_OF(\"%s\", (%s) == (%s));\n", $3, $3, rest(3)
	next
}
$1 == "value" {
	printf "TRUE_OF(\"%s\", (%s) == (%s));\n", $3, $3, rest(3)
	next
}
$1 == "run" {
	n_values++
	values[n_values] = rest(3)
	names[n_values] = $3
	next
}
$1 == "string" {
	printf "TRUE_OF(\"%s\", sizeof(%s) == sizeof(%s));\n", $3, $3, rest(3)
	strings[++n_strings] = $3 ", " rest(3)
	next
}
$1 == "type" {
	printf "TRUE_OF(\"%s\", sizeof(%s) == sizeof(%s));\n", $3, $3, rest(3)
	printf "SAME(\"%s\", %s, %s);\n", $3, $3, rest(3)
	next
}
$1 == "opaque" {
	printf "static %s *const opaque_%d UNUSED = 0;\n", $3, FNR
	next
}
$1 == "struct" {
	printf "TRUE_OF(\"%s\", sizeof(%s) == %d);\n", $3, $3, $4
	next
}
$1 == "aligned" {
	printf "TRUE_OF(\"%s\", ALIGNMENT(%s) == %d);\n", $3, $3, $4
	next
}
$1 == "member" {
	printf "TRUE_OF(\"%s.%s\", offsetof(%s, %s) == %d);\n",
		$3, $5, $3, $5, $4
	printf "SAME(\"%s.%s\", MEMBER(%s, %s), %s);\n",
		$3, $5, $3, $5, rest(5)
	next
}
$1 == "bits" {
	bits[++n_bits] = $3 ", " $6 ", " $4 ", " $5
	next
}
{ fail("what is " $1 "?") }

END {
	if (failed)
		exit 1
	print ""
	print "static int n_wrong;"
	print ""
	print "static void check(int is_right, const char *what)"
	print "{"
	print "\tif (is_right)"
	print "\t\treturn;"
	print "\tfprintf(stderr, \"%s is another\\n\", what);"
	print "\tn_wrong++;"
	print "}"
	print ""
	print "/* The number in its byte of the bit at i, in the order in which"
	print " * compilers allocate bit-fields. */"
	print "#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__"
	print "#define BIT(i) (7 - (i) % 8)"
	print "#else"
	print "#define BIT(i) ((i) % 8)"
	print "#endif"
	print ""
	print "/* Whether the bits that are set are width ones from first on. */"
	print "static int has_bits(const void *data, size_t size, size_t first,"
	print "                    size_t width)"
	print "{"
	print "\tconst unsigned char *byte = (const unsigned char *)data;"
	print "\tsize_t i;"
	print ""
	print "\tfor (i = 0; i < size * 8; i++) {"
	print "\t\tif ((byte[i / 8] >> BIT(i) & 1) !="
	print "\t\t    (i >= first && i < first + width))"
	print "\t\t\treturn 0;"
	print "\t}"
	print "\treturn 1;"
	print "}"
	print ""
	print "/* All ones, and one more: none, where the width is right. */"
	print "#define BITS(s, m, first, width) do { \\"
	print "\ts *x = (s *)calloc(1, sizeof(s)); \\"
	print "\tx->m = UINT32_MAX >> (32 - (width)); \\"
	print "\tcheck(has_bits(x, sizeof(s), first, width), #s \".\" #m); \\"
	print "\tx->m++; \\"
	print "\tcheck(has_bits(x, sizeof(s), 0, 0), #s \".\" #m); \\"
	print "\tfree(x); \\"
	print "} while (0)"
	print ""
	print "static const struct {"
	print "\tconst char *name;"
	print "\tvoid (*function)(void);"
	print "} functions[] = {"
	for (i = 1; i <= n_functions; i++)
		printf "\t{ \"%s\", (void (*)(void))%s },\n",
			functions[i], functions[i]
	print "};"
	print ""
	print "int main(void)"
	print "{"
	print "\tsize_t n_functions = sizeof(functions) / sizeof(*functions);"
	print "\tvoid (*volatile function)(void);"
	print "\tsize_t i;"
	print ""
	print "\tfor (i = 0; i < n_functions; i++) {"
	print "\t\tfunction = functions[i].function;"
	print "\t\tcheck(function != 0, functions[i].name);"
	print "\t}"
	for (i = 1; i <= n_variables; i++)
		printf "\tcheck(sizeof(%s) > 0, \"%s\");\n",
			variables[i], variables[i]
	for (i = 1; i <= n_values; i++)
		printf "\tcheck((%s) == (%s), \"%s\");\n", names[i],
			values[i], names[i]
	for (i = 1; i <= n_strings; i++)
		printf "\tcheck(strcmp(%s) == 0, \"%s\");\n", strings[i],
			substr(strings[i], 1, index(strings[i], ",") - 1)
	for (i = 1; i <= n_bits; i++)
		printf "\tBITS(%s);\n", bits[i]
	print "\tif (!n_wrong)"
	print "\t\tprintf(\"%zu functions\\n\", n_functions);"
	print "\treturn n_wrong ? 1 : 0;"
	print "}"
}' "${1:-$here/api.txt}"
