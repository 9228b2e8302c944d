/* SPDX-License-Identifier: BSD-2-Clause */
/* join_lines.c - merge the tables of source lines that captures carry. */
#include "capture/join_lines.h"

#include <errno.h>
#include <stdlib.h>

#include "capture/line_make.h"

static struct syc_join_file *table_of(const struct syc_join_input *input)
{
	return syc_join_files_find(&input->files, SYC_LINE_TABLE_PATH);
}

/* The bytes of @input's table, which the caller frees; NULL: none to read. */
static unsigned char *open_table(const struct syc_join_input *input,
                                 struct syc_line_table *table)
{
	const struct syc_join_file *file = table_of(input);
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

static bool differ(const struct syc_join *join)
{
	const struct syc_join_input *first = NULL;

	for (size_t i = 0; i < join->inputs.n; i++) {
		const struct syc_join_input *input = join->inputs.items[i];

		if (table_of(input) == NULL)
			continue;
		if (first != NULL &&
		    !syc_join_files_equal(&first->files, table_of(first),
		                          &input->files, table_of(input)))
			return true;
		first = input;
	}
	return false;
}

static int add_table(struct syc_join *join, const struct syc_join_input *input,
                     struct syc_line_make *make)
{
	struct syc_line_table table;
	struct syscap_frame chunk;
	unsigned char *bytes = open_table(input, &table);
	uint64_t left_out = 0;
	int r;

	if (bytes == NULL) /* it gets a name of its own, as other files do */
		return 0;
	if (make->binaries.n == 0 &&
	    syc_join_files_chunk(&input->files, table_of(input), 0, &chunk))
		join->lines_time = chunk.time;
	r = syc_line_make_add(make, &table, &left_out);
	free(bytes);
	if (r == 0)
		table_of(input)->fate = SYC_JOIN_MERGED;
	if (left_out > 0)
		syc_join_tell(join, input, false,
		              "%llu of its source lines are others in another "
		              "input, and are left out",
		              (unsigned long long)left_out);
	return r;
}

static void keep_all(struct syc_join *join)
{
	for (size_t i = 0; i < join->inputs.n; i++) {
		struct syc_join_file *file = table_of(join->inputs.items[i]);

		if (file != NULL)
			file->fate = SYC_JOIN_KEPT;
	}
}

int syc_join_lines_settle(struct syc_join *join)
{
	struct syc_line_make make = { 0 };
	int r = 0;

	if (!differ(join))
		return 0;
	for (size_t i = 0; r == 0 && i < join->inputs.n; i++)
		r = add_table(join, join->inputs.items[i], &make);
	if (r == 0 && make.binaries.n > 0)
		r = syc_line_make_table(&make, &join->lines, &join->lines_size);
	syc_line_make_fini(&make);
	if (r == 0 && join->lines != NULL)
		return syc_join_files_reserve(&join->paths,
		                              SYC_LINE_TABLE_PATH);
	if (r != 0 && r != -EFBIG)
		return r;
	if (r == -EFBIG)
		syc_join_tell(join, NULL, false,
		              "the source lines are too many for one table");
	keep_all(join);
	return 0;
}
