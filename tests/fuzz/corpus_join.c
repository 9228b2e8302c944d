/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * corpus_join.c - captures to join.  cat/reference.sh also uses `left` and
 * `right`: the common content of two recordings, in frame types that every
 * reader supports.
 */
#include <string.h>

#include "corpus.h"

/* A table of one symbol; see join.h of the library. */
static void add_symbols(struct make_capture *capture, uint64_t addr)
{
	struct make_capture table = { .big = capture->big };

	make_u64(&table, addr);
	make_u64(&table, addr + 16);
	make_u32(&table, 7);
	make_u32(&table, 65);
	make_u64(&table, 0);
	make_zeros(&table, 33);
	make_text(&table, "main");
	make_timestamp(capture, 1029);
	make_file_chunk(capture, 1030, true, "__symbols__", table.data,
	                (unsigned)table.size);
	make_free(&table);
}

static void one_side(struct make_capture *capture, bool big, const char *names,
                     uint64_t addr)
{
	const uint64_t jit = UINT64_C(0xE000000000000001);
	const uint64_t stack[] = { jit, 0x401000, jit + 1, 0xE0000001 };
	const struct make_counter counters[] = {
		{ "memory", names, "bytes in use", 1, 0, 5 },
		{ "load", names, "", 2, 1, make_double(0.5) },
	};
	const struct make_counter other = { "memory", "else", "", 1, 0, 0 };
	const char *jit_names[] = { names, "eval" };
	const uint32_t ids[] = { 0, 1, 2, 77 };
	const uint64_t values[] = { 0, 4, make_double(2.25), 6 };

	make_begin(capture, big, 1000, 9000);
	make_process(capture, 7, 1001, names);
	make_map(capture, 7, 1002, 0x400000, 0x500000, "/usr/bin/demo",
	         "00ff12");
	make_index(capture, 1003, 0);
	make_ctrset(capture, 7, 1004, ids, values, 4);
	make_ctrdef(capture, 7, 1005, counters, 2);
	make_ctrdef(capture, 7, 1006, counters, 1);
	make_ctrdef(capture, 7, 1007, &other, 1);
	make_ctrset(capture, 8, 1008, ids, values, 4);
	make_jitmap(capture, 1009, jit, jit_names, 2);
	make_jitmap(capture, 1010, 0xE0000001, jit_names, 1);
	make_stack(capture, 2, 7, 7, 1011, false, stack, 4);
	make_allocation(capture, 7, 7, 1012, 0xABC0, 64, stack, 4);
	make_metadata(capture, 1013, "demo.version", "1.2.3");
	make_log(capture, 7, 1014, 16, "Demo", "careful");
	make_mark(capture, 7, 7, 1015, 500, "render", "frame", names);
	make_file_chunk(capture, 1016, false, "/proc/x", "abcd", 4);
	make_file_chunk(capture, 1017, true, "/proc/x", names,
	                (unsigned)strlen(names));
	make_file_chunk(capture, 1018, true, "/proc/same", "same", 4);
	add_symbols(capture, addr);
	make_exit(capture, 7, 1031);
}

static void left(struct make_capture *capture)
{
	one_side(capture, false, "left", 0x401000);
}

static void right(struct make_capture *capture)
{
	one_side(capture, true, "right", 0x402000);
}

/* The form of fuzz_join.c: a length, a capture, another capture. */
static void put_pair(struct make_capture *capture, struct make_capture *first,
                     struct make_capture *second)
{
	memset(capture, 0, sizeof(*capture));
	make_u32(capture, (uint32_t)first->size);
	make_bytes(capture, first->data, first->size);
	make_bytes(capture, second->data, second->size);
	make_free(first);
	make_free(second);
}

static void pair(struct make_capture *capture)
{
	struct make_capture first, second;

	left(&first);
	right(&second);
	put_pair(capture, &first, &second);
}

static void everything_twice(struct make_capture *capture)
{
	struct make_capture first, second;

	make_everything(&first, false);
	make_everything(&second, true);
	put_pair(capture, &first, &second);
}

const struct corpus_case corpus_join[] = {
	{ "left.syscap", left, false },
	{ "right.syscap", right, false },
	{ "pair.syscap", pair, false },
	{ "everything_twice.syscap", everything_twice, false },
	{ 0 },
};
