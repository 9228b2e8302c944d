/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * view.c - views: filtered trees of functions, their losses, their hottest
 * lines.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <syscap/profile.h>

#include "common/array.h"
#include "common/map.h"
#include "profile/filter.h"
#include "profile/model.h"

#define NONE SYSCAP_PROFILE_NONE

/* A loss of an unknown thread may be of any thread in the process. */
static bool is_of_threads(const struct syc_filter *filter,
                          const struct syscap_profile *profile, uint32_t number)
{
	const struct syscap_profile_thread *thread =
		&profile->processes.threads.items[number];

	return filter->threads[number] ||
	       (thread->tid < 0 && filter->processes[thread->process]);
}

/*
 * Set the times and threads of @filter, and the losses that overlap these
 * times.  Takes ownership of the threads of @filter.  Returns 0 or -ENOMEM.
 */
static int view_events(struct syc_view *view, struct syc_filter *filter,
                       const struct syscap_profile *profile)
{
	const struct syscap_filter *asked = filter->asked;

	view->from = asked->has_from ? asked->from : INT64_MIN;
	view->last = INT64_MAX;
	if (asked->has_to) {
		/* INT64_MIN has no predecessor. */
		view->last = asked->to - (asked->to > INT64_MIN);
		if (asked->to == INT64_MIN)
			view->from = INT64_MAX;
	}
	for (size_t i = 0; i < profile->losses.n; i++) {
		const struct syscap_profile_loss *loss =
			&profile->losses.items[i];

		if (loss->end >= view->from && loss->begin <= view->last &&
		    is_of_threads(filter, profile, loss->thread) &&
		    syc_array_push(&view->losses, (uint32_t)i) < 0)
			return -ENOMEM;
	}
	view->threads = filter->threads;
	filter->threads = NULL;
	return 0;
}

bool syscap_view_has(const struct syscap_view *public, uint32_t thread,
                     int64_t time)
{
	const struct syc_view *view = (const struct syc_view *)public;

	return view->threads[thread] && time >= view->from &&
	       time <= view->last;
}

/*
 * The filter's decision on a stack, and the stack's end in the view, depend on
 * the stack alone.  So both are computed once per node of the profile,
 * outermost first, not once per sample.
 */

/* Facts about the stack that ends at a node. */
enum {
	HAS_WANTED = 1,
	IS_DROPPED = 2,
	IS_FOCUSED = 4, /* the node is at or below the focused frame */
	IS_NEEDED = 8   /* samples at or below the node passed */
};

struct build {
	const struct syscap_profile *profile;
	const struct syscap_filter *asked;
	struct syc_filter filter;
	struct syc_view *view;
	unsigned char *flags; /* flags of each stack */
	uint64_t *weights;    /* sum that passed, of each stack */
};

/*
 * The end of a stack: the function that has the code, and the functions inlined
 * there.
 */
struct ending {
	/* @n sources; NULL: no line. */
	const struct syscap_profile_source *sources;
	uint32_t function;
	uint32_t n;
};

static struct ending ending_of(const struct build *build, size_t stack)
{
	const struct syc_stacks *stacks = &build->profile->stacks;
	const struct syscap_profile_location *location =
		&stacks->locations.items[stacks->nodes.items[stack]];
	struct ending ending = { .function = location->function, .n = 1 };

	if (location->source == NONE)
		return ending;
	ending.sources =
		&build->profile->naming.sources.sources.items[location->source];
	if (!build->asked->no_inlines)
		ending.n += ending.sources[0].n_inlined;
	return ending;
}

static void look_at_stacks(struct build *build)
{
	const struct syc_stacks *stacks = &build->profile->stacks;

	for (size_t i = 1; i < stacks->nodes.n; i++) {
		const struct ending ending = ending_of(build, i);
		unsigned flags = build->flags[stacks->parents.items[i]];
		unsigned marks = build->filter.functions[ending.function];

		for (uint32_t k = 1; k < ending.n; k++)
			marks |= build->filter
			                 .functions[ending.sources[k].function];
		if ((marks & SYC_FUNCTION_WANTED) != 0)
			flags |= HAS_WANTED;
		if ((marks & SYC_FUNCTION_DROPPED) != 0)
			flags |= IS_DROPPED;
		if ((marks & SYC_FUNCTION_FOCUSED) != 0)
			flags |= IS_FOCUSED;
		build->flags[i] = (unsigned char)flags;
	}
}

static bool stack_passes(const struct build *build, uint32_t stack)
{
	const unsigned flags = build->flags[stack];

	return (build->asked->function == NULL || (flags & HAS_WANTED) != 0) &&
	       (flags & IS_DROPPED) == 0 &&
	       (build->asked->focus == NULL || (flags & IS_FOCUSED) != 0);
}

/*
 * Add a sample or allocation.  False: the filter rejects the sample or
 * allocation.
 */
static bool add(struct build *build, size_t number, uint32_t stack,
                uint32_t thread, int64_t time, uint64_t weight)
{
	struct syscap_view *view = &build->view->public;

	if (weight == 0 || !stack_passes(build, stack) ||
	    !syc_filter_passes(&build->filter, build->profile, thread, time))
		return false;
	build->view->passed[number / 64] |= UINT64_C(1) << number % 64;
	build->weights[stack] += weight;
	build->flags[stack] |= IS_NEEDED;
	view->total += weight;
	view->n_passed++;
	return true;
}

static void add_samples(struct build *build)
{
	const struct syscap_profile *profile = build->profile;
	const struct syc_samples *samples = &profile->samples;
	struct syscap_view *view = &build->view->public;

	view->unit = profile->unit;
	view->n_looked = samples->times.n;
	for (size_t i = 0; i < samples->times.n; i++) {
		const uint32_t thread = samples->threads.items[i];
		const uint32_t ticks = samples->ticks.items[i];

		if (add(build, i, samples->stacks.items[i], thread,
		        samples->times.items[i],
		        ticks * syscap_profile_tick(profile, thread)))
			view->ticks += ticks;
	}
}

static void add_allocations(struct build *build)
{
	const struct syc_allocations *allocations =
		&build->profile->allocations;
	struct syscap_view *view = &build->view->public;

	view->unit = SYSCAP_UNIT_BYTES;
	view->n_looked = allocations->heap.n_allocations;
	for (size_t i = 0; i < allocations->items.n; i++) {
		const struct syscap_profile_allocation *item =
			&allocations->items.items[i];

		add(build, i, item->stack, item->thread, item->time,
		    syc_allocations_amount(allocations, i, build->asked->of));
	}
}

static void add_waits(struct build *build)
{
	const bool is_stall = build->asked->of == SYSCAP_VIEW_STALLED;
	struct syscap_view *view = &build->view->public;

	view->unit = SYSCAP_UNIT_WALL_NS;
	for (size_t i = 0; i < build->profile->waits.n; i++) {
		const struct syscap_profile_wait *wait =
			&build->profile->waits.items[i];

		if (wait->is_stall != is_stall)
			continue;
		view->n_looked++;
		add(build, i, wait->stack, wait->thread, wait->time,
		    (uint64_t)wait->duration);
	}
}

static size_t count_rows(const struct build *build)
{
	switch (build->asked->of) {
	case SYSCAP_VIEW_SAMPLES:
		return build->profile->samples.times.n;
	case SYSCAP_VIEW_BLOCKED:
	case SYSCAP_VIEW_STALLED:
		return build->profile->waits.n;
	default:
		return build->profile->allocations.items.n;
	}
}

static void add_rows(struct build *build)
{
	switch (build->asked->of) {
	case SYSCAP_VIEW_SAMPLES:
		add_samples(build);
		break;
	case SYSCAP_VIEW_BLOCKED:
	case SYSCAP_VIEW_STALLED:
		add_waits(build);
		break;
	default:
		add_allocations(build);
		break;
	}
}

static void mark_needed(struct build *build)
{
	const struct syc_stacks *stacks = &build->profile->stacks;

	for (size_t i = stacks->nodes.n; i-- > 1;)
		if ((build->flags[i] & IS_NEEDED) != 0)
			build->flags[stacks->parents.items[i]] |= IS_NEEDED;
}

/* Extend the path at *@node by a call of @function at @line. */
static int step(struct build *build, uint32_t function, uint32_t line,
                uint32_t *node)
{
	const uint32_t shown = build->filter.shown_as[function];
	const uint32_t before = build->view->functions.items[*node];

	if ((build->filter.functions[function] & SYC_FUNCTION_TAKEN_OUT) != 0)
		return 0;
	if (before == shown &&
	    (build->asked->collapse_recursion || shown != function))
		return 0;
	return syc_view_child(build->view, *node, shown,
	                      shown != function ? NONE : line, node);
}

/* Extend the path by the whole end of @stack. */
static int steps(struct build *build, size_t stack, uint32_t *node)
{
	const struct ending ending = ending_of(build, stack);
	const uint32_t caller = build->profile->stacks.parents.items[stack];
	bool is_shown = build->asked->focus == NULL ||
	                (build->flags[caller] & IS_FOCUSED) != 0;

	for (uint32_t i = 0; i < ending.n; i++) {
		const uint32_t function =
			i == 0 ? ending.function : ending.sources[i].function;

		is_shown = is_shown || (build->filter.functions[function] &
		                        SYC_FUNCTION_FOCUSED) != 0;
		if (is_shown &&
		    step(build, function,
		         ending.sources != NULL ? ending.sources[i].line : NONE,
		         node) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int make_tree(struct build *build)
{
	const struct syc_stacks *stacks = &build->profile->stacks;
	uint32_t *nodes = build->view->nodes;

	nodes[0] = 0;
	for (size_t i = 1; i < stacks->nodes.n; i++) {
		const uint32_t parent = stacks->parents.items[i];

		nodes[i] = NONE;
		if ((build->flags[i] & IS_NEEDED) == 0)
			continue;
		nodes[i] = nodes[parent];
		if (steps(build, i, &nodes[i]) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* Compute the ends of stacks with samples that passed.  Other stacks have no
 * end. */
static int place_stacks(struct build *build)
{
	const size_t n = build->profile->stacks.nodes.n;
	struct syc_view *view = build->view;

	for (size_t i = 1; i < n; i++) {
		if (build->weights[i] == 0)
			view->nodes[i] = NONE;
		else if (view->nodes[i] == 0 &&
		         syc_view_child(view, 0, SYSCAP_FUNCTION_HIDDEN, NONE,
		                        &view->nodes[i]) < 0)
			return -ENOMEM;
	}
	view->nodes[0] = NONE;
	view->selfs = calloc(view->parents.n, sizeof(*view->selfs));
	if (view->selfs == NULL)
		return -ENOMEM;
	for (size_t i = 1; i < n; i++)
		if (build->weights[i] > 0)
			view->selfs[view->nodes[i]] += build->weights[i];
	return 0;
}

static int make(struct build *build)
{
	const size_t n = build->profile->stacks.nodes.n;
	struct syc_view *view = build->view;

	view->by_line = build->asked->by_line &&
	                build->profile->naming.sources.sources.n > 0;
	build->flags = calloc(n, 1);
	build->weights = calloc(n, sizeof(*build->weights));
	view->nodes = malloc(n * sizeof(*view->nodes));
	view->passed =
		calloc(count_rows(build) / 64 + 1, sizeof(*view->passed));
	if (build->flags == NULL || build->weights == NULL ||
	    view->nodes == NULL || view->passed == NULL ||
	    syc_view_begin(view) < 0)
		return -ENOMEM;
	look_at_stacks(build);
	add_rows(build);
	mark_needed(build);
	if (make_tree(build) < 0 || place_stacks(build) < 0)
		return -ENOMEM;
	/* Free temporary data before further allocations. */
	free(build->flags);
	free(build->weights);
	build->flags = NULL;
	build->weights = NULL;
	syc_slots_fini(&view->slots);
	if (syc_view_add_up(view) < 0 ||
	    syc_view_sum_up(view, &build->profile->functions) < 0)
		return -ENOMEM;
	return build->asked->reverse ? syc_view_reverse(view, n) : 0;
}

static void show(struct syc_view *view, struct build *build)
{
	struct syscap_view *public = &view->public;

	public->n_marks = build->filter.marks.numbers.n;
	public->marks = build->filter.marks.numbers.items;
	/* The view owns the numbers now. */
	build->filter.marks.numbers.items = NULL;
	public->n_threadless_marks = build->filter.marks.n_threadless;
	public->n_nodes = view->parents.n;
	public->parents = view->parents.items;
	public->functions = view->functions.items;
	public->selfs = view->selfs;
	public->totals = view->totals;
	public->lines = view->by_line ? view->lines.items : NULL;
	public->sums = view->sums;
	public->nodes = view->nodes;
	public->passed = view->passed;
	public->n_losses = view->losses.n;
	public->losses = view->losses.items;
}

int syscap_view_new(const struct syscap_profile *profile,
                    const struct syscap_filter *filter,
                    struct syscap_view **ret_view, struct syscap_error *error)
{
	const struct syscap_filter all = { 0 };
	struct build build = {
		.profile = profile,
		.asked = filter != NULL ? filter : &all,
		.view = calloc(1, sizeof(*build.view)),
	};
	int r;

	if (build.view == NULL)
		return -ENOMEM;
	r = syc_filter_init(&build.filter, profile, build.asked, error);
	if (r == 0) {
		r = make(&build);
		if (r == 0)
			r = view_events(build.view, &build.filter, profile);
		show(build.view, &build);
		syc_filter_fini(&build.filter);
	}
	free(build.flags);
	free(build.weights);
	if (r < 0) {
		syscap_view_free(&build.view->public);
		return r;
	}
	*ret_view = &build.view->public;
	return 0;
}

const char *syscap_view_unit_name(enum syscap_view_unit unit)
{
	static const char *const names[] = {
		[SYSCAP_UNIT_TICKS] = "ticks",
		[SYSCAP_UNIT_CPU_NS] = "processor time",
		[SYSCAP_UNIT_WALL_NS] = "wall time",
		[SYSCAP_UNIT_MIXED_NS] = "processor and wall time",
		[SYSCAP_UNIT_BYTES] = "bytes",
	};

	return names[unit];
}

struct place {
	uint32_t function, line;
};

struct totals {
	struct syc_map places;
	SYC_ARRAY(uint64_t) sums; /* sum of each place */
};

static int add_up(struct totals *totals, const struct syscap_view *view)
{
	size_t number;
	int r = 0;

	for (size_t i = 1; r >= 0 && i < view->n_nodes; i++) {
		const struct place place = { view->functions[i],
			                     view->lines[i] };

		if (place.line == NONE)
			continue;
		r = syc_map_put(&totals->places, &place, sizeof(place),
		                &number);
		if (r > 0)
			r = syc_array_push(&totals->sums, 0);
		if (r >= 0)
			totals->sums.items[number] += view->totals[i];
	}
	return r < 0 ? r : 0;
}

static int choose(const struct totals *totals, size_t n_functions,
                  uint32_t *lines)
{
	uint64_t *most = calloc(n_functions + 1, sizeof(*most));

	if (most == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < totals->sums.n; i++) {
		const struct place *place = totals->places.keys[i].bytes;

		/* Of lines with equal sums, keep the first. */
		if (totals->sums.items[i] <= most[place->function])
			continue;
		most[place->function] = totals->sums.items[i];
		lines[place->function] = place->line;
	}
	free(most);
	return 0;
}

int syscap_view_hottest_lines(const struct syscap_profile *profile,
                              const struct syscap_view *view,
                              uint32_t *ret_lines)
{
	struct totals totals = { 0 };
	size_t n;
	int r = 0;

	syscap_profile_functions(profile, &n);
	for (size_t i = 0; i < n; i++)
		ret_lines[i] = NONE;
	if (view->lines != NULL)
		r = add_up(&totals, view);
	if (r == 0)
		r = choose(&totals, n, ret_lines);
	syc_map_fini(&totals.places);
	free(totals.sums.items);
	return r;
}
