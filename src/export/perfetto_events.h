/* SPDX-License-Identifier: BSD-2-Clause */
/* perfetto_events.h - the events of a Perfetto trace, all of one kind. */
#ifndef SYC_EXPORT_PERFETTO_EVENTS_H
#define SYC_EXPORT_PERFETTO_EVENTS_H

#include "export/perfetto_packet.h"

/* 0 or -ENOMEM. */
int syc_perfetto_values(struct syc_perfetto *trace);
int syc_perfetto_logs(struct syc_perfetto *trace);
int syc_perfetto_losses(struct syc_perfetto *trace);
int syc_perfetto_samples(struct syc_perfetto *trace);
int syc_perfetto_allocations(struct syc_perfetto *trace);

#endif
