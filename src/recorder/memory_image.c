/* SPDX-License-Identifier: BSD-2-Clause */
/* memory_image.c - copies of libraries in the memory of another process. */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/text.h"
#include "recorder/processes.h"

#define SEGMENTS_MAX 64u
#define DYNAMIC_MAX  512u
#define SYMBOLS_MAX  (1u << 22)
#define COPY_MAX     (UINT64_C(64) << 20) /* maximum number of copied bytes */
/* Maximum size of the file, holes included. */
#define FILE_MAX (UINT64_C(1) << 32)
#define CHUNK    65536u

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define OWN_ORDER ELFDATA2LSB
#else
#define OWN_ORDER ELFDATA2MSB
#endif

enum section {
	NO_SECTION,
	DYNSYM,
	DYNSTR,
	EH_FRAME,
	NAMES,
	N_SECTIONS
};

static const char section_names[] = "\0.dynsym\0.dynstr\0.eh_frame\0.shstrtab";

struct image {
	int memory; /* fd of /proc/PID/mem */
	int file;
	uint64_t bias; /* addresses in the process minus addresses in the
	                * file */
	const unsigned char *bytes; /* copied bytes of the file */
	uint64_t size;
	Elf64_Ehdr header;
	Elf64_Phdr segments[SEGMENTS_MAX];
	Elf64_Shdr sections[N_SECTIONS];
};

static bool read_at(const struct image *image, uint64_t address, void *to,
                    size_t size)
{
	return pread(image->memory, to, size, (off_t)address) == (ssize_t)size;
}

static bool read_headers(struct image *image, uint64_t base)
{
	Elf64_Ehdr *const header = &image->header;

	if (!read_at(image, base, header, sizeof(*header)) ||
	    memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
	    header->e_ident[EI_CLASS] != ELFCLASS64 ||
	    header->e_ident[EI_DATA] != OWN_ORDER ||
	    header->e_phentsize != sizeof(image->segments[0]) ||
	    header->e_phnum > SEGMENTS_MAX ||
	    !read_at(image, base + header->e_phoff, image->segments,
	             header->e_phnum * sizeof(image->segments[0])))
		return false;
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	for (unsigned i = 0; i < header->e_phnum; i++)
		if (image->segments[i].p_type == PT_LOAD &&
		    image->segments[i].p_offset < page) {
			image->bias = base - (image->segments[i].p_vaddr -
			                      image->segments[i].p_offset);
			return true;
		}
	return false;
}

static bool open_image(struct image *image, int32_t pid, uint64_t base)
{
	char path[64];

	memset(image, 0, sizeof(*image));
	snprintf(path, sizeof(path), "/proc/%d/mem", pid);
	image->memory = open(path, O_RDONLY | O_CLOEXEC);
	if (image->memory < 0)
		return false;
	if (read_headers(image, base))
		return true;
	close(image->memory);
	return false;
}

/* Return the read-only segment that has @address, or NULL. */
static const Elf64_Phdr *find_segment(const struct image *image,
                                      uint64_t address)
{
	for (unsigned i = 0; i < image->header.e_phnum; i++) {
		const Elf64_Phdr *const p = &image->segments[i];

		if (p->p_type == PT_LOAD && (p->p_flags & PF_W) == 0 &&
		    address >= p->p_vaddr && address - p->p_vaddr < p->p_filesz)
			return p;
	}
	return NULL;
}

static void copy_segments(const struct image *image)
{
	static char buffer[CHUNK];
	uint64_t left = COPY_MAX;

	for (unsigned i = 0; i < image->header.e_phnum; i++) {
		const Elf64_Phdr *const p = &image->segments[i];
		uint64_t done = 0;

		if (p->p_type != PT_LOAD || (p->p_flags & PF_W) != 0)
			continue;
		while (done < p->p_filesz && left > 0) {
			uint64_t n = p->p_filesz - done;

			if (n > CHUNK)
				n = CHUNK;
			if (n > left)
				n = left;
			if (!read_at(image, image->bias + p->p_vaddr + done,
			             buffer, n) ||
			    pwrite(image->file, buffer, n,
			           (off_t)(p->p_offset + done)) != (ssize_t)n)
				break;
			done += n;
			left -= n;
		}
	}
}

/*
 * Read bytes at @address from the copy, so that a hostile library costs no
 * system calls.
 */
static bool get(const struct image *image, uint64_t address, void *to,
                size_t size)
{
	const Elf64_Phdr *const p = find_segment(image, address);
	const uint64_t at =
		p != NULL ? p->p_offset + (address - p->p_vaddr) : 0;

	if (p == NULL || at >= image->size || size > image->size - at)
		return false;
	memcpy(to, image->bytes + at, size);
	return true;
}

/* Add the section at @address, cut to its segment. */
static void add_section(struct image *image, enum section number, uint32_t type,
                        uint64_t address, uint64_t size)
{
	const Elf64_Phdr *const p = find_segment(image, address);
	Elf64_Shdr *const section = &image->sections[number];

	if (p == NULL)
		return;
	if (size > p->p_filesz - (address - p->p_vaddr))
		size = p->p_filesz - (address - p->p_vaddr);
	section->sh_type = type;
	section->sh_flags = SHF_ALLOC;
	section->sh_addr = address;
	section->sh_offset = p->p_offset + (address - p->p_vaddr);
	section->sh_size = size;
}

/* Return the number of symbols by a .gnu.hash, whose last chain ends at the
 * last symbol. */
static uint64_t count_by_gnu_hash(const struct image *image, uint64_t table)
{
	uint32_t words[4], bucket, last = 0;

	if (!get(image, table, words, sizeof(words)))
		return 0;
	const uint64_t buckets = table + sizeof(words) + words[2] * UINT64_C(8);
	const uint64_t chains = buckets + words[0] * UINT64_C(4);

	for (uint32_t i = 0; i < words[0] && i < SYMBOLS_MAX; i++) {
		if (!get(image, buckets + i * UINT64_C(4), &bucket, 4))
			return 0;
		if (bucket > last)
			last = bucket;
	}
	for (; last >= words[1] && last < SYMBOLS_MAX; last++) {
		if (!get(image, chains + (last - words[1]) * UINT64_C(4),
		         &bucket, 4))
			return 0;
		if ((bucket & 1) != 0)
			return (uint64_t)last + 1;
	}
	return 0;
}

/* Convert an address to which the loader may have added the bias. */
static uint64_t to_file(const struct image *image, uint64_t address)
{
	return address >= image->bias ? address - image->bias : address;
}

static void add_symbols(struct image *image, const Elf64_Phdr *dynamic)
{
	uint64_t symbols = 0, texts = 0, size = 0, hash = 0, gnu = 0, n = 0;
	Elf64_Dyn entry;
	uint32_t words[2];

	for (unsigned i = 0; i < DYNAMIC_MAX; i++) {
		if (!read_at(image,
		             image->bias + dynamic->p_vaddr + i * sizeof(entry),
		             &entry, sizeof(entry)) ||
		    entry.d_tag == DT_NULL)
			break;
		if (entry.d_tag == DT_SYMTAB)
			symbols = to_file(image, entry.d_un.d_ptr);
		else if (entry.d_tag == DT_STRTAB)
			texts = to_file(image, entry.d_un.d_ptr);
		else if (entry.d_tag == DT_STRSZ)
			size = entry.d_un.d_val;
		else if (entry.d_tag == DT_HASH)
			hash = to_file(image, entry.d_un.d_ptr);
		else if (entry.d_tag == DT_GNU_HASH)
			gnu = to_file(image, entry.d_un.d_ptr);
	}
	if (gnu != 0)
		n = count_by_gnu_hash(image, gnu);
	else if (hash != 0 && get(image, hash, words, sizeof(words)))
		n = words[1];
	if (symbols == 0 || texts == 0 || n == 0)
		return;
	add_section(image, DYNSYM, SHT_DYNSYM, symbols, n * sizeof(Elf64_Sym));
	add_section(image, DYNSTR, SHT_STRTAB, texts, size);
	image->sections[DYNSYM].sh_link = DYNSTR;
	image->sections[DYNSYM].sh_entsize = sizeof(Elf64_Sym);
}

/*
 * Add .eh_frame, whose address is in .eh_frame_hdr.  A record of length 0 ends
 * the section.
 */
static void add_eh_frame(struct image *image, const Elf64_Phdr *header)
{
	const uint64_t at = header->p_vaddr;
	unsigned char encodings[4];
	int32_t distance;
	uint32_t len;

	if (!get(image, at, encodings, sizeof(encodings)) ||
	    encodings[0] != 1 || encodings[1] != 0x1b || /* pcrel, sdata4 */
	    !get(image, at + 4, &distance, sizeof(distance)))
		return;
	const uint64_t begin =
		header->p_vaddr + 4 + (uint64_t)(int64_t)distance;
	const Elf64_Phdr *const p = find_segment(image, begin);
	uint64_t end = begin;

	while (p != NULL && end - p->p_vaddr < p->p_filesz &&
	       get(image, end, &len, sizeof(len)) && len != 0 &&
	       len < UINT32_MAX - 4)
		end += len + UINT64_C(4);
	if (end > begin)
		add_section(image, EH_FRAME, SHT_PROGBITS, begin, end - begin);
}

static bool map_copy(struct image *image)
{
	void *bytes;

	for (unsigned i = 0; i < image->header.e_phnum; i++) {
		const Elf64_Phdr *const p = &image->segments[i];

		if (p->p_type != PT_LOAD)
			continue;
		if (p->p_offset > FILE_MAX || p->p_filesz > FILE_MAX)
			return false;
		if (p->p_offset + p->p_filesz > image->size)
			image->size = p->p_offset + p->p_filesz;
	}
	image->size = (image->size + 7) & ~UINT64_C(7);
	if (ftruncate(image->file, (off_t)image->size) != 0)
		return false;
	bytes = mmap(NULL, image->size, PROT_READ, MAP_SHARED, image->file, 0);
	image->bytes = bytes;
	return bytes != MAP_FAILED;
}

static bool finish_file(struct image *image)
{
	static const uint8_t name_at[N_SECTIONS] = { 0, 1, 9, 17, 27 };
	Elf64_Ehdr *const header = &image->header;
	Elf64_Shdr *const names = &image->sections[NAMES];
	const uint64_t end = image->size;

	for (unsigned i = 0; i < N_SECTIONS; i++)
		image->sections[i].sh_name = name_at[i];
	names->sh_type = SHT_STRTAB;
	names->sh_offset = end;
	names->sh_size = sizeof(section_names);
	header->e_shoff = end + ((sizeof(section_names) + 7) & ~(size_t)7);
	header->e_shentsize = sizeof(image->sections[0]);
	header->e_shnum = N_SECTIONS;
	header->e_shstrndx = NAMES;
	return pwrite(image->file, header, sizeof(*header), 0) ==
	               (ssize_t)sizeof(*header) &&
	       pwrite(image->file, section_names, sizeof(section_names),
	              (off_t)end) == (ssize_t)sizeof(section_names) &&
	       pwrite(image->file, image->sections, sizeof(image->sections),
	              (off_t)header->e_shoff) ==
	               (ssize_t)sizeof(image->sections);
}

int syc_memory_image_make(int32_t pid, uint64_t base)
{
	struct image image;

	if (!open_image(&image, pid, base))
		return -1;
	image.file = memfd_create("syscap-image", MFD_CLOEXEC);
	if (image.file < 0) {
		close(image.memory);
		return -1;
	}
	if (!map_copy(&image)) {
		close(image.memory);
		close(image.file);
		return -1;
	}
	copy_segments(&image);
	for (unsigned i = 0; i < image.header.e_phnum; i++) {
		if (image.segments[i].p_type == PT_DYNAMIC)
			add_symbols(&image, &image.segments[i]);
		if (image.segments[i].p_type == PT_GNU_EH_FRAME)
			add_eh_frame(&image, &image.segments[i]);
	}
	const bool is_whole = finish_file(&image);
	munmap(syc_unconst(image.bytes), image.size);
	close(image.memory);
	if (!is_whole)
		close(image.file);
	return is_whole ? image.file : -1;
}

bool syc_memory_image_offset(int32_t pid, uint64_t base, uint64_t start,
                             uint64_t end, uint64_t *ret_offset)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	struct image image;
	bool found = false;

	if (!open_image(&image, pid, base))
		return false;
	for (unsigned i = 0; i < image.header.e_phnum && !found; i++) {
		const Elf64_Phdr *const p = &image.segments[i];
		const uint64_t at = image.bias + p->p_vaddr;
		const uint64_t first = at & -page;

		found = p->p_type == PT_LOAD && (p->p_flags & PF_X) != 0 &&
		        start >= first &&
		        end <= ((at + p->p_filesz + page - 1) & -page);
		if (found)
			*ret_offset =
				p->p_offset - (at - first) + (start - first);
	}
	close(image.memory);
	return found;
}
