/* SPDX-License-Identifier: BSD-2-Clause */
/* summary.h - summary of a recording on standard error. */
#ifndef SYC_RECORDER_SUMMARY_H
#define SYC_RECORDER_SUMMARY_H

#include "capture/writer.h"
#include "recorder/intake.h"
#include "recorder/naming.h"

void syc_summary_print(const char *output, const struct syc_writer *writer,
                       const struct syc_intake *intake, unsigned processes,
                       const struct syc_names_found *names);

/** Print why @command gave no allocations, which were requested. */
void syc_summary_no_memory(const char *command,
                           const struct syc_intake *intake);

/**
 * The same for samples.  @rate is $SYSCAP_SAMPLE of the command, @cpu_us its
 * processor time.
 */
void syc_summary_unsampled(const char *command, const char *rate,
                           int64_t cpu_us, const struct syc_intake *intake);

/** @n processes were seen without the preloaded library. */
void syc_summary_unloaded(unsigned n);

/**
 * @argv recorded no events, and nothing was requested: print the possible
 * options.
 */
void syc_summary_nothing(char *const argv[]);

/**
 * @n processes were seen with AddressSanitizer's shared runtime, and got the
 * settings that they need to start.
 */
void syc_summary_asan(const char *command, unsigned n);

/**
 * Print why @command could not give @what, such as "stalls", which was
 * requested.  If it could, nothing is printed: no stall may have been long
 * enough.
 */
void syc_summary_no_waits(const char *command, const char *what);

/** @n processes found the recorder, and ended before they got a ring. */
void syc_summary_without_ring(unsigned n);

/**
 * @n processes had SYSCAP_SAMPLE in their environment, but no linked sampler;
 * @is_preloaded: the command was given one.
 */
void syc_summary_without_sampler(unsigned n, bool is_preloaded);

#endif
