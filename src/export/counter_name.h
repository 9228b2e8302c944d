/* SPDX-License-Identifier: BSD-2-Clause */
/* counter_name.h - what a counter is called where there is one text for it. */
#ifndef SYC_EXPORT_COUNTER_NAME_H
#define SYC_EXPORT_COUNTER_NAME_H

#include <syscap/profile.h>

/* Either text has at most 32 bytes, of which each may have become three. */
#define SYC_COUNTER_NAME_SIZE 256

/** "CATEGORY: NAME", or "counter ID" where nobody defines it. */
void syc_counter_name(const struct syscap_profile_counter *counter,
                      char ret_name[SYC_COUNTER_NAME_SIZE]);

#endif
