/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inside.c - what the slowest marks of a name have that the others don't.
 *
 * Two views: of all such marks, and of the slowest.  The rest is the
 * difference, since what passes the second one passes the first.
 */
#define _GNU_SOURCE
#include "view/inside.h"

#include <stdlib.h>
#include <string.h>

#include "view/branches.h"

#define NONE SYSCAP_PROFILE_NONE

/* What explains it has so much of the difference. */
#define MOST 0.5

/* Where less of the difference is in samples, they don't explain it. */
#define LEAST 0.1

struct work {
	const struct syscap_profile *profile;
	struct syscap_view *all, *slow;
	struct syc_branches all_branches;
	struct syc_inside *inside;
};

static double share(uint64_t amount, uint64_t n)
{
	return n > 0 ? (double)amount / (double)n : 0;
}

static double duration_of(const struct work *work, uint32_t mark)
{
	return (double)syscap_profile_mark(work->profile, mark).duration;
}

static void measure_marks(struct work *work)
{
	struct syc_inside *inside = work->inside;
	const struct syscap_view *all = work->all, *slow = work->slow;
	double sum_all = 0, sum_slow = 0;

	for (size_t i = 0; i < all->n_marks; i++)
		sum_all += duration_of(work, all->marks[i]);
	for (size_t i = 0; i < slow->n_marks; i++)
		sum_slow += duration_of(work, slow->marks[i]);
	inside->n_slow = slow->n_marks;
	inside->n_rest = all->n_marks - slow->n_marks;
	if (slow->n_marks > 0)
		inside->least =
			syscap_profile_mark(work->profile,
		                            slow->marks[slow->n_marks - 1])
				.duration;
	inside->slow =
		inside->n_slow > 0 ? sum_slow / (double)inside->n_slow : 0;
	inside->rest = inside->n_rest > 0
	                       ? (sum_all - sum_slow) / (double)inside->n_rest
	                       : 0;
	inside->slow_ran = share(slow->total, inside->n_slow);
	inside->rest_ran = share(all->total - slow->total, inside->n_rest);
	inside->unit = all->unit;
	inside->has_waiting = all->unit == SYSCAP_UNIT_CPU_NS;
}

static double at_least_0(double value)
{
	return value > 0 ? value : 0;
}

static int add_waiting(struct syc_inside *inside)
{
	const double slow = at_least_0(inside->slow - inside->slow_ran);
	const double rest = at_least_0(inside->rest - inside->rest_ran);

	if (!inside->has_waiting)
		return 0;
	return syc_array_push(
		&inside->rows,
		((struct syc_inside_row){ NONE, slow, rest, slow, rest }));
}

static int compare_functions(struct work *work)
{
	struct syc_inside *inside = work->inside;
	size_t n;
	struct syscap_view_sum *slow;
	int r = 0;

	syscap_profile_functions(work->profile, &n);
	slow = calloc(n + 1, sizeof(*slow));
	if (slow == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < work->slow->n_sums; i++)
		slow[work->slow->sums[i].function] = work->slow->sums[i];
	for (size_t i = 0; r == 0 && i < work->all->n_sums; i++) {
		const struct syscap_view_sum *all = &work->all->sums[i];
		const struct syscap_view_sum *of = &slow[all->function];
		const struct syc_inside_row row = {
			all->function,
			share(of->self, inside->n_slow),
			share(all->self - of->self, inside->n_rest),
			share(of->total, inside->n_slow),
			share(all->total - of->total, inside->n_rest),
		};

		r = syc_array_push(&inside->rows, row);
	}
	free(slow);
	return r;
}

static double rest_at(const struct work *work, uint32_t slow, uint32_t all)
{
	const uint64_t of_all = all != NONE ? work->all->totals[all] : 0;
	const uint64_t of_slow = work->slow->totals[slow];

	return share(of_all > of_slow ? of_all - of_slow : 0,
	             work->inside->n_rest);
}

/* How many times as long as one of the rest a slow one is. */
static double longer_by(const struct syc_inside *inside)
{
	return inside->rest > 0 ? inside->slow / inside->rest : 1;
}

double syc_inside_unexpected(const struct syc_inside *inside, double slow,
                             double rest)
{
	const double usual = rest * longer_by(inside);

	return slow > rest ? at_least_0(slow - (usual > rest ? usual : rest))
	                   : slow - rest;
}

/*
 * What one mark of the slow has more of there than it would have if it were
 * only longer: other threads, that go on whatever the mark is about, are in it
 * where its own is not known.
 */
static double excess_at(const struct work *work, uint32_t slow, uint32_t all)
{
	const struct syc_inside *inside = work->inside;

	return share(work->slow->totals[slow], inside->n_slow) -
	       rest_at(work, slow, all) * longer_by(inside);
}

/* So much has a function to have more of for it to be the one. */
static double enough(const struct syc_inside *inside)
{
	const double longer = inside->slow - inside->rest;
	const double ran = inside->slow_ran - inside->rest_ran;

	if (inside->unit == SYSCAP_UNIT_TICKS)
		return MOST * ran;
	if (!inside->has_waiting)
		return MOST * longer;
	/* What it waited for is in no sample. */
	return ran > LEAST * longer ? MOST * ran : -1;
}

/* From the outermost function to the node. */
static int keep_path(struct work *work, uint32_t node)
{
	struct syc_inside *inside = work->inside;
	size_t n;

	for (uint32_t i = node; i != 0; i = work->slow->parents[i])
		if (syc_array_push(&inside->path, work->slow->functions[i]) < 0)
			return -ENOMEM;
	n = inside->path.n;
	for (size_t i = 0; i < n / 2; i++) {
		const uint32_t other = inside->path.items[n - 1 - i];

		inside->path.items[n - 1 - i] = inside->path.items[i];
		inside->path.items[i] = other;
	}
	return 0;
}

/*
 * Callers of what made a mark slow have all of its time, be it slow or not.  So
 * of the nodes that have much of the difference it is the one that has most
 * beyond being longer; of equal ones the innermost.
 */
static int find_path(struct work *work)
{
	struct syc_inside *inside = work->inside;
	const double least = enough(inside);
	uint32_t *same = calloc(work->slow->n_nodes + 1, sizeof(*same));
	uint32_t best = 0;
	double most = 0;

	if (same == NULL)
		return -ENOMEM;
	for (uint32_t i = 1; i < work->slow->n_nodes; i++) {
		const uint32_t parent = same[work->slow->parents[i]];
		double excess, more;

		same[i] = parent == NONE
		                  ? NONE
		                  : syc_branches_find(&work->all_branches,
		                                      work->all, parent,
		                                      work->slow->functions[i]);
		excess = excess_at(work, i, same[i]);
		more = share(work->slow->totals[i], inside->n_slow) -
		       rest_at(work, i, same[i]);
		if (least <= 0 || more < least || excess < most)
			continue;
		best = i;
		most = excess;
		inside->path_more = more;
	}
	free(same);
	return keep_path(work, best);
}

static int find(struct work *work)
{
	int r;

	measure_marks(work);
	r = compare_functions(work);
	if (r == 0)
		r = add_waiting(work->inside);
	if (r == 0)
		r = syc_branches_renew(&work->all_branches, work->profile,
		                       work->all);
	return r == 0 ? find_path(work) : r;
}

int syc_inside_find(struct syc_inside *inside,
                    const struct syscap_profile *profile,
                    const struct syscap_filter *filter,
                    const struct syscap_profile_mark_name *name, double percent,
                    struct syscap_error *error)
{
	struct work work = { .profile = profile, .inside = inside };
	struct syscap_filter asked = *filter;
	int r;

	syc_inside_fini(inside);
	asked.of = SYSCAP_VIEW_SAMPLES;
	asked.reverse = false;
	asked.mark_group = name->group;
	asked.mark_name = name->name;
	asked.longer_than = 0;
	asked.slowest = 0;
	asked.slowest_percent = 0;
	r = syscap_view_new(profile, &asked, &work.all, error);
	asked.slowest_percent = percent;
	if (r == 0)
		r = syscap_view_new(profile, &asked, &work.slow, error);
	if (r == 0)
		r = find(&work);
	syc_branches_fini(&work.all_branches);
	syscap_view_free(work.all);
	syscap_view_free(work.slow);
	if (r < 0)
		syc_inside_fini(inside);
	return r;
}

void syc_inside_fini(struct syc_inside *inside)
{
	free(inside->rows.items);
	free(inside->path.items);
	memset(inside, 0, sizeof(*inside));
}
