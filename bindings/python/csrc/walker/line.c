/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * line.c - the line of an instruction, without a call into Python (walker.h).
 *
 * A code object's table has an entry for each run of instructions, in their
 * order.  An entry is a byte with the top bit set, with kind and number of
 * instructions, and then bytes without the top bit.  An entry has its line as a
 * difference to the previous entry's line, so a search reads all entries.
 *
 * Most frames are at the instruction of the last tick, so a cache holds words
 * with the line and a hash of the search's inputs.
 */
#include "walker/walker.h"

#define N_KEPT    4096u
#define LINE_BITS 24

/* Larger functions, of some 5,000 instructions, get no line, since a tick would
 * take longer than twenty other ticks. */
#define TABLE_MAX 16384

enum {
	ONE_LINE = 10,
	NO_COLUMNS = 13,
	WITH_COLUMNS = 14,
	NO_LINE = 15
};

struct table {
	const uint8_t *at, *end;
};

static bool table_open(const PyCodeObject *code, bool careful,
                       struct table *ret)
{
	PyObject *const object = code->co_linetable;
	const PyBytesObject *const bytes = (const PyBytesObject *)object;

	if (careful &&
	    !object_is_sound(object, &PyBytes_Type, sizeof(PyBytesObject)))
		return false;
	const Py_ssize_t n = bytes->ob_base.ob_size;
	if (n <= 0 || n > TABLE_MAX ||
	    (careful && !bridge->readable(bytes->ob_sval, (size_t)n)))
		return false;
	ret->at = (const uint8_t *)bytes->ob_sval;
	ret->end = ret->at + n;
	return true;
}

/* A number with its sign in the lowest bit, six bits per byte. */
static int take_signed(struct table *table)
{
	unsigned number = 0, shift = 0;

	while (table->at < table->end && shift < 30) {
		const uint8_t byte = *table->at++;

		number |= (byte & 63u) << shift;
		shift += 6;
		if ((byte & 64) == 0)
			break;
	}
	return (number & 1) != 0 ? -(int)(number >> 1) : (int)(number >> 1);
}

static void skip_rest(struct table *table)
{
	while (table->at < table->end && (*table->at & 0x80) == 0)
		table->at++;
}

static int find_line(const PyCodeObject *code, ptrdiff_t instruction,
                     bool careful)
{
	struct table table;
	int line = code->co_firstlineno;

	if (!table_open(code, careful, &table))
		return 0;
	while (table.at < table.end) {
		const uint8_t head = *table.at++;
		const int kind = head >> 3 & 15;

		if (kind == NO_COLUMNS || kind == WITH_COLUMNS)
			line += take_signed(&table);
		else if (kind >= ONE_LINE && kind < NO_COLUMNS)
			line += kind - ONE_LINE;
		instruction -= (head & 7) + 1;
		if (instruction < 0)
			return kind == NO_LINE ? 0 : line;
		skip_rest(&table);
	}
	return 0;
}

static uint64_t mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9E3779B97F4A7C15);
	return hash ^ hash >> 32;
}

/* Includes the table and the first line, since other code may reuse the address
 * of freed code. */
static uint64_t hash_of(const PyCodeObject *code, ptrdiff_t instruction)
{
	uint64_t hash = mix((uintptr_t)code, (uint64_t)instruction);

	hash = mix(hash, (uintptr_t)code->co_linetable);
	return mix(hash, (uint64_t)code->co_firstlineno);
}

/* Handlers of many threads read and write the cached words, each by one
 * access. */
int code_line(const PyCodeObject *code, ptrdiff_t instruction, bool careful)
{
	static uint64_t kept[N_KEPT];
	const uint64_t line_mask = (UINT64_C(1) << LINE_BITS) - 1;

	if (instruction < 0)
		return 0;
	const uint64_t hash = hash_of(code, instruction);
	uint64_t *const at = &kept[hash % N_KEPT];
	const uint64_t known = __atomic_load_n(at, __ATOMIC_RELAXED);
	if (((known ^ hash) & ~line_mask) == 0)
		return (int)(known & line_mask);
	const int line = find_line(code, instruction, careful);
	if (line >= 0 && (uint64_t)line <= line_mask)
		__atomic_store_n(at, (hash & ~line_mask) | (uint64_t)line,
		                 __ATOMIC_RELAXED);
	return line;
}
