/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * table.h - text output: aligned columns, and names made safe for a terminal.
 */
#ifndef SYC_CLI_TABLE_H
#define SYC_CLI_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "common/containers.h"

/** Write @text; with @quoted in double quotes, '"' and '\' escaped. */
void syc_printable_write(FILE *out, const char *text, bool quoted);

/** A malloc'ed copy of @text as syc_printable_write() writes it, or NULL. */
char *syc_printable_copy(const char *text);

struct syc_table_column {
	const char *title;
	bool is_number; /* numbers are aligned to the right */
};

struct syc_table {
	const struct syc_table_column *columns;
	unsigned n_columns; /* number of columns, at most SYC_TABLE_COLUMNS */
	SYC_ARRAY(char *) cells;
	bool failed;
};

void syc_table_init(struct syc_table *table,
                    const struct syc_table_column *columns, unsigned n_columns);
void syc_table_fini(struct syc_table *table);

/** Add a cell in printf form, for numbers. */
void syc_table_add(struct syc_table *table, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/** Add a cell with a text of the capture, or "-" for NULL. */
void syc_table_add_text(struct syc_table *table, const char *text);
/** Add a cell like "12.345 ms". */
void syc_table_add_duration(struct syc_table *table, int64_t ns);

#define SYC_SIZE_TEXT 32

/** "12 bytes", "1.5 KiB"; at most SYC_SIZE_TEXT characters. */
void syc_size_format(double bytes, char *text, size_t size);

/** Print titles and rows, indented by two blanks.  Returns 0 or -ENOMEM. */
int syc_table_print(const struct syc_table *table, FILE *out);

/**
 * Print and free @table on standard output.  If only @most of @n rows are
 * shown, print the number of the others.  Returns 0 or -ENOMEM.
 */
int syc_table_finish(struct syc_table *table, size_t n, size_t most);

/** Print a title above a table, bold if possible. */
void syc_table_heading(FILE *out, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

#endif
