/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * check_tables.c - rules of `syscap check` about counters and the table of
 * source lines.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "capture/embedded.h"
#include "capture/line_table.h"
#include "cli/check.h"
#include "common/strings.h"

#define AT(field)   offsetof(struct syscap_wire_counter, field)
#define SIZE(field) sizeof(((struct syscap_wire_counter *)0)->field)

static int find_counter(struct syc_checker *checker, int32_t pid, uint32_t id,
                        struct syc_check_counter **ret_counter)
{
	const struct {
		int32_t pid;
		uint32_t id;
	} key = { pid, id };
	const struct syc_check_counter counter = { .pid = pid, .id = id };
	size_t number;

	const int r =
		syc_map_put(&checker->by_counter, &key, sizeof(key), &number);
	if (r < 0 || (r > 0 && syc_array_push(&checker->counters, counter) < 0))
		return -ENOMEM;
	*ret_counter = &checker->counters.items[number];
	return 0;
}

static bool has_same_text(const unsigned char *a, const unsigned char *b)
{
	const char *left = (const char *)a, *right = (const char *)b;

	return strncmp(left + AT(category), right + AT(category),
	               SIZE(category)) == 0 &&
	       strncmp(left + AT(name), right + AT(name), SIZE(name)) == 0 &&
	       strncmp(left + AT(description), right + AT(description),
	               SIZE(description)) == 0 &&
	       a[AT(type)] == b[AT(type)];
}

/* One id names one counter in the whole file, for all processes. */
static int check_repeated(struct syc_checker *checker, uint64_t offset,
                          uint32_t id, const unsigned char *bytes)
{
	const struct syc_check_definition definition = {
		.offset = offset,
		.bytes = bytes,
	};
	size_t number;

	const int r = syc_map_put(&checker->by_id, &id, sizeof(id), &number);
	if (r < 0)
		return r;
	if (r > 0)
		return syc_array_push(&checker->definitions, definition);

	struct syc_check_definition *first =
		&checker->definitions.items[number];
	if (first->is_told || has_same_text(first->bytes, bytes))
		return 0;
	first->is_told = true;
	syc_findings_problem(checker->findings, SYC_FINDING_COUNTER, offset,
	                     "this definition of counter %" PRIu32
	                     " differs from the definition at byte %" PRIu64,
	                     id, first->offset);
	return 0;
}

static void check_texts(struct syc_checker *checker, uint64_t offset,
                        uint32_t id, const unsigned char *bytes)
{
	if (!memchr(bytes + AT(category), 0, SIZE(category)) ||
	    !memchr(bytes + AT(name), 0, SIZE(name)) ||
	    !memchr(bytes + AT(description), 0, SIZE(description)))
		syc_findings_problem(
			checker->findings, SYC_FINDING_CONTENT, offset,
			"a text of counter %" PRIu32 " has no NUL at the end",
			id);
}

static int check_definition(struct syc_checker *checker,
                            const struct syscap_frame *frame, unsigned i,
                            const struct syscap_counter_info *info)
{
	const unsigned char *bytes = frame->bytes +
	                             sizeof(struct syscap_wire_ctrdef) +
	                             i * sizeof(struct syscap_wire_counter);
	struct syc_check_counter *counter;

	check_texts(checker, frame->offset, info->id, bytes);
	if (bytes[AT(type)] > 1)
		syc_findings_problem(
			checker->findings, SYC_FINDING_COUNTER, frame->offset,
			"counter %" PRIu32 " has unknown value type %u",
			info->id, bytes[AT(type)]);
	if (info->id == 0) {
		syc_findings_problem(checker->findings, SYC_FINDING_COUNTER,
		                     frame->offset,
		                     "a counter has the reserved id 0");
		return 0;
	}
	if (find_counter(checker, frame->pid, info->id, &counter) < 0)
		return -ENOMEM;
	if (counter->defined == 0)
		counter->defined = frame->offset;
	return check_repeated(checker, frame->offset, info->id, bytes);
}

int syc_checker_counters(struct syc_checker *checker,
                         const struct syscap_frame *frame)
{
	struct syscap_counter_info info;
	struct syc_check_counter *counter;
	uint64_t bits;
	uint32_t id;

	for (unsigned i = 0;
	     syscap_frame_counter(checker->reader, frame, i, &info); i++)
		if (check_definition(checker, frame, i, &info) < 0)
			return -ENOMEM;

	if (frame->type == SYSCAP_FRAME_CTRSET && frame->ctrset.has_holes)
		syc_findings_problem(
			checker->findings, SYC_FINDING_COUNTER, frame->offset,
			"a CTRSET frame has the counter id 0 before other "
			"values");
	for (unsigned i = 0;
	     syscap_frame_slot(checker->reader, frame, i, &id, &bits); i++) {
		if (id == 0)
			continue;
		if (find_counter(checker, frame->pid, id, &counter) < 0)
			return -ENOMEM;
		if (counter->set == 0)
			counter->set = frame->offset;
	}
	return 0;
}

void syc_checker_counters_end(struct syc_checker *checker)
{
	for (size_t i = 0; i < checker->counters.n; i++) {
		const struct syc_check_counter *counter =
			&checker->counters.items[i];
		uint64_t defined = counter->defined;
		size_t number;

		if (counter->set == 0)
			continue;
		if (defined == 0 && syc_map_get(&checker->by_id, &counter->id,
		                                sizeof(counter->id), &number))
			defined = checker->definitions.items[number].offset;
		if (defined == 0)
			syc_findings_problem(checker->findings,
			                     SYC_FINDING_COUNTER, counter->set,
			                     "counter %" PRIu32
			                     " of pid %" PRId32
			                     " has values but no definition",
			                     counter->id, counter->pid);
		else if (defined > counter->set)
			syc_findings_problem(
				checker->findings, SYC_FINDING_COUNTER,
				counter->set,
				"counter %" PRIu32 " of pid %" PRId32
				" has a value before its definition at byte %" PRIu64,
				counter->id, counter->pid, defined);
	}
}

void syc_check_lines_note(struct syc_checker *checker,
                          const struct syscap_frame *frame)
{
	if (checker->lines == 0 &&
	    strcmp(frame->file_chunk.path, SYC_LINE_TABLE_PATH) == 0)
		checker->lines = frame->offset;
}

static bool are_texts_valid(const struct syc_line_table *table)
{
	struct syc_line_binary binary;
	struct syc_line_frame frame;

	for (uint32_t i = 0; i < table->n_binaries; i++) {
		syc_line_table_binary(table, i, &binary);
		if (!syc_utf8_is_valid(binary.path) ||
		    !syc_utf8_is_valid(binary.build_id))
			return false;
	}
	for (uint32_t i = 0; i < table->n_frames; i++) {
		syc_line_table_frame(table, i, &frame);
		if (!syc_utf8_is_valid(frame.function) ||
		    !syc_utf8_is_valid(frame.file))
			return false;
	}
	return true;
}

int syc_check_lines_end(struct syc_checker *checker)
{
	struct syc_line_table table;
	const char *wrong;
	unsigned char *bytes;
	size_t size;
	int r;

	if (checker->lines == 0)
		return 0;
	r = syc_embedded_load(checker->reader, SYC_LINE_TABLE_PATH,
	                      SYC_LINE_TABLE_MAX, &bytes, &size);
	if (r < 0)
		return r;
	if (r == 0) {
		syc_findings_problem(
			checker->findings, SYC_FINDING_CONTENT, checker->lines,
			"the end of " SYC_LINE_TABLE_PATH " is missing");
		return 0;
	}
	wrong = syc_line_table_open(bytes, size, &table);
	if (wrong == NULL && !are_texts_valid(&table))
		wrong = "texts that are not valid UTF-8";
	if (wrong != NULL)
		syc_findings_problem(checker->findings, SYC_FINDING_CONTENT,
		                     checker->lines, SYC_LINE_TABLE_PATH ": %s",
		                     wrong);
	free(bytes);
	return 0;
}
