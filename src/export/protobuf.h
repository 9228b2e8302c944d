/* SPDX-License-Identifier: BSD-2-Clause */
/* protobuf.h - one message of protocol buffers, put together in memory. */
#ifndef SC_EXPORT_PROTOBUF_H
#define SC_EXPORT_PROTOBUF_H

#include <stdbool.h>

#include "data/array.h"

struct sc_protobuf {
	SC_ARRAY(unsigned char) bytes;
	bool failed; /* no memory: it is not whole */
};

void sc_protobuf_clear(struct sc_protobuf *message);
void sc_protobuf_fini(struct sc_protobuf *message);

/* A field; 0 is the default, and left out where it can be. */
void sc_protobuf_number(struct sc_protobuf *message, unsigned field,
                        uint64_t value);
void sc_protobuf_bytes(struct sc_protobuf *message, unsigned field,
                       const void *bytes, size_t n);
void sc_protobuf_message(struct sc_protobuf *message, unsigned field,
                         const struct sc_protobuf *inner);

/** A number without a field: an element of a packed one. */
void sc_protobuf_varint(struct sc_protobuf *message, uint64_t value);

#endif
