/* SPDX-License-Identifier: BSD-2-Clause */
/* ask.c - what a profile hands out. */
#include "profile/profile.h"

const struct syscap_profile_process *
syscap_profile_processes(const struct syscap_profile *profile, size_t *ret_n)
{
	*ret_n = profile->who.processes.n;
	return profile->who.processes.items;
}

const struct syscap_profile_thread *
syscap_profile_threads(const struct syscap_profile *profile, size_t *ret_n)
{
	*ret_n = profile->who.threads.n;
	return profile->who.threads.items;
}

uint32_t syscap_profile_find_process(const struct syscap_profile *profile,
                                     int32_t pid, int64_t time)
{
	return syc_who_find_process(&profile->who, pid, time);
}

uint32_t syscap_profile_find_thread(const struct syscap_profile *profile,
                                    int32_t pid, int32_t tid, int64_t time)
{
	return syc_who_find_thread(
		&profile->who, syc_who_find_process(&profile->who, pid, time),
		tid);
}

const struct syscap_profile_function *
syscap_profile_functions(const struct syscap_profile *profile, size_t *ret_n)
{
	*ret_n = profile->functions.items.n;
	return profile->functions.items.items;
}

const struct syscap_profile_function *
syscap_profile_function(const struct syscap_profile *profile, uint32_t number)
{
	return number < profile->functions.items.n
	               ? &profile->functions.items.items[number]
	               : NULL;
}

const struct syscap_profile_location *
syscap_profile_locations(const struct syscap_profile *profile, size_t *ret_n)
{
	*ret_n = profile->stacks.locations.n;
	return profile->stacks.locations.items;
}

const struct syscap_profile_map *
syscap_profile_maps(const struct syscap_profile *profile, size_t *ret_n)
{
	*ret_n = profile->naming.maps.n;
	return profile->naming.maps.items;
}

void syscap_profile_stacks(const struct syscap_profile *profile,
                           struct syscap_profile_stacks *ret_stacks)
{
	ret_stacks->n = profile->stacks.nodes.n;
	ret_stacks->parents = profile->stacks.parents.items;
	ret_stacks->locations = profile->stacks.nodes.items;
}

void syscap_profile_samples(const struct syscap_profile *profile,
                            struct syscap_profile_samples *ret_samples)
{
	ret_samples->n = profile->samples.times.n;
	ret_samples->times = profile->samples.times.items;
	ret_samples->threads = profile->samples.threads.items;
	ret_samples->stacks = profile->samples.stacks.items;
	ret_samples->ticks = profile->samples.ticks.items;
}

void syscap_profile_span(const struct syscap_profile *profile,
                         struct syscap_profile_span *ret_span)
{
	*ret_span = profile->span;
	ret_span->has_names = profile->naming.has_table;
}

const struct syscap_profile_loss *
syscap_profile_losses(const struct syscap_profile *profile, size_t *ret_n)
{
	*ret_n = profile->losses.n;
	return profile->losses.items;
}

const struct syscap_profile_mark *
syscap_profile_marks(const struct syscap_profile *profile, size_t *ret_n)
{
	*ret_n = profile->marks.items.n;
	return profile->marks.items.items;
}

const struct syscap_profile_mark_name *
syscap_profile_mark_names(const struct syscap_profile *profile, size_t *ret_n)
{
	*ret_n = profile->marks.names.n;
	return profile->marks.names.items;
}

const struct syscap_profile_allocation *
syscap_profile_allocations(const struct syscap_profile *profile, size_t *ret_n)
{
	*ret_n = profile->allocations.items.n;
	return profile->allocations.items.items;
}

void syscap_profile_heap(const struct syscap_profile *profile,
                         struct syscap_profile_heap *ret_heap)
{
	*ret_heap = profile->allocations.heap;
}

uint64_t syscap_profile_tick(const struct syscap_profile *profile,
                             uint32_t thread)
{
	const uint32_t process = profile->who.threads.items[thread].process;

	if (profile->unit == SYSCAP_UNIT_TICKS)
		return 1;
	return (uint64_t)profile->who.processes.items[process].period_ns;
}
