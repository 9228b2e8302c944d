/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stat_summary.h - everything that `syscap stat` shows, collected in one walk.
 *
 * Texts point into the reader's map, so the reader must outlive the summary.
 */
#ifndef SC_CLI_STAT_SUMMARY_H
#define SC_CLI_STAT_SUMMARY_H

#include <syscap/capture.h>

#include "cli/counter_stats.h"
#include "cli/loss_stats.h"
#include "cli/mark_stats.h"
#include "cli/process_list.h"
#include "cli/severity.h"
#include "cli/stat_hot.h"
#include "cli/stat_samples.h"

struct sc_stat_summary {
	struct syscap_file_info info;
	int64_t begin, end;                 /* ns; end is never before begin */
	uint64_t frames[SYSCAP_FRAME_LAST]; /* by type; 0: unknown types */
	uint64_t n_frames;
	uint64_t n_damaged; /* whose content did not fit; not in frames */
	uint64_t logs[SC_SEVERITIES];
	struct sc_sample_stats samples;
	struct sc_process_list processes;
	struct sc_loss_stats losses;
	struct sc_mark_stats marks;
	struct sc_counter_stats counters;
};

void sc_stat_summary_init(struct sc_stat_summary *summary,
                          const struct syscap_reader *reader);
void sc_stat_summary_fini(struct sc_stat_summary *summary);

/** Take in one decoded frame.  0 or -ENOMEM. */
int sc_stat_summary_add(struct sc_stat_summary *summary,
                        const struct syscap_reader *reader,
                        const struct syscap_frame *frame);

/** When nothing more comes: compute and sort.  0 or -ENOMEM. */
int sc_stat_summary_finish(struct sc_stat_summary *summary);

/** end - begin, which is never negative and never wraps. */
int64_t sc_stat_summary_duration(const struct sc_stat_summary *summary);

/** The two forms of `syscap stat`.  0 or -ENOMEM. */
int sc_stat_text(const struct sc_stat_summary *summary, const char *file,
                 const struct sc_stat_hot *hot, bool all);
int sc_stat_json(const struct sc_stat_summary *summary,
                 const struct sc_stat_hot *hot);

#endif
