/* SPDX-License-Identifier: BSD-2-Clause */
/* limits.h - what the limits on our process leave for a recording. */
#ifndef SYC_RECORD_LIMITS_H
#define SYC_RECORD_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#include "record/report.h"

/** How many mapped files may stay open until the end, for their names. */
unsigned syc_limits_files_to_keep(void);

/** How many bytes a ring's body gets where @wanted are asked for; if they are
 * fewer, the user is told.  0: there is no room for one page. */
uint32_t syc_limits_ring_body(uint64_t wanted,
                              struct syc_record_report *report);

/** Whether the rings of many processes can be mapped all at once. */
bool syc_limits_has_addresses(void);

/** 0; or -EMFILE: too few more can be opened.  @fd is any that is open. */
int syc_limits_check_files(int fd);

#endif
