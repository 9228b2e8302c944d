/* SPDX-License-Identifier: BSD-2-Clause */
/* by_thread.c - the samples of a view, thread by thread, in order of time. */
#define _GNU_SOURCE
#include "export/by_thread.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

static int compare(const void *one, const void *other, void *data)
{
	const int64_t *times = data;
	const uint32_t a = *(const uint32_t *)one;
	const uint32_t b = *(const uint32_t *)other;

	if (times[a] != times[b])
		return times[a] < times[b] ? -1 : 1;
	return (a > b) - (a < b);
}

static bool has_passed(const struct syscap_view *view, size_t i)
{
	return (view->passed[i / 64] >> (i % 64) & 1) != 0;
}

int syc_by_thread_init(struct syc_by_thread *by,
                       const struct syscap_profile *profile,
                       const struct syscap_view *view)
{
	struct syscap_profile_samples samples;
	size_t n;

	syscap_profile_samples(profile, &samples);
	syscap_profile_threads(profile, &n);
	*by = (struct syc_by_thread){
		.n_threads = n,
		.begins = calloc(n + 2, sizeof(*by->begins)),
		.numbers = calloc(view->n_passed + 1, sizeof(*by->numbers)),
	};
	if (by->begins == NULL || by->numbers == NULL) {
		syc_by_thread_fini(by);
		return -ENOMEM;
	}
	/* As in children.c. */
	for (size_t i = 0; i < samples.n; i++)
		if (has_passed(view, i))
			by->begins[samples.threads[i] + 2]++;
	for (size_t i = 2; i < n + 2; i++)
		by->begins[i] += by->begins[i - 1];
	for (size_t i = 0; i < samples.n; i++)
		if (has_passed(view, i))
			by->numbers[by->begins[samples.threads[i] + 1]++] =
				(uint32_t)i;
	for (size_t t = 0; t < n; t++)
		if (by->begins[t + 1] - by->begins[t] > 1)
			qsort_r(by->numbers + by->begins[t],
			        by->begins[t + 1] - by->begins[t],
			        sizeof(*by->numbers), compare,
			        (void *)samples.times);
	return 0;
}

void syc_by_thread_fini(struct syc_by_thread *by)
{
	free(by->begins);
	free(by->numbers);
	*by = (struct syc_by_thread){ 0 };
}
