/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_own_elf.c - objects in this process's memory and in files, compared with
 * the recorder's reader.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/test.h"
#include "os/own_elf.h"
#include "symbols/elf_file.h"

static struct {
	Elf64_Ehdr ehdr;
	Elf64_Phdr phdr[2];
	struct {
		Elf64_Nhdr head;
		char name[4];
		unsigned char desc[8];
	} notes[2];
	char tail[64];
} elf;

static char hex[SYC_BUILD_ID_SIZE], by_recorder[SYC_BUILD_ID_SIZE];

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

static bool read_own(const void *data, size_t size)
{
	struct syc_own_elf own;

	memset(hex, 'x', sizeof(hex));
	syc_own_elf_in_memory((uintptr_t)data, size, &own);
	return syc_own_elf_build_id(&own, hex);
}

static bool read_own_file(const char *path, uint64_t inode, char *ret_hex)
{
	struct syc_own_elf own;
	bool found;

	if (!syc_own_elf_open(path, inode, &own))
		return false;
	found = syc_own_elf_build_id(&own, ret_hex);
	syc_own_elf_close(&own);
	return found;
}

static void check_as_the_recorder(const void *data, size_t size)
{
	struct syc_elf_view view;
	bool found;

	syc_elf_view_memory(data, size, &view);
	found = syc_elf_read_build_id(&view, by_recorder) == 0;
	CHECK_EQ(read_own(data, size), found);
	if (found)
		CHECK_STR(hex, by_recorder);
}

TEST(build_id_behind_other_notes)
{
	make_elf();
	CHECK(read_own(&elf, sizeof(elf)));
	CHECK_STR(hex, "01ab00ff10203040");
}

TEST(build_id_behind_many_kilobytes_of_notes)
{
	static const Elf64_Nhdr long_note = { 4, 200000, 77 };
	char *data;

	make_elf();
	data = calloc(1, 300000);
	elf.phdr[1].p_filesz =
		sizeof(long_note) + 4 + 200000 + sizeof(elf.notes);
	memcpy(data, &elf, sizeof(elf));
	memcpy(data + elf.phdr[1].p_offset, &long_note, sizeof(long_note));
	memcpy(data + elf.phdr[1].p_offset + sizeof(long_note) + 4 + 200000,
	       elf.notes, sizeof(elf.notes));
	check_as_the_recorder(data, 300000);
	CHECK_STR(hex, "01ab00ff10203040");
	free(data);
}

TEST(non_object_has_no_build_id)
{
	static const char text[256] = "#!/bin/sh\nexit 0\n";

	CHECK(!read_own(text, sizeof(text)));
	CHECK(!read_own(text, 0));
	make_elf();
	elf.ehdr.e_ident[EI_DATA] = ELFDATA2MSB;
	CHECK(!read_own(&elf, sizeof(elf)));
	make_elf();
	elf.notes[1].head.n_type = 77;
	CHECK(!read_own(&elf, sizeof(elf)));
	make_elf();
	elf.notes[1].name[0] = 'X';
	CHECK(!read_own(&elf, sizeof(elf)));
	make_elf();
	elf.notes[1].head.n_descsz = 65;
	CHECK(!read_own(&elf, sizeof(elf)));
}

/* The kernel copies the memory, so an unmapped address does no harm. */
TEST(unmapped_and_locked_memory_is_survived)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *const at = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
	                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	CHECK(at != MAP_FAILED);
	make_elf();
	elf.phdr[1].p_offset = page;
	memcpy(at, &elf, sizeof(elf));
	memcpy(at + page, elf.notes, sizeof(elf.notes));
	CHECK(read_own(at, 2 * page));
	/* read_own() reads nothing beyond the given size, though more memory is
	 * mapped */
	for (size_t n = 0; n < sizeof(elf.notes); n++)
		CHECK(!read_own(at, page + n));
	CHECK_EQ(mprotect(at + page, page, PROT_NONE), 0);
	CHECK(!read_own(at, 2 * page));
	CHECK_EQ(munmap(at, 2 * page), 0);
	CHECK(!read_own(at, 2 * page));
	CHECK(!read_own(NULL, 4096));
	CHECK(!read_own((void *)(UINTPTR_MAX - 4095), 4096));
}

TEST(invalid_sizes_and_offsets_are_rejected)
{
	static const uint64_t values[] = { 0,
		                           1,
		                           11,
		                           12,
		                           1 << 20,
		                           (1 << 20) + 1,
		                           INT64_MAX,
		                           UINT64_MAX - 100,
		                           UINT64_MAX - 4,
		                           UINT64_MAX };

	for (unsigned i = 0; i < sizeof(values) / sizeof(*values); i++) {
		make_elf();
		elf.phdr[1].p_offset = values[i];
		check_as_the_recorder(&elf, sizeof(elf));
		make_elf();
		elf.ehdr.e_phoff = values[i];
		check_as_the_recorder(&elf, sizeof(elf));
		make_elf();
		elf.notes[0].head.n_descsz = (uint32_t)values[i];
		check_as_the_recorder(&elf, sizeof(elf));
		make_elf();
		elf.notes[0].head.n_namesz = (uint32_t)values[i];
		check_as_the_recorder(&elf, sizeof(elf));
		make_elf();
		elf.phdr[1].p_align = values[i];
		check_as_the_recorder(&elf, sizeof(elf));
	}
	make_elf();
	elf.phdr[1].p_filesz = UINT64_MAX;
	CHECK(!read_own(&elf, sizeof(elf)));
	elf.ehdr.e_phnum = 0xFFFF;
	elf.phdr[1].p_type = PT_LOAD;
	CHECK(!read_own(&elf, sizeof(elf)));
}

TEST(damaged_notes_are_read_as_by_the_recorder)
{
	srand((unsigned)test_seed());
	for (unsigned i = 0; i < 20000; i++) {
		unsigned char *const notes = (unsigned char *)elf.notes;

		make_elf();
		elf.phdr[1].p_align = rand() % 2 ? 4 : 8;
		if (rand() % 2)
			elf.phdr[1].p_filesz =
				(uint64_t)rand() % sizeof(elf.notes);
		for (int k = rand() % 4; k >= 0; k--)
			notes[(size_t)rand() % sizeof(elf.notes)] =
				(unsigned char)(rand() % 4 ? rand() % 24
			                                   : rand());
		check_as_the_recorder(&elf, sizeof(elf));
	}
}

TEST(every_truncation_and_random_damage_is_survived)
{
	unsigned char copy[sizeof(elf)];

	make_elf();
	for (size_t size = 0; size < sizeof(elf); size++) {
		/* The file ends with a page, and the next page is unmapped */
		const size_t page = (size_t)sysconf(_SC_PAGESIZE);
		char *const at = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
		                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		CHECK_EQ(munmap(at + page, page), 0);
		memcpy(at + page - size, &elf, size);
		read_own(at + page - size, size);
		read_own(at + page - size, size + page);
		munmap(at, page);
	}
	for (unsigned i = 0; i < 20000; i++) {
		memcpy(copy, &elf, sizeof(copy));
		for (int k = rand() % 8; k >= 0; k--)
			copy[16 + (size_t)rand() % (sizeof(copy) - 16)] =
				(unsigned char)rand();
		read_own(copy, sizeof(copy));
	}
}

TEST(replaced_path_is_rejected)
{
	char dir[] = "/tmp/syscap-id-XXXXXX", path[64], pipe[64];
	struct stat st;

	CHECK(mkdtemp(dir) != NULL);
	strcat(strcpy(path, dir), "/object");
	strcat(strcpy(pipe, dir), "/pipe");
	const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	make_elf();
	CHECK_EQ(write(fd, &elf, sizeof(elf)), sizeof(elf));
	CHECK_EQ(fstat(fd, &st), 0);
	CHECK_EQ(mkfifo(pipe, 0600), 0);

	CHECK(read_own_file(path, st.st_ino, hex));
	CHECK_STR(hex, "01ab00ff10203040");
	CHECK(!read_own_file(path, st.st_ino + 1, hex));
	CHECK_EQ(ftruncate(fd, 70), 0);
	CHECK(!read_own_file(path, st.st_ino, hex));
	close(fd);
	CHECK_EQ(stat(pipe, &st), 0);
	CHECK(!read_own_file(pipe, st.st_ino, hex));
	CHECK_EQ(unlink(path) + unlink(pipe), 0);
	CHECK(!read_own_file(path, st.st_ino, hex));
	CHECK_EQ(rmdir(dir), 0);
}

TEST(sections_as_found_by_the_recorder)
{
	static const char *const names[] = {
		".text", ".eh_frame", ".dynstr",           ".eh_frame_",
		".none", "",          ".note.gnu.build-id"
	};
	const int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	struct syc_own_elf own;
	struct syc_elf whole;
	Elf64_Shdr section;

	CHECK(syc_own_elf_open("/proc/self/exe", 0, &own));
	CHECK_EQ(syc_elf_open(&whole, fd), 0);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const struct syc_elf_section *const other =
			syc_elf_find(&whole, names[i]);
		const bool found =
			syc_own_elf_section(&own, names[i], &section);

		/* A name longer than the field is not searched. */
		CHECK_EQ(found, other != NULL && strlen(names[i]) < 16);
		if (found) {
			CHECK_EQ(section.sh_addr, other->address);
			CHECK_EQ(section.sh_size, other->size);
		}
	}
	syc_own_elf_close(&own);
	syc_elf_close(&whole);
}

TEST(damaged_section_headers_are_survived)
{
	static struct {
		Elf64_Ehdr ehdr;
		Elf64_Shdr shdr[2];
		char names[32];
	} object;
	struct syc_own_elf own;
	Elf64_Shdr section;

	srand((unsigned)test_seed());
	syc_own_elf_in_memory((uintptr_t)&object, sizeof(object), &own);
	for (unsigned i = 0; i < 20000; i++) {
		make_elf();
		object.ehdr = elf.ehdr;
		object.ehdr.e_shoff = sizeof(object.ehdr);
		object.ehdr.e_shentsize = sizeof(object.shdr[0]);
		object.ehdr.e_shnum = 2;
		object.ehdr.e_shstrndx = 1;
		object.shdr[1].sh_offset =
			sizeof(object.ehdr) + sizeof(object.shdr);
		object.shdr[1].sh_name = 1;
		memcpy(object.names, "\0.names", 8);
		CHECK(syc_own_elf_section(&own, ".names", &section));
		for (int k = rand() % 4; k >= 0; k--)
			((unsigned char *)&object)
				[16 + (size_t)rand() % (sizeof(object) - 16)] =
					(unsigned char)rand();
		syc_own_elf_section(&own, ".names", &section);
		memset(&object, 0, sizeof(object));
	}
}
