/* SPDX-License-Identifier: BSD-2-Clause */
/* protobuf.h - one Protocol Buffers message, encoded in memory. */
#ifndef SYC_EXPORT_PROTOBUF_H
#define SYC_EXPORT_PROTOBUF_H

#include <stdbool.h>

#include "common/containers.h"

struct syc_protobuf {
	SYC_ARRAY(unsigned char) bytes;
	bool failed; /* memory is missing, and the message incomplete */
};

void syc_protobuf_clear(struct syc_protobuf *message);
void syc_protobuf_fini(struct syc_protobuf *message);

/* Add a field; the default 0 is omitted if possible. */
void syc_protobuf_number(struct syc_protobuf *message, unsigned field,
                         uint64_t value);
void syc_protobuf_bytes(struct syc_protobuf *message, unsigned field,
                        const void *bytes, size_t n);
void syc_protobuf_message(struct syc_protobuf *message, unsigned field,
                          const struct syc_protobuf *inner);

/**
 * Add a field, even with value 0, since the presence of a oneof field selects
 * the field.
 */
void syc_protobuf_value(struct syc_protobuf *message, unsigned field,
                        uint64_t value);
void syc_protobuf_fixed64(struct syc_protobuf *message, unsigned field,
                          uint64_t value);
void syc_protobuf_double(struct syc_protobuf *message, unsigned field,
                         double value);
void syc_protobuf_text(struct syc_protobuf *message, unsigned field,
                       const char *text);

/**
 * Begin an embedded message of less than 256 MiB. Add the message's fields,
 * then end the message with the returned number.
 */
size_t syc_protobuf_begin(struct syc_protobuf *message, unsigned field);
void syc_protobuf_end(struct syc_protobuf *message, size_t begin);

/** Add a number without a field, an element of a packed field. */
void syc_protobuf_varint(struct syc_protobuf *message, uint64_t value);

#endif
