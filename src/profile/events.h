/* SPDX-License-Identifier: BSD-2-Clause */
/* events.h - take in what happened: samples, marks, values, lines of logs. */
#ifndef SYC_PROFILE_EVENTS_H
#define SYC_PROFILE_EVENTS_H

#include "profile/model.h"

/** What only describes is left out.  0 or -ENOMEM. */
int syc_events_add(struct syscap_profile *profile,
                   const struct syscap_reader *reader,
                   const struct syscap_frame *frame);

/** Are frames of @type events that the profile takes in, or at least of whom
 * they are? */
bool syc_events_knows(const struct syscap_profile *profile, uint8_t type);

#endif
