/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stat_summary.h - everything that `syscap stat` shows, collected in one walk.
 *
 * Texts point into the reader's map, so the reader must outlive the summary.
 */
#ifndef SYC_CLI_STAT_SUMMARY_H
#define SYC_CLI_STAT_SUMMARY_H

#include <syscap/capture.h>

#include "cli/counter_stats.h"
#include "cli/loss_stats.h"
#include "cli/mark_stats.h"
#include "cli/process_list.h"
#include "cli/stat_hot.h"
#include "cli/stat_samples.h"
#include "data/severity.h"

struct syc_stat_summary {
	struct syscap_file_info info;
	/* Marks, values and logs are left out: stat_filtered.h brings them. */
	bool is_filtered;
	int64_t begin, end;                 /* ns; end is never before begin */
	uint64_t frames[SYSCAP_FRAME_LAST]; /* by type; 0: unknown types */
	uint64_t n_frames;
	uint64_t n_damaged; /* whose content did not fit; not in frames */
	uint64_t logs[SYC_SEVERITIES];
	struct syc_sample_stats samples;
	struct syc_process_list processes;
	struct syc_loss_stats losses;
	struct syc_mark_stats marks;
	struct syc_counter_stats counters;
};

void syc_stat_summary_init(struct syc_stat_summary *summary,
                           const struct syscap_reader *reader);
void syc_stat_summary_fini(struct syc_stat_summary *summary);

/** Take in one decoded frame.  0 or -ENOMEM. */
int syc_stat_summary_add(struct syc_stat_summary *summary,
                         const struct syscap_reader *reader,
                         const struct syscap_frame *frame);

/** When nothing more comes: compute and sort.  0 or -ENOMEM. */
int syc_stat_summary_finish(struct syc_stat_summary *summary);

/** end - begin, which is never negative and never wraps. */
int64_t syc_stat_summary_duration(const struct syc_stat_summary *summary);

/** The two forms of `syscap stat`.  0 or -ENOMEM. */
int syc_stat_text(const struct syc_stat_summary *summary, const char *file,
                  const struct syc_stat_hot *hot, bool all);
int syc_stat_json(const struct syc_stat_summary *summary,
                  const struct syc_stat_hot *hot);

#endif
