/* SPDX-License-Identifier: BSD-2-Clause */
/* samples.c - files written by runtimes, in tests/code/samples/. */
#define _GNU_SOURCE
#include "code/samples.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "code/code_sources.h"
#include "harness/test.h"

const char *sample_path(const char *name)
{
	const char *source = getenv("SYSCAP_SOURCE");
	static char path[4096];

	snprintf(path, sizeof(path), "%s/tests/code/samples/%s",
	         source ? source : ".", name);
	return path;
}

unsigned char *sample_read(const char *name, size_t *ret_size)
{
	FILE *file = fopen(sample_path(name), "rbe");
	unsigned char *data = malloc(1 << 16);

	CHECK(file != NULL && data != NULL);
	*ret_size = fread(data, 1, 1 << 16, file);
	fclose(file);
	return data;
}

struct syc_code_table *sample_perf_map(const char *path, uint64_t *ret_bad)
{
	const struct syc_perf_map_options options = {
		.from = SYC_CODE_ALWAYS,
		.is_last = true,
	};
	struct syc_perf_map_options ours = options;
	struct syc_perf_map map = { 0 };
	struct syc_code_table *table;
	struct syscap_error error;
	struct stat st;

	/* A checkout may belong to another user. */
	CHECK_EQ(stat(path, &st), 0);
	ours.owner = st.st_uid;
	CHECK_EQ(syc_code_table_new(&table), 0);
	CHECK_EQ(syc_perf_map_read(&map, AT_FDCWD, path, &ours, table, &error),
	         0);
	CHECK_EQ(syc_code_table_settle(table), 0);
	*ret_bad = map.n_bad;
	return table;
}

struct syc_code_table *sample_jitdump(const char *path)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct syc_code_table *table;
	struct syc_jitdump *dump;

	CHECK(fd >= 0);
	CHECK_EQ(syc_code_table_new(&table), 0);
	CHECK_EQ(syc_jitdump_new(fd, 0, &dump), 0);
	CHECK_EQ(syc_jitdump_read(dump, table, NULL), 0);
	syc_jitdump_free(dump);
	CHECK_EQ(syc_code_table_settle(table), 0);
	return table;
}

const char *sample_find(const struct syc_code_table *table, uint64_t addr,
                        int64_t time)
{
	struct syc_code_range range;

	return syc_code_table_find(table, addr, time, &range) ? range.name
	                                                      : "-";
}

char *sample_make(const char *name, const void *data, size_t size)
{
	char dir[] = "/tmp/syscap-code-XXXXXX", *path;
	FILE *file;

	CHECK(mkdtemp(dir) != NULL);
	CHECK(asprintf(&path, "%s/%s", dir, name) > 0);
	file = fopen(path, "wbe");
	CHECK(file != NULL && fwrite(data, 1, size, file) == size);
	fclose(file);
	return path;
}

void sample_remove(char *path)
{
	unlink(path);
	*strrchr(path, '/') = 0;
	rmdir(path);
	free(path);
}
