/* SPDX-License-Identifier: BSD-2-Clause */
/* test_gdb_jit.c - the list that runtimes keep for GDB, in this process. */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "code/code_names.h"
#include "code/code_sources.h"
#include "code/samples.h"
#include "harness/test.h"

struct entry {
	struct entry *next, *previous;
	const void *image;
	uint64_t size;
};

struct descriptor {
	uint32_t version, action;
	struct entry *relevant, *first;
};

/* Debuggers find this variable by its name. */
extern struct descriptor __jit_debug_descriptor;
struct descriptor __jit_debug_descriptor = { .version = 1 };

#define HEAD (&__jit_debug_descriptor)

/* Addresses of the sample's functions. */
#define TEXT UINT64_C(0x7f77208ad000)

static struct syc_gdb_jit *jit;
static struct syc_code_table *table;

static void begin(void)
{
	CHECK_EQ(syc_code_table_new(&table), 0);
	CHECK_EQ(syc_gdb_jit_new(getpid(), (uintptr_t)HEAD, &jit), 0);
}

static void end(void)
{
	syc_gdb_jit_free(jit);
	syc_code_table_free(table);
}

static int look(int64_t from, int64_t now)
{
	struct syscap_error error;
	const int r = syc_gdb_jit_look(jit, from, now, table, &error);

	CHECK_EQ(syc_code_table_settle(table), 0);
	return r;
}

static void add(struct entry *entry)
{
	entry->next = HEAD->first;
	HEAD->first = HEAD->relevant = entry;
	HEAD->action = 1;
}

static void take_out(struct entry *entry)
{
	struct entry **at = &HEAD->first;

	while (*at != entry)
		at = &(*at)->next;
	*at = entry->next;
	HEAD->relevant = entry;
	HEAD->action = 2;
}

static struct entry make_entry(void)
{
	size_t size;
	struct entry entry = { .image = sample_read("lli.elf", &size) };

	entry.size = size;
	return entry;
}

static Elf64_Shdr *section(const struct entry *entry, unsigned i)
{
	const Elf64_Ehdr *header = entry->image;

	return (Elf64_Shdr *)((uintptr_t)entry->image + header->e_shoff) + i;
}

TEST(functions_of_an_image_have_their_addresses)
{
	struct entry entry = make_entry();

	begin();
	CHECK_EQ(look(5, 6), 0);
	CHECK_STR(sample_find(table, TEXT, 6), "-");
	add(&entry);
	CHECK_EQ(look(6, 7), 0);
	CHECK_STR(sample_find(table, TEXT, 6), "leaf_hash");
	CHECK_STR(sample_find(table, TEXT + 51, 6), "leaf_hash");
	CHECK_STR(sample_find(table, TEXT + 52, 6), "-");
	CHECK_STR(sample_find(table, TEXT + 0x40, 6), "alpha_step");
	CHECK_STR(sample_find(table, TEXT + 0xa0, 6), "main");
	CHECK_STR(sample_find(table, TEXT, 5), "-");
	free((void *)entry.image);
	end();
}

TEST(removed_image_ends_and_later_ones_stay)
{
	struct entry first = make_entry(), second = make_entry();

	section(&second, 2)->sh_addr = 0x1000;
	begin();
	add(&first);
	add(&second);
	CHECK_EQ(look(1, 2), 0);
	take_out(&first);
	CHECK_EQ(look(2, 3), 0);
	CHECK_STR(sample_find(table, TEXT, 2), "leaf_hash");
	CHECK_STR(sample_find(table, TEXT, 3), "-");
	CHECK_STR(sample_find(table, 0x1000, 3), "leaf_hash");
	free((void *)first.image);
	free((void *)second.image);
	end();
}

TEST(another_image_at_the_same_place_takes_over)
{
	struct entry first = make_entry(), second = make_entry();
	char *names;

	begin();
	add(&first);
	CHECK_EQ(look(1, 2), 0);
	take_out(&first);
	names = (char *)second.image + section(&second, 1)->sh_offset;
	names = memmem(names, section(&second, 1)->sh_size, "leaf_hash", 9);
	memcpy(names, "LEAF", 4);
	add(&second);
	CHECK_EQ(look(2, 3), 0);
	CHECK_STR(sample_find(table, TEXT, 1), "leaf_hash");
	CHECK_STR(sample_find(table, TEXT, 2), "LEAF_hash");
	CHECK_STR(sample_find(table, TEXT, 3), "LEAF_hash");
	free((void *)first.image);
	free((void *)second.image);
	end();
}

/* The memory changes, as if the allocator had reused the memory between two
 * reads. */
TEST(a_new_image_in_an_entry_that_was_there_is_read)
{
	struct entry entry = make_entry(), other = make_entry();

	section(&other, 2)->sh_addr = 0x1000;
	begin();
	add(&entry);
	add(&other);
	CHECK_EQ(look(1, 2), 0);
	take_out(&entry);
	section(&entry, 2)->sh_addr = 0x5000;
	add(&entry);
	CHECK_EQ(look(3, 4), 0);
	CHECK_STR(sample_find(table, 0x5000, 4), "leaf_hash");
	CHECK_STR(sample_find(table, 0x1000, 4), "leaf_hash");
	free((void *)entry.image);
	free((void *)other.image);
	end();
}

TEST(symbol_with_invalid_name_offset_is_omitted)
{
	struct entry entry = make_entry();
	Elf64_Sym *symbols = (Elf64_Sym *)((uintptr_t)entry.image +
	                                   section(&entry, 8)->sh_offset);

	symbols[3].st_name = UINT32_MAX;
	begin();
	add(&entry);
	CHECK_EQ(look(1, 2), 0);
	CHECK_STR(sample_find(table, TEXT, 1), "-");
	CHECK_STR(sample_find(table, TEXT + 0x40, 1), "alpha_step");
	free((void *)entry.image);
	end();
}

TEST(a_list_of_another_version_is_refused)
{
	begin();
	HEAD->version = 2;
	CHECK_EQ(look(1, 2), -EOPNOTSUPP);
	end();
}

TEST(cyclic_list_ends)
{
	struct entry a = make_entry(), b = make_entry();

	begin();
	add(&a);
	add(&b);
	a.next = &b;
	CHECK_EQ(look(1, 2), 0);
	CHECK_STR(sample_find(table, TEXT, 1), "leaf_hash");
	free((void *)a.image);
	free((void *)b.image);
	end();
}

TEST(unreadable_list_is_retried_later)
{
	struct entry entry = make_entry();

	begin();
	add(&entry);
	entry.next = (struct entry *)(uintptr_t)16;
	CHECK_EQ(look(1, 2), 0);
	CHECK_STR(sample_find(table, TEXT, 2), "-");
	entry.next = NULL;
	CHECK_EQ(look(2, 3), 0);
	CHECK_STR(sample_find(table, TEXT, 2), "leaf_hash");
	free((void *)entry.image);
	end();
}

TEST(invalid_images_are_skipped)
{
	struct entry good = make_entry(), bad = make_entry();
	struct entry huge = good, nowhere = good, tiny = good;

	((unsigned char *)bad.image)[0] = 0;
	huge.size = UINT64_MAX;
	nowhere.image = (void *)(uintptr_t)16;
	tiny.size = 5;
	begin();
	add(&huge);
	add(&good);
	add(&nowhere);
	add(&tiny);
	add(&bad);
	CHECK_EQ(look(1, 2), 0);
	CHECK_STR(sample_find(table, TEXT, 1), "leaf_hash");
	free((void *)good.image);
	free((void *)bad.image);
	end();
}

TEST(missing_list_head_is_an_error)
{
	struct syscap_error error;

	CHECK_EQ(syc_code_table_new(&table), 0);
	CHECK_EQ(syc_gdb_jit_new(getpid(), 16, &jit), 0);
	CHECK_EQ(syc_gdb_jit_look(jit, 1, 2, table, &error), -EFAULT);
	end();
}

/* Walks a copy at the end of a page, so that a read beyond faults. */
static int walk_cut(size_t size)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	struct syc_gdb_jit_cover cover;
	unsigned char *pages;
	size_t all;
	unsigned char *image = sample_read("lli.elf", &all);
	int r;

	pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
	             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	CHECK(pages != MAP_FAILED && all <= page && size <= all);
	CHECK_EQ(mprotect(pages + page, page, PROT_NONE), 0);
	memcpy(pages + page - size, image, size);
	CHECK_EQ(syc_code_table_new(&table), 0);
	r = syc_gdb_jit_take_image(pages + page - size, size, 1, table, &cover);
	CHECK(cover.any == (r == 0));
	syc_code_table_free(table);
	munmap(pages, 2 * page);
	free(image);
	return r;
}

TEST(an_image_cut_anywhere_is_refused_and_not_read_beyond)
{
	size_t all;

	free(sample_read("lli.elf", &all));
	CHECK_EQ(walk_cut(all), 0);
	for (size_t size = 0; size < all; size++)
		CHECK_EQ(walk_cut(size), -ENOEXEC);
}

/* Each of @n sections claims the same table of @size bytes, which also holds
 * the strings. */
static size_t count_repeated(unsigned n, size_t size)
{
	const size_t tables = sizeof(Elf64_Ehdr) + n * sizeof(Elf64_Shdr);
	unsigned char *image = calloc(1, tables + size);
	Elf64_Ehdr *header = (Elf64_Ehdr *)image;
	Elf64_Shdr *sections = (Elf64_Shdr *)(header + 1);
	Elf64_Sym *symbols = (Elf64_Sym *)(image + tables);
	struct syc_gdb_jit_cover cover;
	size_t n_events;

	CHECK(image != NULL);
	memcpy(header->e_ident, ELFMAG, SELFMAG);
	header->e_ident[EI_CLASS] = ELFCLASS64;
	header->e_ident[EI_DATA] = ELFDATA2LSB;
	header->e_shoff = sizeof(*header);
	header->e_shentsize = sizeof(*sections);
	header->e_shnum = (Elf64_Half)n;
	for (unsigned i = 0; i < n; i++)
		sections[i] = (Elf64_Shdr){
			.sh_type = SHT_SYMTAB,
			.sh_entsize = sizeof(*symbols),
			.sh_offset = tables,
			.sh_size = size,
		};
	symbols[1] = (Elf64_Sym){
		.st_name = 100,
		.st_info = STT_FUNC,
		.st_shndx = SHN_ABS,
		.st_value = 0x1000,
		.st_size = 0x10,
	};
	((char *)symbols)[100] = 'f';
	CHECK_EQ(syc_code_table_new(&table), 0);
	CHECK_EQ(syc_gdb_jit_take_image(image, tables + size, 1, table, &cover),
	         0);
	n_events = syc_code_table_events(table);
	syc_code_table_free(table);
	free(image);
	return n_events;
}

TEST(repeated_tables_of_an_image_are_bounded)
{
	CHECK_EQ(count_repeated(4, 1u << 20), 4);
	CHECK_EQ(count_repeated(1000, 1u << 20), 8);
}

static int find(void *context, const struct syc_code_mapping *mapping)
{
	struct syc_code_process *process = context;
	const int fd = syc_code_process_open_file(process, mapping->path);
	uint64_t descriptor = 0;
	int r;

	if (fd < 0)
		return 0;
	r = syc_gdb_jit_find(fd, mapping->start, mapping->offset, &descriptor);
	close(fd);
	if (r < 0)
		return 0;
	CHECK_EQ(descriptor, (uintptr_t)HEAD);
	return 1;
}

TEST(the_head_is_found_by_the_symbols_of_the_files_that_are_mapped)
{
	struct syc_code_process process;

	CHECK_EQ(syc_code_process_open(getpid(), &process), 0);
	CHECK_EQ(process.own_pid, getpid());
	CHECK_EQ(process.owner, geteuid());
	CHECK_EQ(syc_code_process_mappings(&process, find, &process), 1);
	syc_code_process_close(&process);
}
