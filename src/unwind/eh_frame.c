/* SPDX-License-Identifier: BSD-2-Clause */
/* eh_frame.c - search for frame description entries, and the index of a program
 * without PT_GNU_EH_FRAME.  Lookups are signal-safe. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "os/own_elf.h"
#include "unwind/cfi.h"

#define AUGMENTATION_MOST 8u
#define TABLE_ENCODING    0x3bu /* 4 bytes, signed, relative to the header */
#define ENTRY_SIZE        8u

/* The sizes of addresses and segments, one byte each */
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define ADDRESS_SIZES sizeof(void *)
#else
#define ADDRESS_SIZES (sizeof(void *) << 8)
#endif

/*
 * A record of .eh_frame, at [body, end).  A common entry begins with 0, and any
 * other entry with the distance to its common entry.
 */
struct eh_record {
	uintptr_t body, end;
};

static int open_entry(struct syc_bytes *bytes, uintptr_t at,
                      struct eh_record *entry)
{
	struct syc_cursor cursor;

	syc_cursor_init(&cursor, bytes, at, bytes->high);
	uint64_t length = syc_cursor_fixed(&cursor, 4);
	if (length == 0xffffffff)
		length = syc_cursor_fixed(&cursor, 8);
	if (cursor.bad || length < 4 || length > bytes->high - cursor.at)
		return -EINVAL;
	entry->body = cursor.at;
	entry->end = cursor.at + (uintptr_t)length;
	return 0;
}

/* Parse the data of one character of the augmentation. */
static bool parse_letter(struct syc_cursor *cursor, char letter,
                         struct syc_fde *fde)
{
	unsigned encoding;

	switch (letter) {
	case 'R':
		fde->encoding = (uint8_t)syc_cursor_u8(cursor);
		return true;
	case 'L':
		syc_cursor_u8(cursor);
		return true;
	case 'P':
		encoding = syc_cursor_u8(cursor);
		if (encoding != 0x50)
			encoding &=
				0x0f; /* only the pointer's length is needed */
		syc_cursor_pointer(cursor, encoding, 0);
		return true;
	case 'S':
		fde->signal = true;
		return true;
	case 'B': /* the second key signs return addresses */
	case 'G': /* memory tags */
		return true;
	default:
		return false;
	}
}

static int parse_common(struct syc_bytes *bytes, uintptr_t at,
                        struct syc_fde *fde, bool *ret_has_data)
{
	char augmentation[AUGMENTATION_MOST + 1] = "";
	struct syc_cursor cursor;
	struct eh_record entry;
	unsigned n = 0;

	if (open_entry(bytes, at, &entry) != 0)
		return -EINVAL;
	syc_cursor_init(&cursor, bytes, entry.body, entry.end);
	if (syc_cursor_fixed(&cursor, 4) != 0)
		return -EINVAL;
	const unsigned version = syc_cursor_u8(&cursor);
	while ((augmentation[n] = (char)syc_cursor_u8(&cursor)) != '\0')
		if (++n > AUGMENTATION_MOST)
			return -EINVAL;
	if (version == 4 && syc_cursor_fixed(&cursor, 2) != ADDRESS_SIZES)
		return -EINVAL;
	fde->code_align = (uintptr_t)syc_cursor_uleb(&cursor);
	fde->data_align = syc_cursor_sleb(&cursor);
	fde->ra = version == 1 ? syc_cursor_u8(&cursor)
	                       : (unsigned)syc_cursor_uleb(&cursor);
	fde->ra = (unsigned)syc_machine_column(fde->ra);
	fde->encoding = 0;
	fde->signal = false;
	*ret_has_data = augmentation[0] == 'z';
	fde->common = cursor.at;
	fde->common_end = entry.end;
	if (*ret_has_data) {
		const uint64_t length = syc_cursor_uleb(&cursor);

		fde->common = cursor.at + (uintptr_t)length;
		for (n = 1; augmentation[n] != '\0'; n++)
			if (!parse_letter(&cursor, augmentation[n], fde))
				return -EINVAL;
		if (cursor.at > fde->common || fde->common > entry.end)
			return -EINVAL;
	}
	const bool known = augmentation[0] == '\0' || *ret_has_data;

	return cursor.bad || !known || version == 0 || version == 2 ||
	                       version > 4
	               ? -EINVAL
	               : 0;
}

/* Parse the entry at @at.  Returns 0 or -EINVAL. */
static int parse_entry(struct syc_bytes *bytes, uintptr_t at,
                       struct syc_fde *ret_fde)
{
	struct syc_fde fde;
	struct syc_cursor cursor;
	struct eh_record entry;
	bool has_data;

	if (open_entry(bytes, at, &entry) != 0)
		return -EINVAL;
	syc_cursor_init(&cursor, bytes, entry.body, entry.end);
	const uint64_t back = syc_cursor_fixed(&cursor, 4);
	if (cursor.bad || back == 0 || back > entry.body - bytes->low ||
	    parse_common(bytes, entry.body - (uintptr_t)back, &fde,
	                 &has_data) != 0)
		return -EINVAL;
	fde.begin = syc_cursor_pointer(&cursor, fde.encoding, 0);
	const uintptr_t size =
		syc_cursor_pointer(&cursor, fde.encoding & 0x0f, 0);
	fde.end = fde.begin + size;
	if (has_data)
		syc_cursor_skip(&cursor, syc_cursor_uleb(&cursor));
	fde.program = cursor.at;
	fde.program_end = entry.end;
	if (cursor.bad || fde.end < fde.begin)
		return -EINVAL;
	*ret_fde = fde;
	return 0;
}

/* The sorted table of entries' positions, relative to the header. */
struct eh_table {
	struct syc_bytes *bytes;
	uintptr_t header, at;
	uint64_t n;
	bool bad;
};

static uintptr_t table_get(struct eh_table *table, uint64_t i, unsigned field)
{
	const uintptr_t at = table->at + (uintptr_t)i * ENTRY_SIZE + field;
	struct syc_cursor cursor;

	syc_cursor_init(&cursor, table->bytes, at, at + 4);
	const uintptr_t value =
		table->header + (uintptr_t)syc_cursor_fixed_signed(&cursor, 4);
	table->bad |= cursor.bad;
	return value;
}

static int open_table(struct syc_bytes *bytes, uintptr_t header,
                      struct eh_table *table)
{
	struct syc_cursor cursor;

	syc_cursor_init(&cursor, bytes, header, bytes->high);
	const unsigned version = syc_cursor_u8(&cursor);
	const unsigned frame_encoding = syc_cursor_u8(&cursor);
	const unsigned count_encoding = syc_cursor_u8(&cursor);
	const unsigned encoding = syc_cursor_u8(&cursor);
	if (cursor.bad || version != 1 || encoding != TABLE_ENCODING ||
	    count_encoding == SYC_POINTER_OMIT)
		return -EINVAL;
	if (frame_encoding != SYC_POINTER_OMIT)
		syc_cursor_pointer(&cursor, frame_encoding, header);
	table->n = syc_cursor_pointer(&cursor, count_encoding, header);
	table->bytes = bytes;
	table->header = header;
	table->at = cursor.at;
	table->bad = false;
	if (cursor.bad || table->n > (bytes->high - cursor.at) / ENTRY_SIZE)
		return -EINVAL;
	return 0;
}

int syc_eh_frame_find(struct syc_bytes *bytes, uintptr_t header, uintptr_t pc,
                      struct syc_fde *ret_fde)
{
	struct eh_table table;
	uint64_t low = 0;

	if (open_table(bytes, header, &table) != 0)
		return -EINVAL;
	/* Find the last entry that begins at @pc or before */
	for (uint64_t high = table.n; low < high;) {
		const uint64_t middle = low + (high - low) / 2;

		if (table_get(&table, middle, 0) <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	if (table.bad)
		return -EINVAL;
	if (low == 0)
		return -ENOENT;
	const uintptr_t at = table_get(&table, low - 1, 4);

	if (table.bad || parse_entry(bytes, at, ret_fde) != 0)
		return -EINVAL;
	return pc >= ret_fde->begin && pc < ret_fde->end ? 0 : -ENOENT;
}

/*
 * Index of a program without PT_GNU_EH_FRAME.  Linkers omit PT_GNU_EH_FRAME
 * from static programs, which do have .eh_frame.
 */

#define ENTRIES_MOST (1u << 24)

struct index_entry {
	uintptr_t begin; /* the first byte of code */
	uint32_t at;     /* offset of the function's entry in .eh_frame */
};

struct frame_index {
	uintptr_t frames; /* .eh_frame */
	size_t size;
	size_t n;
	struct index_entry entries[];
};

/* The complete index, or NULL, never freed. */
static _Atomic(struct frame_index *) made;

static bool find_frames(uintptr_t bias, uintptr_t *ret_at, size_t *ret_size)
{
	struct syc_own_elf program;
	ElfW(Shdr) section;
	bool found;

	if (!syc_own_elf_open("/proc/self/exe", 0, &program))
		return false;
	found = syc_own_elf_section(&program, ".eh_frame", &section);
	syc_own_elf_close(&program);
	if (!found || (section.sh_flags & SHF_ALLOC) == 0 ||
	    section.sh_type == SHT_NOBITS || section.sh_size >= UINT32_MAX)
		return false;
	*ret_at = bias + section.sh_addr;
	*ret_size = section.sh_size;
	return true;
}

static void sift_down(struct index_entry *entries, size_t at, size_t n)
{
	const struct index_entry moved = entries[at];

	for (size_t child; (child = 2 * at + 1) < n; at = child) {
		if (child + 1 < n &&
		    entries[child + 1].begin > entries[child].begin)
			child++;
		if (entries[child].begin <= moved.begin)
			break;
		entries[at] = entries[child];
	}
	entries[at] = moved;
}

/* Sort by a heap, because qsort() may allocate */
static void sort_entries(struct index_entry *entries, size_t n)
{
	for (size_t i = n / 2; i-- > 0;)
		sift_down(entries, i, n);
	for (size_t i = n; i-- > 1;) {
		const struct index_entry most = entries[0];

		entries[0] = entries[i];
		entries[i] = most;
		sift_down(entries, 0, i);
	}
}

/* Read .eh_frame, and store its entries if @entries is not NULL.  Returns the
 * number of entries. */
static size_t collect_entries(struct syc_bytes *bytes,
                              struct index_entry *entries, size_t most)
{
	uintptr_t at = bytes->low;
	size_t n = 0;

	while (n < most) {
		struct eh_record record;
		struct syc_fde fde;

		if (open_entry(bytes, at, &record) != 0)
			break;
		if (parse_entry(bytes, at, &fde) == 0) {
			if (entries != NULL) {
				entries[n].begin = fde.begin;
				entries[n].at = (uint32_t)(at - bytes->low);
			}
			n++;
		}
		at = record.end;
	}
	return n;
}

void syc_frame_index_make(uintptr_t bias)
{
	struct frame_index *index, *expected = NULL;
	struct syc_bytes bytes;
	uintptr_t at;
	size_t size;

	if (atomic_load_explicit(&made, memory_order_relaxed) != NULL ||
	    !find_frames(bias, &at, &size))
		return;
	syc_bytes_init_array(&bytes, at, (const void *)at, size);
	const size_t n = collect_entries(&bytes, NULL, ENTRIES_MOST);
	const size_t room = sizeof(*index) + n * sizeof(index->entries[0]);

	index = mmap(NULL, room, PROT_READ | PROT_WRITE,
	             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (index == MAP_FAILED)
		return;
	index->frames = at;
	index->size = size;
	index->n = collect_entries(&bytes, index->entries, n);
	sort_entries(index->entries, index->n);
	if (!atomic_compare_exchange_strong_explicit(&made, &expected, index,
	                                             memory_order_release,
	                                             memory_order_relaxed))
		munmap(index, room);
}

int syc_frame_index_find(struct syc_bytes *bytes, uintptr_t pc,
                         struct syc_fde *ret_fde)
{
	const struct frame_index *const index =
		atomic_load_explicit(&made, memory_order_acquire);
	size_t low = 0;

	if (index == NULL)
		return -ENOENT;
	for (size_t high = index->n; low < high;) {
		const size_t middle = low + (high - low) / 2;

		if (index->entries[middle].begin <= pc)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == 0)
		return -ENOENT;
	syc_bytes_init_array(bytes, index->frames, (const void *)index->frames,
	                     index->size);
	if (parse_entry(bytes, index->frames + index->entries[low - 1].at,
	                ret_fde) != 0)
		return -EINVAL;
	return pc >= ret_fde->begin && pc < ret_fde->end ? 0 : -ENOENT;
}
