/* SPDX-License-Identifier: BSD-2-Clause */
/* embed.h - files that tell of the machine, as they are while it records. */
#ifndef SYC_COLLECT_EMBED_H
#define SYC_COLLECT_EMBED_H

#include <stdint.h>

#include "collect/asked.h"

/** /proc/cpuinfo, from which Sysprof takes "CPU Model", and what else its
 * viewer shows or asks. */
void syc_embed_machine(const struct syc_counters_options *options, int64_t now);

#endif
