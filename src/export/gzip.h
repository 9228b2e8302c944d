/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gzip.h - a gzip file of blocks that are stored as they are: for formats that
 * have to be gzip files.  Who wants them small runs gzip.
 */
#ifndef SC_EXPORT_GZIP_H
#define SC_EXPORT_GZIP_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct sc_gzip {
	FILE *out;
	uint32_t table[256], crc, size;
	size_t n; /* in the block */
	unsigned char block[65535];
};

void sc_gzip_begin(struct sc_gzip *gzip, FILE *out);
void sc_gzip_write(struct sc_gzip *gzip, const void *bytes, size_t n);
void sc_gzip_end(struct sc_gzip *gzip);

#endif
