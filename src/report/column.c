/* SPDX-License-Identifier: BSD-2-Clause */
/* column.c - columns of numbers and texts, as inert scripts of a page. */
#include "report/column.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define ROWS 4096 /* packed at a time */

static void write_head(struct syc_pack *pack, const char *name, unsigned width,
                       size_t n, uint64_t bytes)
{
	if (pack->out == NULL)
		return;
	fprintf(pack->out,
	        "<script type=\"application/octet-stream\" data-name=\"%s\" "
	        "data-width=\"%u\" data-n=\"%zu\" data-bytes=\"%" PRIu64 "\">",
	        name, width, n, bytes);
}

static int write_foot(struct syc_pack *pack)
{
	const int r = syc_pack_end(pack);

	if (pack->out != NULL)
		fputs("</script>\n", pack->out);
	return r;
}

static unsigned width_of(uint64_t largest)
{
	return largest <= UINT8_MAX    ? 1
	       : largest <= UINT16_MAX ? 2
	       : largest <= UINT32_MAX ? 4
	                               : 8;
}

int syc_column_write(struct syc_pack *pack, const char *name, size_t n,
                     syc_column_get *get, const void *data)
{
	unsigned char bytes[ROWS * 8];
	uint64_t largest = 0;
	unsigned width;
	int r = 0;

	for (size_t i = 0; i < n; i++) {
		const uint64_t number = get(data, i);

		if (number > largest)
			largest = number;
	}
	width = width_of(largest);
	write_head(pack, name, width, n, (uint64_t)n * width);
	r = syc_pack_begin(pack);
	for (size_t at = 0; r == 0 && at < n; at += ROWS) {
		const size_t rows = n - at < ROWS ? n - at : ROWS;
		unsigned char *end = bytes;

		for (size_t i = at; i < at + rows; i++) {
			const uint64_t number = get(data, i);

			for (unsigned b = 0; b < width; b++)
				*end++ = (unsigned char)(number >> (8 * b));
		}
		r = syc_pack_add(pack, bytes, (size_t)(end - bytes));
	}
	return r < 0 ? r : write_foot(pack);
}

static uint64_t get_u32(const void *data, size_t i)
{
	return ((const uint32_t *)data)[i];
}

int syc_column_write_u32(struct syc_pack *pack, const char *name, size_t n,
                         const uint32_t *numbers)
{
	return syc_column_write(pack, name, n, get_u32, numbers);
}

int syc_column_write_texts(struct syc_pack *pack, const char *name, size_t n,
                           const char *const *texts)
{
	uint64_t bytes = 0;
	int r;

	for (size_t i = 0; i < n; i++)
		bytes += strlen(texts[i]) + 1;
	write_head(pack, name, 0, n, bytes);
	r = syc_pack_begin(pack);
	for (size_t i = 0; r == 0 && i < n; i++)
		r = syc_pack_add(pack, texts[i], strlen(texts[i]) + 1);
	return r < 0 ? r : write_foot(pack);
}

struct table {
	const uint64_t *cells;
	size_t width, column;
};

static uint64_t get_cell(const void *data, size_t i)
{
	const struct table *table = data;

	return table->cells[i * table->width + table->column];
}

int syc_column_write_table(struct syc_pack *pack, const char *const *names,
                           size_t width, size_t n, const uint64_t *cells)
{
	struct table table = { .cells = cells, .width = width };
	int r = 0;

	for (size_t i = 0; r == 0 && i < width; i++) {
		table.column = i;
		r = syc_column_write(pack, names[i], n, get_cell, &table);
	}
	return r;
}
