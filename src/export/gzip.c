/* SPDX-License-Identifier: BSD-2-Clause */
/* gzip.c - a gzip file of blocks that are stored as they are. */
#include "export/gzip.h"

void syc_gzip_begin(struct syc_gzip *gzip, FILE *out)
{
	static const unsigned char header[10] = { 0x1f, 0x8b, 8, 0, 0,
		                                  0,    0,    0, 0, 255 };

	gzip->out = out;
	gzip->crc = UINT32_MAX;
	gzip->size = 0;
	gzip->n = 0;
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t value = i;

		for (unsigned bit = 0; bit < 8; bit++)
			value = value >> 1 ^ (value & 1 ? 0xedb88320u : 0);
		gzip->table[i] = value;
	}
	fwrite(header, sizeof(header), 1, out);
}

static void write_block(struct syc_gzip *gzip, unsigned char is_last)
{
	const unsigned n = (unsigned)gzip->n;
	const unsigned char header[5] = { is_last, n & 0xff, n >> 8, ~n & 0xff,
		                          ~n >> 8 & 0xff };

	fwrite(header, sizeof(header), 1, gzip->out);
	if (n > 0)
		fwrite(gzip->block, n, 1, gzip->out);
	gzip->n = 0;
}

void syc_gzip_write(struct syc_gzip *gzip, const void *bytes, size_t n)
{
	const unsigned char *at = bytes;

	gzip->size += (uint32_t)n;
	for (size_t i = 0; i < n; i++) {
		gzip->crc = gzip->table[(gzip->crc ^ at[i]) & 0xff] ^
		            gzip->crc >> 8;
		gzip->block[gzip->n++] = at[i];
		if (gzip->n == sizeof(gzip->block))
			write_block(gzip, 0);
	}
}

static void write_u32(FILE *out, uint32_t value)
{
	for (unsigned i = 0; i < 4; i++)
		putc((int)(value >> (8 * i) & 0xff), out);
}

void syc_gzip_end(struct syc_gzip *gzip)
{
	write_block(gzip, 1);
	write_u32(gzip->out, ~gzip->crc);
	write_u32(gzip->out, gzip->size);
}
