/* SPDX-License-Identifier: BSD-2-Clause */
/* protobuf.c - one message of protocol buffers, put together in memory. */
#include "export/protobuf.h"

#include <stdlib.h>

#define VARINT 0u
#define BYTES  2u

void sc_protobuf_clear(struct sc_protobuf *message)
{
	message->bytes.n = 0;
}

void sc_protobuf_fini(struct sc_protobuf *message)
{
	free(message->bytes.items);
	*message = (struct sc_protobuf){ 0 };
}

static void put(struct sc_protobuf *message, unsigned char byte)
{
	if (sc_array_push(&message->bytes, byte) < 0)
		message->failed = true;
}

void sc_protobuf_varint(struct sc_protobuf *message, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		put(message, (unsigned char)(value | 0x80));
	put(message, (unsigned char)value);
}

void sc_protobuf_number(struct sc_protobuf *message, unsigned field,
                        uint64_t value)
{
	if (value == 0)
		return;
	sc_protobuf_varint(message, field << 3 | VARINT);
	sc_protobuf_varint(message, value);
}

void sc_protobuf_bytes(struct sc_protobuf *message, unsigned field,
                       const void *bytes, size_t n)
{
	sc_protobuf_varint(message, field << 3 | BYTES);
	sc_protobuf_varint(message, n);
	for (size_t i = 0; i < n; i++)
		put(message, ((const unsigned char *)bytes)[i]);
}

void sc_protobuf_message(struct sc_protobuf *message, unsigned field,
                         const struct sc_protobuf *inner)
{
	sc_protobuf_bytes(message, field, inner->bytes.items, inner->bytes.n);
	message->failed = message->failed || inner->failed;
}
