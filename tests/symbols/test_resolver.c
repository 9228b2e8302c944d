/* SPDX-License-Identifier: BSD-2-Clause */
/* test_resolver.c - the file of an address, and whether it is the mapped
 * file. */
#define _GNU_SOURCE
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/test.h"
#include "stage.h"
#include "symbols/resolver.h"

static const struct elf_symbol alpha[] = {
	{ "alpha", 0x400, 0x40, STT_FUNC, STB_GLOBAL, false },
	{ "beta", 0x440, 0x40, STT_FUNC, STB_LOCAL, false },
};
static const struct elf_symbol gamma_symbols[] = {
	{ "gamma", 0x400, 0x80, STT_FUNC, STB_GLOBAL, false },
};

static struct stage stage;
static struct syc_symbols *symbols;
static struct syc_symbols_options options;

static void learn(void)
{
	stage_read(&stage);
	CHECK_EQ(syc_symbols_new(&options, &symbols), 0);
	CHECK_EQ(syc_symbols_learn(symbols, stage.reader), 0);
}

static void finish(void)
{
	syc_symbols_free(symbols);
	stage_end(&stage);
}

static struct syc_symbol latest;

/* The name of @address of process 7, or NULL. */
static const char *name_at(uint64_t address, int64_t time, bool is_return)
{
	const struct syc_symbol_query query = { 7, time, address, is_return };
	const int r = syc_symbols_find(symbols, &query, &latest);

	CHECK(r >= 0);
	return r > 0 ? latest.name : NULL;
}

static const struct syc_symbols_use *use;

static void note_use(void *data, const struct syc_symbols_use *one)
{
	(void)data;
	use = one;
}

static void check_state(enum syc_symbols_state state, const char *why)
{
	use = NULL;
	syc_symbols_each_use(symbols, note_use, NULL);
	CHECK(use != NULL);
	CHECK_EQ(use->state, state);
	CHECK(strstr(use->why, why) != NULL);
}

TEST(an_address_is_named_by_the_file_that_was_mapped)
{
	const struct elf_spec spec = stage_spec(alpha, 2);

	stage_begin(&stage);
	stage_elf(&stage, "lib/liba.so.1", &spec);
	stage_map(&stage, 7, 2000, 0x10000, stage_path(&stage, "lib/liba.so.1"),
	          STAGE_ID, 0);
	learn();
	CHECK_STR(name_at(0x10410, 3000, false), "alpha");
	CHECK_EQ(latest.begin, 0x10400);
	CHECK_EQ(latest.end, 0x10440);
	CHECK_STR(latest.nick, "liba.so.1");
	CHECK(latest.is_named && latest.is_always && !latest.is_signal);
	CHECK_STR(name_at(0x10440, 3000, false), "beta");
	CHECK_STR(name_at(0x10480, 3000, false), NULL);
	CHECK_STR(name_at(0x11410, 3000, false), NULL);
	check_state(SYC_SYMBOLS_USED, "");
	finish();
}

TEST(a_return_address_is_of_the_call_before_it)
{
	const struct elf_spec spec = stage_spec(alpha, 2);

	stage_begin(&stage);
	stage_elf(&stage, "liba.so", &spec);
	stage_map(&stage, 7, 2000, 0x10000, stage_path(&stage, "liba.so"),
	          STAGE_ID, 0);
	learn();
	CHECK_STR(name_at(0x10440, 3000, true), "alpha");
	CHECK_STR(name_at(0x10480, 3000, true), "beta");
	finish();
}

TEST(kernel_jit_and_marker_addresses_are_skipped)
{
	stage_begin(&stage);
	stage_map(&stage, 7, 2000, 0xffffffff81000000, "/x", NULL, 0);
	learn();
	CHECK_STR(name_at(0xffffffff81000400, 1, false), NULL);
	CHECK_STR(name_at(0xe000000000000001, 1, false), NULL);
	CHECK_STR(name_at(0xfffffffffffffe00, 1, false), NULL);
	CHECK_STR(name_at(0, 1, true), NULL);
	finish();
}

TEST(a_file_with_another_build_id_is_not_used)
{
	const struct elf_spec spec = stage_spec(alpha, 2);

	stage_begin(&stage);
	stage_elf(&stage, "liba.so", &spec);
	stage_map(&stage, 7, 2000, 0x10000, stage_path(&stage, "liba.so"),
	          "00ff", 0);
	learn();
	CHECK_STR(name_at(0x10410, 3000, false), NULL);
	check_state(SYC_SYMBOLS_OTHER, "its build-id is " STAGE_ID);
	finish();
}

TEST(a_file_that_lost_its_build_id_is_not_used)
{
	struct elf_spec spec = stage_spec(alpha, 2);

	spec.build_id = NULL;
	stage_begin(&stage);
	stage_elf(&stage, "liba.so", &spec);
	stage_map(&stage, 7, 2000, 0x10000, stage_path(&stage, "liba.so"),
	          STAGE_ID, 0);
	learn();
	CHECK_STR(name_at(0x10410, 3000, false), NULL);
	check_state(SYC_SYMBOLS_OTHER, "has no build-id");
	finish();
}

/* Two files of one spec without a build-id; the map has the inode of the first
 * file. */
static void map_by_inode(const char *name, bool is_right)
{
	struct elf_spec spec = stage_spec(alpha, 2);
	struct stat st;

	spec.build_id = NULL;
	stage_begin(&stage);
	stage_elf(&stage, name, &spec);
	CHECK_EQ(stat(stage_path(&stage, name), &st), 0);
	stage_map(&stage, 7, 2000, 0x10000, stage_path(&stage, name), NULL,
	          st.st_ino + !is_right);
	learn();
}

TEST(without_a_build_id_the_inode_has_to_be_the_same)
{
	map_by_inode("liba.so", true);
	CHECK_STR(name_at(0x10410, 3000, false), "alpha");
	finish();
	map_by_inode("liba.so", false);
	CHECK_STR(name_at(0x10410, 3000, false), NULL);
	check_state(SYC_SYMBOLS_OTHER, "its inode is");
	finish();
}

TEST(a_file_without_a_build_id_is_read_once_for_all_processes)
{
	struct elf_spec spec = stage_spec(alpha, 2);
	struct syc_symbol_query query = { .pid = 7,
		                          .address = 0x10410,
		                          .time = 3000 };
	struct syc_symbol first, second;

	spec.build_id = NULL;
	stage_begin(&stage);
	stage_set_time(&stage, "2100-01-01T00:00:00Z");
	stage_elf(&stage, "liba.so", &spec);
	for (int32_t pid = 7; pid <= 8; pid++)
		stage_map(&stage, pid, 2000, 0x10000,
		          stage_path(&stage, "liba.so"), NULL, 0);
	/* A living process may see other files under the same path */
	options.is_live = true;
	learn();
	CHECK_EQ(syc_symbols_find(symbols, &query, &first), 1);
	query.pid = 8;
	CHECK_EQ(syc_symbols_find(symbols, &query, &second), 1);
	CHECK_STR(first.name, second.name);
	CHECK(first.name == second.name);
	options.is_live = false;
	finish();
}

TEST(unidentified_file_must_be_older_than_the_recording)
{
	struct elf_spec spec = stage_spec(alpha, 2);

	spec.build_id = NULL;
	for (unsigned is_old = 0; is_old < 2; is_old++) {
		stage_begin(&stage);
		stage_elf(&stage, "liba.so", &spec);
		if (!is_old)
			stage_set_time(&stage, "2020-01-01T00:00:00Z");
		stage_map(&stage, 7, 2000, 0x10000,
		          stage_path(&stage, "liba.so"), NULL, 0);
		learn();
		CHECK_STR(name_at(0x10410, 3000, false),
		          is_old ? "alpha" : NULL);
		check_state(is_old ? SYC_SYMBOLS_USED : SYC_SYMBOLS_NEWER, "");
		finish();
	}
}

TEST(a_file_that_is_gone_is_missing)
{
	stage_begin(&stage);
	stage_map(&stage, 7, 2000, 0x10000, stage_path(&stage, "no.so"),
	          STAGE_ID, 0);
	learn();
	CHECK_STR(name_at(0x10410, 3000, false), NULL);
	check_state(SYC_SYMBOLS_MISSING, "");
	CHECK_EQ(use->n_asked, 1);
	CHECK_EQ(use->n_named, 0);
	finish();
}

TEST(only_regular_files_are_opened)
{
	stage_begin(&stage);
	CHECK_EQ(mkfifo(stage_path(&stage, "pipe"), 0600), 0);
	stage_map(&stage, 7, 2000, 0x10000, stage_path(&stage, "pipe"), NULL,
	          0);
	learn();
	CHECK_STR(name_at(0x10410, 3000, false), NULL);
	check_state(SYC_SYMBOLS_BAD, "");
	finish();
}

TEST(truncated_file_is_only_bad)
{
	const struct elf_spec spec = stage_spec(alpha, 2);

	stage_begin(&stage);
	stage_elf(&stage, "liba.so", &spec);
	CHECK_EQ(truncate(stage_path(&stage, "liba.so"), 40), 0);
	stage_map(&stage, 7, 2000, 0x10000, stage_path(&stage, "liba.so"), NULL,
	          0);
	learn();
	CHECK_STR(name_at(0x10410, 3000, false), NULL);
	check_state(SYC_SYMBOLS_BAD, "not an ELF file");
	finish();
}

/* Table @i of @n has a function at 0x400 + 16 * i, always with the same
 * name. */
static void write_tables(const char *path, unsigned n)
{
	const size_t symbols_at = sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr) +
	                          n * sizeof(Elf64_Shdr) + sizeof(Elf64_Shdr);
	const size_t names_at = symbols_at + n * 2 * sizeof(Elf64_Sym);
	const size_t size = names_at + 16;
	unsigned char *bytes = calloc(1, size);
	Elf64_Ehdr *header = (Elf64_Ehdr *)bytes;
	Elf64_Phdr *segment = (Elf64_Phdr *)(header + 1);
	Elf64_Shdr *sections = (Elf64_Shdr *)(segment + 1);
	Elf64_Sym *entries = (Elf64_Sym *)(bytes + symbols_at);
	FILE *file = fopen(path, "we");

	CHECK(bytes != NULL && file != NULL);
	memcpy(header->e_ident, ELFMAG, SELFMAG);
	header->e_ident[EI_CLASS] = ELFCLASS64;
	header->e_ident[EI_DATA] = ELFDATA2LSB;
	header->e_machine = EM_X86_64;
	header->e_phoff = sizeof(*header);
	header->e_phentsize = sizeof(*segment);
	header->e_phnum = 1;
	header->e_shoff = sizeof(*header) + sizeof(*segment);
	header->e_shentsize = sizeof(*sections);
	header->e_shnum = (Elf64_Half)(n + 1);
	*segment = (Elf64_Phdr){ .p_type = PT_LOAD,
		                 .p_flags = PF_R | PF_X,
		                 .p_filesz = 0x1000,
		                 .p_memsz = 0x1000 };
	memcpy(bytes + names_at, "\0same", 6);
	sections[0] = (Elf64_Shdr){ .sh_type = SHT_STRTAB,
		                    .sh_offset = names_at,
		                    .sh_size = 16 };
	for (unsigned i = 0; i < n; i++) {
		sections[i + 1] = (Elf64_Shdr){
			.sh_type = SHT_SYMTAB,
			.sh_offset = symbols_at + i * 2 * sizeof(*entries),
			.sh_size = 2 * sizeof(*entries),
			.sh_entsize = sizeof(*entries),
		};
		entries[2 * i + 1] = (Elf64_Sym){
			.st_name = 1,
			.st_info = STT_FUNC,
			.st_shndx = 1,
			.st_value = 0x400 + 16 * i,
			.st_size = 16,
		};
	}
	CHECK_EQ(fwrite(bytes, 1, size, file), size);
	CHECK_EQ(fclose(file), 0);
	free(bytes);
}

/* Many tables may be the same few megabytes. */
TEST(eight_symbol_tables_are_read_at_most)
{
	stage_begin(&stage);
	stage_set_time(&stage, "2100-01-01T00:00:00Z");
	write_tables(stage_path(&stage, "many.so"), 40);
	stage_map(&stage, 7, 2000, 0x10000, stage_path(&stage, "many.so"), NULL,
	          0);
	learn();
	CHECK_STR(name_at(0x10400, 3000, false), "same");
	CHECK_STR(name_at(0x10470, 3000, false), "same");
	CHECK_STR(name_at(0x10480, 3000, false), NULL);
	finish();
}

TEST(provided_fd_of_a_deleted_file_is_used)
{
	const struct elf_spec spec = stage_spec(alpha, 2);
	const struct elf_spec rebuilt = stage_spec(gamma_symbols, 1);
	struct syc_symbols_file file = { .pid = -1 };

	stage_begin(&stage);
	stage_elf(&stage, "liba.so", &spec);
	file.fd = open(stage_path(&stage, "liba.so"), O_RDONLY);
	CHECK_EQ(unlink(stage_path(&stage, "liba.so")), 0);
	stage_elf(&stage, "liba.so", &rebuilt);
	stage_map(&stage, 7, 2000, 0x10000, stage_path(&stage, "liba.so"),
	          STAGE_ID, 0);
	learn();
	CHECK_EQ(syc_symbols_add_file(symbols, &file), 0);
	CHECK_EQ(syc_symbols_add_file(symbols, &file), 0);
	close(file.fd);
	CHECK_STR(name_at(0x10410, 3000, false), "alpha");
	finish();
}

TEST(file_without_build_id_is_provided_by_name)
{
	struct elf_spec spec = stage_spec(alpha, 2);
	struct syc_symbols_file file = { .pid = 7,
		                         .path = "/gone/liba.so (deleted)" };

	spec.build_id = NULL;
	stage_begin(&stage);
	stage_elf(&stage, "liba.so", &spec);
	stage_map(&stage, 7, 2000, 0x10000, "/gone/liba.so (deleted)", NULL, 0);
	stage_map(&stage, 8, 2000, 0x10000, "/gone/liba.so (deleted)", NULL, 5);
	learn();
	file.fd = open(stage_path(&stage, "liba.so"), O_RDONLY);
	CHECK_EQ(syc_symbols_add_file(symbols, &file), 0);
	close(file.fd);
	CHECK_STR(name_at(0x10410, 3000, false), "alpha");
	CHECK_EQ(syc_symbols_find(
			 symbols,
			 &(struct syc_symbol_query){ 8, 3000, 0x10410, false },
			 &latest),
	         0);
	finish();
}

TEST(library_in_place_of_another_has_its_own_names)
{
	struct elf_spec spec = stage_spec(alpha, 2);
	struct elf_spec other = stage_spec(gamma_symbols, 1);

	other.build_id_size = 4;
	stage_begin(&stage);
	stage_elf(&stage, "liba.so", &spec);
	stage_elf(&stage, "libc.so", &other);
	stage_map(&stage, 7, 2000, 0x10000, stage_path(&stage, "liba.so"),
	          STAGE_ID, 0);
	stage_map(&stage, 7, 5000, 0x10000, stage_path(&stage, "libc.so"),
	          "01234567", 0);
	learn();
	CHECK_STR(name_at(0x10410, 4999, false), "alpha");
	CHECK(!latest.is_always);
	CHECK_STR(name_at(0x10410, 5000, false), "gamma");
	finish();
}

TEST(debug_symbols_are_found_by_build_id)
{
	const uint32_t functions[][2] = { { 0x400, 0x40 }, { 0x440, 0x40 } };
	struct elf_spec spec = stage_spec(NULL, 0);
	struct elf_spec debug = stage_spec(alpha, 2);
	const char *folder;

	stage_begin(&stage);
	spec.functions = functions;
	spec.n_functions = 2;
	debug.is_debug_only = true;
	stage_elf(&stage, "liba.so", &spec);
	stage_elf(&stage, "debug/.build-id/01/23456789abcdef.debug", &debug);
	stage_map(&stage, 7, 2000, 0x10000, stage_path(&stage, "liba.so"),
	          STAGE_ID, 0);
	learn();
	CHECK(name_at(0x10410, 3000, false) != NULL && !latest.is_named);
	CHECK(strncmp(latest.name, "In File /", 9) == 0);
	CHECK(strstr(latest.name, "liba.so+0x400") != NULL);
	check_state(SYC_SYMBOLS_UNNAMED, "");
	syc_symbols_free(symbols);
	folder = stage_path(&stage, "debug/");
	options.debug_dirs = &folder;
	options.n_debug_dirs = 1;
	CHECK_EQ(syc_symbols_new(&options, &symbols), 0);
	CHECK_EQ(syc_symbols_learn(symbols, stage.reader), 0);
	CHECK_STR(name_at(0x10450, 3000, false), "beta");
	finish();
}

TEST(debug_symbols_do_without_the_file)
{
	struct elf_spec debug = stage_spec(alpha, 2);
	const char *folder;

	stage_begin(&stage);
	debug.is_debug_only = true;
	stage_elf(&stage, "debug/.build-id/01/23456789abcdef.debug", &debug);
	stage_map(&stage, 7, 2000, 0x10000, "/gone/liba.so", STAGE_ID, 0);
	folder = stage_path(&stage, "debug");
	options.debug_dirs = &folder;
	options.n_debug_dirs = 1;
	learn();
	CHECK_STR(name_at(0x10450, 3000, false), "beta");
	finish();
}

/* The CRC of zlib and .gnu_debuglink, bit by bit. */
static uint32_t crc_of(const char *path)
{
	uint32_t crc = UINT32_MAX;
	FILE *file = fopen(path, "rb");
	int c;

	CHECK(file != NULL);
	while ((c = getc(file)) != EOF) {
		crc ^= (uint32_t)c;
		for (unsigned i = 0; i < 8; i++)
			crc = crc & 1 ? crc >> 1 ^ 0xedb88320u : crc >> 1;
	}
	fclose(file);
	return ~crc;
}

static void link_debug_file(const char *name, uint32_t wrong, bool found)
{
	struct elf_spec spec = stage_spec(gamma_symbols, 0);
	struct elf_spec debug = stage_spec(alpha, 2);

	stage_begin(&stage);
	spec.build_id = debug.build_id = NULL;
	debug.is_debug_only = true;
	stage_elf(&stage, name, &debug);
	spec.debug_link = "liba.debug";
	spec.debug_crc = crc_of(stage_path(&stage, name)) + wrong;
	stage_elf(&stage, "bin/liba.so", &spec);
	stage_map(&stage, 7, 2000, 0x10000, stage_path(&stage, "bin/liba.so"),
	          NULL, 0);
	learn();
	CHECK_STR(name_at(0x10450, 3000, false), found ? "beta" : NULL);
	finish();
}

TEST(debug_symbols_are_found_by_a_link_and_its_checksum)
{
	link_debug_file("bin/liba.debug", 0, true);
	link_debug_file("bin/.debug/liba.debug", 0, true);
	link_debug_file("bin/.debug/liba.debug", 1, false);
	link_debug_file("elsewhere/liba.debug", 0, false);
}

TEST(return_from_a_handler_is_recognized)
{
	const struct elf_symbol symtab[] = {
		{ "before", 0x400, 0x40, STT_FUNC, STB_GLOBAL, false },
		{ "__restore_rt", 0x441, 0, STT_NOTYPE, STB_LOCAL, false },
	};
	struct elf_spec spec = stage_spec(symtab, 2);

	spec.signal[0] = 0x440;
	spec.signal[1] = 0x10;
	stage_begin(&stage);
	stage_elf(&stage, "libc.so", &spec);
	stage_map(&stage, 7, 2000, 0x10000, stage_path(&stage, "libc.so"),
	          STAGE_ID, 0);
	learn();
	/* Unwinders return the address, or the byte before. */
	CHECK_STR(name_at(0x10441, 3000, true), "__restore_rt");
	CHECK(latest.is_signal);
	CHECK_STR(name_at(0x10440, 3000, true), "__restore_rt");
	CHECK(latest.is_signal && latest.begin <= 0x10440);
	CHECK_STR(name_at(0x1043f, 3000, true), "before");
	CHECK(!latest.is_signal);
	finish();
}

TEST(the_root_of_another_machine_has_the_files)
{
	const struct elf_spec spec = stage_spec(alpha, 2);

	stage_begin(&stage);
	stage_elf(&stage, "image/usr/lib/liba.so", &spec);
	stage_map(&stage, 7, 2000, 0x10000, "/usr/lib/liba.so", STAGE_ID, 0);
	options.root = stage_path(&stage, "image");
	learn();
	CHECK_STR(name_at(0x10410, 3000, false), "alpha");
	finish();
}

TEST(embedded_mountinfo_leads_into_containers)
{
	const struct elf_spec spec = stage_spec(alpha, 2);
	char text[512];

	stage_begin(&stage);
	stage_elf(&stage, "layer/usr/lib/liba.so", &spec);
	snprintf(text, sizeof(text),
	         "1 0 0:1 / / rw - overlay o rw,lowerdir=/none:%s\n",
	         stage_path(&stage, "layer"));
	make_file_chunk(&stage.capture, 1500, false, "/proc/7/mountinfo", text,
	                10);
	make_timestamp(&stage.capture, 1500);
	make_file_chunk(&stage.capture, 1501, true, "/proc/7/mountinfo",
	                text + 10, (unsigned)strlen(text) - 10);
	stage_map(&stage, 7, 2000, 0x10000, "/usr/lib/liba.so", STAGE_ID, 0);
	learn();
	CHECK_STR(name_at(0x10410, 3000, false), "alpha");
	finish();
}

static int name_code(void *data, const struct syc_symbol_query *query,
                     struct syc_symbol *ret_symbol)
{
	(void)data;
	if (query->address < 0x900000 || query->address >= 0x900010)
		return 0;
	*ret_symbol = (struct syc_symbol){
		.begin = 0x900000,
		.end = 0x900010,
		.name = query->time < 5000 ? "old code" : "new code",
		.nick = "",
	};
	return 1;
}

TEST(generated_code_is_looked_up_by_time)
{
	stage_begin(&stage);
	options.code = name_code;
	learn();
	CHECK_STR(name_at(0x900000, 4000, false), "old code");
	CHECK_STR(name_at(0x900010, 6000, true), "new code");
	CHECK(latest.is_named && !latest.is_always);
	CHECK_STR(name_at(0x900010, 6000, false), NULL);
	finish();
}

TEST(vdso_of_this_kernel_can_be_provided)
{
	stage_begin(&stage);
	stage_map(&stage, 7, 2000, 0x10000, "[vdso]", NULL, 0);
	learn();
	if (syc_symbols_add_vdso(symbols) < 0)
		SKIP("this process has no vDSO");
	for (uint64_t at = 0x10000; at < 0x11000; at++)
		if (name_at(at, 3000, false) != NULL && latest.is_named)
			break;
	CHECK(latest.name != NULL && latest.is_named);
	CHECK_STR(latest.nick, "vdso");
	finish();
}
