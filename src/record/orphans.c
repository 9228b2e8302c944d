/* SPDX-License-Identifier: BSD-2-Clause */
/* orphans.c - rings that no process has mapped any more. */
#define _GNU_SOURCE
#include "record/orphans.h"

#include <stdlib.h>
#include <unistd.h>

#include "record/procfs.h"
#include "record/ring_mapped.h"

struct orphan_search {
	const struct syc_processes *processes;
	uint64_t our_start;
	struct syc_orphan *suspects;
	size_t n;
	bool blind; /* a process that may map them could not be looked at */
};

bool syc_orphans_is_suspect(const struct syc_ring *ring,
                            const struct syc_processes *processes)
{
	const int32_t owner = ring->pid > 0 ? ring->pid : ring->requester;

	if (owner == ring->requester &&
	    ring->image != syc_processes_image(processes, owner))
		return true;
	return !syc_processes_alive(processes, owner) &&
	       !syc_processes_alive(processes, ring->requester);
}

static int compare_inodes(const void *a, const void *b)
{
	const struct syc_orphan *one = a, *other = b;

	return (one->inode > other->inode) - (one->inode < other->inode);
}

static void see_map(void *context, const struct syc_procfs_map *map)
{
	const struct orphan_search *search = context;
	const struct syc_orphan key = { .inode = map->inode };
	struct syc_orphan *found;

	if (!syc_ring_mapped_is(map))
		return;
	found = bsearch(&key, search->suspects, search->n, sizeof(key),
	                compare_inodes);
	if (found != NULL)
		found->is_mapped = true;
}

static void see_process(void *context, int32_t pid)
{
	struct orphan_search *search = context;
	struct syc_procfs_identity identity;

	if (pid == (int32_t)getpid() ||
	    syc_procfs_identity(pid, &identity) != 0 ||
	    identity.start_time < search->our_start)
		return;
	if (syc_procfs_maps(pid, see_map, search) != 0 &&
	    syc_processes_alive(search->processes, pid))
		search->blind = true;
}

size_t syc_orphans_mark(struct syc_orphan *suspects, size_t n,
                        const struct syc_processes *processes)
{
	struct orphan_search search = { .processes = processes,
		                        .suspects = suspects,
		                        .n = n };
	struct syc_procfs_identity ours;
	size_t found = 0;

	if (n == 0 || syc_procfs_identity((int32_t)getpid(), &ours) != 0)
		return 0;
	search.our_start = ours.start_time;
	qsort(suspects, n, sizeof(*suspects), compare_inodes);
	if (syc_procfs_all(see_process, &search) != 0)
		search.blind = true;
	for (size_t i = 0; i < n; i++)
		if (suspects[i].is_mapped || search.blind)
			*suspects[i].unmapped_for = 0;
		else
			++*suspects[i].unmapped_for, found++;
	return found;
}
