/* SPDX-License-Identifier: BSD-2-Clause */
/* column.c - columns of numbers and texts, deflated and in base64. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/writer.h"

#ifdef SYC_HAVE_ZLIB
#include <zlib.h>

#include "base/text.h"
#endif

/* Level 1 is much faster than level 6, and makes columns little larger. */
#define LEVEL 1

static void write_base64(struct syc_pack *pack)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
		"0123456789+/";
	char text[4 * 1024];
	size_t n = 0;

	for (size_t i = 0; i < pack->n_packed; i += 3) {
		const size_t left = pack->n_packed - i;
		const uint32_t a = pack->packed[i];
		const uint32_t b = left > 1 ? pack->packed[i + 1] : 0;
		const uint32_t c = left > 2 ? pack->packed[i + 2] : 0;
		const uint32_t bits = a << 16 | b << 8 | c;

		text[n++] = digits[bits >> 18];
		text[n++] = digits[bits >> 12 & 63];
		text[n++] = left > 1 ? digits[bits >> 6 & 63] : '=';
		text[n++] = left > 2 ? digits[bits & 63] : '=';
		if (n == sizeof(text) || left <= 3) {
			if (pack->out != NULL)
				fwrite(text, 1, n, pack->out);
			pack->written += n;
			n = 0;
		}
	}
	pack->n_packed = 0;
}

#ifdef SYC_HAVE_ZLIB

bool syc_report_has_zlib(void)
{
	return true;
}

void syc_pack_init(struct syc_pack *pack, FILE *out)
{
	pack->out = out;
	pack->deflater = NULL;
	pack->n_packed = 0;
	pack->written = 0;
}

void syc_pack_fini(struct syc_pack *pack)
{
	if (pack->deflater != NULL)
		deflateEnd(pack->deflater);
	free(pack->deflater);
	pack->deflater = NULL;
}

int syc_pack_begin(struct syc_pack *pack)
{
	z_stream *stream = pack->deflater;

	if (stream != NULL) {
		deflateReset(stream);
		return 0;
	}
	stream = calloc(1, sizeof(*stream));
	if (stream == NULL || deflateInit2(stream, LEVEL, Z_DEFLATED, -15, 9,
	                                   Z_DEFAULT_STRATEGY) != Z_OK) {
		free(stream);
		return -ENOMEM;
	}
	pack->deflater = stream;
	return 0;
}

static void run(struct syc_pack *pack, const void *bytes, size_t n, int flush)
{
	z_stream *stream = pack->deflater;
	int r;

	stream->next_in = syc_unconst(bytes);
	stream->avail_in = (unsigned)n;
	do {
		stream->next_out = pack->packed + pack->n_packed;
		stream->avail_out =
			(unsigned)(sizeof(pack->packed) - pack->n_packed);
		r = deflate(stream, flush);
		pack->n_packed = sizeof(pack->packed) - stream->avail_out;
		if (pack->n_packed == sizeof(pack->packed))
			write_base64(pack);
	} while (flush == Z_FINISH ? r != Z_STREAM_END : stream->avail_in > 0);
}

int syc_pack_add(struct syc_pack *pack, const void *bytes, size_t n)
{
	const unsigned char *at = bytes;

	while (n > 0) {
		const size_t part = n < 1u << 30 ? n : 1u << 30;

		run(pack, at, part, Z_NO_FLUSH);
		at += part;
		n -= part;
	}
	return 0;
}

int syc_pack_end(struct syc_pack *pack)
{
	run(pack, "", 0, Z_FINISH);
	write_base64(pack);
	return 0;
}

#else

#define BLOCK 32768u

bool syc_report_has_zlib(void)
{
	return false;
}

void syc_pack_init(struct syc_pack *pack, FILE *out)
{
	pack->out = out;
	pack->deflater = NULL;
	pack->n_packed = 0;
	pack->written = 0;
}

void syc_pack_fini(struct syc_pack *pack)
{
	(void)pack;
}

int syc_pack_begin(struct syc_pack *pack)
{
	(void)pack;
	return 0;
}

static void put(struct syc_pack *pack, const unsigned char *bytes, size_t n)
{
	while (n > 0) {
		const size_t room = sizeof(pack->packed) - pack->n_packed;
		const size_t part = n < room ? n : room;

		memcpy(pack->packed + pack->n_packed, bytes, part);
		pack->n_packed += part;
		bytes += part;
		n -= part;
		if (pack->n_packed == sizeof(pack->packed))
			write_base64(pack);
	}
}

static void put_block(struct syc_pack *pack, const unsigned char *bytes,
                      unsigned n, unsigned char is_last)
{
	const unsigned char low = n & 0xff, high = n >> 8 & 0xff;
	const unsigned char head[5] = { is_last, low, high, low ^ 0xff,
		                        high ^ 0xff };

	put(pack, head, sizeof(head));
	put(pack, bytes, n);
}

int syc_pack_add(struct syc_pack *pack, const void *bytes, size_t n)
{
	const unsigned char *at = bytes;

	while (n > 0) {
		const unsigned part = n < BLOCK ? (unsigned)n : BLOCK;

		put_block(pack, at, part, 0);
		at += part;
		n -= part;
	}
	return 0;
}

int syc_pack_end(struct syc_pack *pack)
{
	put_block(pack, (const unsigned char *)"", 0, 1);
	write_base64(pack);
	return 0;
}

#endif

#define ROWS 4096 /* number of values packed at once */

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
