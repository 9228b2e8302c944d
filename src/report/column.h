/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * column.h - columns of numbers and texts, as inert scripts of a page.
 *
 *	<script type="application/octet-stream" data-name="sample.times"
 *		data-width="4" data-n="1000" data-bytes="4000">BASE64</script>
 *
 * Numbers are little-endian, of 1, 2, 4 or 8 bytes, the narrowest width for the
 * largest number. Texts are UTF-8, each with a NUL behind it (width 0). The
 * bytes are deflated, without a header of zlib or gzip, and then written in
 * base64.  So text from a capture is never markup: the page contains it only as
 * base64 characters.
 *
 * Without zlib, the bytes are stored without compression.  Such a column is
 * valid, too, but larger.
 */
#ifndef SYC_REPORT_COLUMN_H
#define SYC_REPORT_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct syc_pack {
	FILE *out;      /* output; NULL: the characters are only counted */
	void *deflater; /* state that is kept between runs; or NULL */
	size_t n_packed;
	uint64_t written; /* number of characters, over all runs */
	unsigned char packed[3 * 16384];
};

/** Whether the output is compressed. */
bool syc_pack_has_zlib(void);

void syc_pack_init(struct syc_pack *pack, FILE *out);
void syc_pack_fini(struct syc_pack *pack);

/**
 * In each run, begin, add any number of values, and end.  Returns 0 or -ENOMEM.
 */
int syc_pack_begin(struct syc_pack *pack);
int syc_pack_add(struct syc_pack *pack, const void *bytes, size_t n);
int syc_pack_end(struct syc_pack *pack);

/** Value @i of a column.  Each value is requested more than once. */
typedef uint64_t syc_column_get(const void *data, size_t i);

/**
 * Each function returns 0 or -ENOMEM; errors of the output stay in its FILE.
 */
int syc_column_write(struct syc_pack *pack, const char *name, size_t n,
                     syc_column_get *get, const void *data);
int syc_column_write_u32(struct syc_pack *pack, const char *name, size_t n,
                         const uint32_t *numbers);
int syc_column_write_texts(struct syc_pack *pack, const char *name, size_t n,
                           const char *const *texts);

/** Write @width columns from @n rows of @width cells. */
int syc_column_write_table(struct syc_pack *pack, const char *const *names,
                           size_t width, size_t n, const uint64_t *cells);

#endif
