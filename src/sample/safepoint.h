/* SPDX-License-Identifier: BSD-2-Clause */
/* safepoint.h - samples at a runtime's safe points. */
#ifndef SYC_SAMPLE_SAFEPOINT_H
#define SYC_SAMPLE_SAFEPOINT_H

#include <syscap/runtime.h>

/** The last safe point of all: what waits is recorded now.  owner. */
void syc_safepoint_last(struct syscap_attachment *attachment);

#endif
