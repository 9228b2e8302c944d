/* SPDX-License-Identifier: BSD-2-Clause */
/* siphash.h - SipHash-2-4: a keyed hash that does not reveal its key. */
#ifndef SYC_BASE_SIPHASH_H
#define SYC_BASE_SIPHASH_H

#include <stddef.h>
#include <stdint.h>

/** Hash the @n bytes at @bytes with the key of 16 bytes at @key.  Context:
 * any-thread, signal-safe. */
uint64_t syc_siphash(const unsigned char *key, const void *bytes, size_t n);

#endif
