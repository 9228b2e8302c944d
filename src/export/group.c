/* SPDX-License-Identifier: BSD-2-Clause */
/* group.c - rows of a profile by what they are of, and by time in there. */
#include "export/group.h"

#include <errno.h>
#include <stdlib.h>

#include <syscap/profile.h>

#include "data/order.h"

static int compare(const void *one, const void *other, void *data)
{
	const struct syc_group_rows *rows = data;
	const uint32_t a = *(const uint32_t *)one;
	const uint32_t b = *(const uint32_t *)other;
	const int64_t time_a = rows->time_of(rows->data, a);
	const int64_t time_b = rows->time_of(rows->data, b);

	if (time_a != time_b)
		return time_a < time_b ? -1 : 1;
	return (a > b) - (a < b);
}

int syc_group_init(struct syc_group *group, const struct syc_group_rows *rows)
{
	size_t *begins = calloc(rows->n_groups + 2, sizeof(*begins));
	size_t n = 0;

	*group = (struct syc_group){ .begins = begins };
	if (begins == NULL || rows->n > UINT32_MAX)
		return -ENOMEM;
	/* Counted two places further, then placed one further: at the end
	 * each begin is where it belongs. */
	for (uint32_t i = 0; i < rows->n; i++) {
		const uint32_t of = rows->group_of(rows->data, i);

		if (of != SYSCAP_PROFILE_NONE) {
			begins[of + 2]++;
			n++;
		}
	}
	for (size_t i = 2; i < rows->n_groups + 2; i++)
		begins[i] += begins[i - 1];
	group->rows = calloc(n + 1, sizeof(*group->rows));
	if (group->rows == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < rows->n; i++) {
		const uint32_t of = rows->group_of(rows->data, i);

		if (of != SYSCAP_PROFILE_NONE)
			group->rows[begins[of + 1]++] = i;
	}
	for (size_t i = 0; i < rows->n_groups; i++)
		syc_order(group->rows + begins[i], begins[i + 1] - begins[i],
		          compare, (void *)rows);
	return 0;
}

void syc_group_fini(struct syc_group *group)
{
	free(group->begins);
	free(group->rows);
	*group = (struct syc_group){ 0 };
}
