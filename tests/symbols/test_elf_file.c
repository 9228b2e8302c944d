/* SPDX-License-Identifier: BSD-2-Clause */
/* test_elf_file.c - build-ids of ELF files with any content. */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "harness/test.h"
#include "symbols/elf_file.h"

static struct {
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr[2];
	struct {
		Elf64_Nhdr head;
		char name[4];
		unsigned char desc[8];
	} notes[2];
} elf;

static char hex[SYC_BUILD_ID_SIZE];

static int parse(const void *bytes, size_t size, char *ret_hex)
{
	struct syc_elf_view view;

	syc_elf_view_memory(bytes, size, &view);
	return syc_elf_read_build_id(&view, ret_hex);
}

static int read_file(int fd, char *ret_hex)
{
	struct syc_elf_view view;
	const int r = syc_elf_view_file(fd, &view);

	return r < 0 ? r : syc_elf_read_build_id(&view, ret_hex);
}

static void make_elf(void)
{
	memset(&elf, 0, sizeof(elf));
	memcpy(elf.ehdr.e_ident, ELFMAG, SELFMAG);
	elf.ehdr.e_ident[EI_CLASS] = ELFCLASS64;
	elf.ehdr.e_ident[EI_DATA] = ELFDATA2LSB;
	elf.ehdr.e_phoff = sizeof(elf.ehdr);
	elf.ehdr.e_phnum = 2;
	elf.ehdr.e_phentsize = sizeof(elf.phdr[0]);
	elf.phdr[0].p_type = PT_LOAD;
	elf.phdr[1].p_type = PT_NOTE;
	elf.phdr[1].p_offset = sizeof(elf.ehdr) + sizeof(elf.phdr);
	elf.phdr[1].p_filesz = sizeof(elf.notes);
	elf.phdr[1].p_align = 4;
	for (unsigned i = 0; i < 2; i++) {
		elf.notes[i].head.n_namesz = 4;
		elf.notes[i].head.n_descsz = 8;
		elf.notes[i].head.n_type =
			i == 0 ? NT_GNU_ABI_TAG : NT_GNU_BUILD_ID;
		memcpy(elf.notes[i].name, "GNU", 4);
		memcpy(elf.notes[i].desc, "\x01\xab\0\xff\x10\x20\x30\x40", 8);
	}
}

TEST(the_id_is_found_behind_other_notes)
{
	make_elf();
	CHECK_EQ(parse(&elf, sizeof(elf), hex), 0);
	CHECK_STR(hex, "01ab00ff10203040");
}

TEST(other_files_have_no_id)
{
	static const char text[] = "#!/bin/sh\nexit 0\n and some more bytes...";

	CHECK_EQ(parse(text, sizeof(text), hex), -ENOEXEC);
	CHECK_EQ(parse("", 0, hex), -ENOEXEC);
	make_elf();
	elf.ehdr.e_ident[EI_DATA] = ELFDATA2MSB;
	CHECK_EQ(parse(&elf, sizeof(elf), hex), -ENOEXEC);
	make_elf();
	elf.notes[1].head.n_type = 77;
	CHECK_EQ(parse(&elf, sizeof(elf), hex), -ENOENT);
}

TEST(wild_sizes_and_offsets_are_survived)
{
	make_elf();
	elf.notes[0].head.n_descsz = 0xFFFFFFF0;
	CHECK_EQ(parse(&elf, sizeof(elf), hex), -ENOENT);
	make_elf();
	elf.notes[0].head.n_namesz = 0xFFFFFFFF;
	CHECK_EQ(parse(&elf, sizeof(elf), hex), -ENOENT);
	make_elf();
	elf.phdr[1].p_offset = UINT64_MAX - 4;
	CHECK_EQ(parse(&elf, sizeof(elf), hex), -ENOENT);
	make_elf();
	elf.phdr[1].p_filesz = UINT64_MAX;
	CHECK_EQ(parse(&elf, sizeof(elf), hex), -ENOENT);
	make_elf();
	elf.ehdr.e_phoff = UINT64_MAX - 8;
	CHECK_EQ(parse(&elf, sizeof(elf), hex), -ENOEXEC);
	make_elf();
	elf.notes[1].head.n_descsz = 65;
	CHECK_EQ(parse(&elf, sizeof(elf), hex), -ENOENT);
}

TEST(every_truncation_and_random_damage_is_survived)
{
	unsigned char copy[sizeof(elf)];

	make_elf();
	for (size_t size = 0; size < sizeof(elf); size++) {
		unsigned char *exact = malloc(size + 1);

		memcpy(exact, &elf, size);
		parse(exact, size, hex);
		free(exact);
	}
	srand((unsigned)test_seed());
	for (unsigned i = 0; i < 200000; i++) {
		memcpy(copy, &elf, sizeof(copy));
		for (int k = rand() % 8; k >= 0; k--)
			copy[16 + (size_t)rand() % (sizeof(copy) - 16)] =
				(unsigned char)rand();
		parse(copy, sizeof(copy), hex);
	}
}

/* Many segments may be the same megabyte. */
TEST(search_of_note_segments_is_bounded)
{
	static struct {
		Elf64_Ehdr ehdr;
		Elf64_Phdr phdr[300];
		unsigned char notes[sizeof(elf.notes)];
	} many;

	make_elf();
	many.ehdr = elf.ehdr;
	many.ehdr.e_phnum = 300;
	memcpy(many.notes, elf.notes, sizeof(many.notes));
	for (unsigned i = 0; i < 300; i++) {
		many.phdr[i] = elf.phdr[1];
		many.phdr[i].p_offset = offsetof(__typeof__(many), notes);
		many.phdr[i].p_filesz = sizeof(elf.notes[0]);
	}
	many.phdr[255].p_filesz = sizeof(many.notes);
	CHECK_EQ(parse(&many, sizeof(many), hex), 0);
	many.phdr[255].p_filesz = sizeof(elf.notes[0]);
	many.phdr[256].p_filesz = sizeof(many.notes);
	CHECK_EQ(parse(&many, sizeof(many), hex), -ENOENT);
}

TEST(a_file_is_read_like_memory)
{
	const int fd = memfd_create("elf", MFD_CLOEXEC);

	make_elf();
	CHECK_EQ(write(fd, &elf, sizeof(elf)), sizeof(elf));
	CHECK_EQ(read_file(fd, hex), 0);
	CHECK_STR(hex, "01ab00ff10203040");
	CHECK_EQ(ftruncate(fd, 70), 0);
	CHECK_EQ(read_file(fd, hex), -ENOEXEC);
	close(fd);
}

/* Reads a process like a debugger. */
static int read_process(void *context, uint64_t offset, void *to, size_t size)
{
	const struct iovec here = { to, size };
	const struct iovec there = { (char *)context + offset, size };

	return process_vm_readv(getpid(), &here, 1, &there, 1, 0) ==
	                       (ssize_t)size
	               ? 0
	               : -EFAULT;
}

TEST(the_memory_of_a_process_is_read_like_a_file)
{
	struct syc_elf_view view = {
		.read = read_process,
		.context = &elf,
		.size = sizeof(elf),
		.part_max = sizeof(elf),
	};
	struct syc_elf whole;

	make_elf();
	CHECK_EQ(syc_elf_open_view(&whole, &view), 0);
	CHECK_STR(whole.build_id, "01ab00ff10203040");
	CHECK_EQ(whole.n_segments, 2);
	syc_elf_close(&whole);
	view.context = NULL;
	CHECK_EQ(syc_elf_open_view(&whole, &view), -EFAULT);
	/* The part is smaller than the headers of the segments. */
	view.context = &elf;
	view.part_max = 16;
	CHECK_EQ(syc_elf_open_view(&whole, &view), -EFBIG);
}
