/* SPDX-License-Identifier: BSD-2-Clause */
/* summary.h - what was recorded, in a few lines on stderr. */
#ifndef SYC_RECORD_SUMMARY_H
#define SYC_RECORD_SUMMARY_H

#include "capture/writer.h"
#include "record/intake.h"
#include "record/naming.h"

void syc_summary_print(const char *output, const struct syc_writer *writer,
                       const struct syc_intake *intake, unsigned processes,
                       const struct syc_names_found *names);

/** Where allocations were asked for and @command gave none: say why. */
void syc_summary_no_memory(const char *command,
                           const struct syc_intake *intake);

/** The same of samples. */
void syc_summary_unsampled(const char *command,
                           const struct syc_intake *intake);

/** @what, "stalls", was asked for: say why @command could give none.  Of one
 * that could and did not, it says nothing: none may have been long enough. */
void syc_summary_no_waits(const char *command, const char *what);

/** @n processes found the recorder, and ended before they got a ring. */
void syc_summary_without_ring(unsigned n);

/** @n processes found SYSCAP_SAMPLE in their environment and have nothing
 * linked that samples; @is_preloaded: the command was given a sampler. */
void syc_summary_without_sampler(unsigned n, bool is_preloaded);

#endif
