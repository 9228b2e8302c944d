/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * join_symbols.c - JIT addresses and merged tables of symbols in a joined
 * capture.
 */
#define _GNU_SOURCE
#include "capture/frame.h"
#include "capture/join.h"
#include "capture/join_state.h"
#include "common/containers.h"
#include "common/load.h"

/* A key of a hash map, without padding. */
struct pid_addr {
	uint64_t addr;
	int64_t pid;
};

/*
 * Return whether the library assigned the JIT address.  Only the library's
 * addresses can be equal in several inputs.
 */
static bool is_jit_address(uint64_t addr)
{
	return addr >> 32 == SYSCAP_JIT_MARK >> 32;
}

/*
 * Return whether the address has the mark of 64-bit or 32-bit writers.  A code
 * address may have the mark, too, so only a name makes an address a JIT
 * address.
 */
static bool may_be_named(uint64_t addr)
{
	return addr >> 60 == SYSCAP_JIT_MARK >> 60 || addr >> 28 == 0xE;
}

void syc_join_jit_fini(struct syc_join_jit *jit)
{
	syc_map_fini(&jit->by_pid);
	syc_map_fini(&jit->by_addr);
	free(jit->of_pid.items);
	free(jit->of_addr.items);
	free(jit->frames.items);
}

static int add_addr(struct syc_join_jit *jit, uint64_t addr, uint32_t fresh)
{
	size_t number;
	const int r = syc_map_put(&jit->by_addr, &addr, sizeof(addr), &number);

	return r > 0 ? syc_array_push(&jit->of_addr, fresh) : r;
}

static int add_name(struct syc_join_jit *jit, int32_t pid, uint64_t addr,
                    uint32_t *last)
{
	const struct pid_addr key = { addr, pid };
	size_t number;
	const int r = syc_map_put(&jit->by_pid, &key, sizeof(key), &number);

	if (r <= 0)
		return r;
	if (*last == UINT32_MAX)
		return -ENOSPC;
	if (syc_array_push(&jit->of_pid, *last + 1) < 0)
		return -ENOMEM;
	*last += 1;
	return add_addr(jit, addr, *last);
}

int syc_join_jit_scan(struct syc_join_jit *jit,
                      const struct syscap_frame *frame, bool big,
                      uint32_t *last)
{
	size_t cursor = 0;
	const char *name;
	uint64_t addr;
	int r = syc_array_push(&jit->frames, frame->bytes);

	while (r == 0 && syc_frame_jit_name(frame, big, &cursor, &addr, &name))
		if (may_be_named(addr))
			r = add_name(jit, frame->pid, addr, last);
	return r;
}

static uint64_t translate(const struct syc_join_jit *jit, int32_t pid,
                          uint64_t addr)
{
	const struct pid_addr key = { addr, pid };
	size_t number;

	if (syc_map_get(&jit->by_pid, &key, sizeof(key), &number))
		return SYSCAP_JIT_MARK | jit->of_pid.items[number];
	if (syc_map_get(&jit->by_addr, &addr, sizeof(addr), &number))
		return SYSCAP_JIT_MARK | jit->of_addr.items[number];
	return addr;
}

void syc_join_jit_names(const struct syc_join_jit *jit,
                        const struct syscap_frame *frame, unsigned char *buffer)
{
	struct syscap_frame copy = *frame;
	size_t cursor = 0, at = SYSCAP_JITMAP_FIXED;
	const char *name;
	uint64_t addr;

	copy.bytes = buffer;
	while (syc_frame_jit_name(&copy, false, &cursor, &addr, &name)) {
		if (may_be_named(addr))
			syc_store_u64(buffer + at,
			              translate(jit, frame->pid, addr));
		at = cursor & 0xFFFF;
	}
}

int syc_join_jit_stack(struct syc_join_jit *jit, int32_t pid,
                       unsigned char *addrs, unsigned n, uint32_t *last)
{
	for (; n > 0; n--, addrs += 8) {
		const uint64_t addr = syc_load_u64(addrs, false);
		uint64_t translated;

		if (!may_be_named(addr))
			continue;
		translated = translate(jit, pid, addr);
		if (translated == addr && is_jit_address(addr)) {
			/*
			 * The address has no name, or its new address equals
			 * the old address and needs no change.
			 */
			size_t number;

			if (!syc_map_get(&jit->by_addr, &addr, sizeof(addr),
			                 &number)) {
				if (*last == UINT32_MAX)
					return -ENOSPC;
				*last += 1;
				if (add_addr(jit, addr, *last) < 0)
					return -ENOMEM;
				translated = SYSCAP_JIT_MARK | *last;
			}
		}
		syc_store_u64(addrs, translated);
	}
	return 0;
}

#define RECORD 32u

void syc_join_symbols_fini(struct syc_join_symbols *symbols)
{
	for (size_t i = 0; i < symbols->tables.n; i++)
		free(symbols->tables.items[i]);
	free(symbols->tables.items);
	free(symbols->sorted.items);
}

static bool is_end(const unsigned char *record)
{
	static const unsigned char zeros[24];

	return memcmp(record, zeros, sizeof(zeros)) == 0;
}

bool syc_join_symbols_fits(const unsigned char *data, size_t size, bool big)
{
	/* A text that begins at or before the last NUL has an end. */
	const unsigned char *last_nul = memrchr(data, 0, size);

	if (last_nul == NULL)
		return false;
	for (size_t at = 0; size - at >= RECORD; at += RECORD) {
		const unsigned char *record = data + at;
		const uint32_t name = syc_load_u32(record + 20, big);
		const uint32_t tag = syc_load_u32(record + 24, big);

		if (is_end(record))
			return true;
		if (name == 0 || name > (size_t)(last_nul - data) ||
		    tag > (size_t)(last_nul - data))
			return false;
	}
	return false;
}

static int compare(const void *left, const void *right)
{
	const struct syc_join_symbol *a = left, *b = right;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	return (a->end > b->end) - (a->end < b->end);
}

static bool overlap(const struct syc_join_symbol *a,
                    const struct syc_join_symbol *b)
{
	/* Last addresses of the ranges. */
	const uint64_t a_last = a->end > a->begin ? a->end - 1 : a->begin;
	const uint64_t b_last = b->end > b->begin ? b->end - 1 : b->begin;

	return a->pid == b->pid && a->begin <= b_last && b->begin <= a_last;
}

static bool is_same(const struct syc_join_symbol *a,
                    const struct syc_join_symbol *b)
{
	return compare(a, b) == 0 && strcmp(a->name, b->name) == 0 &&
	       strcmp(a->tag, b->tag) == 0;
}

static int read_table(struct syc_join_symbols *symbols,
                      const unsigned char *data, bool big)
{
	for (const unsigned char *p = data; !is_end(p); p += RECORD) {
		const uint32_t tag = syc_load_u32(p + 24, big);
		const struct syc_join_symbol symbol = {
			.begin = syc_load_u64(p, big),
			.end = syc_load_u64(p + 8, big),
			.pid = syc_load_u32(p + 16, big),
			.name = (const char *)data + syc_load_u32(p + 20, big),
			.tag = tag ? (const char *)data + tag : "",
		};

		if (syc_array_push(&symbols->sorted, symbol) < 0)
			return -ENOMEM;
	}
	if (symbols->sorted.n > 0)
		qsort(symbols->sorted.items, symbols->sorted.n,
		      sizeof(*symbols->sorted.items), compare);
	return 0;
}

/*
 * Merge two sorted tables.  Ranges in @old do not overlap, so a new range can
 * overlap only the latest taken range and the next range of @old.
 */
static int merge(const struct syc_join_symbols *old,
                 const struct syc_join_symbols *added,
                 struct syc_join_symbols *result, uint64_t *left_out)
{
	size_t i = 0, j = 0;

	while (i < old->sorted.n || j < added->sorted.n) {
		const struct syc_join_symbol *a = NULL, *b = NULL,
					     *rival = NULL;
		const size_t n = result->sorted.n;

		if (i < old->sorted.n)
			a = &old->sorted.items[i];
		if (j < added->sorted.n)
			b = &added->sorted.items[j];
		if (b == NULL || (a != NULL && compare(a, b) <= 0)) {
			if (syc_array_push(&result->sorted, *a) < 0)
				return -ENOMEM;
			i++;
			continue;
		}
		j++;
		if (n > 0 && overlap(&result->sorted.items[n - 1], b))
			rival = &result->sorted.items[n - 1];
		else if (a != NULL && overlap(a, b))
			rival = a;
		if (rival != NULL)
			*left_out += !is_same(rival, b);
		else if (syc_array_push(&result->sorted, *b) < 0)
			return -ENOMEM;
	}
	return 0;
}

int syc_join_symbols_add(struct syc_join_symbols *symbols, unsigned char *data,
                         bool big, uint64_t *ret_left_out)
{
	struct syc_join_symbols added = { 0 }, result = { 0 };
	uint64_t left_out = 0;
	int r;

	if (syc_array_push(&symbols->tables, data) < 0) {
		free(data);
		return -ENOMEM;
	}
	r = read_table(&added, data, big);
	if (r == 0)
		r = merge(symbols, &added, &result, &left_out);
	free(added.sorted.items);
	if (r < 0) {
		free(result.sorted.items);
		return r;
	}
	free(symbols->sorted.items);
	symbols->sorted.items = result.sorted.items;
	symbols->sorted.n = result.sorted.n;
	symbols->sorted.capacity = result.sorted.capacity;
	*ret_left_out = left_out;
	return 0;
}

/* The texts of a table that is written.  Each text is stored once. */
struct symbol_texts {
	struct syc_map map;
	SYC_ARRAY(uint64_t) offsets;
	uint64_t end; /* offset of the next text */
};

static int put_text(struct symbol_texts *texts, const char *text,
                    uint64_t *ret_at)
{
	size_t number;
	const int r = syc_map_put(&texts->map, text, strlen(text) + 1, &number);

	if (r < 0 || (r > 0 && syc_array_push(&texts->offsets, texts->end) < 0))
		return -ENOMEM;
	if (r > 0)
		texts->end += strlen(text) + 1;
	*ret_at = texts->offsets.items[number];
	return texts->end > UINT32_MAX ? -EFBIG : 0;
}

static void store_symbol(unsigned char *record,
                         const struct syc_join_symbol *symbol, uint64_t name,
                         uint64_t tag)
{
	syc_store_u64(record, symbol->begin);
	syc_store_u64(record + 8, symbol->end);
	syc_store_u32(record + 16, symbol->pid);
	syc_store_u32(record + 20, (uint32_t)name);
	syc_store_u32(record + 24, (uint32_t)tag);
}

static int store_table(const struct syc_join_symbols *symbols,
                       struct symbol_texts *texts, unsigned char **ret_data,
                       size_t *ret_size)
{
	const size_t n = symbols->sorted.n;
	uint64_t name, tag;
	unsigned char *data;
	int r = 0;

	for (size_t i = 0; i < n && r == 0; i++) {
		r = put_text(texts, symbols->sorted.items[i].name, &name);
		if (r == 0)
			r = put_text(texts, symbols->sorted.items[i].tag, &tag);
	}
	if (r < 0)
		return r;
	data = calloc(1, (size_t)texts->end);
	if (data == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		const struct syc_join_symbol *symbol =
			&symbols->sorted.items[i];

		if (put_text(texts, symbol->name, &name) < 0 ||
		    put_text(texts, symbol->tag, &tag) < 0) {
			free(data);
			return -ENOMEM;
		}
		store_symbol(data + i * RECORD, symbol, name,
		             symbol->tag[0] ? tag : 0);
	}
	for (size_t i = 0; i < texts->map.n; i++)
		memcpy(data + texts->offsets.items[i], texts->map.keys[i].bytes,
		       texts->map.keys[i].len);
	*ret_data = data;
	*ret_size = (size_t)texts->end;
	return 0;
}

int syc_join_symbols_table(const struct syc_join_symbols *symbols,
                           unsigned char **ret_data, size_t *ret_size)
{
	/* Write an empty text, because readers expect bytes after the record of
	 * zeros. */
	struct symbol_texts texts = { .end = (symbols->sorted.n + 1) * RECORD };
	uint64_t at;
	int r = put_text(&texts, "", &at);

	if (r == 0)
		r = store_table(symbols, &texts, ret_data, ret_size);
	syc_map_fini(&texts.map);
	free(texts.offsets.items);
	return r;
}
