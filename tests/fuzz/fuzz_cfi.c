/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_cfi.c - searches for a pc in tables of any bytes, and runs of the rules.
 *
 * The input is three numbers of 8 bytes: the lowest address of the tables, the
 * address of .eh_frame_hdr, and the pc; then the tables.
 * tests/unwind/cfi_corpus.sh made corpus/cfi from real libraries.  For any
 * bytes, parsing ends, stays within the input, and has a consistent result.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "unwind/cfi.h"
#include "unwind/eh_frame.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uintptr_t sink;

static void demand(bool condition)
{
	if (!condition)
		abort();
}

static uint64_t take_u64(const uint8_t *data, unsigned i)
{
	uint64_t value;

	memcpy(&value, data + 8 * i, sizeof(value));
	return value;
}

/* Memory: a few of eight addresses are unreadable, and the other addresses have
 * a value. */
static bool load(void *user, uintptr_t at, unsigned size, uintptr_t *ret_value)
{
	demand(size == 1 || size == 2 || size == 4 || size == 8);
	*(unsigned *)user += 1;
	if ((at >> 4 & 7) == 3)
		return false;
	*ret_value = at * UINT64_C(0x9E3779B97F4A7C15);
	return true;
}

static void evaluate(struct syc_bytes *bytes, uintptr_t at,
                     const struct syc_regs *regs, const uintptr_t *first)
{
	unsigned n_loads = 0;
	struct syc_expr_env env = { .regs = regs, .load = load };
	uintptr_t value = 0x5A5A;

	env.user = &n_loads;

	const int error = syc_expr_eval(bytes, at, &env, first, &value);

	demand(error == 0 || error == -EINVAL || error == -EFAULT ||
	       error == -ENODATA);
	demand(error == 0 || value == 0x5A5A);
	demand(n_loads < 100000);
	sink += value;
}

static void evaluate_row(struct syc_bytes *bytes, const struct syc_row *row)
{
	const uintptr_t cfa = 0x7FFFFFFF0000;
	struct syc_regs regs = { .known = UINT64_C(0xFFF0F) };

	for (unsigned i = 0; i < SYC_MACHINE_REGS; i++)
		regs.r[i] = 0x7FFF00000000 + 8 * i;
	if (row->cfa_expr != 0)
		evaluate(bytes, row->cfa_expr, &regs, NULL);
	else
		demand(row->cfa_reg < SYC_MACHINE_REGS);
	for (unsigned reg = 0; reg < SYC_MACHINE_REGS; reg++) {
		const struct syc_row_rule rule = syc_row_get(row, reg);
		const enum syc_row_kind kind = syc_row_kind(rule);

		demand(kind <= SYC_ROW_IS_EXPR);
		if (kind == SYC_ROW_AT_EXPR || kind == SYC_ROW_IS_EXPR)
			evaluate(bytes, (uintptr_t)syc_row_value(rule), &regs,
			         &cfa);
	}
}

static void look_up(struct syc_bytes *bytes, uintptr_t header, uintptr_t pc)
{
	struct syc_fde fde;
	struct syc_row row;
	const int error = syc_eh_frame_find(bytes, header, pc, &fde);

	demand(error == 0 || error == -ENOENT || error == -EINVAL);
	if (error != 0)
		return;
	demand(pc >= fde.begin && pc < fde.end);
	demand(fde.program <= fde.program_end && fde.common <= fde.common_end);
	demand(fde.program_end <= bytes->high && fde.program >= bytes->low);
	demand(fde.common_end <= bytes->high && fde.common >= bytes->low);
	for (uintptr_t at = fde.begin; at < fde.end && at < fde.begin + 64;
	     at += 5)
		if (syc_row_find(bytes, &fde, at, &row) == 0)
			evaluate_row(bytes, &row);
	if (syc_row_find(bytes, &fde, pc, &row) == 0)
		evaluate_row(bytes, &row);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct syc_bytes bytes;
	struct syc_fde fde;
	struct syc_row row;

	if (size < 24)
		return 0;

	/* Modules lie in the lower half, and their end does not overflow. */
	const uintptr_t low = take_u64(data, 0) & UINT64_C(0x7FFFFFFFFFFF);
	const uintptr_t header = take_u64(data, 1);
	const uintptr_t pc = take_u64(data, 2);

	data += 24;
	size -= 24;
	syc_bytes_init_array(&bytes, low, data, size);
	look_up(&bytes, header, pc);
	look_up(&bytes, low, pc);
	/* Looks up each valid entry of the table directly, without a search. */
	for (size_t i = 12; i + 8 <= size && i < 12 + 8 * 16; i += 8) {
		int32_t pair[2];

		memcpy(pair, data + i, sizeof(pair));
		look_up(&bytes, low, low + (uintptr_t)(intptr_t)pair[0] + 1);
		if (parse_entry(&bytes, low + (uintptr_t)(intptr_t)pair[1],
		                &fde) == 0 &&
		    syc_row_find(&bytes, &fde, fde.begin + 3, &row) == 0)
			evaluate_row(&bytes, &row);
	}
	return 0;
}
