/* SPDX-License-Identifier: BSD-2-Clause */
/* rate.h - what a tick of a sampler is, as METADATA frames say it. */
#ifndef SYC_PROFILE_RATE_H
#define SYC_PROFILE_RATE_H

#include <stdbool.h>

#include <syscap/profile.h>

/** False: this metadata is not about that. */
bool syc_rate_read(const char *id, const char *value,
                   enum syscap_profile_clock *ret_clock,
                   int64_t *ret_period_ns);

#endif
