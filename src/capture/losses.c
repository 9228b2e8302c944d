/* SPDX-License-Identifier: BSD-2-Clause */
/* losses.c - what a thread could not record.  Pure. */
#include "capture/losses.h"

#include <stdio.h>
#include <string.h>

static const char *const kinds[SC_LOSS_KINDS] = {
	"abandoned", "timestamp",  "sample",     "map",
	"process",   "fork",       "exit",       "jitmap",
	"ctrdef",    "ctrset",     "mark",       "metadata",
	"log",       "file_chunk", "allocation", "overlay",
};

/* No ring ever loses this many: a sum of them cannot wrap. */
#define COUNT_MAX (UINT64_C(1) << 56)

static uint64_t capped(uint64_t n)
{
	return n < COUNT_MAX ? n : COUNT_MAX;
}

static void store(struct sc_loss *loss, const char *key, size_t key_len,
                  uint64_t value)
{
	if (key_len == 6 && memcmp(key, "frames", 6) == 0)
		loss->total = value;
	else if (key_len == 5 && memcmp(key, "bytes", 5) == 0)
		loss->bytes = value;
	else if (key_len == 3 && memcmp(key, "tid", 3) == 0)
		loss->tid = value <= INT32_MAX ? (int32_t)value : 0;
	else
		for (unsigned i = 0; i < SC_LOSS_KINDS; i++)
			if (strlen(kinds[i]) == key_len &&
			    memcmp(key, kinds[i], key_len) == 0)
				loss->frames[i] = value;
}

bool sc_loss_parse(const struct syscap_wire_mark *mark,
                   struct sc_loss *ret_loss)
{
	const char *text = (const char *)(mark + 1);

	if (strcmp(mark->group, "syscap") != 0 ||
	    strcmp(mark->name, "lost") != 0)
		return false;
	memset(ret_loss, 0, sizeof(*ret_loss));
	while (*text != 0) {
		const size_t key_len = strcspn(text, "= ");
		const char *digit = text + key_len + 1;
		uint64_t value = 0;

		if (text[key_len] != '=')
			break;
		for (; *digit >= '0' && *digit <= '9'; digit++)
			value = capped(value * 10 + (uint64_t)(*digit - '0'));
		store(ret_loss, text, key_len, value);
		if (*digit != ' ')
			break;
		text = digit + 1;
	}
	return true;
}

void sc_loss_add(struct sc_loss *sum, const struct sc_loss *more)
{
	for (unsigned i = 0; i < SC_LOSS_KINDS; i++)
		sum->frames[i] = capped(sum->frames[i] + more->frames[i]);
	sum->total = capped(sum->total + more->total);
	sum->bytes = capped(sum->bytes + more->bytes);
}

bool sc_loss_less(const struct sc_loss *all, const struct sc_loss *told,
                  struct sc_loss *ret_rest)
{
	memset(ret_rest, 0, sizeof(*ret_rest));
	for (unsigned i = 0; i < SC_LOSS_KINDS; i++)
		if (all->frames[i] > told->frames[i]) {
			ret_rest->frames[i] = all->frames[i] - told->frames[i];
			ret_rest->total =
				capped(ret_rest->total + ret_rest->frames[i]);
		}
	if (all->bytes > told->bytes)
		ret_rest->bytes = all->bytes - told->bytes;
	return ret_rest->total > 0;
}

bool sc_loss_remainder(const struct sc_ring_losses *all,
                       const struct sc_loss *told, struct sc_loss *ret_rest)
{
	struct sc_loss now = { .bytes = capped(__atomic_load_n(
				       &all->bytes, __ATOMIC_RELAXED)) };

	for (unsigned i = 0; i < SC_LOSS_KINDS; i++)
		now.frames[i] = capped(
			__atomic_load_n(&all->frames[i], __ATOMIC_RELAXED));
	return sc_loss_less(&now, told, ret_rest);
}

void sc_loss_message(const struct sc_loss *loss, char *text, size_t size)
{
	size_t used = 0;
	int n = snprintf(text, size, "frames=%llu bytes=%llu tid=%d",
	                 (unsigned long long)loss->total,
	                 (unsigned long long)loss->bytes, loss->tid);

	for (unsigned i = 0; n > 0 && (size_t)n < size - used; i++) {
		used += (size_t)n;
		while (i < SC_LOSS_KINDS && loss->frames[i] == 0)
			i++;
		if (i == SC_LOSS_KINDS)
			break;
		n = snprintf(text + used, size - used, " %s=%llu", kinds[i],
		             (unsigned long long)loss->frames[i]);
	}
}
