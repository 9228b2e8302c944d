/* SPDX-License-Identifier: BSD-2-Clause */
/* chrome_event.h - an event of Chrome's trace format, for the files that write them. */
#ifndef SYC_EXPORT_CHROME_EVENT_H
#define SYC_EXPORT_CHROME_EVENT_H

#include <syscap/profile.h>

#include "data/json.h"
#include "export/export.h"
#include "export/linked.h"
#include "export/pids.h"

struct syc_chrome {
	struct syc_export *export;
	struct syc_json json;
	struct syc_pids pids;
	struct syc_linked linked;
	int64_t begin; /* times count from here; what is before it is at it */
	const struct syscap_profile_thread *threads;
	const struct syscap_profile_process *processes;
	const struct syscap_profile_mark_name *names;
};

/** Phase, pid, tid and time of an event; the rest is put until its end. */
void syc_chrome_event(struct syc_chrome *trace, const char *phase,
                      uint32_t thread, int64_t time);
void syc_chrome_event_end(struct syc_chrome *trace);

/** @ns as microseconds. */
void syc_chrome_time(struct syc_chrome *trace, const char *key, uint64_t ns);

/** "id2", of the process: @kind tells ids apart that others count. */
void syc_chrome_local_id(struct syc_chrome *trace, const char *kind,
                         uint64_t id);

#endif
