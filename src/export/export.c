/* SPDX-License-Identifier: BSD-2-Clause */
/* export.c - helpers of all formats: labels, process ids. */
#define _GNU_SOURCE
#include "export/export.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/map.h"

bool syc_amount_is_time(enum syscap_view_unit unit)
{
	return unit != SYSCAP_UNIT_TICKS && unit != SYSCAP_UNIT_BYTES;
}

_Static_assert(SYC_COUNTER_NAME_SIZE > 2 * 3 * 32 + 2, "there is room");

/* Avoids printf(), since this function is called for each value. */
void syc_counter_name(const struct syscap_profile_counter *counter,
                      char ret_name[SYC_COUNTER_NAME_SIZE])
{
	if (counter->name[0] != 0)
		stpcpy(stpcpy(stpcpy(ret_name, counter->category), ": "),
		       counter->name);
	else
		snprintf(ret_name, SYC_COUNTER_NAME_SIZE, "counter %u",
		         (unsigned)counter->id);
}

/* First number above all Linux pids. */
#define FIRST_FREE (1 << 22)

int syc_pids_init(struct syc_pids *pids, const struct syscap_profile *profile)
{
	const struct syscap_profile_process *processes;
	struct syc_map seen = { 0 };
	size_t ignored;
	int r = 0;

	processes = syscap_profile_processes(profile, &pids->n);
	pids->items = calloc(pids->n + 1, sizeof(*pids->items));
	if (pids->items == NULL)
		return -ENOMEM;
	for (size_t i = 0; r >= 0 && i < pids->n; i++) {
		const int32_t pid = processes[i].pid;

		r = syc_map_put(&seen, &pid, sizeof(pid), &ignored);
		pids->items[i] = r > 0 ? pid : FIRST_FREE + (int32_t)i;
	}
	syc_map_fini(&seen);
	if (r < 0) {
		syc_pids_fini(pids);
		return r;
	}
	return 0;
}

void syc_pids_fini(struct syc_pids *pids)
{
	free(pids->items);
	*pids = (struct syc_pids){ 0 };
}
