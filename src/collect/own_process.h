/* SPDX-License-Identifier: BSD-2-Clause */
/* own_process.h - the recorded process itself: /proc/PID/stat. */
#ifndef SYC_COLLECT_OWN_PROCESS_H
#define SYC_COLLECT_OWN_PROCESS_H

#include "collect/reading.h"

struct syc_own_process {
	int64_t minor_faults, major_faults;
	int64_t threads;
	int64_t resident; /* pages */
};

/** False: there is none, or it has ended. */
bool syc_own_process_read(struct syc_kept_file *file,
                          struct syc_reading *reading,
                          struct syc_own_process *ret_process);

/** A counter of the command, in the category "Process".  Returns its id. */
uint32_t syc_own_process_define(struct syc_reading *reading, const char *name,
                                const char *description);

#endif
