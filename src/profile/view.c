/* SPDX-License-Identifier: BSD-2-Clause */
/* view.c - views: filtered trees of functions, and their losses. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <syscap/profile.h>

#include "common/containers.h"
#include "profile/filter.h"
#include "profile/marks.h"
#include "profile/model.h"

#define NONE SYSCAP_PROFILE_NONE

/* A loss of an unknown thread may concern any thread in the process. */
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
 * times.  The view owns the threads of @filter from then on.  Returns 0 or
 * -ENOMEM.
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

bool syscap_view_has_mark(const struct syscap_view *public, uint32_t thread,
                          int64_t time, int64_t duration)
{
	const struct syc_view *view = (const struct syc_view *)public;

	return view->threads[thread] && time <= view->last &&
	       (time >= view->from ||
	        syc_marks_end(time, duration) > view->from);
}

/*
 * The filter's decision on a stack, and the stack's end in the view, depend
 * only on the stack.  So both are computed once per node of the profile,
 * outermost first, not once per sample.
 */

/* Facts about the stack that ends at a node. */
enum {
	HAS_WANTED = 1,
	IS_DROPPED = 2,
	IS_FOCUSED = 4, /* the node is at or below the focused frame */
	IS_NEEDED = 8,  /* samples at or below the node passed */
	/*
	 * A run of syscap's frames.  A frame of the program below a run is
	 * attached to the run's caller, so a run is always the end of a stack.
	 */
	IS_OWN = 16,     /* the node's innermost frame is in a run */
	BEGINS_OWN = 32, /* the node's outermost frame is in a run */
	IS_OWN_NEEDED =
		64, /* samples with their innermost frame in this run passed */
	IS_OF_ALLOCATOR = 128, /* the run's outermost frame is the allocator */
	CONDITIONS = HAS_WANTED | IS_DROPPED | IS_FOCUSED
};

struct build {
	const struct syscap_profile *profile;
	const struct syscap_filter *asked;
	struct syc_filter filter;
	struct syc_view *view;
	unsigned char *flags; /* flags of each stack */
	uint64_t *weights;    /* sum that passed, of each stack */
	/* Conditions, and node in the view, of each stack without the run of
	 * syscap's frames at its end. */
	unsigned char *outer_flags;
	uint32_t *outer_nodes;
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

static uint32_t function_of(const struct ending *ending, uint32_t frame)
{
	return frame == 0 ? ending->function : ending->sources[frame].function;
}

static unsigned conditions_of(unsigned marks)
{
	return ((marks & SYC_FUNCTION_WANTED) != 0 ? HAS_WANTED : 0u) |
	       ((marks & SYC_FUNCTION_DROPPED) != 0 ? IS_DROPPED : 0u) |
	       ((marks & SYC_FUNCTION_FOCUSED) != 0 ? IS_FOCUSED : 0u);
}

/* Return whether a frame with @marks belongs to the run of syscap's frames that
 * @flags describes, or begins a run. */
static bool is_syscap_frame(unsigned marks, unsigned flags)
{
	return (marks & SYC_FUNCTION_RECORDING) != 0 ||
	       ((marks & SYC_FUNCTION_VDSO) != 0 && (flags & IS_OWN) != 0);
}

static void look_at_stack(struct build *build, size_t stack)
{
	const struct ending ending = ending_of(build, stack);
	const uint32_t parent = build->profile->stacks.parents.items[stack];
	const unsigned char *marks = build->filter.functions;
	unsigned flags = build->flags[parent] & ~(unsigned)BEGINS_OWN;
	unsigned outer = build->outer_flags[parent];

	if (is_syscap_frame(marks[ending.function], flags))
		flags |= BEGINS_OWN;
	else
		flags = outer;
	for (uint32_t i = 0; i < ending.n; i++) {
		const unsigned mark = marks[function_of(&ending, i)];

		if ((flags & IS_OWN) == 0 && is_syscap_frame(mark, flags))
			flags |= IS_OWN | ((mark & SYC_FUNCTION_ALLOCATOR) != 0
			                           ? IS_OF_ALLOCATOR
			                           : 0u);
		flags |= conditions_of(mark);
		if ((flags & IS_OWN) == 0)
			outer = flags;
	}
	build->flags[stack] = (unsigned char)flags;
	build->outer_flags[stack] = (unsigned char)outer;
}

static void look_at_stacks(struct build *build)
{
	const size_t n = build->profile->stacks.nodes.n;

	for (size_t i = 1; i < n; i++)
		look_at_stack(build, i);
}

static bool stack_passes(const struct build *build, uint32_t stack)
{
	const unsigned flags = build->flags[stack];

	return (build->asked->function == NULL || (flags & HAS_WANTED) != 0) &&
	       (flags & IS_DROPPED) == 0 &&
	       (build->asked->focus == NULL || (flags & IS_FOCUSED) != 0);
}

/* Return whether the view omits the rows of @stack as syscap's own code. */
static bool is_left_out(const struct build *build, uint32_t stack)
{
	return !build->asked->with_recording &&
	       (build->flags[stack] & IS_OWN) != 0;
}

/*
 * Add a sample or allocation.  Returns false if the filter rejects the sample
 * or allocation.
 */
static bool add(struct build *build, size_t number, uint32_t stack,
                uint32_t thread, int64_t time, uint64_t weight)
{
	struct syscap_view *view = &build->view->public;
	const unsigned flags = build->flags[stack];

	if (weight == 0 || !stack_passes(build, stack) ||
	    !syc_filter_passes(&build->filter, build->profile, thread, time))
		return false;
	view->whole += weight;
	if ((flags & IS_OWN) != 0) {
		view->recording += weight;
		if ((flags & IS_OF_ALLOCATOR) != 0)
			view->recording_memory += weight;
		if (!build->asked->with_recording)
			return false;
		build->flags[stack] |= IS_OWN_NEEDED;
	}
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
	for (size_t i = 0; i < samples->times.n; i++) {
		const uint32_t thread = samples->threads.items[i];
		const uint32_t ticks = samples->ticks.items[i];

		view->n_looked += !is_left_out(build, samples->stacks.items[i]);
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
		    syc_allocations_amount(allocations,
		                           &build->profile->processes, i,
		                           build->asked->of));
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
		view->n_looked += !is_left_out(build, wait->stack);
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

	for (size_t i = stacks->nodes.n; i-- > 1;) {
		const unsigned flags = build->flags[i];
		unsigned char *parent = &build->flags[stacks->parents.items[i]];

		if ((flags & IS_NEEDED) != 0)
			*parent |= IS_NEEDED;
		if ((flags & IS_OWN_NEEDED) != 0 && (flags & BEGINS_OWN) != 0 &&
		    (*parent & IS_OWN) != 0)
			*parent |= IS_OWN_NEEDED;
	}
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

/*
 * Extend the path by the end of @stack.  Syscap's frames are omitted if no
 * sample that passed ends in these frames.
 */
static int steps(struct build *build, size_t stack, uint32_t *node)
{
	const struct ending ending = ending_of(build, stack);
	const uint32_t caller = build->profile->stacks.parents.items[stack];
	const unsigned flags = build->flags[stack];
	const bool begins_own = (flags & BEGINS_OWN) != 0;
	bool is_run = begins_own;
	bool is_shown = build->asked->focus == NULL ||
	                ((begins_own ? build->flags[caller]
	                             : build->outer_flags[caller]) &
	                 IS_FOCUSED) != 0;

	build->outer_nodes[stack] = build->outer_nodes[caller];
	*node = begins_own ? build->view->nodes[caller]
	                   : build->outer_nodes[caller];
	for (uint32_t i = 0; i < ending.n; i++) {
		const uint32_t function = function_of(&ending, i);
		const unsigned marks = build->filter.functions[function];

		is_run = is_run || (marks & SYC_FUNCTION_RECORDING) != 0;
		if (is_run && (flags & IS_OWN_NEEDED) == 0)
			break;
		is_shown = is_shown || (marks & SYC_FUNCTION_FOCUSED) != 0;
		if (is_shown &&
		    step(build, function,
		         ending.sources != NULL ? ending.sources[i].line : NONE,
		         node) < 0)
			return -ENOMEM;
		if (!is_run)
			build->outer_nodes[stack] = *node;
	}
	return 0;
}

static int make_tree(struct build *build)
{
	const struct syc_stacks *stacks = &build->profile->stacks;
	uint32_t *nodes = build->view->nodes;

	nodes[0] = 0;
	build->outer_nodes[0] = 0;
	for (size_t i = 1; i < stacks->nodes.n; i++) {
		nodes[i] = NONE;
		if ((build->flags[i] & IS_NEEDED) == 0)
			continue;
		if (steps(build, i, &nodes[i]) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* Map each stack with samples that passed to a node of the view.  Other stacks
 * get no node. */
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

static void free_temporary(struct build *build)
{
	free(build->flags);
	free(build->outer_flags);
	free(build->outer_nodes);
	free(build->weights);
	build->flags = build->outer_flags = NULL;
	build->outer_nodes = NULL;
	build->weights = NULL;
}

static int make(struct build *build)
{
	const size_t n = build->profile->stacks.nodes.n;
	struct syc_view *view = build->view;

	view->by_line = build->asked->by_line &&
	                build->profile->naming.sources.sources.n > 0;
	build->flags = calloc(n, 1);
	build->outer_flags = calloc(n, 1);
	build->outer_nodes = malloc(n * sizeof(*build->outer_nodes));
	build->weights = calloc(n, sizeof(*build->weights));
	view->nodes = malloc(n * sizeof(*view->nodes));
	view->passed =
		calloc(count_rows(build) / 64 + 1, sizeof(*view->passed));
	if (build->flags == NULL || build->outer_flags == NULL ||
	    build->outer_nodes == NULL || build->weights == NULL ||
	    view->nodes == NULL || view->passed == NULL ||
	    syc_view_begin(view) < 0)
		return -ENOMEM;
	look_at_stacks(build);
	add_rows(build);
	mark_needed(build);
	if (make_tree(build) < 0 || place_stacks(build) < 0)
		return -ENOMEM;
	/* Free temporary data before further allocations. */
	free_temporary(build);
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
	free_temporary(&build);
	if (r < 0) {
		syscap_view_free(&build.view->public);
		return r;
	}
	*ret_view = &build.view->public;
	return 0;
}
