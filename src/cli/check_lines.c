/* SPDX-License-Identifier: BSD-2-Clause */
/* check_lines.c - `syscap check`: the table of source lines. */
#include "cli/check_lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "capture/embedded.h"
#include "capture/line_table.h"
#include "data/utf8.h"

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
