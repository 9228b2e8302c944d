/* SPDX-License-Identifier: BSD-2-Clause */
/* test_function_name.c - a function's name that is the same in every build. */
#include <string.h>

#include "compare/comparison.h"
#include "harness/test.h"

static void check(const char *name, const char *expected)
{
	char text[200];

	strcpy(text, name);
	syc_function_name_strip(text);
	CHECK_STR(text, expected);
}

TEST(compiler_suffixes_removed)
{
	check("work.isra.0", "work");
	check("work.constprop.12", "work");
	check("work.part.0.cold", "work");
	check("work.cold.3", "work");
	check("work.constprop.0.isra.0", "work");
	check("work.lto_priv.0", "work");
	check("work.llvm.1234567890", "work");
	check("work.localalias", "work");
	check("ns::work(int) [clone .isra.0] [clone .cold]", "ns::work(int)");
}

TEST(rust_hashes_removed)
{
	check("core::fmt::write::h0123456789abcdef", "core::fmt::write");
	check("_ZN4core3fmt5write17h0123456789abcdefE", "_ZN4core3fmt5write");
	check("core[0123456789abcdef]::fmt::write", "core::fmt::write");
	check("<a[fedcba9876543210]::B as c[00112233445566aa]::D>::e",
	      "<a::B as c::D>::e");
}

TEST(similar_names_unchanged)
{
	check("", "");
	check("work", "work");
	check(".cold", ".cold");
	check("partial.part", "partial.part");
	check("work.0", "work.0");
	check("work.partial.0", "work.partial.0");
	check("operator[]", "operator[]");
	check("[no stack]", "[no stack]");
	check("f(int [3])", "f(int [3])");
	check("x[clone]", "x[clone]");
	check("hash::h0123456789abcde", "hash::h0123456789abcde");
	check("leaf (a.script:3)", "leaf (a.script:3)");
	check("memcpy@plt", "memcpy@plt");
}
