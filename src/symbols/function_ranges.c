/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * function_ranges.c - disjoint address ranges of functions, and ranges in
 * .eh_frame.
 */
#define _GNU_SOURCE
#include <string.h>

#include "symbols/elf_symbols.h"

static int compare(const void *left, const void *right)
{
	const struct syc_range *a = left, *b = right;

	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	return (a->end < b->end) - (a->end > b->end);
}

void syc_ranges_sort(struct syc_ranges *ranges)
{
	if (ranges->array.n > 0)
		qsort(ranges->array.items, ranges->array.n,
		      sizeof(*ranges->array.items), compare);
}

static int push_piece(struct syc_ranges *to, const struct syc_range *of,
                      uint64_t begin, uint64_t end)
{
	struct syc_range piece = *of;

	if (begin >= end)
		return 0;
	piece.begin = begin;
	piece.end = end;
	return syc_array_push(&to->array, piece);
}

/* Ranges that contain the current position of the sweep. */
struct open_ranges {
	SYC_ARRAY(const struct syc_range *) stack;
};

/* Write the ranges that cover [@at, @until). */
static int cover(struct syc_ranges *to, struct open_ranges *open, uint64_t *at,
                 uint64_t until)
{
	while (open->stack.n > 0) {
		const struct syc_range *top =
			open->stack.items[open->stack.n - 1];
		const uint64_t end = top->end < until ? top->end : until;

		if (push_piece(to, top, *at, end) < 0)
			return -ENOMEM;
		if (end > *at)
			*at = end;
		if (top->end > until)
			return 0;
		open->stack.n--;
	}
	return 0;
}

int syc_ranges_flatten(struct syc_ranges *ranges)
{
	struct syc_ranges result = { 0 };
	struct open_ranges open = { 0 };
	uint64_t at = 0;
	int r = 0;

	for (size_t i = 0; r == 0 && i < ranges->array.n; i++) {
		const struct syc_range *range = &ranges->array.items[i];

		r = cover(&result, &open, &at, range->begin);
		at = range->begin;
		if (r == 0)
			r = syc_array_push(&open.stack, range);
	}
	if (r == 0)
		r = cover(&result, &open, &at, UINT64_MAX);
	free(open.stack.items);
	if (r < 0) {
		syc_ranges_fini(&result);
		return r;
	}
	syc_ranges_fini(ranges);
	*ranges = result;
	return 0;
}

int syc_ranges_fill(struct syc_ranges *ranges, const struct syc_ranges *more)
{
	struct syc_ranges result = { 0 };
	const size_t n = ranges->array.n;
	uint64_t taken = 0; /* addresses up to this one are resolved */
	size_t i = 0;
	int r = 0;

	for (size_t j = 0; r == 0 && j < more->array.n; j++) {
		const struct syc_range *add = &more->array.items[j];

		if (taken < add->begin)
			taken = add->begin;
		while (r == 0 && i < n &&
		       ranges->array.items[i].begin < add->end) {
			const struct syc_range *old = &ranges->array.items[i++];

			r = push_piece(&result, add, taken, old->begin);
			if (r == 0)
				r = syc_array_push(&result.array, *old);
			if (taken < old->end)
				taken = old->end;
		}
		if (r == 0)
			r = push_piece(&result, add, taken, add->end);
		if (taken < add->end)
			taken = add->end;
	}
	while (r == 0 && i < n)
		r = syc_array_push(&result.array, ranges->array.items[i++]);
	if (r < 0) {
		syc_ranges_fini(&result);
		return r;
	}
	syc_ranges_fini(ranges);
	*ranges = result;
	return 0;
}

/* Return the number of ranges that begin at or before @address. */
static size_t count_up_to(const struct syc_ranges *ranges, uint64_t address)
{
	size_t low = 0, high = ranges->array.n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (ranges->array.items[middle].begin <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

const struct syc_range *syc_ranges_find(const struct syc_ranges *ranges,
                                        uint64_t address)
{
	const size_t n = count_up_to(ranges, address);

	if (n == 0 || address >= ranges->array.items[n - 1].end)
		return NULL;
	return &ranges->array.items[n - 1];
}

uint64_t syc_ranges_next(const struct syc_ranges *ranges, uint64_t address)
{
	const size_t n = count_up_to(ranges, address);

	return n < ranges->array.n ? ranges->array.items[n].begin : UINT64_MAX;
}

void syc_ranges_fini(struct syc_ranges *ranges)
{
	free(ranges->array.items);
	memset(ranges, 0, sizeof(*ranges));
}

/*
 * .eh_frame is a sequence of records.  A CIE defines the encoding of the
 * addresses in its FDEs.  Each FDE describes one function.  Stripped files
 * still have these records, which exceptions need.
 */

/* DW_EH_PE_...: encodings of addresses. */
enum {
	FORM = 0x0f,
	FORM_WORD = 0x00,
	FORM_U16 = 0x02,
	FORM_U32 = 0x03,
	FORM_U64 = 0x04,
	FORM_S16 = 0x0a,
	FORM_S32 = 0x0b,
	FORM_S64 = 0x0c,
	BASE = 0x70,
	BASE_NONE = 0x00,
	BASE_HERE = 0x10,
	INDIRECT = 0x80,
	OMITTED = 0xff
};

/* Greatest length of an augmentation of any compiler. */
#define AUGMENTATION_MAX 16u
#define LEB_MAX          10u

struct bytes {
	const unsigned char *at, *end;
};

struct cie {
	uint64_t offset; /* offset of the CIE, or UINT64_MAX */
	unsigned char encoding;
	bool is_known, is_signal;
};

struct eh_walk {
	const struct syc_elf *elf;
	const unsigned char *section;
	uint64_t size, address;
	struct cie cie; /* the latest CIE, which the CIE's FDEs follow */
	struct syc_ranges *functions, *signals;
};

static bool take_leb(struct bytes *bytes)
{
	for (unsigned i = 0; i < LEB_MAX && bytes->at < bytes->end; i++)
		if ((*bytes->at++ & 0x80) == 0)
			return true;
	return false;
}

static bool take_number(const struct syc_elf *elf, struct bytes *bytes,
                        unsigned form, uint64_t *ret_value)
{
	const size_t left = (size_t)(bytes->end - bytes->at);
	const unsigned char *p = bytes->at;
	size_t size;

	if (form == FORM_U16 || form == FORM_S16)
		size = 2;
	else if (form == FORM_U32 || form == FORM_S32)
		size = 4;
	else if (form == FORM_U64 || form == FORM_S64)
		size = 8;
	else if (form == FORM_WORD)
		size = elf->is_64 ? 8 : 4;
	else
		return false;
	if (left < size)
		return false;
	bytes->at += size;
	if (size == 8)
		*ret_value = syc_elf_u64(elf, p);
	else if (size == 4)
		*ret_value = form == FORM_S32
		                     ? (uint64_t)(int32_t)syc_elf_u32(elf, p)
		                     : syc_elf_u32(elf, p);
	else
		*ret_value = form == FORM_S16
		                     ? (uint64_t)(int16_t)syc_elf_u16(elf, p)
		                     : syc_elf_u16(elf, p);
	return true;
}

/* Skip the data of the augmentation's characters, up to the address encoding.
 */
static bool read_augmentation(const struct syc_elf *elf, struct bytes *data,
                              const char *letters, struct cie *cie)
{
	uint64_t ignored;

	for (; *letters != 0; letters++) {
		if (*letters == 'S') {
			cie->is_signal = true;
		} else if (*letters == 'R') {
			if (data->at == data->end)
				return false;
			cie->encoding = *data->at++;
		} else if (*letters == 'L') {
			if (data->at == data->end)
				return false;
			data->at++;
		} else if (*letters == 'P') {
			unsigned form;

			if (data->at == data->end)
				return false;
			form = *data->at++ & FORM;
			if (!take_number(elf, data, form, &ignored))
				return false;
		} else if (*letters != 'B' && *letters != 'G') {
			return false;
		}
	}
	return true;
}

/* Read the part of a CIE after its id. */
static bool read_cie(const struct syc_elf *elf, struct bytes bytes,
                     struct cie *cie)
{
	char letters[AUGMENTATION_MAX];
	size_t len = 0;
	unsigned version;

	cie->encoding = FORM_WORD;
	cie->is_signal = false;
	if (bytes.at == bytes.end)
		return false;
	version = *bytes.at++;
	if (version != 1 && version != 3 && version != 4)
		return false;
	do {
		if (bytes.at == bytes.end || len == sizeof(letters))
			return false;
		letters[len] = (char)*bytes.at++;
	} while (letters[len++] != 0);
	if (version == 4) { /* sizes of addresses and segments */
		if (bytes.end - bytes.at < 2)
			return false;
		bytes.at += 2;
	}
	/* Skip the alignment factors of code and data, and the return address
	 * register. */
	if (!take_leb(&bytes) || !take_leb(&bytes))
		return false;
	if (version != 1) {
		if (!take_leb(&bytes))
			return false;
	} else if (bytes.at == bytes.end) {
		return false;
	} else {
		bytes.at++;
	}
	if (letters[0] == 0)
		return true;
	return letters[0] == 'z' && take_leb(&bytes) &&
	       read_augmentation(elf, &bytes, letters + 1, cie);
}

/*
 * Get the bytes after the length of the record at @offset, and store the offset
 * of the next record.  Returns false at the end.
 */
static bool take_record(const struct eh_walk *walk, uint64_t offset,
                        struct bytes *ret_bytes, uint64_t *ret_next)
{
	uint64_t at = offset, len;

	if (walk->size - at < 4)
		return false;
	len = syc_elf_u32(walk->elf, walk->section + at);
	at += 4;
	if (len == UINT32_MAX) {
		if (walk->size - at < 8)
			return false;
		len = syc_elf_u64(walk->elf, walk->section + at);
		at += 8;
	}
	if (len > walk->size - at)
		return false;
	ret_bytes->at = walk->section + at;
	ret_bytes->end = ret_bytes->at + len;
	*ret_next = at + len;
	return true;
}

static bool find_cie(struct eh_walk *walk, uint64_t offset)
{
	struct bytes bytes;
	uint64_t next;

	if (walk->cie.offset == offset)
		return walk->cie.is_known;
	walk->cie.offset = offset;
	walk->cie.is_known = false;
	if (offset >= walk->size || !take_record(walk, offset, &bytes, &next) ||
	    bytes.end - bytes.at < 4 || syc_elf_u32(walk->elf, bytes.at) != 0)
		return false;
	bytes.at += 4;
	walk->cie.is_known = read_cie(walk->elf, bytes, &walk->cie);
	return walk->cie.is_known;
}

static int read_fde(struct eh_walk *walk, struct bytes bytes)
{
	const unsigned char encoding = walk->cie.encoding;
	const uint64_t here =
		walk->address + (uint64_t)(bytes.at - walk->section);
	struct syc_range range = { 0 };
	uint64_t begin, size;

	if (encoding == OMITTED || (encoding & INDIRECT) != 0 ||
	    ((encoding & BASE) != BASE_NONE && (encoding & BASE) != BASE_HERE))
		return 0;
	if (!take_number(walk->elf, &bytes, encoding & FORM, &begin) ||
	    !take_number(walk->elf, &bytes, encoding & FORM & 7, &size))
		return 0;
	if ((encoding & BASE) == BASE_HERE)
		begin += here;
	if (!walk->elf->is_64)
		begin &= UINT32_MAX;
	if (begin == 0 || size == 0 || size > UINT64_MAX - begin)
		return 0; /* the linker removed the function */
	range.begin = begin;
	range.end = begin + size;
	if (walk->cie.is_signal && syc_array_push(&walk->signals->array, range))
		return -ENOMEM;
	return syc_array_push(&walk->functions->array, range);
}

static int walk_records(struct eh_walk *walk)
{
	uint64_t at = 0, next;
	struct bytes bytes;
	int r = 0;

	while (r == 0 && at < walk->size &&
	       take_record(walk, at, &bytes, &next)) {
		uint64_t id_at;
		uint32_t back;

		at = next;
		if (bytes.end - bytes.at <
		    4) /* zero is padding of some linkers */
			continue;
		id_at = (uint64_t)(bytes.at - walk->section);
		back = syc_elf_u32(walk->elf, bytes.at);
		bytes.at += 4;
		if (back != 0 && back <= id_at && find_cie(walk, id_at - back))
			r = read_fde(walk, bytes);
	}
	return r;
}

int syc_elf_eh_read(const struct syc_elf *elf, struct syc_ranges *functions,
                    struct syc_ranges *signals)
{
	const struct syc_elf_section *section = syc_elf_find(elf, ".eh_frame");
	struct eh_walk walk = {
		.elf = elf,
		.cie = { .offset = UINT64_MAX },
		.functions = functions,
		.signals = signals,
	};
	unsigned char *bytes;
	int r;

	if (section == NULL)
		return 0;
	r = syc_elf_read_section(elf, section, &bytes);
	if (r < 0)
		return r == -ENOMEM ? r : 0;
	walk.section = bytes;
	walk.size = section->size;
	walk.address = section->address;
	r = walk_records(&walk);
	free(bytes);
	return r;
}
