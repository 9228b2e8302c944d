/* SPDX-License-Identifier: BSD-2-Clause */
/* rate.h - what a tick of a sampler is, as METADATA frames say it. */
#ifndef SC_PROFILE_RATE_H
#define SC_PROFILE_RATE_H

#include <stdbool.h>

#include <syscap/profile.h>

/** False: this metadata is not about that. */
bool sc_rate_read(const char *id, const char *value,
                  enum syscap_profile_clock *ret_clock, int64_t *ret_period_ns);

#endif
