/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * names.c - a table of names that only grows (names.h).
 *
 * Three arrays in one mapping of address space, whose pages come as they are
 * touched: slots, found by hash; entries, found by sequence number; and the
 * bytes.  A new name takes its number and its bytes in one exchange of
 * `taken`, is written, and then put into its slot by another.  Who finds the
 * slot filled by then compares, and goes on; what it had taken is put back,
 * or aside for the next name that fits.
 *
 * Ordering: an entry and its bytes are stored before the slot (N1, release),
 * and loaded after the slot (N2, acquire) or after the entry itself (N3),
 * which is stored with release after its bytes.
 */
#define _GNU_SOURCE
#include "emit/names.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <syscap/format.h>
#include <syscap/runtime.h>

#include "base/text.h"
#include "copies/block.h"
#include "copies/copies.h"
#include "emit/name_text.h"
#include "emit/names_room.h"
#include "emit/table.h"

#define NAME_MAX_LEN 4095u
#define MAX_PROBES   512u /* far more than hashes that are spread need */

/* 0xE0000000 << 32: the only upper half that all readers take for a name */
#define MARK UINT64_C(0xE000000000000000)

/* Lower ones are where tables that count from 1 have theirs. */
#define FIRST_HASH UINT32_C(0x100)

/* What this copy had names for before there was anything to record into: its
 * addresses stay good.  New ones are of the block's table, which all share. */
static struct syc_names_root early;

static const char lost_text[] = "[name lost: table full]";

/* ------------------------------------------------------------ the process */

static struct syc_names_root *names_root(void)
{
	struct syc_block *const block =
		__atomic_load_n(&syc_block, __ATOMIC_ACQUIRE);

	return block != NULL ? &block->names : &early;
}

static bool is_lost_hash(const struct syc_names_root *of, uint32_t hash)
{
	return hash == __atomic_load_n(&of->lost_hash, __ATOMIC_RELAXED);
}

/* Sixteen bits that other processes of one capture rarely have, and copies of
 * another number in this one never. */
static uint32_t choose_hash(void)
{
	const enum syc_number_giver giver =
		names_root() == &early ? SYC_NUMBER_EARLY
		: syc_block->is_alone  ? SYC_NUMBER_ALONE
				       : SYC_NUMBER_TOGETHER;
	uint32_t hash =
		FIRST_HASH + syc_number_first_id(SYC_NUMBER_NAMES, giver,
	                                         SYC_NAMES_MAX - FIRST_HASH);

	/* A child's is another than that of the first of its ancestors, and
	 * the block's than that of this copy */
	while (is_lost_hash(names_root(), hash) || is_lost_hash(&early, hash))
		hash = hash + 1 < SYC_NAMES_MAX ? hash + 1 : FIRST_HASH;
	return hash;
}

static uint32_t chosen_once(uint32_t *word)
{
	uint32_t hash = __atomic_load_n(word, __ATOMIC_RELAXED);

	if (hash != 0)
		return hash;
	const uint32_t mine = choose_hash();
	return __atomic_compare_exchange_n(word, &hash, mine, false,
	                                   __ATOMIC_RELAXED, __ATOMIC_RELAXED)
	               ? mine
	               : hash;
}

/* The wiped word lies in a page of its own, in front of the table. */
static struct syc_names_table *map_table(struct syc_names_root *of)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t size = page + sizeof(struct syc_names_table);
	char *const base =
		mmap(NULL, size, PROT_READ | PROT_WRITE,
	             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (base == MAP_FAILED)
		return NULL;
	/* Fails before Linux 4.14.  A child's names then have its parent's
	 * hash, which a capture of both may confuse. */
	(void)madvise(base, page, MADV_WIPEONFORK);
	struct syc_names_table *const table =
		(struct syc_names_table *)(void *)(base + page);
	table->taken = UINT64_C(1) << 32;
	table->hash = (uint32_t *)(void *)base;
	*table->hash = chosen_once(&of->lost_hash);
	struct syc_names_table *other = NULL;
	if (__atomic_compare_exchange_n(&of->table, &other, table, false,
	                                __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		return table;
	munmap(base, size); /* another thread's, or a handler's, is there */
	return other;
}

static struct syc_names_table *get_names_table(void)
{
	struct syc_names_root *const of = names_root();
	struct syc_names_table *const table =
		__atomic_load_n(&of->table, __ATOMIC_ACQUIRE);

	if (__builtin_expect(table != NULL, 1))
		return table;
	const int saved = errno;
	struct syc_names_table *const made = map_table(of);
	errno = saved;
	return made;
}

/* ------------------------------------------------------------------ slots */

static uint64_t jit_address(uint64_t entry, uint32_t number)
{
	return MARK | (entry & 0xFFFF) << 16 | number;
}

/* The address of @text if it is what @slot holds, else 0. */
static inline __attribute__((always_inline)) uint64_t
look_at(const struct syc_names_table *table, uint64_t slot, uint64_t h,
        const struct syc_name_pair *text)
{
	const uint32_t number = (uint32_t)slot;

	if ((slot ^ h) >> 32 != 0)
		return 0;
	const uint64_t entry =
		__atomic_load_n(&table->entries[number], __ATOMIC_RELAXED);
	if ((entry >> 16 & 0xFFFF) != text->len ||
	    !syc_name_is(table->arena + (entry >> 32), text))
		return 0;
	return jit_address(entry, number);
}

static uint64_t count_lost_name(void)
{
	__atomic_add_fetch(&names_root()->n_lost, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&names_root()->has_names, 1, __ATOMIC_RELAXED);
	return syscap_jit_lost();
}

/* Slot @probe of @h was empty: take it, or one behind it. */
static __attribute__((noinline)) uint64_t
insert(struct syc_names_table *table, uint64_t h, unsigned probe,
       const struct syc_name_pair *text)
{
	const uint64_t room =
		syc_names_take_room(table, (uint32_t)text->len + 1);
	const uint32_t number = syc_names_room_number(room);

	if (room == 0)
		return count_lost_name();
	const uint64_t entry = (uint64_t)syc_names_room_offset(room) << 32 |
	                       (uint64_t)text->len << 16 |
	                       chosen_once(table->hash);
	const uint64_t desired = (h >> 32 << 32) | number;
	syc_name_write(table->arena + syc_names_room_offset(room), text);
	__atomic_store_n(&table->entries[number], entry, __ATOMIC_RELEASE);
	__atomic_store_n(&names_root()->has_names, 1, __ATOMIC_RELAXED);
	for (; probe < MAX_PROBES; probe++) {
		uint64_t *const slot =
			&table->slots[(h + probe) % SYC_NAMES_SLOTS];
		uint64_t seen = 0;

		/* N1, pairs with N2 */
		if (__atomic_compare_exchange_n(slot, &seen, desired, false,
		                                __ATOMIC_RELEASE,
		                                __ATOMIC_ACQUIRE))
			return jit_address(entry, number);
		const uint64_t known = look_at(table, seen, h, text);
		if (known != 0) {
			syc_names_put_room_back(table, room);
			return known;
		}
	}
	syc_names_put_room_back(table, room);
	return count_lost_name();
}

/* What stands for @text in @first, of before there was a block, or 0. */
static __attribute__((noinline)) uint64_t
find_early(struct syc_names_table *first, uint64_t h,
           const struct syc_name_pair *text)
{
	for (unsigned probe = 0; probe < MAX_PROBES; probe++) {
		/* N2, pairs with N1 */
		const uint64_t slot = __atomic_load_n(
			&first->slots[(h + probe) % SYC_NAMES_SLOTS],
			__ATOMIC_ACQUIRE);
		const uint64_t known =
			slot != 0 ? look_at(first, slot, h, text) : 0;

		if (slot == 0 || known != 0)
			return known;
	}
	return 0;
}

static inline __attribute__((always_inline)) uint64_t
intern(const struct syc_name_pair *text)
{
	struct syc_names_table *const table = get_names_table();

	if (table == NULL)
		return count_lost_name();
	const uint64_t h = syc_name_hash(text);
	struct syc_names_table *const first =
		__atomic_load_n(&early.table, __ATOMIC_ACQUIRE);
	if (first != NULL && first != table) {
		const uint64_t known = find_early(first, h, text);

		if (known != 0)
			return known;
	}
	for (unsigned probe = 0; probe < MAX_PROBES; probe++) {
		/* N2, pairs with N1 */
		const uint64_t slot = __atomic_load_n(
			&table->slots[(h + probe) % SYC_NAMES_SLOTS],
			__ATOMIC_ACQUIRE);

		if (slot == 0)
			return insert(table, h, probe, text);
		const uint64_t known = look_at(table, slot, h, text);
		if (known != 0)
			return known;
	}
	return count_lost_name();
}

/* ------------------------------------------------------------- interfaces */

uint64_t syscap_jit_lost(void)
{
	/* Told before there was a block: it stays that */
	uint32_t *const word =
		__atomic_load_n(&early.lost_hash, __ATOMIC_RELAXED) != 0
			? &early.lost_hash
			: &names_root()->lost_hash;

	return MARK | (uint64_t)chosen_once(word) << 16;
}

uint64_t syscap_jit_intern(const char *name, size_t len)
{
	if (name == NULL) {
		name = "";
		len = 0;
	}
	len = syc_text_cut(name, len, NAME_MAX_LEN);
	const struct syc_name_pair text = { .a = name,
		                            .a_len = len,
		                            .len = len };
	return intern(&text);
}

uint64_t syscap_jit_intern2(const char *a, size_t a_len, const char *b,
                            size_t b_len)
{
	if (a == NULL || a_len >= NAME_MAX_LEN)
		return syscap_jit_intern(a == NULL ? b : a,
		                         a == NULL ? b_len : a_len);
	if (b == NULL) {
		b = "";
		b_len = 0;
	}
	b_len = syc_text_cut(b, b_len, NAME_MAX_LEN - a_len - 1);
	const struct syc_name_pair text = { .a = a,
		                            .a_len = a_len,
		                            .b = b,
		                            .b_len = b_len,
		                            .len = a_len + 1 + b_len };
	return intern(&text);
}

int syc_names_prepare(void)
{
	return get_names_table() != NULL ? 0 : -ENOMEM;
}

bool syc_names_any(void)
{
	return (__atomic_load_n(&names_root()->has_names, __ATOMIC_RELAXED) |
	        __atomic_load_n(&early.has_names, __ATOMIC_RELAXED)) != 0;
}

/* The entry of @number in the table of @of; 0: there is none. */
static uint64_t load_entry(const struct syc_names_root *of, uint32_t number)
{
	const struct syc_names_table *const table =
		__atomic_load_n(&of->table, __ATOMIC_ACQUIRE);

	/* N3: the bytes are there */
	return table != NULL ? __atomic_load_n(&table->entries[number],
	                                       __ATOMIC_ACQUIRE)
	                     : 0;
}

bool syc_names_index(uint64_t address, uint32_t *ret_index)
{
	const uint32_t number = address & 0xFFFF;

	if (address >> 32 != MARK >> 32)
		return false;
	if (number == 0) {
		*ret_index = 0;
		return address == syscap_jit_lost();
	}
	uint64_t entry = load_entry(names_root(), number);
	if (entry != 0 && jit_address(entry, number) == address) {
		*ret_index = number;
		return true;
	}
	entry = load_entry(&early, number);
	if (entry != 0 && jit_address(entry, number) == address) {
		*ret_index = SYC_NAMES_MAX + number;
		return true;
	}
	return false;
}

const char *syc_names_text(uint32_t index, size_t *ret_len)
{
	const struct syc_names_root *const of =
		index >= SYC_NAMES_MAX ? &early : names_root();
	const uint32_t number = index % SYC_NAMES_MAX;
	const uint64_t entry = number != 0 ? load_entry(of, number) : 0;

	if (entry == 0) {
		*ret_len = sizeof(lost_text) - 1;
		return lost_text;
	}
	*ret_len = entry >> 16 & 0xFFFF;
	return __atomic_load_n(&of->table, __ATOMIC_ACQUIRE)->arena +
	       (entry >> 32);
}

uint32_t syc_names_lost(void)
{
	return __atomic_load_n(&names_root()->n_lost, __ATOMIC_RELAXED);
}
