/* SPDX-License-Identifier: BSD-2-Clause */
/* join_pids_settle.c - who is who in a joined capture. */
#include "capture/join_pids_settle.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Recorders tell the build-id, or the inode, or both. */
static bool same_text(const char *a, const char *b)
{
	return a == NULL || b == NULL || strcmp(a, b) == 0;
}

static bool same_inode(uint64_t a, uint64_t b)
{
	return a == 0 || b == 0 || a == b;
}

static bool same_region(const struct syc_join_region *a,
                        const struct syc_join_region *b)
{
	return a->start == b->start && a->end == b->end &&
	       a->offset == b->offset && same_inode(a->inode, b->inode) &&
	       strcmp(a->filename, b->filename) == 0 &&
	       same_text(a->build_id, b->build_id);
}

static bool has_region(const struct syc_join_process *process,
                       const struct syc_join_region *region)
{
	for (size_t i = 0; i < process->regions.n; i++)
		if (same_region(&process->regions.items[i], region))
			return true;
	return false;
}

/* The program, and, since that may be at a fixed place, something else. */
static bool same_maps(const struct syc_join_process *a,
                      const struct syc_join_process *b)
{
	if (!same_region(&a->regions.items[0], &b->regions.items[0]))
		return false;
	if (a->regions.n == 1 || b->regions.n == 1)
		return true;
	for (size_t i = 1; i < a->regions.n; i++)
		if (has_region(b, &a->regions.items[i]))
			return true;
	return false;
}

enum verdict {
	OTHER,
	UNKNOWN, /* nothing speaks for it, nothing against it */
	SAME
};

static enum verdict compare(const struct syc_join_process *a,
                            const struct syc_join_process *b)
{
	if (a->ended < b->first || b->ended < a->first)
		return OTHER;
	if (a->regions.n > 0 && b->regions.n > 0)
		return same_maps(a, b) ? SAME : OTHER;
	if (a->cmdlines.n == 0 || b->cmdlines.n == 0)
		return UNKNOWN;
	for (size_t i = 0; i < a->cmdlines.n; i++)
		if (syc_join_pids_has_cmdline(b, a->cmdlines.items[i]))
			return SAME;
	return OTHER;
}

/* A process as an input has it; those of one original pid are a list. */
struct known {
	const struct syc_join_process *process;
	size_t input, next; /* next: place + 1 */
};

struct settling {
	struct syc_map by_original;
	SYC_ARRAY(size_t) heads; /* place + 1 */
	SYC_ARRAY(struct known) known;
	struct syc_map used; /* all numbers that an input has, or got */
	struct syc_map given;
	SYC_ARRAY(size_t) given_to; /* input */
	int32_t last;
};

/* Whether @number is that of an earlier process; else it is from now on. */
static int give(struct settling *settling, int32_t number, size_t input,
                size_t *ret_other)
{
	size_t place;
	const int r =
		syc_map_put(&settling->given, &number, sizeof(number), &place);

	if (r > 0)
		return syc_array_push(&settling->given_to, input) < 0 ? -ENOMEM
		                                                      : 1;
	if (r == 0)
		*ret_other = settling->given_to.items[place];
	return r;
}

static int fresh(struct settling *settling, int32_t *ret_number)
{
	size_t unused;
	int r;

	do
		r = syc_map_put(&settling->used, &settling->last,
		                sizeof(settling->last), &unused);
	while (r == 0 && settling->last++ < INT32_MAX - 1);
	*ret_number = settling->last;
	return r > 0 ? 0 : -ENOMEM;
}

/* Whether nothing in the list speaks against @number for @process. */
static bool may_be(const struct settling *settling,
                   const struct syc_join_process *process, int32_t number,
                   size_t input, size_t head)
{
	for (size_t at = head; at != 0;) {
		const struct known *const k = &settling->known.items[at - 1];

		if (k->process->new_pid == number &&
		    (k->input == input ||
		     compare(k->process, process) == OTHER))
			return false;
		at = k->next;
	}
	return true;
}

/* The same in an earlier input, or NULL. */
static const struct syc_join_process *
find_earlier(const struct settling *settling,
             const struct syc_join_process *process, size_t input, size_t head)
{
	const struct syc_join_process *found = NULL;

	for (size_t at = head; at != 0;) {
		const struct known *const k = &settling->known.items[at - 1];
		const enum verdict verdict =
			k->input == input ? OTHER
					  : compare(k->process, process);

		if (verdict == SAME)
			return k->process;
		if (verdict == UNKNOWN &&
		    may_be(settling, process, k->process->new_pid, input, head))
			found = k->process;
		at = k->next;
	}
	return found;
}

static int settle_one(struct settling *settling,
                      struct syc_join_process *process, size_t input,
                      bool *ret_changed, size_t *ret_other)
{
	const struct known known = { .process = process, .input = input };
	size_t place;
	int r = syc_map_put(&settling->by_original, &process->original,
	                    sizeof(process->original), &place);

	if (r < 0 || (r > 0 && syc_array_push(&settling->heads, 0) < 0))
		return -ENOMEM;
	const struct syc_join_process *const same = find_earlier(
		settling, process, input, settling->heads.items[place]);
	*ret_changed = false;
	if (same != NULL) {
		process->new_pid = same->new_pid;
	} else {
		r = give(settling, process->pid, input, ret_other);
		*ret_changed = r == 0;
		if (r == 0)
			r = fresh(settling, &process->new_pid);
		if (r < 0)
			return r;
	}
	if (syc_array_push(&settling->known, known) < 0)
		return -ENOMEM;
	settling->known.items[settling->known.n - 1].next =
		settling->heads.items[place];
	settling->heads.items[place] = settling->known.n;
	return 0;
}

int syc_join_pids_settle(struct syc_join_pids *const *inputs, size_t n,
                         void (*told)(void *data, size_t input,
                                      const struct syc_join_process *process,
                                      size_t other),
                         void *data)
{
	struct settling settling = { .last = SYC_JOIN_PIDS_FIRST };
	size_t unused, other = 0;
	bool changed;
	int r = 0;

	for (size_t i = 0; r >= 0 && i < n; i++)
		for (size_t k = 0; r >= 0 && k < inputs[i]->processes.n; k++)
			r = syc_map_put(&settling.used,
			                &inputs[i]->processes.items[k].pid,
			                sizeof(int32_t), &unused);
	for (size_t i = 0; r >= 0 && i < n; i++)
		for (size_t k = 0; r >= 0 && k < inputs[i]->processes.n; k++) {
			struct syc_join_process *const process =
				&inputs[i]->processes.items[k];

			r = settle_one(&settling, process, i, &changed, &other);
			inputs[i]->n_changed +=
				process->new_pid != process->pid;
			if (r >= 0 && changed)
				told(data, i, process, other);
		}
	syc_map_fini(&settling.by_original);
	syc_map_fini(&settling.used);
	syc_map_fini(&settling.given);
	free(settling.heads.items);
	free(settling.known.items);
	free(settling.given_to.items);
	return r < 0 ? r : 0;
}
