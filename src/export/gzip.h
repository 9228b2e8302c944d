/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gzip.h - a gzip file of blocks that are stored as they are: for formats that
 * have to be gzip files.  Who wants them small runs gzip.
 */
#ifndef SYC_EXPORT_GZIP_H
#define SYC_EXPORT_GZIP_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct syc_gzip {
	FILE *out;
	uint32_t table[256], crc, size;
	size_t n; /* in the block */
	unsigned char block[65535];
};

void syc_gzip_begin(struct syc_gzip *gzip, FILE *out);
void syc_gzip_write(struct syc_gzip *gzip, const void *bytes, size_t n);
void syc_gzip_end(struct syc_gzip *gzip);

#endif
