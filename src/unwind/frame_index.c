/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frame_index.c - search table for a program without PT_GNU_EH_FRAME.  Linkers
 * omit PT_GNU_EH_FRAME from static programs, although these have .eh_frame.
 * Lookups are signal-safe.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdatomic.h>
#include <sys/mman.h>

#include "os/own_elf.h"
#include "unwind/cfi.h"

#define ENTRIES_MOST (1u << 24)

struct index_entry {
	uintptr_t begin; /* the first byte of code */
	uint32_t at;     /* offset of its entry in .eh_frame */
};

struct frame_index {
	uintptr_t frames; /* .eh_frame */
	size_t size;
	size_t n;
	struct index_entry entries[];
};

/* The index is published when it is complete, and never freed. */
static _Atomic(struct frame_index *) made;

static bool find_frames(uintptr_t bias, uintptr_t *ret_at, size_t *ret_size)
{
	struct syc_own_elf program;
	Elf64_Shdr section;
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

/* qsort() may allocate */
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

/* Walk through .eh_frame; store its entries if @entries is not NULL. */
static size_t collect_entries(struct syc_bytes *bytes,
                              struct index_entry *entries, size_t most)
{
	uintptr_t at = bytes->low;
	size_t n = 0;

	while (n < most) {
		struct syc_cursor cursor;
		struct syc_fde fde;

		syc_cursor_init(&cursor, bytes, at, bytes->high);
		uint64_t length = syc_cursor_fixed(&cursor, 4);
		if (length == 0xffffffff)
			length = syc_cursor_fixed(&cursor, 8);
		if (cursor.bad || length < 4 ||
		    length > bytes->high - cursor.at)
			break;
		if (syc_eh_frame_parse(bytes, at, &fde) == 0) {
			if (entries != NULL) {
				entries[n].begin = fde.begin;
				entries[n].at = (uint32_t)(at - bytes->low);
			}
			n++;
		}
		at = cursor.at + length;
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
	if (syc_eh_frame_parse(bytes,
	                       index->frames + index->entries[low - 1].at,
	                       ret_fde) != 0)
		return -EINVAL;
	return pc >= ret_fde->begin && pc < ret_fde->end ? 0 : -ENOENT;
}
