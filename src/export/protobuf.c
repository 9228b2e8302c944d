/* SPDX-License-Identifier: BSD-2-Clause */
/* protobuf.c - one Protocol Buffers message, encoded in memory. */
#include "export/protobuf.h"

#include <stdlib.h>
#include <string.h>

#define VARINT  0u
#define FIXED64 1u
#define BYTES   2u

#define VARINT_SIZE 10u /* size of the largest number */

/* Number of bytes reserved for a length, which may be more than necessary. */
#define LENGTH_SIZE 4u

void syc_protobuf_clear(struct syc_protobuf *message)
{
	message->bytes.n = 0;
}

void syc_protobuf_fini(struct syc_protobuf *message)
{
	free(message->bytes.items);
	*message = (struct syc_protobuf){ 0 };
}

/* Reserve @n more bytes. */
static bool reserve(struct syc_protobuf *message, size_t n)
{
	while (message->bytes.capacity - message->bytes.n < n)
		if (syc_array_grow(&message->bytes.items,
		                   &message->bytes.capacity, 1) < 0) {
			message->failed = true;
			return false;
		}
	return true;
}

static void put(struct syc_protobuf *message, unsigned char byte)
{
	if (syc_array_push(&message->bytes, byte) < 0)
		message->failed = true;
}

void syc_protobuf_varint(struct syc_protobuf *message, uint64_t value)
{
	unsigned char *to;

	if (!reserve(message, VARINT_SIZE))
		return;
	to = message->bytes.items + message->bytes.n;
	for (; value >= 0x80; value >>= 7)
		*to++ = (unsigned char)(value | 0x80);
	*to++ = (unsigned char)value;
	message->bytes.n = (size_t)(to - message->bytes.items);
}

void syc_protobuf_value(struct syc_protobuf *message, unsigned field,
                        uint64_t value)
{
	syc_protobuf_varint(message, field << 3 | VARINT);
	syc_protobuf_varint(message, value);
}

void syc_protobuf_number(struct syc_protobuf *message, unsigned field,
                         uint64_t value)
{
	if (value != 0)
		syc_protobuf_value(message, field, value);
}

void syc_protobuf_bytes(struct syc_protobuf *message, unsigned field,
                        const void *bytes, size_t n)
{
	syc_protobuf_varint(message, field << 3 | BYTES);
	syc_protobuf_varint(message, n);
	if (n == 0 || !reserve(message, n))
		return;
	memcpy(message->bytes.items + message->bytes.n, bytes, n);
	message->bytes.n += n;
}

void syc_protobuf_fixed64(struct syc_protobuf *message, unsigned field,
                          uint64_t value)
{
	syc_protobuf_varint(message, field << 3 | FIXED64);
	for (unsigned i = 0; i < 8; i++)
		put(message, (unsigned char)(value >> 8 * i));
}

void syc_protobuf_double(struct syc_protobuf *message, unsigned field,
                         double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	syc_protobuf_fixed64(message, field, bits);
}

void syc_protobuf_text(struct syc_protobuf *message, unsigned field,
                       const char *text)
{
	syc_protobuf_bytes(message, field, text, strlen(text));
}

size_t syc_protobuf_begin(struct syc_protobuf *message, unsigned field)
{
	syc_protobuf_varint(message, field << 3 | BYTES);
	for (unsigned i = 0; i < LENGTH_SIZE; i++)
		put(message, 0);
	return message->bytes.n;
}

void syc_protobuf_end(struct syc_protobuf *message, size_t begin)
{
	const size_t n = message->bytes.n - begin;

	if (message->failed)
		return;
	for (unsigned i = 0; i < LENGTH_SIZE; i++)
		message->bytes.items[begin - LENGTH_SIZE + i] =
			(unsigned char)((n >> 7 * i & 0x7F) |
		                        (i + 1 < LENGTH_SIZE ? 0x80u : 0));
}

void syc_protobuf_message(struct syc_protobuf *message, unsigned field,
                          const struct syc_protobuf *inner)
{
	syc_protobuf_bytes(message, field, inner->bytes.items, inner->bytes.n);
	message->failed = message->failed || inner->failed;
}
