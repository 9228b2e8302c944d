/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json.h - write JSON as it comes.
 *
 *	struct sc_json json = { .out = stdout };
 *
 *	sc_json_begin_object(&json);
 *	sc_json_key(&json, "pid");
 *	sc_json_integer(&json, 7);
 *	sc_json_end_object(&json);
 *	sc_json_end_line(&json);
 *
 * Commas are put where they belong.  Nothing is buffered beyond @out, and
 * errors are @out's.  Nesting is at most 32 deep.
 */
#ifndef SC_DATA_JSON_H
#define SC_DATA_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct sc_json {
	FILE *out;
	unsigned depth;
	uint32_t has_items; /* bit d: a comma is due at depth d */
	bool after_key;
};

void sc_json_begin_object(struct sc_json *json);
void sc_json_end_object(struct sc_json *json);
void sc_json_begin_array(struct sc_json *json);
void sc_json_end_array(struct sc_json *json);
/** A newline between documents. */
void sc_json_end_line(struct sc_json *json);

void sc_json_key(struct sc_json *json, const char *key);

/** NULL gives null.  What is not UTF-8 becomes U+FFFD. */
void sc_json_text(struct sc_json *json, const char *text);
void sc_json_integer(struct sc_json *json, int64_t value);
void sc_json_unsigned(struct sc_json *json, uint64_t value);
/** The shortest text that reads back as @value; NaN and infinity are null. */
void sc_json_double(struct sc_json *json, double value);
void sc_json_bool(struct sc_json *json, bool value);
void sc_json_null(struct sc_json *json);
/** "0x..." */
void sc_json_address(struct sc_json *json, uint64_t address);
void sc_json_base64(struct sc_json *json, const unsigned char *data,
                    size_t size);

/* A key and its value. */
void sc_json_member_text(struct sc_json *json, const char *key,
                         const char *text);
void sc_json_member_integer(struct sc_json *json, const char *key,
                            int64_t value);
void sc_json_member_unsigned(struct sc_json *json, const char *key,
                             uint64_t value);
void sc_json_member_address(struct sc_json *json, const char *key,
                            uint64_t address);
void sc_json_member_bool(struct sc_json *json, const char *key, bool value);
/** "tid"; null when it is negative, which is how an unknown one is kept. */
void sc_json_member_tid(struct sc_json *json, int32_t tid);

#endif
