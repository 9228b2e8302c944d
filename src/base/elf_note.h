/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * elf_note.h - positions of the parts of an ELF note, in this process and in
 * files.
 *
 *	uint64_t at = 0;
 *
 *	while (size - at >= SYC_ELF_NOTE_HEADER) {
 *		... its three words ...
 *		if (!syc_elf_note_at(size, align, at, words, &note))
 *			break;
 *		... note.name, note.value ...
 *		at = note.next;
 *	}
 *
 * The functions are pure.  Context of all functions: any-thread, signal-safe.
 */
#ifndef SYC_BASE_ELF_NOTE_H
#define SYC_BASE_ELF_NOTE_H

#include <elf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYC_ELF_NOTE_HEADER sizeof(Elf64_Nhdr) /* same size in both classes */

/** Name and types of this library's notes: type 1 marks an object with a
 * sampler (sampler/autostart.c), type 2 an object with this library
 * (copies/copies.h). */
#define SYC_NOTE_NAME         "syscap"
#define SYC_SAMPLER_NOTE_TYPE 1
#define SYC_COPY_NOTE_TYPE    2

/** Longest build-id in hex, with its NUL: 64 bytes of id. */
#define SYC_BUILD_ID_SIZE 129u

/** Offsets count from the start of the sequence of notes. */
struct syc_elf_note {
	uint32_t type, name_size, value_size;
	uint64_t name, value, next;
};

/**
 * Find the note at offset @at of @size bytes, which are less than 2^62.  @words
 * is the note's header in the machine's byte order.  Notes are aligned to 8
 * bytes if @align is 8, else to 4.  Returns false if the note does not fit.
 */
static inline bool syc_elf_note_at(uint64_t size, uint64_t align, uint64_t at,
                                   const uint32_t words[3],
                                   struct syc_elf_note *ret_note)
{
	const uint64_t mask = align == 8 ? 7 : 3;
	const uint64_t name = at + SYC_ELF_NOTE_HEADER;
	const uint64_t value = (name + words[0] + mask) & ~mask;
	const uint64_t end = value + words[1];
	const uint64_t next = (end + mask) & ~mask;

	if (end > size)
		return false;
	*ret_note = (struct syc_elf_note){
		.type = words[2],
		.name_size = words[0],
		.value_size = words[1],
		.name = name,
		.value = value,
		/* The last note may lack its padding. */
		.next = next < size ? next : size,
	};
	return true;
}

/** Return whether the type, and the sizes of name and value, fit a build-id.
 * The name of a build-id is "GNU", with the NUL. */
static inline bool syc_elf_note_may_be_build_id(const struct syc_elf_note *note)
{
	return note->type == NT_GNU_BUILD_ID && note->name_size == 4 &&
	       note->value_size > 0 &&
	       note->value_size <= (SYC_BUILD_ID_SIZE - 1) / 2;
}

/** Write the build-id @id of @n bytes, in hex, to @hex. */
static inline void syc_elf_note_hex(const unsigned char *id, size_t n,
                                    char *hex)
{
	static const char digits[] = "0123456789abcdef";

	for (size_t i = 0; i < n; i++) {
		*hex++ = digits[id[i] >> 4];
		*hex++ = digits[id[i] & 15];
	}
	*hex = '\0';
}

#endif
