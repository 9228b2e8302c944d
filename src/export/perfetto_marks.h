/* SPDX-License-Identifier: BSD-2-Clause */
/* perfetto_marks.h - marks, operations and arrows of a Perfetto trace. */
#ifndef SYC_EXPORT_PERFETTO_MARKS_H
#define SYC_EXPORT_PERFETTO_MARKS_H

#include "export/perfetto_packet.h"

/* 0 or -ENOMEM. */
int syc_perfetto_marks(struct syc_perfetto *trace);
int syc_perfetto_operations(struct syc_perfetto *trace);

#endif
