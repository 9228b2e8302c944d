/* SPDX-License-Identifier: BSD-2-Clause */
/* record_sample_names.c - the stacks of a capture, named by its own table. */
#include "integration/record_sample_names.h"

#include <stdlib.h>
#include <string.h>

#include <syscap/capture.h>

#include "harness/test.h"

#define RECORD     32u
#define PIDS_MAX   256u
#define LEAVES_MAX 4096u

struct record {
	uint64_t begin, end;
	uint32_t pid, name;
};

struct table {
	unsigned char *bytes;
	size_t size, n; /* n: number of records before the record of zeros */
};

static struct syscap_reader *open_capture(const char *path)
{
	struct syscap_reader *reader;
	struct syscap_error error;

	if (syscap_reader_open(path, &reader, &error) != 0)
		test_fail(__FILE__, __LINE__, "%s: %s", path, error.message);
	return reader;
}

static void read_table(struct syscap_reader *reader, struct table *table)
{
	struct syscap_frame frame;
	size_t n;

	*table = (struct table){ NULL, 0, 0 };
	syscap_reader_rewind(reader);
	while (syscap_reader_next(reader, &frame, NULL) > 0) {
		if (frame.type != SYSCAP_FRAME_FILE_CHUNK ||
		    strcmp(frame.file_chunk.path, "__symbols__") != 0)
			continue;
		n = frame.file_chunk.len;
		table->bytes = realloc(table->bytes, table->size + n);
		CHECK(table->bytes != NULL || table->size + n == 0);
		memcpy(table->bytes + table->size, frame.file_chunk.data, n);
		table->size += n;
	}
}

static struct record record_at(const struct table *table, size_t i)
{
	const unsigned char *at = table->bytes + i * RECORD;
	struct record record;

	memcpy(&record.begin, at, 8);
	memcpy(&record.end, at + 8, 8);
	memcpy(&record.pid, at + 16, 4);
	memcpy(&record.name, at + 20, 4);
	return record;
}

/* Checks that the records are sorted by pid and beginning, without overlaps, up
 * to a record of zeros. */
static void check_table(struct table *table)
{
	struct record last = { 0 }, record;

	for (; (table->n + 1) * RECORD <= table->size; table->n++) {
		record = record_at(table, table->n);
		if (record.begin == 0 && record.end == 0 && record.pid == 0 &&
		    record.name == 0)
			break;
		CHECK(record.begin < record.end);
		CHECK(record.pid > last.pid ||
		      (record.pid == last.pid && record.begin >= last.end));
		CHECK(record.name > table->n * RECORD);
		CHECK(record.name < table->size);
		last = record;
	}
	/* Readers need a byte after the zeros. */
	CHECK(table->size == 0 || (table->n + 1) * RECORD < table->size);
	CHECK(table->size == 0 || table->bytes[table->size - 1] == 0);
}

static const char *find(const struct table *table, int32_t pid, uint64_t addr)
{
	size_t low = 0, high = table->n;
	struct record record;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		record = record_at(table, middle);
		if (record.pid < (uint32_t)pid ||
		    (record.pid == (uint32_t)pid && record.end <= addr))
			low = middle + 1;
		else
			high = middle;
	}
	if (low == table->n)
		return NULL;
	record = record_at(table, low);
	return record.pid == (uint32_t)pid && addr >= record.begin
	               ? (const char *)table->bytes + record.name
	               : NULL;
}

/* "In File ..." is not the name of a symbol, but names the file of an
 * address. */
static bool is_name(const char *name)
{
	return name != NULL && strncmp(name, "In File ", 8) != 0;
}

static uint32_t weight_of(const struct syscap_frame *frame)
{
	if ((frame->padding2 & SYSCAP_WEIGHT_TAG_MASK) != SYSCAP_WEIGHT_TAG)
		return 1;
	return frame->padding2 & ~SYSCAP_WEIGHT_TAG_MASK;
}

static void look_at(const struct syscap_reader *reader,
                    const struct syscap_frame *frame, const struct table *table,
                    const char *const *wanted, struct names *names)
{
	const unsigned char flags = frame->bytes[26]; /* low byte */
	uint64_t addr;

	names->n_samples++;
	names->n_cut += (flags & SYSCAP_STACK_CUT) != 0;
	if ((flags & SYSCAP_STACK_CUT) == 0)
		names->n_stopped += (flags & SYSCAP_STACK_STOPPED) != 0;
	names->weight += weight_of(frame);
	for (unsigned i = 0; syscap_frame_addr(reader, frame, i, &addr); i++) {
		const char *name = find(table, frame->pid, addr);

		names->n_addrs++;
		names->n_named += is_name(name);
		if (*wanted != NULL && name != NULL &&
		    strcmp(name, *wanted) == 0)
			wanted++;
	}
	names->n_found += *wanted == NULL;
}

void names_look(const char *path, int32_t pid, const char *const *wanted,
                struct names *ret_names)
{
	struct syscap_reader *reader = open_capture(path);
	struct syscap_frame frame;
	struct table table;

	memset(ret_names, 0, sizeof(*ret_names));
	read_table(reader, &table);
	check_table(&table);
	ret_names->table_size = table.size;
	syscap_reader_rewind(reader);
	while (syscap_reader_next(reader, &frame, NULL) > 0)
		if (frame.type == SYSCAP_FRAME_SAMPLE &&
		    (pid == 0 || frame.pid == pid))
			look_at(reader, &frame, &table, wanted, ret_names);
	syscap_reader_close(reader);
	free(table.bytes);
}

size_t names_processes(const char *path, const char *text, int32_t *ret_pid)
{
	struct syscap_reader *reader = open_capture(path);
	struct syscap_frame frame;
	size_t n = 0;

	while (syscap_reader_next(reader, &frame, NULL) > 0)
		if (frame.type == SYSCAP_FRAME_PROCESS &&
		    strstr(frame.process.cmdline, text) != NULL) {
			*ret_pid = frame.pid;
			n++;
		}
	syscap_reader_close(reader);
	return n;
}

size_t names_sampled_processes(const char *path)
{
	struct syscap_reader *reader = open_capture(path);
	struct syscap_frame frame;
	int32_t pids[PIDS_MAX];
	size_t n = 0, i;

	while (syscap_reader_next(reader, &frame, NULL) > 0) {
		if (frame.type != SYSCAP_FRAME_SAMPLE)
			continue;
		for (i = 0; i < n && pids[i] != frame.pid; i++)
			;
		if (i == n && n < PIDS_MAX)
			pids[n++] = frame.pid;
	}
	syscap_reader_close(reader);
	return n;
}

struct leaf {
	const char *name; /* text in the table */
	uint64_t weight;
};

static int by_weight(const void *a, const void *b)
{
	const struct leaf *x = a, *y = b;

	return x->weight < y->weight ? 1 : x->weight > y->weight ? -1 : 0;
}

void names_hottest(const char *path, unsigned n,
                   void (*each)(const char *name, uint64_t weight))
{
	static struct leaf leaves[LEAVES_MAX];
	struct syscap_reader *reader = open_capture(path);
	struct syscap_frame frame;
	struct table table;
	unsigned n_leaves = 0, i;
	uint64_t addr;

	read_table(reader, &table);
	check_table(&table);
	syscap_reader_rewind(reader);
	while (syscap_reader_next(reader, &frame, NULL) > 0) {
		const char *name = NULL;

		if (frame.type != SYSCAP_FRAME_SAMPLE)
			continue;
		if (syscap_frame_addr(reader, &frame, 0, &addr))
			name = find(&table, frame.pid, addr);
		if (name == NULL)
			name = "?";
		for (i = 0; i < n_leaves && strcmp(leaves[i].name, name); i++)
			;
		if (i == LEAVES_MAX)
			continue;
		if (i == n_leaves)
			leaves[n_leaves++] = (struct leaf){ name, 0 };
		leaves[i].weight += weight_of(&frame);
	}
	qsort(leaves, n_leaves, sizeof(leaves[0]), by_weight);
	for (i = 0; i < n && i < n_leaves; i++)
		each(leaves[i].name, leaves[i].weight);
	syscap_reader_close(reader);
	free(table.bytes);
}
