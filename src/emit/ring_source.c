/* SPDX-License-Identifier: BSD-2-Clause */
/* ring_source.c - where rings come from; see ring_source.h. */
#include "emit/ring_source.h"

const struct syc_ring_source *syc_ring_sources[SYC_N_SOURCES];
