/* SPDX-License-Identifier: BSD-2-Clause */
/* stats.c - counts of a process's events and losses, for syscap_get_stats(). */
#include <string.h>

#include <syscap.h>

#include "base/text.h"
#include "emit/loss.h"
#include "emit/process.h"
#include "emit/ring_source.h"
#include "emit/thread.h"
#include "ring/clock.h"

static void collect_stats(struct syscap_stats *all)
{
	const struct syc_process *const p = syc_process;
	const uint32_t n = __atomic_load_n(&p->high_water, __ATOMIC_RELAXED);

	all->n_dropped = __atomic_load_n(&p->n_dropped, __ATOMIC_RELAXED);
	all->n_abandoned = __atomic_load_n(&p->n_abandoned, __ATOMIC_RELAXED);
	all->n_rings = __atomic_load_n(&p->n_rings, __ATOMIC_RELAXED);
	all->n_untold =
		syc_loss_totals_sum(&p->lost) - syc_loss_totals_sum(&p->told);
	for (uint32_t i = 0; i < n; i++) {
		const struct syc_state *const ts = syc_state_at(i);

		if (__atomic_load_n(&ts->phase, __ATOMIC_ACQUIRE) ==
		    SYC_STATE_ALIVE)
			all->n_untold +=
				syc_loss_totals_sum(&ts->lost) -
				syc_loss_totals_sum(&ts->told[ts->bank & 1]);
	}
}

void syscap_get_stats(struct syscap_stats *stats)
{
	struct syscap_stats all = { .size = sizeof(all) };

	syc_setup_join();
	all.is_active = __atomic_load_n(&syc_active, __ATOMIC_RELAXED) > 0;
	syc_text_field(all.reason, sizeof(all.reason),
	               __atomic_load_n(syc_process_reason(), __ATOMIC_RELAXED));
	all.n_copies = syc_copies_count();
	syc_text_field(all.why_alone, sizeof(all.why_alone),
	               syc_block_why_alone());
	all.clock_is_tsc = syc_clock_is_tsc();
	if (syc_process_is_there()) {
		collect_stats(&all);
		if (syc_own_recording != NULL)
			all.n_written = syc_own_recording->written(
				all.output, sizeof(all.output));
	}
	all.size = stats->size < sizeof(all) ? stats->size : sizeof(all);
	memcpy(stats, &all, all.size);
}
