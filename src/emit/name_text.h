/* SPDX-License-Identifier: BSD-2-Clause */
/* name_text.h - a name that is looked for: its hash, and whether it is one that
 * is known. */
#ifndef SYC_EMIT_NAME_TEXT_H
#define SYC_EMIT_NAME_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/** What is looked for: @a, and if there is a @b, a space and @b. */
struct syc_name_pair {
	const char *a, *b;
	size_t a_len, b_len, len;
};

struct syc_name_hasher {
	uint64_t state;
	uint64_t carry;   /* bytes that make no word yet, the rest 0 */
	unsigned n_carry; /* bits */
};

static inline uint64_t syc_name_stir(uint64_t state, uint64_t word)
{
	state = (state ^ word) * UINT64_C(0x9FB21C651E98DF25);
	return state ^ state >> 32;
}

/** The @n < 8 bytes at @text, zeroes behind them. */
static inline uint64_t syc_name_load_tail(const char *text, size_t n)
{
	const unsigned char *const bytes = (const unsigned char *)text;
	uint32_t low, high;

	if (n >= 4) {
		memcpy(&low, text, 4);
		memcpy(&high, text + n - 4, 4);
		return low | (uint64_t)high << 8 * (n - 4);
	}
	if (n == 0)
		return 0;
	return bytes[0] | (uint64_t)bytes[n / 2] << 8 * (n / 2) |
	       (uint64_t)bytes[n - 1] << 8 * (n - 1);
}

/** Words are what they would be if all that is fed stood in a row.  (On
 * big-endian machines other words, but the same for the same text.) */
static inline __attribute__((always_inline)) void
syc_name_feed(struct syc_name_hasher *hasher, const char *text, size_t n)
{
	const unsigned shift = hasher->n_carry;
	uint64_t word;

	for (; n >= 8; text += 8, n -= 8) {
		memcpy(&word, text, 8);
		hasher->state = syc_name_stir(hasher->state,
		                              hasher->carry | word << shift);
		hasher->carry = shift != 0 ? word >> (64 - shift) : 0;
	}
	word = syc_name_load_tail(text, n);
	hasher->carry |= word << shift;
	hasher->n_carry += 8 * (unsigned)n;
	if (hasher->n_carry >= 64) {
		hasher->state = syc_name_stir(hasher->state, hasher->carry);
		hasher->carry = shift != 0 ? word >> (64 - shift) : 0;
		hasher->n_carry -= 64;
	}
}

static inline __attribute__((always_inline)) uint64_t
syc_name_hash(const struct syc_name_pair *text)
{
	struct syc_name_hasher hasher = { .state = text->len };

	syc_name_feed(&hasher, text->a, text->a_len);
	if (text->b != NULL) {
		syc_name_feed(&hasher, " ", 1);
		syc_name_feed(&hasher, text->b, text->b_len);
	}
	const uint64_t h = syc_name_stir(hasher.state, hasher.carry);
	return h * UINT64_C(0xD6E8FEB86659FD93);
}

static inline __attribute__((always_inline)) bool
syc_name_is(const char *known, const struct syc_name_pair *text)
{
	if (memcmp(known, text->a, text->a_len) != 0)
		return false;
	return text->b == NULL ||
	       (known[text->a_len] == ' ' &&
	        memcmp(known + text->a_len + 1, text->b, text->b_len) == 0);
}

static inline void syc_name_write(char *at, const struct syc_name_pair *text)
{
	memcpy(at, text->a, text->a_len);
	if (text->b != NULL) {
		at[text->a_len] = ' ';
		memcpy(at + text->a_len + 1, text->b, text->b_len);
	}
	at[text->len] = '\0';
}

#endif
