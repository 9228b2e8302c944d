/* SPDX-License-Identifier: BSD-2-Clause */
/* code_frames.c - code tables that a runtime wrote into the capture itself. */
#include "code/code_frames.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool syc_code_frames_is(const struct syscap_frame *frame)
{
	return frame->type == SYSCAP_FRAME_METADATA && frame->used > 0 &&
	       strcmp(frame->metadata.id, SYC_CODE_FRAMES_ID) == 0;
}

/* A blank and a number. */
static bool take_number(const char **at, uint64_t *ret_number)
{
	char *end;

	if (**at != ' ' || !isxdigit((unsigned char)(*at)[1]))
		return false;
	errno = 0;
	*ret_number = strtoull(*at + 1, &end, 16);
	*at = end;
	return errno == 0;
}

static bool take_word(const char **at, const char *word)
{
	const size_t len = strlen(word);

	if (strncmp(*at, word, len) != 0)
		return false;
	*at += len;
	return true;
}

int syc_code_frames_take(const struct syscap_frame *frame,
                         struct syc_code_table *table)
{
	const char *at = frame->metadata.value;
	const bool is_move = take_word(&at, "move");
	const bool is_add = !is_move && take_word(&at, "add");
	uint64_t a, b, c;

	if (!is_move && !is_add && !take_word(&at, "remove"))
		return -EINVAL;
	if (!take_number(&at, &a) || !take_number(&at, &b))
		return -EINVAL;
	if (is_add)
		return *at == ' ' ? syc_code_table_add(table, frame->time, a, b,
		                                       at + 1, strlen(at + 1))
		                  : -EINVAL;
	if (is_move)
		return take_number(&at, &c) && *at == 0
		               ? syc_code_table_move(table, frame->time, a, b,
		                                     c)
		               : -EINVAL;
	return *at == 0 ? syc_code_table_remove(table, frame->time, a, b)
	                : -EINVAL;
}
