/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * json.h - write JSON as it comes.
 *
 *	struct syc_json json = { .out = stdout };
 *
 *	syc_json_begin_object(&json);
 *	syc_json_key(&json, "pid");
 *	syc_json_integer(&json, 7);
 *	syc_json_end_object(&json);
 *	syc_json_end_line(&json);
 *
 * Commas are put where they belong.  What is between the brackets of a
 * document may wait here; after the last one all of it is @out's, and so are
 * errors.  Nesting is at most 32 deep.
 */
#ifndef SYC_DATA_JSON_H
#define SYC_DATA_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct syc_json {
	FILE *out;
	unsigned depth;
	uint32_t has_items; /* bit d: a comma is due at depth d */
	bool after_key;
	/* A call of stdio for each comma takes longer than all the rest. */
	unsigned n_waiting;
	char waiting[1000];
};

void syc_json_begin_object(struct syc_json *json);
void syc_json_end_object(struct syc_json *json);
void syc_json_begin_array(struct syc_json *json);
void syc_json_end_array(struct syc_json *json);
/** A newline between documents. */
void syc_json_end_line(struct syc_json *json);

/** @key is one of ours: plain, without quotes. */
void syc_json_key(struct syc_json *json, const char *key);

/** NULL gives null.  What is not UTF-8 becomes U+FFFD. */
void syc_json_text(struct syc_json *json, const char *text);
void syc_json_integer(struct syc_json *json, int64_t value);
void syc_json_unsigned(struct syc_json *json, uint64_t value);
/** @value / 10^@decimals, exact: 1234567, 6 is 1.234567. */
void syc_json_fixed(struct syc_json *json, int64_t value, unsigned decimals);
/** The shortest text that reads back as @value; NaN and infinity are null. */
void syc_json_double(struct syc_json *json, double value);
void syc_json_bool(struct syc_json *json, bool value);
void syc_json_null(struct syc_json *json);
/** "0x..." */
void syc_json_address(struct syc_json *json, uint64_t address);
void syc_json_base64(struct syc_json *json, const unsigned char *data,
                     size_t size);

/* A key and its value. */
void syc_json_member_text(struct syc_json *json, const char *key,
                          const char *text);
void syc_json_member_integer(struct syc_json *json, const char *key,
                             int64_t value);
void syc_json_member_unsigned(struct syc_json *json, const char *key,
                              uint64_t value);
void syc_json_member_address(struct syc_json *json, const char *key,
                             uint64_t address);
void syc_json_member_bool(struct syc_json *json, const char *key, bool value);
/** "tid"; null when it is negative, which is how an unknown one is kept. */
void syc_json_member_tid(struct syc_json *json, int32_t tid);

#endif
