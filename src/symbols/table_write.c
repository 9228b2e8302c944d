/* SPDX-License-Identifier: BSD-2-Clause */
/* table_write.c - the table of symbols that a capture carries: its frames. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "base/frame.h"
#include "capture/embedded.h"
#include "capture/join_symbols.h"
#include "data/frames.h"
#include "symbols/table_parts.h"

const struct syc_symbol_patch *
syc_symbol_table_patches(const struct syc_symbol_table *table, size_t *ret_n)
{
	*ret_n = table->patches.n;
	return table->patches.items;
}

void syc_symbol_table_totals(const struct syc_symbol_table *table,
                             struct syc_symbol_table_totals *ret_totals)
{
	*ret_totals = table->totals;
}

static void write_names(const struct syc_symbol_table *table,
                        struct syc_writer *writer, int64_t time)
{
	_Alignas(8) unsigned char buffer[SYSCAP_FRAME_MAX];
	struct syscap_wire_jitmap *const jitmap = (void *)buffer;
	const size_t n = table->names.n;

	for (size_t i = 0; i < n;) {
		size_t len = SYSCAP_JITMAP_FIXED;
		uint32_t in_frame = 0;

		for (; i < n; i++, in_frame++) {
			const struct syc_table_name *name =
				&table->names.items[i];
			const size_t text = strlen(name->text) + 1;

			/* A name alone always fits: SYC_READABLE_MAX. */
			if (len + SYC_JIT_ADDR_SIZE + text > sizeof(buffer))
				break;
			syc_store_u64(buffer + len, name->address);
			memcpy(buffer + len + SYC_JIT_ADDR_SIZE, name->text,
			       text);
			len += SYC_JIT_ADDR_SIZE + text;
		}
		if (in_frame == 0) /* too long: none of ours */
			return;
		syc_frame_begin(&jitmap->frame, SYSCAP_FRAME_JITMAP, -1, time);
		jitmap->n_jitmaps = in_frame;
		syc_frame_end(&jitmap->frame, len);
		syc_writer_add(writer, buffer);
	}
}

void syc_symbol_table_write(const struct syc_symbol_table *table,
                            struct syc_writer *writer, int64_t time)
{
	write_names(table, writer, time);
	if (table->size != 0)
		syc_embedded_write(writer, SYC_JOIN_SYMBOLS_PATH, table->bytes,
		                   table->size, time);
}

void syc_symbol_table_free(struct syc_symbol_table *table)
{
	if (table == NULL)
		return;
	for (size_t i = 0; i < table->names.n; i++)
		free(table->names.items[i].text);
	free(table->names.items);
	free(table->patches.items);
	free(table->bytes);
	free(table);
}
