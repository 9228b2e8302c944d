/* SPDX-License-Identifier: BSD-2-Clause */
/* loss_record_read.c - decoder of loss records. */
#include <string.h>

#include "base/loss_record.h"
#include "base/text.h"

bool syc_loss_record_is(const char *group, const char *name)
{
	return strcmp(group, SYC_LOSS_RECORD_GROUP) == 0 &&
	       strcmp(name, SYC_LOSS_RECORD_NAME) == 0;
}

/* Parse a decimal number ("-1", "42") that ends at a blank or at the text's
 * end.  Returns NULL if the number is malformed or too large. */
static const char *parse_number(const char *text, bool *ret_negative,
                                uint64_t *ret_number)
{
	uint64_t number = 0;

	*ret_negative = *text == '-';
	text += *ret_negative;
	if (*text < '0' || *text > '9')
		return NULL;
	for (; *text >= '0' && *text <= '9'; text++) {
		if (__builtin_mul_overflow(number, 10u, &number) ||
		    __builtin_add_overflow(number, (unsigned)(*text - '0'),
		                           &number))
			return NULL;
	}
	*ret_number = number;
	return *text == ' ' || *text == '\0' ? text : NULL;
}

/* Store a word of the message in its field, and ignore unknown words. */
static bool take_word(struct syc_loss *loss, const char *key, size_t len,
                      bool negative, uint64_t number)
{
	if (syc_text_is(key, len, "tid")) {
		loss->tid =
			!negative && number <= INT32_MAX ? (int32_t)number : 0;
		return true;
	}
	if (negative)
		return false;
	if (syc_text_is(key, len, "frames"))
		loss->total = number;
	else if (syc_text_is(key, len, "bytes"))
		loss->bytes = number;
	for (unsigned type = 0; type < SYSCAP_FRAME_LAST; type++)
		if (syc_text_is(key, len, syc_loss_record_kind(type)) &&
		    __builtin_add_overflow(loss->frames[type], number,
		                           &loss->frames[type]))
			loss->frames[type] = UINT64_MAX;
	return true;
}

bool syc_loss_record_parse(const char *message, struct syc_loss *ret_loss)
{
	struct syc_loss loss = { .tid = 0 };
	const char *p = message;

	if (strncmp(p, "frames=", 7) != 0)
		return false;
	while (*p) {
		const size_t len = strcspn(p, "= ");
		uint64_t number;
		bool negative;

		if (p[len] != '=')
			return false;
		const char *rest =
			parse_number(p + len + 1, &negative, &number);
		if (!rest || !take_word(&loss, p, len, negative, number))
			return false;
		for (p = rest; *p == ' '; p++)
			;
	}
	*ret_loss = loss;
	return true;
}
