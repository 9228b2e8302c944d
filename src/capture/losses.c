/* SPDX-License-Identifier: BSD-2-Clause */
/* losses.c - what a thread could not record.  Pure. */
#include "capture/losses.h"

#include <stdio.h>
#include <string.h>

#include <syscap/capture.h>

#define GROUP "syscap"
#define NAME  "lost"

#define TID_LIMIT ((int32_t)~SYSCAP_TID_TAG_MASK)

const char *sc_loss_kind_name(unsigned type)
{
	if (type == 0)
		return "abandoned";
	return type < SYSCAP_FRAME_LAST ? syscap_frame_type_name((uint8_t)type)
	                                : NULL;
}

bool sc_loss_is_record(const char *group, const char *name)
{
	return strcmp(group, GROUP) == 0 && strcmp(name, NAME) == 0;
}

void sc_loss_count_up(uint64_t *sum, uint64_t more)
{
	if (__builtin_add_overflow(*sum, more, sum))
		*sum = UINT64_MAX;
}

/* "-1", "42": a whole decimal number that fits, up to a blank or the end. */
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

static bool is_word(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && memcmp(text, word, len) == 0;
}

/* Put a word of the message where it belongs; other words are skipped. */
static bool take_word(struct sc_loss *loss, const char *key, size_t len,
                      bool negative, uint64_t number)
{
	if (is_word(key, len, "tid")) {
		loss->tid =
			!negative && number <= INT32_MAX ? (int32_t)number : 0;
		return true;
	}
	if (negative)
		return false;
	if (is_word(key, len, "frames"))
		loss->total = number;
	else if (is_word(key, len, "bytes"))
		loss->bytes = number;
	for (unsigned type = 0; type < SYSCAP_FRAME_LAST; type++)
		if (is_word(key, len, sc_loss_kind_name(type)))
			sc_loss_count_up(&loss->frames[type], number);
	return true;
}

bool sc_loss_parse(const char *message, struct sc_loss *ret_loss)
{
	struct sc_loss loss = { .tid = 0 };
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
		p = rest + strspn(rest, " ");
	}
	*ret_loss = loss;
	return true;
}

void sc_loss_add(struct sc_loss *sum, const struct sc_loss *more)
{
	for (unsigned type = 0; type < SYSCAP_FRAME_LAST; type++)
		sc_loss_count_up(&sum->frames[type], more->frames[type]);
	sc_loss_count_up(&sum->total, more->total);
	sc_loss_count_up(&sum->bytes, more->bytes);
}

bool sc_loss_less(const struct sc_loss *all, const struct sc_loss *told,
                  struct sc_loss *ret_rest)
{
	memset(ret_rest, 0, sizeof(*ret_rest));
	for (unsigned type = 0; type < SYSCAP_FRAME_LAST; type++)
		if (all->frames[type] > told->frames[type]) {
			ret_rest->frames[type] =
				all->frames[type] - told->frames[type];
			sc_loss_count_up(&ret_rest->total,
			                 ret_rest->frames[type]);
		}
	if (all->bytes > told->bytes)
		ret_rest->bytes = all->bytes - told->bytes;
	return ret_rest->total > 0;
}

bool sc_loss_remainder(const struct sc_ring_losses *all,
                       const struct sc_loss *told, struct sc_loss *ret_rest)
{
	struct sc_loss now = { .bytes = __atomic_load_n(&all->bytes,
		                                        __ATOMIC_RELAXED) };

	for (unsigned type = 0; type < SC_LOSS_KINDS; type++)
		now.frames[type] =
			__atomic_load_n(&all->frames[type], __ATOMIC_RELAXED);
	return sc_loss_less(&now, told, ret_rest);
}

/* Returns its length.  The longest is below 600. */
static size_t write_message(const struct sc_loss *loss, char *text, size_t size)
{
	int n = snprintf(text, size, "frames=%llu bytes=%llu tid=%d",
	                 (unsigned long long)loss->total,
	                 (unsigned long long)loss->bytes, loss->tid);

	for (unsigned type = 0; type < SYSCAP_FRAME_LAST; type++)
		if (loss->frames[type] > 0)
			n += snprintf(text + n, size - (size_t)n, " %s=%llu",
			              sc_loss_kind_name(type),
			              (unsigned long long)loss->frames[type]);
	return (size_t)n;
}

uint16_t sc_loss_compose_record(void *frame, const struct sc_loss *loss,
                                int32_t pid, int64_t from, int64_t to)
{
	struct syscap_wire_mark *const mark =
		memset(frame, 0, SC_LOSS_FRAME_MAX);
	const size_t n = write_message(loss, (char *)(mark + 1),
	                               SC_LOSS_FRAME_MAX - sizeof(*mark));

	mark->frame.len = (uint16_t)((sizeof(*mark) + n + 8) & ~(size_t)7);
	mark->frame.cpu = -1;
	mark->frame.pid = pid;
	mark->frame.time = from;
	mark->frame.type = SYSCAP_FRAME_MARK;
	if (loss->tid > 0 && loss->tid <= TID_LIMIT)
		mark->frame.padding2 = SYSCAP_TID_TAG | (uint32_t)loss->tid;
	if (to > from && __builtin_sub_overflow(to, from, &mark->duration))
		mark->duration = INT64_MAX;
	memcpy(mark->group, GROUP, sizeof(GROUP));
	memcpy(mark->name, NAME, sizeof(NAME));
	return mark->frame.len;
}
