/* SPDX-License-Identifier: BSD-2-Clause */
/* file_header.c - composer of a capture's header, the first 256 bytes. */
#define _GNU_SOURCE
#include <string.h>

#include "base/text.h"
#include "os/syscalls.h"
#include "ring/clock.h"
#include "session/sink.h"

#define DAY INT64_C(86400)

static void add_two(struct syc_text *text, const char *before, unsigned n)
{
	syc_text_add(text, before);
	if (n < 10)
		syc_text_add(text, "0");
	syc_text_add_u64(text, n);
}

/*
 * Write UTC as YYYY-MM-DDTHH:MM:SSZ, without gmtime_r(), which takes a lock.
 * Days are counted from 0000-03-01, so that the leap day is the last of its
 * year.
 */
static void add_time(struct syc_text *text, int64_t seconds)
{
	const int64_t days = seconds / DAY + 719468;
	const unsigned second = (unsigned)(seconds % DAY);
	const int64_t era = days / 146097;
	const unsigned day_of_era = (unsigned)(days % 146097);
	const unsigned year_of_era =
		(day_of_era - day_of_era / 1460 + day_of_era / 36524 -
	         day_of_era / 146096) /
		365;
	const unsigned day_of_year =
		day_of_era -
		(365 * year_of_era + year_of_era / 4 - year_of_era / 100);
	const unsigned shifted = (5 * day_of_year + 2) / 153; /* 0: March */
	const unsigned month = shifted < 10 ? shifted + 3 : shifted - 9;
	const int64_t year =
		(int64_t)year_of_era + era * 400 + (month <= 2 ? 1 : 0);

	syc_text_add_i64(text, year);
	add_two(text, "-", month);
	add_two(text, "-", day_of_year - (153 * shifted + 2) / 5 + 1);
	add_two(text, "T", second / 3600);
	add_two(text, ":", second / 60 % 60);
	add_two(text, ":", second % 60);
	syc_text_add(text, "Z");
}

void syc_file_header_fill(struct syscap_wire_file *header, int64_t time)
{
	struct syc_text text = syc_text_begin(header->capture_time,
	                                      sizeof(header->capture_time));

	memset(header, 0, sizeof(*header));
	header->magic = SYSCAP_MAGIC;
	header->version = 1;
	header->little_endian = SYC_TRACE_IS_LITTLE;
	add_time(&text, (syc_kernel_clock(CLOCK_REALTIME) -
	                 (syc_clock_kernel() - time)) /
	                        1000000000);
	header->time = time;
}
