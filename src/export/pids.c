/* SPDX-License-Identifier: BSD-2-Clause */
/* pids.c - a number for each process. */
#include "export/pids.h"

#include <errno.h>
#include <stdlib.h>

#include "data/map.h"

/* Linux has none from here on. */
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
