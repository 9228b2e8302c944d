/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * names.c - a table of names that only grows, and the names' addresses in
 * stacks.
 *
 * Three arrays share one mapping, whose pages exist after their first access.
 * A hash leads to a slot, a sequence number to an entry, and an entry to its
 * bytes.  A new name takes its number and its bytes by one exchange of `taken`.
 * After the name is written, a second exchange stores the name's number in its
 * slot.  If the slot is no longer empty, the thread compares the slot's name,
 * and continues.  The thread returns its number and bytes, or keeps the number
 * and bytes for the next name that fits.
 *
 * An entry and its bytes are stored before the slot (N1, release).  Bytes are
 * loaded after the slot (N2, acquire) or after the entry itself (N3).  An entry
 * is stored with release after its bytes.
 */
#define _GNU_SOURCE
#include <endian.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <syscap/format.h>
#include <syscap/runtime.h>

#include "base/text.h"
#include "copies/copies.h"
#include "emit/sample.h"

/* ---------------------------------------------------------- texts of names */

/* A name to look up: @a and, if @b is not NULL, a space and @b. */
struct name_pair {
	const char *a, *b;
	size_t a_len, b_len, len;
};

struct name_hasher {
	uint64_t state;
	uint64_t carry;   /* bytes of an incomplete word, then zeroes */
	unsigned n_carry; /* bits */
};

static inline uint64_t stir_hash(uint64_t state, uint64_t word)
{
	state = (state ^ word) * UINT64_C(0x9FB21C651E98DF25);
	return state ^ state >> 32;
}

/* Load the @n < 8 bytes at @text, and append zeroes. */
static inline uint64_t load_tail(const char *text, size_t n)
{
	const unsigned char *const bytes = (const unsigned char *)text;
	uint32_t low, high;

	if (n >= 4) {
		memcpy(&low, text, 4);
		memcpy(&high, text + n - 4, 4);
		low = le32toh(low);
		high = le32toh(high);
		return low | (uint64_t)high << 8 * (n - 4);
	}
	if (n == 0)
		return 0;
	return bytes[0] | (uint64_t)bytes[n / 2] << 8 * (n / 2) |
	       (uint64_t)bytes[n - 1] << 8 * (n - 1);
}

/* Add a text to the hash.  The first byte of a text is the lowest of its word.
 * So the words do not depend on how a text is divided into calls. */
static inline __attribute__((always_inline)) void
feed_hash(struct name_hasher *hasher, const char *text, size_t n)
{
	const unsigned shift = hasher->n_carry;
	uint64_t word;

	for (; n >= 8; text += 8, n -= 8) {
		memcpy(&word, text, 8);
		word = le64toh(word);
		hasher->state =
			stir_hash(hasher->state, hasher->carry | word << shift);
		hasher->carry = shift != 0 ? word >> (64 - shift) : 0;
	}
	word = load_tail(text, n);
	hasher->carry |= word << shift;
	hasher->n_carry += 8 * (unsigned)n;
	if (hasher->n_carry >= 64) {
		hasher->state = stir_hash(hasher->state, hasher->carry);
		hasher->carry = shift != 0 ? word >> (64 - shift) : 0;
		hasher->n_carry -= 64;
	}
}

static inline __attribute__((always_inline)) uint64_t
hash_name(const struct name_pair *text)
{
	struct name_hasher hasher = { .state = text->len };

	feed_hash(&hasher, text->a, text->a_len);
	if (text->b != NULL) {
		feed_hash(&hasher, " ", 1);
		feed_hash(&hasher, text->b, text->b_len);
	}
	const uint64_t h = stir_hash(hasher.state, hasher.carry);
	return h * UINT64_C(0xD6E8FEB86659FD93);
}

static inline __attribute__((always_inline)) bool
is_same_name(const char *known, const struct name_pair *text)
{
	if (memcmp(known, text->a, text->a_len) != 0)
		return false;
	return text->b == NULL ||
	       (known[text->a_len] == ' ' &&
	        memcmp(known + text->a_len + 1, text->b, text->b_len) == 0);
}

static void write_name(char *at, const struct name_pair *text)
{
	memcpy(at, text->a, text->a_len);
	if (text->b != NULL) {
		at[text->a_len] = ' ';
		memcpy(at + text->a_len + 1, text->b, text->b_len);
	}
	at[text->len] = '\0';
}

/* -------------------------------- numbers and bytes, taken and returned */

static uint32_t space_number(uint64_t space)
{
	return (uint32_t)(space >> 48);
}

static uint32_t space_offset(uint64_t space)
{
	return (uint32_t)space;
}

static uint64_t pack_spare(uint32_t number, uint32_t size, uint32_t offset)
{
	return (uint64_t)number << 48 | (uint64_t)size << 32 | offset;
}

static uint32_t space_size(uint64_t space)
{
	return (uint32_t)(space >> 32) & 0xFFFF;
}

static uint64_t take_spare(struct syc_names_table *table, uint32_t size)
{
	for (unsigned i = 0; i < SYC_NAMES_SPARES; i++) {
		uint64_t spare =
			__atomic_load_n(&table->spares[i], __ATOMIC_RELAXED);

		/* Acquire pairs with return_space(): the last user's stores are
		 * done */
		if (spare != 0 && space_size(spare) >= size &&
		    __atomic_compare_exchange_n(&table->spares[i], &spare, 0,
		                                false, __ATOMIC_ACQUIRE,
		                                __ATOMIC_RELAXED))
			return spare;
	}
	return 0;
}

/* Take a number and @size bytes.  Returns 0 if the table is full. */
static uint64_t take_space(struct syc_names_table *table, uint32_t size)
{
	const uint64_t spare = take_spare(table, size);
	uint64_t taken = __atomic_load_n(&table->taken, __ATOMIC_RELAXED);

	if (spare != 0)
		return spare;
	for (;;) {
		const uint32_t number = (uint32_t)(taken >> 32);
		const uint32_t offset = (uint32_t)taken;

		if (number >= SYC_NAMES_MAX || size > SYC_NAMES_ARENA - offset)
			return 0;
		if (__atomic_compare_exchange_n(
			    &table->taken, &taken,
			    (uint64_t)(number + 1) << 32 | (offset + size),
			    true, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return pack_spare(number, size, offset);
	}
}

/* Return @space if no thread has taken more in the meantime.  Otherwise set
 * @space aside. */
static void return_space(struct syc_names_table *table, uint64_t space)
{
	const uint32_t number = space_number(space);
	const uint32_t offset = space_offset(space);
	uint64_t taken =
		(uint64_t)(number + 1) << 32 | (offset + space_size(space));

	__atomic_store_n(&table->entries[number], 0, __ATOMIC_RELAXED);
	if (__atomic_compare_exchange_n(&table->taken, &taken,
	                                (uint64_t)number << 32 | offset, false,
	                                __ATOMIC_RELEASE, __ATOMIC_RELAXED))
		return;
	for (unsigned i = 0; i < SYC_NAMES_SPARES; i++) {
		uint64_t none = 0;

		if (__atomic_compare_exchange_n(&table->spares[i], &none, space,
		                                false, __ATOMIC_RELEASE,
		                                __ATOMIC_RELAXED))
			return;
	}
	/* All spare slots are taken, so @space is wasted */
}

#define NAME_MAX_LEN 4095u
#define MAX_PROBES   512u /* far more than evenly distributed hashes need */

/* 0xE0000000 << 32: the only upper half that all readers accept for a name */
#define MARK UINT64_C(0xE000000000000000)

/* Tables of other libraries, which count from 1, use lower hashes. */
#define FIRST_HASH UINT32_C(0x100)

/* Names from before this copy had a block.  The addresses of these names stay
 * valid.  The block's table, which all copies share, has later names. */
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

/* Choose sixteen bits that processes of one capture rarely have in common.
 * Copies in this process with another SYC_COPIES_NUMBER always have other
 * bits. */
static uint32_t choose_hash(void)
{
	const enum syc_number_giver giver =
		names_root() == &early ? SYC_NUMBER_EARLY
		: syc_block->is_alone  ? SYC_NUMBER_ALONE
				       : SYC_NUMBER_TOGETHER;
	uint32_t hash =
		FIRST_HASH + syc_number_first_id(SYC_NUMBER_NAMES, giver,
	                                         SYC_NAMES_MAX - FIRST_HASH);

	/* A child and its first ancestor have different hashes, and so do the
	 * block and this copy */
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

/* The word that a fork wipes lies in a page of its own, before the table. */
static struct syc_names_table *map_table(struct syc_names_root *of)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t size = page + sizeof(struct syc_names_table);
	char *const base =
		mmap(NULL, size, PROT_READ | PROT_WRITE,
	             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (base == MAP_FAILED)
		return NULL;
	/* madvise() fails before Linux 4.14.  A child's names then have the
	 * parent's hash, so a capture of both may confuse their names. */
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
	munmap(base, size); /* another thread or a handler was faster */
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

/* The address of @text if @slot holds @text, else 0. */
static inline __attribute__((always_inline)) uint64_t
look_at(const struct syc_names_table *table, uint64_t slot, uint64_t h,
        const struct name_pair *text)
{
	const uint32_t number = (uint32_t)slot;

	if ((slot ^ h) >> 32 != 0)
		return 0;
	const uint64_t entry =
		__atomic_load_n(&table->entries[number], __ATOMIC_RELAXED);
	if ((entry >> 16 & 0xFFFF) != text->len ||
	    !is_same_name(table->arena + (entry >> 32), text))
		return 0;
	return jit_address(entry, number);
}

static uint64_t count_lost_name(void)
{
	__atomic_add_fetch(&names_root()->n_lost, 1, __ATOMIC_RELAXED);
	__atomic_store_n(&names_root()->has_names, 1, __ATOMIC_RELAXED);
	return syscap_jit_lost();
}

/* Put @text into the empty slot @probe of @h, or into a later slot. */
static __attribute__((noinline)) uint64_t insert(struct syc_names_table *table,
                                                 uint64_t h, unsigned probe,
                                                 const struct name_pair *text)
{
	const uint64_t space = take_space(table, (uint32_t)text->len + 1);
	const uint32_t number = space_number(space);

	if (space == 0)
		return count_lost_name();
	const uint64_t entry = (uint64_t)space_offset(space) << 32 |
	                       (uint64_t)text->len << 16 |
	                       chosen_once(table->hash);
	const uint64_t desired = (h >> 32 << 32) | number;
	write_name(table->arena + space_offset(space), text);
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
			return_space(table, space);
			return known;
		}
	}
	return_space(table, space);
	return count_lost_name();
}

/* The address of @text in @first, the table from before the block, or 0. */
static __attribute__((noinline)) uint64_t
find_early(struct syc_names_table *first, uint64_t h,
           const struct name_pair *text)
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
intern(const struct name_pair *text)
{
	struct syc_names_table *const table = get_names_table();

	if (table == NULL)
		return count_lost_name();
	const uint64_t h = hash_name(text);
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
	/* The address from before the block stays valid */
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
	const struct name_pair text = { .a = name, .a_len = len, .len = len };
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
	const struct name_pair text = { .a = a,
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

/* The entry of @number in the table of @of, or 0 if the table has no such
 * entry. */
static uint64_t load_entry(const struct syc_names_root *of, uint32_t number)
{
	const struct syc_names_table *const table =
		__atomic_load_n(&of->table, __ATOMIC_ACQUIRE);

	/* N3: the bytes are complete */
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
