/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * export.c - helpers of all formats: event selection, labels, process ids,
 * grouping.
 */
#define _GNU_SOURCE
#include "export/export.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/map.h"
#include "common/sort.h"

bool syc_export_has_mark(const struct syc_export *export,
                         const struct syscap_profile_mark *mark)
{
	return syscap_view_has(export->view, mark->thread, mark->time);
}

bool syc_amount_is_time(enum syscap_view_unit unit)
{
	return unit != SYSCAP_UNIT_TICKS && unit != SYSCAP_UNIT_BYTES;
}

void syc_amount_print(FILE *out, enum syscap_view_unit unit, uint64_t amount)
{
	const double value = (double)amount;

	if (!syc_amount_is_time(unit))
		fprintf(out, "%" PRIu64 " %s", amount,
		        unit == SYSCAP_UNIT_BYTES ? "bytes" : "ticks");
	else if (amount < 1000)
		fprintf(out, "%" PRIu64 " ns", amount);
	else if (value < 999999.5)
		fprintf(out, "%.3f µs", value / 1e3);
	else if (value < 999999500.0)
		fprintf(out, "%.3f ms", value / 1e6);
	else
		fprintf(out, "%.3f s", value / 1e9);
}

_Static_assert(SYC_COUNTER_NAME_SIZE > 2 * 3 * 32 + 2, "there is room");

/* Called for each value, so not by printf(). */
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

/* Linux pids are smaller. */
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
	/* Nodes are counted two places further and placed one place further:
	 * at the end every begin is right. */
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
