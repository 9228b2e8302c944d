/* SPDX-License-Identifier: BSD-2-Clause */
/* summary.h - what was recorded, in two lines on stderr. */
#ifndef SC_RECORD_SUMMARY_H
#define SC_RECORD_SUMMARY_H

#include "capture/writer.h"
#include "record/intake.h"

void sc_summary_print(const char *output, const struct sc_writer *writer,
                      const struct sc_intake *intake, unsigned processes);

#endif
