/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frame_merge.c - merge of native frames and frames of runtimes into one stack
 * (compose.h).
 *
 * All steps work in place, from the outermost frame inwards.  No write reaches
 * an entry that is still to be read, because each step writes at least as many
 * entries as it reads.
 */
#define _GNU_SOURCE
#include <string.h>

#include "sampler/compose.h"

void syc_merge_begin(struct syc_merge *merge, const uint64_t *addrs,
                     const uintptr_t *sps, unsigned n, unsigned gap)
{
	merge->n = n;
	merge->gap = gap < n ? gap : 0;
	for (unsigned i = 0; i < n; i++)
		merge->list[i] = (struct syc_merge_entry){
			.value = addrs[i],
			.sp = sps[i],
			.kind = SYSCAP_CALL_PC,
		};
}

static struct syc_merge_entry make_entry(const struct syc_merge_run *run,
                                         unsigned i, uintptr_t sp)
{
	return (struct syc_merge_entry){ .value = run->frames[i].value,
		                         .sp = sp,
		                         .kind = run->frames[i].kind,
		                         .from = run->from };
}

/*
 * Address of frame @i, whose caller is at @outer.  The address is @outer if the
 * frame is inlined into its caller, or has no address.  If the address is above
 * @outer, @outer replaces the address, to keep the runtime's order.
 */
static uintptr_t frame_place(const struct syscap_stack_frame *frame,
                             uintptr_t outer)
{
	if ((frame->flags & SYSCAP_CALL_INLINED) != 0 || frame->sp == 0 ||
	    frame->sp > outer)
		return outer;
	return frame->sp;
}

void syc_merge_by_sp(struct syc_merge *merge, const struct syc_merge_run *run)
{
	struct syc_merge_entry *const list = merge->list;
	unsigned i = merge->n, j = run->n, to = i + j;
	unsigned gap = merge->gap;
	uintptr_t sp = UINTPTR_MAX;

	merge->n = to;
	if (j != 0)
		sp = frame_place(&run->frames[j - 1], sp);
	while (j != 0) {
		if (i != 0 && list[i - 1].sp > sp) {
			list[--to] = list[--i];
			if (i == gap && gap != 0)
				merge->gap = to;
			continue;
		}
		list[--to] = make_entry(run, --j, sp);
		if (j != 0)
			sp = frame_place(&run->frames[j - 1], sp);
	}
}

static unsigned count_entries(const struct syc_merge_run *run)
{
	unsigned n = 0;

	for (unsigned i = 0; i < run->n; i++)
		n += (run->frames[i].flags & SYSCAP_CALL_ENTRY) != 0;
	/* If the walk ended early, the last part has no ENTRY */
	if (run->n != 0 &&
	    (run->frames[run->n - 1].flags & SYSCAP_CALL_ENTRY) == 0)
		n++;
	return n;
}

/* Return the first index of the part that ends before @end. */
static unsigned part_begin(const struct syc_merge_run *run, unsigned end)
{
	unsigned i = end - 1;

	while (i != 0 && (run->frames[i - 1].flags & SYSCAP_CALL_ENTRY) == 0)
		i--;
	return i;
}

static bool is_eval(const struct syc_merge_entry *entry, uintptr_t low,
                    uintptr_t high)
{
	return entry->from == 0 && entry->value >= low && entry->value < high;
}

/* Return the innermost of the outer entries whose places are at least
 * @boundary. */
static unsigned find_entry_at(const struct syc_merge *merge, uintptr_t boundary)
{
	unsigned i = merge->n;

	/* Begin with the outermost entry.  The innermost entries may be on a
	 * handler's own stack, at any address */
	while (i != 0 && merge->list[i - 1].sp >= boundary)
		i--;
	return i;
}

/* State of the walk inwards: list[0, i) is still to be read, list[to, ...) is
 * written. */
struct inwards {
	struct syc_merge *merge;
	const struct syc_merge_run *run;
	unsigned i, to;
	unsigned end; /* number of the run's frames that are still to be
	               * written */
	uintptr_t sp; /* stack address of the entry that was written last */
};

static void write_entry(struct inwards *in, struct syc_merge_entry entry)
{
	in->merge->list[--in->to] = entry;
	in->sp = entry.sp;
}

static void write_part(struct inwards *in, uintptr_t sp)
{
	const unsigned begin = part_begin(in->run, in->end);

	while (in->end != begin)
		write_entry(in, make_entry(in->run, --in->end, sp));
}

static unsigned count_evals(const struct syc_merge *merge, unsigned from,
                            unsigned until, uintptr_t low, uintptr_t high)
{
	unsigned n = 0;

	for (unsigned i = from; i < until; i++)
		n += is_eval(&merge->list[i], low, high);
	return n;
}

static unsigned smaller(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

/* Read until list[0, until) is left.  Keep the first @skip evals that are read,
 * and replace the next @n by parts. */
static void write_inwards(struct inwards *in, unsigned until, unsigned skip,
                          unsigned n, uintptr_t low, uintptr_t high)
{
	while (in->i > until) {
		const struct syc_merge_entry entry = in->merge->list[--in->i];

		if (!is_eval(&entry, low, high)) {
			write_entry(in, entry);
		} else if (skip != 0 || n == 0) {
			write_entry(in, entry);
			skip -= skip != 0;
		} else {
			write_part(in, entry.sp);
			n--;
		}
	}
}

/* Return the place of parts without a native frame, outside of all parts with a
 * native frame. */
static unsigned find_rest_place(const struct syc_merge *merge, uintptr_t low,
                                uintptr_t high, uintptr_t boundary)
{
	const unsigned before = find_entry_at(merge, boundary);
	unsigned i = merge->n;

	if (merge->gap != 0)
		return merge->gap;
	while (i > before && !is_eval(&merge->list[i - 1], low, high))
		i--;
	return i;
}

void syc_merge_by_entry(struct syc_merge *merge,
                        const struct syc_merge_run *run, uintptr_t low,
                        uintptr_t high, uintptr_t boundary)
{
	const unsigned rest = find_rest_place(merge, low, high, boundary);
	const unsigned split = merge->gap != 0 ? merge->gap : merge->n;
	const unsigned n_parts = count_entries(run);
	const unsigned evals = count_evals(merge, 0, split, low, high);
	const unsigned outer_evals =
		count_evals(merge, split, merge->n, low, high);
	const unsigned inner = smaller(evals, n_parts);
	const unsigned outer =
		run->is_whole ? smaller(outer_evals, n_parts - inner) : 0;
	struct inwards in = { .merge = merge,
		              .run = run,
		              .i = merge->n,
		              .to = merge->n - inner - outer + run->n,
		              .end = run->n,
		              .sp = UINTPTR_MAX };

	merge->n = in.to;
	if (merge->gap != 0) {
		write_inwards(&in, split, 0, outer, low, high);
		merge->gap = in.to;
	} else {
		/* If parts without a native frame remain, no eval is outside of
		 * their place */
		write_inwards(&in, n_parts > inner ? rest : in.i, 0, 0, low,
		              high);
		if (in.sp >= boundary &&
		    (in.i == 0 || merge->list[in.i - 1].sp < boundary))
			in.sp = boundary - 1;
	}
	for (unsigned i = inner + outer; i < n_parts; i++)
		write_part(&in, in.sp);
	write_inwards(&in, 0, evals - inner, inner, low, high);
}

void syc_merge_before(struct syc_merge *merge, const struct syc_merge_run *run,
                      uintptr_t boundary)
{
	const unsigned at = find_entry_at(merge, boundary);

	memmove(merge->list + at + run->n, merge->list + at,
	        (merge->n - at) * sizeof(*merge->list));
	for (unsigned i = 0; i < run->n; i++)
		merge->list[at + i] = make_entry(run, i, boundary - 1);
	merge->n += run->n;
	if (merge->gap >= at && merge->gap != 0)
		merge->gap += run->n;
}

/* Remove the native frames of the innermost @n frames. */
static void drop_native_of(struct syc_merge *merge, unsigned n)
{
	unsigned to = 0;

	for (unsigned i = 0; i < merge->n; i++)
		if (i >= n || merge->list[i].from != 0)
			merge->list[to++] = merge->list[i];
	merge->gap = merge->gap >= n && n != merge->n
	                     ? merge->gap - (merge->n - to)
	                     : 0;
	merge->n = to;
}

void syc_merge_innermost(struct syc_merge *merge,
                         const struct syc_merge_run *run, uintptr_t boundary)
{
	drop_native_of(merge, find_entry_at(merge, boundary));
	syc_merge_before(merge, run, boundary);
}

void syc_merge_drop_native(struct syc_merge *merge)
{
	drop_native_of(merge, merge->n);
}

bool syc_merge_cut(struct syc_merge *merge, unsigned max)
{
	const unsigned outer = SYC_MERGE_ROOTS < max ? SYC_MERGE_ROOTS : 0;

	if (merge->n <= max)
		return false;
	memmove(merge->list + max - outer, merge->list + merge->n - outer,
	        outer * sizeof(*merge->list));
	merge->n = max;
	return true;
}
