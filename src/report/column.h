/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * column.h - columns of numbers and texts, as inert scripts of a page.
 *
 *	<script type="application/octet-stream" data-name="sample.times"
 *		data-width="4" data-n="1000" data-bytes="4000">BASE64</script>
 *
 * Numbers are little-endian, of 1, 2, 4 or 8 bytes: the narrowest that holds
 * the largest of them.  Texts are UTF-8, each with a NUL behind it (width 0).
 * All of it is deflated, and then base64.  So nothing that a capture says is
 * ever markup: what stands in the page has no character but base64's.
 */
#ifndef SYC_REPORT_COLUMN_H
#define SYC_REPORT_COLUMN_H

#include <stddef.h>
#include <stdint.h>

#include "report/pack.h"

/** What number @i of a column is.  Called more than once. */
typedef uint64_t syc_column_get(const void *data, size_t i);

/** Each is 0 or -ENOMEM; errors of the output are its own. */
int syc_column_write(struct syc_pack *pack, const char *name, size_t n,
                     syc_column_get *get, const void *data);
int syc_column_write_u32(struct syc_pack *pack, const char *name, size_t n,
                         const uint32_t *numbers);
int syc_column_write_texts(struct syc_pack *pack, const char *name, size_t n,
                           const char *const *texts);

/** @width columns, from @n rows of so many cells. */
int syc_column_write_table(struct syc_pack *pack, const char *const *names,
                           size_t width, size_t n, const uint64_t *cells);

#endif
