/* SPDX-License-Identifier: BSD-2-Clause */
/* asked.c - requested counters and their rate, as text. */
#include "collect/asked.h"

#include <stdbool.h>
#include <string.h>

#include "base/text.h"

static const char *const names[SYC_COUNTERS_GROUPS] = {
	"cpu", "memory", "disk", "net", "energy", "battery", "sched", "psi",
};

static bool read_hz(const char *word, size_t len, unsigned *ret_hz)
{
	uint64_t hz;

	if (len < 4 || len > 6 || memcmp(word, "hz=", 3) != 0 ||
	    syc_text_take(word + 3, 10, &hz) != word + len || hz < 1 ||
	    hz > SYC_COUNTERS_HZ_MAX)
		return false;
	*ret_hz = (unsigned)hz;
	return true;
}

static unsigned find_group(const char *word, size_t len)
{
	for (unsigned i = 0; i < SYC_COUNTERS_GROUPS; i++)
		if (syc_text_is(word, len, names[i]))
			return 1u << i;
	return 0;
}

const char *syc_asked_read(const char *text, struct syc_asked *ret_asked,
                           size_t *ret_len)
{
	struct syc_asked asked = { .hz = SYC_COUNTERS_HZ };

	for (const char *word = text; word != NULL;) {
		const size_t len = strcspn(word, ",");
		const unsigned group = find_group(word, len);

		asked.groups |= group;
		if (group == 0 && !read_hz(word, len, &asked.hz)) {
			*ret_len = len;
			return word;
		}
		word = word[len] != '\0' ? word + len + 1 : NULL;
	}
	if (asked.groups == 0)
		asked.groups = SYC_COUNTERS_ALL;
	*ret_asked = asked;
	return NULL;
}

void syc_asked_names(unsigned groups, const char *between, char *text)
{
	struct syc_text to = syc_text_begin(text, SYC_ASKED_TEXT);
	const char *before = "";

	for (unsigned i = 0; i < SYC_COUNTERS_GROUPS; i++) {
		if ((groups & 1u << i) == 0)
			continue;
		syc_text_add(&to, before);
		syc_text_add(&to, names[i]);
		before = between;
	}
}

void syc_asked_write(const struct syc_asked *asked, char *text)
{
	syc_asked_names(asked->groups, ",", text);

	const size_t n = strlen(text);
	struct syc_text to = syc_text_begin(text + n, SYC_ASKED_TEXT - n);

	syc_text_add(&to, n > 0 ? ",hz=" : "hz=");
	syc_text_add_u64(&to, asked->hz);
}
