/* SPDX-License-Identifier: BSD-2-Clause */
/* protobuf.c - one message of protocol buffers, put together in memory. */
#include "export/protobuf.h"

#include <stdlib.h>

#define VARINT 0u
#define BYTES  2u

void syc_protobuf_clear(struct syc_protobuf *message)
{
	message->bytes.n = 0;
}

void syc_protobuf_fini(struct syc_protobuf *message)
{
	free(message->bytes.items);
	*message = (struct syc_protobuf){ 0 };
}

static void put(struct syc_protobuf *message, unsigned char byte)
{
	if (syc_array_push(&message->bytes, byte) < 0)
		message->failed = true;
}

void syc_protobuf_varint(struct syc_protobuf *message, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		put(message, (unsigned char)(value | 0x80));
	put(message, (unsigned char)value);
}

void syc_protobuf_number(struct syc_protobuf *message, unsigned field,
                         uint64_t value)
{
	if (value == 0)
		return;
	syc_protobuf_varint(message, field << 3 | VARINT);
	syc_protobuf_varint(message, value);
}

void syc_protobuf_bytes(struct syc_protobuf *message, unsigned field,
                        const void *bytes, size_t n)
{
	syc_protobuf_varint(message, field << 3 | BYTES);
	syc_protobuf_varint(message, n);
	for (size_t i = 0; i < n; i++)
		put(message, ((const unsigned char *)bytes)[i]);
}

void syc_protobuf_message(struct syc_protobuf *message, unsigned field,
                          const struct syc_protobuf *inner)
{
	syc_protobuf_bytes(message, field, inner->bytes.items, inner->bytes.n);
	message->failed = message->failed || inner->failed;
}
