/* SPDX-License-Identifier: BSD-2-Clause */
/* embed.h - files that tell of the machine, embedded in the capture. */
#ifndef SYC_COLLECT_EMBED_H
#define SYC_COLLECT_EMBED_H

#include "collect/reading.h"

void syc_embed_machine(struct syc_reading *reading, int64_t now);

#endif
