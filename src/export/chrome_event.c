/* SPDX-License-Identifier: BSD-2-Clause */
/* chrome_event.c - an event of Chrome's trace format. */
#define _GNU_SOURCE
#include "export/chrome_event.h"

#include <string.h>

/* Microseconds to the nanosecond: no double is exact enough. */
void syc_chrome_time(struct syc_chrome *trace, const char *key, uint64_t ns)
{
	const int64_t most = INT64_MAX;

	syc_json_key(&trace->json, key);
	syc_json_fixed(&trace->json, ns < (uint64_t)most ? (int64_t)ns : most,
	               3);
}

void syc_chrome_event(struct syc_chrome *trace, const char *phase,
                      uint32_t thread, int64_t time)
{
	const struct syscap_profile_thread *of = &trace->threads[thread];
	struct syc_json *json = &trace->json;

	syc_json_begin_object(json);
	syc_json_member_text(json, "ph", phase);
	syc_json_member_integer(json, "pid", trace->pids.items[of->process]);
	syc_json_member_integer(json, "tid", of->tid);
	syc_chrome_time(trace, "ts",
	                time > trace->begin
	                        ? (uint64_t)time - (uint64_t)trace->begin
	                        : 0);
}

void syc_chrome_event_end(struct syc_chrome *trace)
{
	syc_json_end_object(&trace->json);
	syc_json_end_line(&trace->json);
}

void syc_chrome_local_id(struct syc_chrome *trace, const char *kind,
                         uint64_t id)
{
	char text[40], *to = stpcpy(text, kind);
	unsigned shift = 60;

	while (shift > 0 && id >> shift == 0)
		shift -= 4;
	to = stpcpy(to, "0x");
	for (unsigned n = shift / 4 + 1; n > 0; n--)
		*to++ = "0123456789abcdef"[id >> 4 * (n - 1) & 15];
	*to = 0;
	syc_json_key(&trace->json, "id2");
	syc_json_begin_object(&trace->json);
	syc_json_member_text(&trace->json, "local", text);
	syc_json_end_object(&trace->json);
}
