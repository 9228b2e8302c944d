/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * join_settle.c - time span, pids and embedded files of a joined capture.
 *
 * Readers use one fixed path for the table of symbols, and one for the table of
 * lines.  So the join merges tables that differ.  The join treats compressed
 * tables like other files.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "capture/frame.h"
#include "capture/join_state.h"
#include "capture/line_table.h"

static struct syc_join_file *lines_of(const struct syc_join_input *input)
{
	return syc_join_files_find(&input->files, SYC_LINE_TABLE_PATH);
}

/* Return the bytes of @input's table, which the caller frees, or NULL without a
 * readable table. */
static unsigned char *open_lines(const struct syc_join_input *input,
                                 struct syc_line_table *table)
{
	const struct syc_join_file *file = lines_of(input);
	unsigned char *bytes;

	if (file == NULL || file->size > SYC_LINE_TABLE_MAX ||
	    !syc_join_files_is_one(&input->files, file))
		return NULL;
	bytes = syc_join_files_content(&input->files, file);
	if (bytes != NULL &&
	    syc_line_table_open(bytes, (size_t)file->size, table) == NULL)
		return bytes;
	free(bytes);
	return NULL;
}

static bool lines_differ(const struct syc_join *join)
{
	const struct syc_join_input *first = NULL;

	for (size_t i = 0; i < join->inputs.n; i++) {
		const struct syc_join_input *input = join->inputs.items[i];

		if (lines_of(input) == NULL)
			continue;
		if (first != NULL &&
		    !syc_join_files_equal(&first->files, lines_of(first),
		                          &input->files, lines_of(input)))
			return true;
		first = input;
	}
	return false;
}

static int add_lines(struct syc_join *join, const struct syc_join_input *input,
                     struct syc_line_make *make)
{
	struct syc_line_table table;
	struct syscap_frame chunk;
	unsigned char *bytes = open_lines(input, &table);
	uint64_t left_out = 0;
	int r;

	if (bytes == NULL) /* the file gets a new path, like other files */
		return 0;
	if (make->binaries.n == 0 &&
	    syc_join_files_chunk(&input->files, lines_of(input), 0, &chunk))
		join->lines_time = chunk.time;
	r = syc_line_make_add(make, &table, &left_out);
	free(bytes);
	if (r == 0)
		lines_of(input)->fate = SYC_JOIN_MERGED;
	if (left_out > 0)
		syc_join_report(
			join, input, false,
			"omitted %llu source lines that differ from those of "
			"another input",
			(unsigned long long)left_out);
	return r;
}

static void keep_all(struct syc_join *join)
{
	for (size_t i = 0; i < join->inputs.n; i++) {
		struct syc_join_file *file = lines_of(join->inputs.items[i]);

		if (file != NULL)
			file->fate = SYC_JOIN_KEPT;
	}
}

/*
 * If several inputs have tables that differ, make one table of all readable
 * tables.  Returns 0 or -ENOMEM.
 */
static int settle_lines(struct syc_join *join)
{
	struct syc_line_make make = { 0 };
	int r = 0;

	if (!lines_differ(join))
		return 0;
	for (size_t i = 0; r == 0 && i < join->inputs.n; i++)
		r = add_lines(join, join->inputs.items[i], &make);
	if (r == 0 && make.binaries.n > 0)
		r = syc_line_make_table(&make, &join->lines, &join->lines_size);
	syc_line_make_fini(&make);
	if (r == 0 && join->lines != NULL)
		return syc_join_files_reserve(&join->paths,
		                              SYC_LINE_TABLE_PATH);
	if (r != 0 && r != -EFBIG)
		return r;
	if (r == -EFBIG)
		syc_join_report(
			join, NULL, false,
			"kept a table of source lines for each input: one "
			"table cannot hold all");
	keep_all(join);
	return 0;
}

#define NANOSECONDS_DAY (INT64_C(86400) * 1000000000)

static bool can_merge(const struct syc_join_input *input,
                      const struct syc_join_file *file)
{
	unsigned char *data;
	bool fits;

	if (file == NULL || file->size > UINT32_MAX ||
	    !syc_join_files_is_one(&input->files, file))
		return false;
	data = syc_join_files_content(&input->files, file);
	fits = data != NULL &&
	       syc_join_symbols_fits(data, (size_t)file->size, input->big);
	free(data);
	return fits;
}

static struct syc_join_file *table_of(const struct syc_join_input *input)
{
	return syc_join_files_find(&input->files, SYC_JOIN_SYMBOLS_PATH);
}

static void set_fate(struct syc_join *join, enum syc_join_fate from,
                     enum syc_join_fate to)
{
	for (size_t i = 0; i < join->inputs.n; i++) {
		struct syc_join_file *file = table_of(join->inputs.items[i]);

		if (file != NULL && file->fate == from)
			file->fate = to;
	}
}

/* If any two tables differ, mark all tables that can be merged. */
static bool choose_tables(struct syc_join *join)
{
	const struct syc_join_input *first = NULL;
	bool differ = false;

	for (size_t i = 0; i < join->inputs.n; i++) {
		struct syc_join_input *input = join->inputs.items[i];
		struct syc_join_file *file = table_of(input);

		if (!can_merge(input, file))
			continue;
		file->fate = SYC_JOIN_MERGED;
		if (first == NULL)
			first = input;
		else if (input->big != first->big ||
		         !syc_join_files_equal(&first->files, table_of(first),
		                               &input->files, file))
			differ = true;
		if (input->pids.n_changed > 0)
			differ = true;
	}
	/* Convert a single big-endian table, too, because the joined capture is
	 * little-endian. */
	if (first != NULL && first->big)
		differ = true;
	if (!differ)
		set_fate(join, SYC_JOIN_MERGED, SYC_JOIN_KEPT);
	return differ;
}

static int add_table(struct syc_join *join, const struct syc_join_input *input,
                     struct syc_join_symbols *symbols)
{
	const struct syc_join_file *file = table_of(input);
	struct syscap_frame chunk;
	uint64_t left_out = 0;
	unsigned char *data;
	int r;

	if (file == NULL || file->fate != SYC_JOIN_MERGED)
		return 0;
	data = syc_join_files_content(&input->files, file);
	if (data == NULL)
		return -ENOMEM;
	if (symbols->tables.n == 0 &&
	    syc_join_files_chunk(&input->files, file, 0, &chunk))
		join->symbols_time = chunk.time;
	syc_join_pids_table(&input->pids, data, input->big);
	r = syc_join_symbols_add(symbols, data, input->big, &left_out);
	if (left_out > 0)
		syc_join_report(
			join, input, false,
			"omitted %llu symbols that overlap other symbols",
			(unsigned long long)left_out);
	return r;
}

static int merge_tables(struct syc_join *join)
{
	struct syc_join_symbols symbols = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < join->inputs.n; i++)
		r = add_table(join, join->inputs.items[i], &symbols);
	if (r == 0)
		r = syc_join_symbols_table(&symbols, &join->symbols,
		                           &join->symbols_size);
	syc_join_symbols_fini(&symbols);
	if (r == 0)
		return syc_join_files_reserve(&join->paths,
		                              SYC_JOIN_SYMBOLS_PATH);
	if (r != -EFBIG)
		return r;
	syc_join_report(
		join, NULL, false,
		"kept a symbol table for each input: one table cannot hold "
		"all");
	set_fate(join, SYC_JOIN_MERGED, SYC_JOIN_KEPT);
	return 0;
}

/* Report compressed tables beside an uncompressed table, because readers prefer
 * the uncompressed table. */
static void report_compressed(struct syc_join *join)
{
	size_t n_plain = 0;

	for (size_t i = 0; i < join->inputs.n; i++)
		n_plain += table_of(join->inputs.items[i]) != NULL;
	for (size_t i = 0; n_plain > 0 && i < join->inputs.n; i++) {
		const struct syc_join_input *input = join->inputs.items[i];

		if (syc_join_files_find(&input->files,
		                        SYC_JOIN_SYMBOLS_PATH ".gz") != NULL)
			syc_join_report(
				join, input, false,
				"did not merge the compressed symbols: "
				"readers will use only the symbols of other "
				"inputs");
	}
}

static int settle_file(struct syc_join *join,
                       const struct syc_join_input *input,
                       struct syc_join_file *file)
{
	char text[SYC_SIZE(file_chunk, path)];
	int r;

	if (file->fate == SYC_JOIN_MERGED)
		return 0;
	if (syc_join_pids_path(&input->pids, file->path, text, sizeof(text))) {
		r = syc_join_files_move(&join->paths, file, text);
		if (r != 0)
			return r < 0 ? r : 0;
	}
	r = syc_join_files_settle(&join->paths, &input->files, file);
	if (r == 0 && file->fate == SYC_JOIN_RENAMED)
		syc_join_report(
			join, input, false,
			"renamed the file '%s' to '%s', because another "
			"input's file differs",
			file->path, file->new_path);
	return r;
}

static void report_pid(void *data, size_t input,
                       const struct syc_join_process *process, size_t other)
{
	struct syc_join *const join = data;
	const struct syc_join_input *const first = join->inputs.items[other];

	if (process->pid != process->original) /* an earlier join has reported
	                                        * the renumbering */
		return;
	syc_join_report(
		join, join->inputs.items[input], false,
		"process %d%s%s%s differs from that of %s; renumbered it to %d",
		process->pid, process->cmdlines.n > 0 ? " (" : "",
		process->cmdlines.n > 0 ? process->cmdlines.items[0] : "",
		process->cmdlines.n > 0 ? ")" : "", first->name,
		process->new_pid);
}

/* Choose the number of each process. */
static int settle_pids(struct syc_join *join)
{
	struct syc_join_pids **const all =
		calloc(join->inputs.n + 1, sizeof(struct syc_join_pids *));

	if (all == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < join->inputs.n; i++)
		all[i] = &join->inputs.items[i]->pids;
	const int r =
		syc_join_pids_settle(all, join->inputs.n, report_pid, join);
	free(all);
	return r;
}

/* Choose the files that keep their path, after the choice of numbers. */
static int settle_files(struct syc_join *join)
{
	int r = 0;

	if (choose_tables(join))
		r = merge_tables(join);
	if (r == 0)
		r = settle_lines(join);
	report_compressed(join);
	for (size_t i = 0; i < join->inputs.n; i++) {
		struct syc_join_input *input = join->inputs.items[i];

		for (size_t j = 0; r == 0 && j < input->files.files.n; j++)
			r = settle_file(join, input,
			                &input->files.files.items[j]);
	}
	return r;
}

/* Return whether @text is "YYYY-MM-DDTHH:MM:SSZ", which sorts as text.  Other
 * texts cannot be compared by time. */
static bool is_time(const char *text)
{
	static const char form[] = "0000-00-00T00:00:00Z";

	if (strlen(text) != strlen(form))
		return false;
	for (const char *p = form; *p; p++, text++)
		if (*p == '0' ? *text < '0' || *text > '9' : *text != *p)
			return false;
	return true;
}

static void report_distance(struct syc_join *join)
{
	for (size_t i = 0; i < join->inputs.n; i++) {
		const struct syc_join_input *a = join->inputs.items[i];
		const struct syc_join_input *nearest = NULL;
		int64_t least = INT64_MAX, gap;

		for (size_t j = 0; j < i; j++) {
			const struct syc_join_input *b = join->inputs.items[j];
			const int64_t from = a->end < b->end ? a->end : b->end;
			const int64_t to = a->info.begin > b->info.begin
			                           ? a->info.begin
			                           : b->info.begin;

			if (__builtin_sub_overflow(to, from, &gap))
				gap = to > from ? INT64_MAX : INT64_MIN;
			if (nearest == NULL || gap < least) {
				nearest = b;
				least = gap;
			}
		}
		if (nearest != NULL && least > NANOSECONDS_DAY)
			syc_join_report(
				join, a, false,
				"the times are more than a day from those of "
				"%s; join only captures of one boot",
				nearest->name);
	}
}

int syc_join_settle(struct syc_join *join, struct syc_join_span *ret_span)
{
	struct syc_join_span span = { .begin = INT64_MAX, .end = INT64_MIN };

	for (size_t i = 0; i < join->inputs.n; i++) {
		const struct syc_join_input *input = join->inputs.items[i];
		const char *text = input->info.capture_time;
		const bool is_better =
			is_time(text) && (!is_time(span.capture_time) ||
		                          strcmp(text, span.capture_time) < 0);

		if (input->info.begin < span.begin)
			span.begin = input->info.begin;
		if (input->end > span.end)
			span.end = input->end;
		if (is_better || span.capture_time[0] == 0)
			memcpy(span.capture_time, text,
			       sizeof(span.capture_time));
	}
	report_distance(join);
	*ret_span = span;
	const int r = settle_pids(join);
	return r < 0 ? r : settle_files(join);
}
