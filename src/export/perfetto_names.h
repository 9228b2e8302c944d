/* SPDX-License-Identifier: BSD-2-Clause */
/* perfetto_names.h - numbers for texts and stacks, told before they are used. */
#ifndef SYC_EXPORT_PERFETTO_NAMES_H
#define SYC_EXPORT_PERFETTO_NAMES_H

#include "export/perfetto_packet.h"

/** 0 or -ENOMEM. */
int syc_perfetto_names_init(struct syc_perfetto *trace);
void syc_perfetto_names_fini(struct syc_perfetto *trace);
void syc_perfetto_tell_name(struct syc_perfetto *trace, uint32_t name);
/** The number of the stack that ends at @node of @view. */
uint64_t syc_perfetto_tell_stack(struct syc_perfetto *trace,
                                 const struct syscap_view *view, uint32_t node);

#endif
