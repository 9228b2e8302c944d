/* SPDX-License-Identifier: BSD-2-Clause */
/* by_thread.c - the samples of a view, thread by thread, in order of time. */
#include "export/by_thread.h"

#include "export/group.h"

struct source {
	const struct syscap_view *view;
	struct syscap_profile_samples samples;
};

static uint32_t thread_of(const void *data, uint32_t i)
{
	const struct source *source = data;

	return (source->view->passed[i / 64] >> (i % 64) & 1) != 0
	               ? source->samples.threads[i]
	               : SYSCAP_PROFILE_NONE;
}

static int64_t time_of(const void *data, uint32_t i)
{
	return ((const struct source *)data)->samples.times[i];
}

int syc_by_thread_init(struct syc_by_thread *by,
                       const struct syscap_profile *profile,
                       const struct syscap_view *view)
{
	struct source source = { .view = view };
	struct syc_group_rows rows = { .group_of = thread_of,
		                       .time_of = time_of,
		                       .data = &source };
	struct syc_group group;
	int r;

	syscap_profile_samples(profile, &source.samples);
	syscap_profile_threads(profile, &rows.n_groups);
	rows.n = source.samples.n;
	r = syc_group_init(&group, &rows);
	if (r < 0)
		syc_group_fini(&group);
	*by = (struct syc_by_thread){ rows.n_groups, group.begins, group.rows };
	return r;
}

void syc_by_thread_fini(struct syc_by_thread *by)
{
	struct syc_group group = { by->begins, by->numbers };

	syc_group_fini(&group);
	*by = (struct syc_by_thread){ 0 };
}
