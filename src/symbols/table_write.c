/* SPDX-License-Identifier: BSD-2-Clause */
/* table_write.c - the table of symbols that a capture carries: its frames. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "capture/frame.h"
#include "capture/join_symbols.h"
#include "data/load.h"
#include "symbols/table_parts.h"

int sc_table_parts_add_name(struct sc_symbol_table *table, uint64_t address,
                            const char *text)
{
	struct sc_table_name name = { .address = address };

	if (sc_array_room(&table->names) < 0)
		return -ENOMEM;
	name.text = strdup(text);
	if (name.text == NULL)
		return -ENOMEM;
	return sc_array_push(&table->names, name);
}

const struct sc_symbol_patch *
sc_symbol_table_patches(const struct sc_symbol_table *table, size_t *ret_n)
{
	*ret_n = table->patches.n;
	return table->patches.items;
}

void sc_symbol_table_totals(const struct sc_symbol_table *table,
                            struct sc_symbol_table_totals *ret_totals)
{
	*ret_totals = table->totals;
}

static void compose_header(unsigned char *buffer, uint8_t type, size_t len,
                           int64_t time)
{
	memset(buffer, 0, len);
	sc_store_u16(buffer + SC_AT(frame, len), (uint16_t)len);
	sc_store_u16(buffer + SC_AT(frame, cpu), UINT16_MAX);
	sc_store_u32(buffer + SC_AT(frame, pid), UINT32_MAX);
	sc_store_u64(buffer + SC_AT(frame, time), (uint64_t)time);
	buffer[SC_AT(frame, type)] = type;
}

static void write_names(const struct sc_symbol_table *table,
                        struct sc_writer *writer, int64_t time)
{
	unsigned char buffer[SYSCAP_FRAME_MAX];
	const size_t n = table->names.n;

	for (size_t i = 0; i < n;) {
		size_t len = SYSCAP_JITMAP_FIXED, in_frame = 0;

		memset(buffer, 0, sizeof(buffer));
		for (; i < n; i++, in_frame++) {
			const struct sc_table_name *name =
				&table->names.items[i];
			const size_t text = strlen(name->text) + 1;

			/* A name alone always fits: SC_READABLE_MAX. */
			if (len + SC_JIT_ADDR_SIZE + text > sizeof(buffer))
				break;
			sc_store_u64(buffer + len, name->address);
			memcpy(buffer + len + SC_JIT_ADDR_SIZE, name->text,
			       text);
			len += SC_JIT_ADDR_SIZE + text;
		}
		if (in_frame == 0) /* too long: none of ours */
			return;
		compose_header(buffer, SYSCAP_FRAME_JITMAP, 24, time);
		sc_store_u16(buffer + SC_AT(frame, len),
		             (uint16_t)((len + 7) & ~7ul));
		sc_store_u32(buffer + SC_AT(jitmap, n_jitmaps),
		             (uint32_t)in_frame);
		sc_writer_add(writer, buffer);
	}
}

static void write_chunks(const struct sc_symbol_table *table,
                         struct sc_writer *writer, int64_t time)
{
	const size_t most = SYSCAP_FRAME_MAX - SYSCAP_FILE_CHUNK_FIXED;
	unsigned char buffer[SYSCAP_FRAME_MAX];

	for (size_t at = 0; at < table->size;) {
		const size_t left = table->size - at;
		const size_t n = left < most ? left : most;
		const size_t len = (SYSCAP_FILE_CHUNK_FIXED + n + 7) & ~7ul;

		compose_header(buffer, SYSCAP_FRAME_FILE_CHUNK, len, time);
		sc_store_u16(buffer + SC_AT(file_chunk, is_last), n == left);
		sc_store_u16(buffer + SC_AT(file_chunk, len), (uint16_t)n);
		memcpy(buffer + SC_AT(file_chunk, path), SC_JOIN_SYMBOLS_PATH,
		       sizeof(SC_JOIN_SYMBOLS_PATH));
		memcpy(buffer + SYSCAP_FILE_CHUNK_FIXED, table->bytes + at, n);
		sc_writer_add(writer, buffer);
		at += n;
	}
}

void sc_symbol_table_write(const struct sc_symbol_table *table,
                           struct sc_writer *writer, int64_t time)
{
	unsigned char buffer[sizeof(struct syscap_wire_frame)];

	write_names(table, writer, time);
	if (table->size == 0)
		return;
	/* Sysprof 3.46 looks past the frame behind a chunk of another file. */
	compose_header(buffer, SYSCAP_FRAME_TIMESTAMP, sizeof(buffer), time);
	sc_writer_add(writer, buffer);
	write_chunks(table, writer, time);
}

void sc_symbol_table_free(struct sc_symbol_table *table)
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
