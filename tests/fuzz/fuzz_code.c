/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_code.c - reads of any bytes as a runtime's data about its code.
 *
 * The input's beginning selects a jitdump, an image for debuggers, or else a
 * perf map.  Files that grow during reading give the same result as complete
 * files.  A range found at an address contains that address.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "code/code_sources.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void demand(bool condition)
{
	if (!condition)
		abort();
}

static void put(int fd, const uint8_t *data, size_t size)
{
	demand(pwrite(fd, data, size, 0) == (ssize_t)size);
}

static struct syc_code_table *make_table(void)
{
	struct syc_code_table *table;

	demand(syc_code_table_new(&table) == 0);
	return table;
}

/* Checks that the range found in @a contains the address and time, and equals
 * the range found in @b. */
static void look_at(const struct syc_code_table *a,
                    const struct syc_code_table *b, uint64_t addr, int64_t time)
{
	struct syc_code_range range, other;
	const bool found = syc_code_table_find(a, addr, time, &range);

	demand(syc_code_table_find(b, addr, time, &other) == found);
	if (!found)
		return;
	demand(addr - range.start < range.len);
	demand(range.from <= time && range.from < range.until);
	demand(range.name[0] != 0);
	demand(range.start == other.start && range.len == other.len);
	demand(strcmp(range.name, other.name) == 0);
}

/* Checks that both tables have the same content. */
static void finish(struct syc_code_table *a, struct syc_code_table *b)
{
	uint64_t low, last, other_low, other_last;

	demand(syc_code_table_events(a) == syc_code_table_events(b));
	demand(syc_code_table_settle(a) == 0 && syc_code_table_settle(b) == 0);
	if (syc_code_table_span(a, &low, &last)) {
		demand(syc_code_table_span(b, &other_low, &other_last));
		demand(low == other_low && last == other_last);
		for (unsigned i = 0; i < 16; i++) {
			look_at(a, b, low + (last - low) / 16 * i, INT64_MIN);
			look_at(a, b, last - i, INT64_MAX);
			look_at(a, b, low + i, (int64_t)i << 40);
			look_at(a, b, low + i, (int64_t)i);
		}
	}
	syc_code_table_free(a);
	syc_code_table_free(b);
}

static void read_jitdump(const uint8_t *data, size_t size)
{
	struct syc_code_table *tables[2];

	for (unsigned i = 0; i < 2; i++) {
		const int fd = memfd_create("jitdump", MFD_CLOEXEC);
		struct syc_jitdump *dump;

		demand(fd >= 0);
		tables[i] = make_table();
		demand(syc_jitdump_new(fd, 7, &dump) == 0);
		/* The file is read once as a whole, and once in four parts. */
		for (unsigned part = i == 0 ? 4 : 1; part <= 4; part++) {
			put(fd, data, size * part / 4);
			syc_jitdump_read(dump, tables[i], NULL);
		}
		syc_jitdump_free(dump);
	}
	finish(tables[0], tables[1]);
}

/* The directory for all inputs. */
static char folder_path[] = "/tmp/syscap-fuzz-XXXXXX";

static void remove_folder(void)
{
	rmdir(folder_path);
}

static int open_folder(void)
{
	static int folder = -1;

	if (folder < 0) {
		demand(mkdtemp(folder_path) != NULL);
		demand(atexit(remove_folder) == 0);
		folder = open(folder_path, O_PATH | O_DIRECTORY | O_CLOEXEC);
		demand(folder >= 0);
	}
	return folder;
}

static void read_perf_map(const uint8_t *data, size_t size)
{
	static const char name[] = "perf-7.map";
	const int folder = open_folder();
	struct syc_code_table *tables[2];

	for (unsigned i = 0; i < 2; i++) {
		struct syc_perf_map_options options = {
			.owner = geteuid(),
			.from = 5,
			.maybe_from = 1,
		};
		const int fd =
			openat(folder, name,
		               O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		struct syc_perf_map map = { 0 };

		demand(fd >= 0);
		tables[i] = make_table();
		for (unsigned part = i == 0 ? 4 : 1; part <= 4; part++) {
			put(fd, data, size * part / 4);
			options.is_last = part == 4;
			demand(syc_perf_map_read(&map, folder, name, &options,
			                         tables[i], NULL) == 0);
		}
		demand(map.restarts == 0);
		close(fd);
		unlinkat(folder, name, 0);
	}
	finish(tables[0], tables[1]);
}

static void read_image(const uint8_t *data, size_t size)
{
	const int fd = memfd_create("image", MFD_CLOEXEC);
	struct syc_code_table *tables[2];
	uint64_t descriptor;

	for (unsigned i = 0; i < 2; i++) {
		struct syc_gdb_jit_cover cover;
		uint64_t low, last;

		tables[i] = make_table();
		syc_gdb_jit_take_image(data, size, 1, tables[i], &cover);
		demand(cover.any == (syc_code_table_events(tables[i]) > 0));
		demand(syc_code_table_settle(tables[i]) == 0);
		if (syc_code_table_span(tables[i], &low, &last))
			demand(low == cover.low && last == cover.last);
	}
	finish(tables[0], tables[1]);
	demand(fd >= 0);
	put(fd, data, size);
	syc_gdb_jit_find(fd, 0x10000, 0x1000, &descriptor);
	close(fd);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size >= 4 &&
	    (memcmp(data, "DTiJ", 4) == 0 || memcmp(data, "JiTD", 4) == 0))
		read_jitdump(data, size);
	else if (size >= 4 && memcmp(data, "\177ELF", 4) == 0)
		read_image(data, size);
	else
		read_perf_map(data, size);
	return 0;
}
