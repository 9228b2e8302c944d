/* SPDX-License-Identifier: BSD-2-Clause */
/* chrome_events.h - marks, operations and arrows as Chrome trace events. */
#ifndef SYC_EXPORT_CHROME_EVENTS_H
#define SYC_EXPORT_CHROME_EVENTS_H

#include <syscap/profile.h>

#include "common/json.h"
#include "export/export.h"

struct syc_chrome {
	struct syc_export *export;
	struct syc_json json;
	struct syc_pids pids;
	struct syc_mark_links linked;
	int64_t begin; /* origin of times; earlier times become the origin */
	const struct syscap_profile_thread *threads;
	const struct syscap_profile_process *processes;
	const struct syscap_profile_mark_name *names;
};

/**
 * Begin an event with phase, pid, tid and time.  Add other members until the
 * end of the event.
 */
void syc_chrome_event(struct syc_chrome *trace, const char *phase,
                      uint32_t thread, int64_t time);
void syc_chrome_event_end(struct syc_chrome *trace);

/** Write @ns as microseconds. */
void syc_chrome_time(struct syc_chrome *trace, const char *key, uint64_t ns);

/**
 * Write "id2", an id local to the process: @kind separates ids of different
 * counters.
 */
void syc_chrome_local_id(struct syc_chrome *trace, const char *kind,
                         uint64_t id);

/* Returns 0 or -ENOMEM. */
int syc_chrome_marks(struct syc_chrome *trace);
int syc_chrome_operations(struct syc_chrome *trace);
void syc_chrome_arrows(struct syc_chrome *trace);

#endif
