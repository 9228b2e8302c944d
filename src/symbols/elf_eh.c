/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf_eh.c - where functions begin and end, as .eh_frame has it.
 *
 * The section is a row of records.  A CIE tells how the addresses in the FDEs
 * that refer to it are written; each FDE tells of one function.  Stripping
 * leaves them, as exceptions need them.
 */
#include "symbols/elf_eh.h"

#include <string.h>

/* DW_EH_PE_...: how an address is written. */
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

/* Longer texts and numbers are no compiler's. */
#define AUGMENTATION_MAX 16u
#define LEB_MAX          10u

struct bytes {
	const unsigned char *at, *end;
};

struct cie {
	uint64_t offset; /* UINT64_MAX: none yet */
	unsigned char encoding;
	bool is_known, is_signal;
};

struct eh_walk {
	const struct syc_elf *elf;
	const unsigned char *section;
	uint64_t size, address;
	struct cie cie; /* the latest: FDEs follow their CIE */
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

/* What the letters of the augmentation announce, up to the encoding. */
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

/* The bytes behind the CIE's id. */
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
	/* Alignments of code and data, and the return address's register. */
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
 * The record at @offset: its bytes behind the length; or false, at the end.
 * *@ret_next is where the next one is.
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
		return 0; /* of a function that the linker left out */
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
		if (bytes.end - bytes.at < 4) /* zero: some linkers' padding */
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
