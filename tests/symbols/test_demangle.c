/* SPDX-License-Identifier: BSD-2-Clause */
/* test_demangle.c - names of functions as in their source code. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/test.h"
#include "symbols/demangle.h"

static void check(const char *mangled, const char *wanted)
{
	char *name = syc_demangle(mangled);

	CHECK_STR(name, wanted);
	free(name);
}

TEST(rust_legacy_names_lose_their_hash_and_escapes)
{
	check("_ZN4core3fmt5Write9write_fmt17h0123456789abcdefE",
	      "core::fmt::Write::write_fmt");
	check("_ZN46_$LT$a..B$u20$as$u20$core..fmt..Debug$GT$$u7e$3fmt"
	      "17h0123456789abcdefE.llvm.123",
	      "<a::B as core::fmt::Debug>~::fmt");
	check("_ZN3foo17h0123456789abcdefE.cold", "foo.cold");
}

TEST(rust_lookalike_is_demangled_as_cxx)
{
	char text[64];

	/* A name without a valid hash counts as C++. */
	CHECK(!syc_demangle_rust_legacy("_ZN3foo3barE", text, sizeof(text)));
	CHECK(!syc_demangle_rust_legacy("_ZN3foo17h0123456789abcdegE", text,
	                                sizeof(text)));
	CHECK(!syc_demangle_rust_legacy("_ZN99foo17h0123456789abcdefE", text,
	                                sizeof(text)));
	CHECK(!syc_demangle_rust_legacy("_ZN", text, sizeof(text)));
}

TEST(rust_v0_names_become_paths)
{
	check("_RNvC6_123foo3bar", "123foo::bar");
	check("_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar");
	check("_RINvNtC3std3mem8align_ofdE", "std::mem::align_of::<f64>");
	check("_RNCNvC4main4main0s_0B3_", NULL);
	check("_RNCNvC4main4mains_0", "main::main::{closure#1}");
	check("_RNvMNtC1a1bNtB2_3Foo3new", "<a::b::Foo>::new");
	check("_RNvXs_C1aNtB4_3FooNtNtC4core3fmt5Debug3fmt",
	      "<a::Foo as core::fmt::Debug>::fmt");
	check("_RINvC1a1fKj1f_Kb1_Kc61_Kln3_E", "a::f::<31, true, 'a', -3>");
	check("_RINvC1a1fRhQShAtj3_TlETlxEPuOzE",
	      "a::f::<&u8, &mut [u8], [u16; 3], (i32,), (i32, i64), *const (), "
	      "*mut !>");
	check("_RNvC7mycrateu8gdel_5qa", "mycrate::g\xc3\xb6"
	                                 "del");
}

TEST(rust_v0_lifetimes_are_named_by_their_binders)
{
	check("_RINvC1a1fFG0_RL1_hRL0_tEuE",
	      "a::f::<for<'a, 'b> fn(&'a u8, &'b u16)>");
	check("_RINvC1a1fDINtC1b1TlEp4ItemhEL_E",
	      "a::f::<dyn b::T<i32, Item = u8>>");
	check("_RINvC1a1fFUKCEuE", "a::f::<unsafe extern \"C\" fn()>");
}

TEST(d_names_become_declarations)
{
	check("_Dmain", "D main");
	check("_D3std5stdio7writelnFZv", "std.stdio.writeln()");
	check("_D1a1C6__ctorMFiZC1aQq", "a.C.this(int)");
	check("_D1a1S10__postblitMFZv", "a.S.this(this)");
	check("_D1a3fooMxFNaNbKiYv", "a.foo(ref int, ...) const");
	check("_D1a__T3addTiVki3Z3addFHAyaiPG4dZi",
	      "a.add!(int, 3u).add(int[immutable(char)[]], double[4]*)");
	check("_D1a1fFDFNbiZvPUZiZv",
	      "a.f(void(int) nothrow delegate, extern(C) int() function)");
	check("_D1a__T1fVAyaa2_6869Vai99VbN1Z1fFZv", NULL);
	check("_D1a__T1fVAyaa2_6869Vai99Vbi1Z1fFZv",
	      "a.f!(\"hi\", 'c', true).f()");
	check("_D1a1xi", "a.x");
}

TEST(invalid_d_names_stay_unchanged)
{
	char name[2 * SYC_DEMANGLE_MAX];

	check("_D", NULL);
	check("_DYNAMIC", NULL);
	check("_D1a1f", NULL);
	check("_D1a1fFZ", NULL);
	check("_D99a1fFZv", NULL);
	check("_D1a6__initZ", NULL);
	check("_D1a1fFZv.constprop.0", NULL);
	check("_D1aQa", NULL);
	check("_D_", NULL);
	check("_D1a__T", NULL);
	check("_D1aQZZZZZZZZZZZZZZZZZb", NULL);
	check("_D1a1fFQbZv", NULL); /* a reference to itself */
	/* Each array has two of the previous: 2^n without a limit. */
	check("_D1a1fFHiiHQeQgHQgQiHQgQiHQgQiHQgQiHQgQiHQgQiHQgQiHQgQiHQgQi"
	      "HQgQiHQgQiHQgQiHQgQiHQgQiHQgQiHQgQiHQgQiHQgQiHQgQiHQgQiZv",
	      NULL);
	memset(name, 'P', sizeof(name));
	memcpy(name, "_D1a1fF", 7);
	strcpy(name + sizeof(name) - 5, "iZv");
	check(name, NULL);
}

TEST(ocaml_names_become_paths)
{
	check("camlStdlib__List__map_381", "Stdlib.List.map");
	check("camlStdlib__List.map_381", "Stdlib.List.map");
	check("camlW__my__fun_81", "W.my__fun");
	check("camlW__$2b$2b_83", "W.++");
	check("camlW__f$27_87", "W.f'");
	check("camlW__fun_222", "W.fun_222");
	check("camlDune__exe__Main__go_1", "Dune.exe.Main.go");
	check("camlW__entry", "W.entry");
	check("camlStdlib__Sys__Make_184", "Stdlib.Sys.Make");
	check("caml_alloc", NULL);
	check("camlW", NULL);
	check("camlW__", NULL);
	check("camlW__f$2", NULL);
	check("camlW__f$zz_1", NULL);
	check("camlW__f-g_1", NULL);
}

TEST(invalid_rust_v0_names_stay_unchanged)
{
	char text[SYC_DEMANGLE_MAX], name[2 * SYC_DEMANGLE_MAX];

	check("_R", NULL);
	check("_RNvC1a", NULL);
	check("_RNvB_3foo", NULL); /* a reference to itself */
	check("_RNvC18446744073709551616a", NULL);
	check("_RINvC1a1fRL9_hE", NULL); /* this lifetime does not exist */
	/* Deeper than any real nesting. */
	memset(name, 'R', sizeof(name));
	memcpy(name, "_RINvC1a1f", 10);
	name[SYC_DEMANGLE_MAX - 10] = 0;
	CHECK(!syc_demangle_rust_v0(name, text, sizeof(text)));
}

/*
 * B7_ refers to offset 8 behind "_R", which is the first argument of f: B and a
 * number that counts from -1.
 */
TEST(cyclic_back_references_end)
{
	char text[SYC_DEMANGLE_MAX];

	/* The argument is a reference to itself, or a tuple of itself. */
	CHECK(!syc_demangle_rust_v0("_RINvC1a1fB7_E", text, sizeof(text)));
	CHECK(!syc_demangle_rust_v0("_RINvC1a1fTB7_B7_EE", text, sizeof(text)));
	CHECK(!syc_demangle_rust_v0("_RINvC1a1fG0_E", text, sizeof(text)));
}

/* Add a tuple of two references to @offset, which is at most 62 * 62. */
static void add_tuple(char *name, size_t size, size_t offset)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz"
				     "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	const char high = digits[(offset - 1) / 62];
	const char low = digits[(offset - 1) % 62];
	const size_t len = strlen(name);

	snprintf(name + len, size - len, "TB%c%c_B%c%c_E", high, low, high,
	         low);
}

/* Each tuple consists of two references to the tuple before. */
TEST(growth_by_back_references_ends)
{
	char text[SYC_DEMANGLE_MAX];
	char name[512] = "_RINvC1a1fTuuE";
	size_t offset = 8;

	add_tuple(name, sizeof(name), offset);
	strcat(name, "E");
	CHECK(syc_demangle_rust_v0(name, text, sizeof(text)));
	CHECK_STR(text, "a::f::<((), ()), (((), ()), ((), ()))>");

	name[strlen(name) - 1] = '\0';
	for (unsigned i = 0; i < 20; i++) {
		offset = strlen(name) - strlen("TB00_B00_E") - strlen("_R");
		add_tuple(name, sizeof(name), offset);
	}
	strcat(name, "E");
	CHECK(!syc_demangle_rust_v0(name, text, sizeof(text)));
}

TEST(cxx_names_have_their_arguments)
{
	char *name = syc_demangle("_ZNSt6vectorIiSaIiEE9push_backERKi");

	if (syc_demangle_lacks_library())
		SKIP("there is no libstdc++.so.6 here");
	CHECK_STR(name, "std::vector<int, std::allocator<int> >::push_back("
	                "int const&)");
	free(name);
	check("_ZN3foo3barEv", "foo::bar()");
	check("_Zwrong", NULL);
	syc_demangle_finish();
}

TEST(exponential_cxx_name_stays_mangled)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	char name[1024] = "_Z1f1AIiiE", part[32];

	/* Each part contains the previous part twice. */
	for (int i = 0; i < 32; i++) {
		snprintf(part, sizeof(part), "S_IS%c_S%c_E", digits[i],
		         digits[i]);
		strcat(name, part);
	}
	check(name, NULL);
	/* The next name is still right. */
	if (!syc_demangle_lacks_library())
		check("_ZN3foo3barEv", "foo::bar()");
	syc_demangle_finish();
}

static void check_readable(const char *symbol, bool is_plt, const char *wanted)
{
	char *name = syc_readable_name(symbol, is_plt);

	CHECK_STR(name, wanted);
	free(name);
}

TEST(versions_are_removed_and_plt_entries_marked)
{
	check_readable("memcpy@@GLIBC_2.14", false, "memcpy");
	check_readable("memcpy@GLIBC_2.2.5", true, "memcpy@plt");
	check_readable("_RNvC1a1f", true, "a::f@plt");
	check_readable("@", false, "@");
}

TEST(coroutine_bodies_have_the_parameters_of_their_function)
{
	char *name = syc_demangle("_Z1fi");

	free(name);
	if (syc_demangle_lacks_library())
		SKIP("there is no libstdc++.so.6 here");
	check_readable("_ZN2ns1fEPZNS_1fEiE16_ZN2ns1fEi.Frame.actor", false,
	               "ns::f(int) [clone .actor]");
	check_readable("_Z1fPZ1fvE11_Z1fv.Frame.destroy", false,
	               "f() [clone .destroy]");
	/* Similar names do not change */
	check_readable("a(b::_Zc.Frame*) d", false, "a(b::_Zc.Frame*) d");
	check_readable(".Frame*)", false, ".Frame*)");
	syc_demangle_finish();
}

TEST(unprintable_characters_are_replaced)
{
	check_readable("a\nb\xff", false,
	               "a\xef\xbf\xbd"
	               "b\xef\xbf\xbd");
}

TEST(long_names_are_cut_with_a_mark)
{
	char symbol[3 * SYC_READABLE_MAX];
	char *name;

	memset(symbol, 'x', sizeof(symbol));
	symbol[sizeof(symbol) - 1] = 0;
	name = syc_readable_name(symbol, false);
	CHECK(strlen(name) < SYC_READABLE_MAX);
	CHECK(strlen(name) > SYC_READABLE_MAX - 8);
	CHECK_STR(name + strlen(name) - 3, "…");
	free(name);
}

TEST(unnamed_code_is_file_and_offset)
{
	char *name = syc_readable_place("/usr/bin/xz", 0x4fc0);

	CHECK_STR(name, "In File /usr/bin/xz+0x4fc0");
	free(name);
}
