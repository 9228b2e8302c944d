/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mark_stats.c - statistics of marks by name, and of the slowest marks of a
 * name.
 *
 * Marks are placed by counting, name by name, in the order of the profile.  The
 * marks are sorted by time only if the profile's order differs.  The lists take
 * 4 bytes per mark, and 8 more bytes during the statistics of one name.
 *
 * Two views compare the slowest marks of a name with the other marks.  One view
 * has all marks of the name, the other the slowest marks.  The rest of the
 * marks is the difference of the two views, because each sample of the second
 * view is also in the first view.
 */
#define _GNU_SOURCE
#include "view/mark_stats.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/containers.h"
#include "view/call_tree.h"

struct work {
	const struct syscap_profile *profile;
	const struct syscap_view *view;
};

static uint32_t name_of(const void *data, uint32_t number)
{
	const struct work *work = data;
	const struct syscap_profile_mark mark =
		syscap_profile_mark(work->profile, number);

	return !mark.is_end && syscap_view_has_mark(work->view, mark.thread,
	                                            mark.time, mark.duration)
	               ? mark.name
	               : SYSCAP_PROFILE_NONE;
}

/* Make a row for each name with marks. */
static int list_names(struct syc_mark_table *table,
                      const struct syc_group *by_name, size_t n_names)
{
	table->rows = calloc(n_names + 1, sizeof(*table->rows));
	if (table->rows == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; i < n_names; i++) {
		const uint32_t first = by_name->begins[i];
		const uint32_t end = by_name->begins[i + 1];

		if (first < end)
			table->rows[table->n_rows++] = (struct syc_mark_row){
				.name = i, .first = first, .count = end - first
			};
	}
	return 0;
}

static int sum_up(const struct work *work, struct syc_mark_table *table)
{
	size_t most = 1;
	int64_t *durations;

	for (size_t i = 0; i < table->n_rows; i++)
		if (table->rows[i].count > most)
			most = table->rows[i].count;
	durations = malloc(most * sizeof(*durations));
	if (durations == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < table->n_rows; i++) {
		struct syc_mark_row *row = &table->rows[i];
		uint32_t *marks = table->marks + row->first;

		syscap_profile_order_marks(work->profile, marks, row->count);
		for (size_t k = 0; k < row->count; k++)
			durations[k] =
				syscap_profile_mark(work->profile, marks[k])
					.duration;
		row->sums = syc_duration_stats_of(durations, row->count);
	}
	free(durations);
	return 0;
}

static int by_total(const void *one, const void *other, void *data)
{
	const struct syc_mark_row *a = one, *b = other;
	const struct syscap_profile_mark_name *names = data;
	int r;

	if (a->sums.total != b->sums.total)
		return a->sums.total > b->sums.total ? -1 : 1;
	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	r = strcmp(names[a->name].group, names[b->name].group);
	return r != 0 ? r : strcmp(names[a->name].name, names[b->name].name);
}

int syc_mark_table_make(struct syc_mark_table *table,
                        const struct syscap_profile *profile,
                        const struct syscap_view *view)
{
	struct work work = { profile, view };
	struct syc_group_rows marks = { .group_of = name_of, .data = &work };
	const struct syscap_profile_mark_name *names;
	struct syc_group by_name;
	int r;

	syc_mark_table_fini(table);
	marks.n = syscap_profile_n_marks(profile);
	names = syscap_profile_mark_names(profile, &marks.n_groups);
	r = syc_group_init(&by_name, &marks);
	if (r < 0)
		return r;
	r = list_names(table, &by_name, marks.n_groups);
	table->marks = by_name.rows;
	table->n_marks = by_name.begins[marks.n_groups];
	free(by_name.begins);
	if (r == 0)
		r = sum_up(&work, table);
	if (r < 0) {
		syc_mark_table_fini(table);
		return r;
	}
	if (table->n_rows > 0)
		qsort_r(table->rows, table->n_rows, sizeof(*table->rows),
		        by_total, (void *)(uintptr_t)names);
	return 0;
}

/* GTK has a cycle, and marks of its parts, so frame times begin with the
 * cycle. */
static bool is_cycle(const struct syscap_profile_mark_name *name)
{
	return strcasestr(name->name, "cycle") != NULL;
}

static bool is_frame_clock(const struct syscap_profile_mark_name *name)
{
	return strcasestr(name->name, "frameclock") != NULL ||
	       strcasestr(name->name, "frame clock") != NULL ||
	       strcasestr(name->group, "frameclock") != NULL ||
	       strcasestr(name->group, "frame clock") != NULL;
}

static uint64_t time_of_process(const struct syscap_profile *profile,
                                uint32_t process)
{
	const struct syscap_profile_thread *threads;
	uint64_t time = 0;
	size_t n;

	threads = syscap_profile_threads(profile, &n);
	for (size_t i = 0; i < n; i++)
		if (threads[i].process == process)
			time += threads[i].ticks *
			        syscap_profile_tick(profile, (uint32_t)i);
	return time;
}

uint32_t syc_mark_row_process(const struct syc_mark_table *table,
                              const struct syc_mark_row *row,
                              const struct syscap_profile *profile,
                              bool *ret_has_others)
{
	const struct syscap_profile_thread *threads;
	uint64_t most = 0;
	uint32_t best = 0;
	size_t n, n_processes;
	size_t *counts;

	threads = syscap_profile_threads(profile, &n);
	syscap_profile_processes(profile, &n_processes);
	counts = calloc(n_processes + 1, sizeof(*counts));
	if (counts == NULL)
		return SYSCAP_PROFILE_NONE;
	for (size_t i = 0; i < row->count; i++)
		counts[threads[syscap_profile_mark(profile,
		                                   table->marks[row->first + i])
		                       .thread]
		               .process]++;
	for (uint32_t i = 0; i < n_processes; i++) {
		const uint64_t time =
			counts[i] > 0 ? time_of_process(profile, i) : 0;

		if (counts[i] > 0 &&
		    (counts[best] == 0 || time > most ||
		     (time == most && counts[i] > counts[best]))) {
			best = i;
			most = time;
		}
	}
	*ret_has_others = counts[best] < row->count;
	free(counts);
	return best;
}

size_t syc_mark_table_frame_clock(const struct syc_mark_table *table,
                                  const struct syscap_profile *profile)
{
	const struct syscap_profile_mark_name *names;
	uint64_t most = 0;
	size_t n, best = SIZE_MAX;
	bool rank = false;

	names = syscap_profile_mark_names(profile, &n);
	for (size_t i = 0; i < table->n_rows; i++) {
		const struct syc_mark_row *row = &table->rows[i];
		bool has_others;
		uint64_t time;

		if (!is_frame_clock(&names[row->name]))
			continue;
		time = time_of_process(
			profile,
			syc_mark_row_process(table, row, profile, &has_others));
		if (best == SIZE_MAX || is_cycle(&names[row->name]) > rank ||
		    (is_cycle(&names[row->name]) == rank && time > most)) {
			most = time;
			best = i;
			rank = is_cycle(&names[row->name]);
		}
	}
	return best == SIZE_MAX ? 0 : best;
}

void syc_mark_table_fini(struct syc_mark_table *table)
{
	free(table->rows);
	free(table->marks);
	*table = (struct syc_mark_table){ 0 };
}

#define NONE SYSCAP_PROFILE_NONE

/* Least share of the difference that explains the difference. */
#define MOST 0.5

/* Samples with a smaller share do not explain the difference. */
#define LEAST 0.1

struct search {
	const struct syscap_profile *profile;
	struct syscap_view *all, *slow;
	struct syc_group all_branches;
	struct syc_slow_marks *slow_marks;
};

static double share(uint64_t amount, uint64_t n)
{
	return n > 0 ? (double)amount / (double)n : 0;
}

static double duration_of(const struct search *search, uint32_t mark)
{
	return (double)syscap_profile_mark(search->profile, mark).duration;
}

/* The mean amount of a sample of the capture. */
static double sample_amount(const struct syscap_profile *profile)
{
	struct syscap_profile_samples samples;
	double sum = 0;

	syscap_profile_samples(profile, &samples);
	for (size_t i = 0; i < samples.n; i++)
		sum += (double)samples.ticks[i] *
		       (double)syscap_profile_tick(profile, samples.threads[i]);
	return samples.n > 0 ? sum / (double)samples.n : 0;
}

/*
 * The error of the mean waiting time of @n marks with the mean duration @mean:
 * at most the time between samples.  Twice the deviation of the number of
 * samples may be less.
 */
static double error_of(const struct search *search, double n, double mean)
{
	const double step = sample_amount(search->profile);

	return n > 0 ? fmin(step, 2 * sqrt(step * fmin(step, mean) / n)) : 0;
}

/* A sample of a thread, with the ticks of the thread so far. */
struct thread_sample {
	int64_t time;
	uint64_t ticks;
};

/* Samples of each thread by time. */
struct running {
	const struct syscap_profile *profile;
	const struct syscap_profile_thread *threads;
	size_t n_threads;
	struct thread_sample *samples;
	size_t *first; /* of each thread, and the number of all */
};

static int by_time(const void *left, const void *right)
{
	const struct thread_sample *a = left, *b = right;

	return (a->time > b->time) - (a->time < b->time);
}

/* Sort a thread's samples, which are often sorted, and sum their ticks. */
static void sum_ticks(struct thread_sample *samples, size_t n)
{
	size_t sorted = 1;

	while (sorted < n && samples[sorted - 1].time <= samples[sorted].time)
		sorted++;
	if (sorted < n)
		qsort(samples, n, sizeof(*samples), by_time);
	for (size_t i = 1; i < n; i++)
		samples[i].ticks += samples[i - 1].ticks;
}

static void running_fini(struct running *running)
{
	free(running->samples);
	free(running->first);
}

static int running_init(struct running *running,
                        const struct syscap_profile *profile)
{
	struct syscap_profile_samples samples;
	size_t *first;

	syscap_profile_samples(profile, &samples);
	running->profile = profile;
	running->threads = syscap_profile_threads(profile, &running->n_threads);
	running->samples = calloc(samples.n + 1, sizeof(*running->samples));
	running->first = first =
		calloc(running->n_threads + 2, sizeof(*running->first));
	if (running->samples == NULL || first == NULL) {
		running_fini(running);
		return -ENOMEM;
	}
	/* first[i + 1] is the end of thread i only after it has its samples */
	for (size_t i = 0; i < samples.n; i++)
		first[samples.threads[i] + 2]++;
	for (size_t i = 2; i < running->n_threads + 2; i++)
		first[i] += first[i - 1];
	for (size_t i = 0; i < samples.n; i++)
		running->samples[first[samples.threads[i] + 1]++] =
			(struct thread_sample){ samples.times[i],
			                        samples.ticks[i] };
	for (size_t i = 0; i < running->n_threads; i++)
		sum_ticks(running->samples + first[i], first[i + 1] - first[i]);
	return 0;
}

static uint64_t ticks_before(const struct running *running, size_t thread,
                             int64_t time)
{
	const size_t first = running->first[thread];
	size_t low = first, high = running->first[thread + 1];

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (running->samples[middle].time < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low > first ? running->samples[low - 1].ticks : 0;
}

static uint64_t ticks_inside(const struct running *running, size_t thread,
                             const struct syscap_profile_mark *mark)
{
	int64_t end;

	if (__builtin_add_overflow(mark->time, mark->duration, &end))
		end = INT64_MAX;
	return ticks_before(running, thread, end) -
	       ticks_before(running, thread, mark->time);
}

/* Weight of the samples of the mark's thread during the mark.  If the thread is
 * unknown, the busiest thread counts. */
static double running_time(const struct running *running,
                           const struct syscap_profile_mark *mark)
{
	const struct syscap_profile_thread *of =
		&running->threads[mark->thread];
	uint64_t most = 0;

	if (of->tid >= 0)
		most = ticks_inside(running, mark->thread, mark);
	for (size_t i = 0; of->tid < 0 && i < running->n_threads; i++) {
		const uint64_t ticks =
			running->threads[i].process == of->process &&
					running->first[i] <
						running->first[i + 1]
				? ticks_inside(running, i, mark)
				: 0;

		if (ticks > most)
			most = ticks;
	}
	return (double)most *
	       (double)syscap_profile_tick(running->profile, mark->thread);
}

static int measure_running(struct search *search)
{
	struct syc_slow_marks *slow_marks = search->slow_marks;
	const struct syscap_view *all = search->all;
	double sums[2] = { 0, 0 };
	struct running running;
	const int r = running_init(&running, search->profile);

	if (r < 0)
		return r;
	/* The slowest come first */
	for (size_t i = 0; i < all->n_marks; i++) {
		const bool is_slow = i < search->slow->n_marks;
		const struct syscap_profile_mark mark =
			syscap_profile_mark(search->profile, all->marks[i]);

		sums[is_slow] += running_time(&running, &mark);
		slow_marks->is_least |=
			is_slow && running.threads[mark.thread].tid < 0;
	}
	running_fini(&running);
	if (slow_marks->n_slow > 0)
		slow_marks->slow_running = sums[1] / (double)slow_marks->n_slow;
	if (slow_marks->n_rest > 0)
		slow_marks->rest_running = sums[0] / (double)slow_marks->n_rest;
	return 0;
}

static void measure_marks(struct search *search)
{
	struct syc_slow_marks *slow_marks = search->slow_marks;
	const struct syscap_view *all = search->all, *slow = search->slow;
	double sum_all = 0, sum_slow = 0;

	for (size_t i = 0; i < all->n_marks; i++)
		sum_all += duration_of(search, all->marks[i]);
	for (size_t i = 0; i < slow->n_marks; i++)
		sum_slow += duration_of(search, slow->marks[i]);
	slow_marks->n_slow = slow->n_marks;
	slow_marks->n_rest = all->n_marks - slow->n_marks;
	if (slow->n_marks > 0)
		slow_marks->least =
			syscap_profile_mark(search->profile,
		                            slow->marks[slow->n_marks - 1])
				.duration;
	slow_marks->slow = slow_marks->n_slow > 0
	                           ? sum_slow / (double)slow_marks->n_slow
	                           : 0;
	slow_marks->rest =
		slow_marks->n_rest > 0
			? (sum_all - sum_slow) / (double)slow_marks->n_rest
			: 0;
	slow_marks->slow_ran = share(slow->total, slow_marks->n_slow);
	slow_marks->rest_ran =
		share(all->total - slow->total, slow_marks->n_rest);
	slow_marks->unit = all->unit;
	slow_marks->has_waiting = all->unit == SYSCAP_UNIT_CPU_NS;
	slow_marks->error =
		error_of(search, (double)slow_marks->n_slow, slow_marks->slow);
}

static double at_least_0(double value)
{
	return value > 0 ? value : 0;
}

static int add_waiting(struct syc_slow_marks *slow_marks)
{
	const double slow =
		at_least_0(slow_marks->slow - slow_marks->slow_running);
	const double rest =
		at_least_0(slow_marks->rest - slow_marks->rest_running);

	if (!slow_marks->has_waiting || fmax(slow, rest) < slow_marks->error)
		return 0;
	return syc_array_push(
		&slow_marks->rows,
		((struct syc_slow_marks_row){ NONE, slow, rest, slow, rest }));
}

static int compare_functions(struct search *search)
{
	struct syc_slow_marks *slow_marks = search->slow_marks;
	size_t n;
	struct syscap_view_sum *slow;
	int r = 0;

	syscap_profile_functions(search->profile, &n);
	slow = calloc(n + 1, sizeof(*slow));
	if (slow == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < search->slow->n_sums; i++)
		slow[search->slow->sums[i].function] = search->slow->sums[i];
	for (size_t i = 0; r == 0 && i < search->all->n_sums; i++) {
		const struct syscap_view_sum *all = &search->all->sums[i];
		const struct syscap_view_sum *of = &slow[all->function];
		const struct syc_slow_marks_row row = {
			all->function,
			share(of->self, slow_marks->n_slow),
			share(all->self - of->self, slow_marks->n_rest),
			share(of->total, slow_marks->n_slow),
			share(all->total - of->total, slow_marks->n_rest),
		};

		r = syc_array_push(&slow_marks->rows, row);
	}
	free(slow);
	return r;
}

static double rest_at(const struct search *search, uint32_t slow, uint32_t all)
{
	const uint64_t of_all = all != NONE ? search->all->totals[all] : 0;
	const uint64_t of_slow = search->slow->totals[slow];

	return share(of_all > of_slow ? of_all - of_slow : 0,
	             search->slow_marks->n_rest);
}

/* Ratio of the mean durations of slow marks and of the rest. */
static double longer_by(const struct syc_slow_marks *slow_marks)
{
	return slow_marks->rest > 0 ? slow_marks->slow / slow_marks->rest : 1;
}

double syc_slow_marks_unexpected(const struct syc_slow_marks *slow_marks,
                                 double slow, double rest)
{
	const double usual = rest * longer_by(slow_marks);

	return slow > rest ? at_least_0(slow - (usual > rest ? usual : rest))
	                   : slow - rest;
}

/*
 * Excess of a slow mark at a node over a mark that is only longer.  If the
 * thread is unknown, other threads count, too, although other threads run
 * during any mark.
 */
static double excess_at(const struct search *search, uint32_t slow,
                        uint32_t all)
{
	const struct syc_slow_marks *slow_marks = search->slow_marks;

	return share(search->slow->totals[slow], slow_marks->n_slow) -
	       rest_at(search, slow, all) * longer_by(slow_marks);
}

/* Least excess of a function that is the main cause. */
static double enough(const struct syc_slow_marks *slow_marks)
{
	const double longer = slow_marks->slow - slow_marks->rest;
	const double ran = slow_marks->slow_ran - slow_marks->rest_ran;

	if (slow_marks->unit == SYSCAP_UNIT_TICKS)
		return MOST * ran;
	if (!slow_marks->has_waiting)
		return MOST * longer;
	/* No sample covers waiting. */
	return ran > LEAST * longer ? MOST * ran : -1;
}

/* Store the path from the outermost function to the node. */
static int keep_path(struct search *search, uint32_t node)
{
	struct syc_slow_marks *slow_marks = search->slow_marks;
	size_t n;

	for (uint32_t i = node; i != 0; i = search->slow->parents[i])
		if (syc_array_push(&slow_marks->path,
		                   search->slow->functions[i]) < 0)
			return -ENOMEM;
	n = slow_marks->path.n;
	for (size_t i = 0; i < n / 2; i++) {
		const uint32_t other = slow_marks->path.items[n - 1 - i];

		slow_marks->path.items[n - 1 - i] = slow_marks->path.items[i];
		slow_marks->path.items[i] = other;
	}
	return 0;
}

/*
 * All callers of the cause contain its time.  The nodes with much of the
 * difference are candidates. Choose the candidate with the largest excess over
 * a mark that is only longer.  If several nodes are equal, choose the
 * innermost.
 */
static int find_path(struct search *search)
{
	struct syc_slow_marks *slow_marks = search->slow_marks;
	const double least = enough(slow_marks);
	uint32_t *same = calloc(search->slow->n_nodes + 1, sizeof(*same));
	uint32_t best = 0;
	double most = 0;

	if (same == NULL)
		return -ENOMEM;
	for (uint32_t i = 1; i < search->slow->n_nodes; i++) {
		const uint32_t parent = same[search->slow->parents[i]];
		double excess, more;

		same[i] = parent == NONE
		                  ? NONE
		                  : syc_branches_find(
					    &search->all_branches, search->all,
					    parent, search->slow->functions[i]);
		excess = excess_at(search, i, same[i]);
		more = share(search->slow->totals[i], slow_marks->n_slow) -
		       rest_at(search, i, same[i]);
		if (least <= 0 || more < least || excess < most)
			continue;
		best = i;
		most = excess;
		slow_marks->path_more = more;
	}
	free(same);
	return keep_path(search, best);
}

static int find(struct search *search)
{
	int r;

	measure_marks(search);
	r = compare_functions(search);
	if (r == 0 && search->slow_marks->has_waiting)
		r = measure_running(search);
	if (r == 0)
		r = add_waiting(search->slow_marks);
	if (r == 0)
		r = syc_branches_renew(&search->all_branches, search->profile,
		                       search->all);
	return r == 0 ? find_path(search) : r;
}

int syc_slow_marks_find(struct syc_slow_marks *slow_marks,
                        const struct syscap_profile *profile,
                        const struct syscap_filter *filter,
                        const struct syscap_profile_mark_name *name,
                        double percent, struct syscap_error *error)
{
	struct search search = { .profile = profile, .slow_marks = slow_marks };
	struct syscap_filter asked = *filter;
	int r;

	syc_slow_marks_fini(slow_marks);
	asked.of = SYSCAP_VIEW_SAMPLES;
	asked.reverse = false;
	asked.mark_group = name->group;
	asked.mark_name = name->name;
	asked.longer_than = 0;
	asked.slowest = 0;
	asked.slowest_percent = 0;
	r = syscap_view_new(profile, &asked, &search.all, error);
	asked.slowest_percent = percent;
	if (r == 0)
		r = syscap_view_new(profile, &asked, &search.slow, error);
	if (r == 0)
		r = find(&search);
	syc_group_fini(&search.all_branches);
	syscap_view_free(search.all);
	syscap_view_free(search.slow);
	if (r < 0)
		syc_slow_marks_fini(slow_marks);
	return r;
}

void syc_slow_marks_fini(struct syc_slow_marks *slow_marks)
{
	free(slow_marks->rows.items);
	free(slow_marks->path.items);
	memset(slow_marks, 0, sizeof(*slow_marks));
}
