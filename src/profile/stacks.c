/* SPDX-License-Identifier: BSD-2-Clause */
/* stacks.c - stacks of a capture, interned in one tree of locations. */
#include "profile/stacks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NONE SYSCAP_PROFILE_NONE

static int grow_keys(struct syc_tree *tree)
{
	if (tree->n < tree->capacity)
		return 0;
	return syc_array_grow(&tree->keys, &tree->capacity,
	                      sizeof(*tree->keys));
}

static int tree_init(struct syc_tree *tree)
{
	memset(tree, 0, sizeof(*tree));
	if (syc_slots_init(&tree->slots) < 0 || grow_keys(tree) < 0)
		return -ENOMEM;
	tree->keys[tree->n++] = (struct syc_tree_key){ .parent = UINT32_MAX };
	return 0;
}

static void tree_fini(struct syc_tree *tree)
{
	free(tree->keys);
	syc_slots_fini(&tree->slots);
	memset(tree, 0, sizeof(*tree));
}

static bool is_same_key(const struct syc_tree_key *a,
                        const struct syc_tree_key *b)
{
	return a->key == b->key && a->parent == b->parent && a->kind == b->kind;
}

/*
 * The node of @key, by its syc_slots_hash().  Returns 1: the node is new, 0: it
 * existed, or -ENOMEM.
 */
static int tree_put(struct syc_tree *tree, const struct syc_tree_key *key,
                    uint64_t hash, uint32_t *ret_node)
{
	size_t slot = syc_slots_first(&tree->slots, hash);
	uint32_t node;

	while ((node = syc_slots_next(&tree->slots, hash, &slot)) != UINT32_MAX)
		if (is_same_key(&tree->keys[node], key)) {
			*ret_node = node;
			return 0;
		}
	if (grow_keys(tree) < 0 ||
	    syc_slots_add(&tree->slots, hash, (uint32_t)tree->n) < 0)
		return -ENOMEM;
	tree->keys[tree->n] = *key;
	*ret_node = (uint32_t)tree->n++;
	return 1;
}

/*
 * Prefetch for a search of @hash: first the slot and, once it is loaded, the
 * key.
 */
static inline void tree_fetch(const struct syc_tree *tree, uint64_t hash)
{
	const struct syc_slots *slots = &tree->slots;

	__builtin_prefetch(&slots->items[syc_slots_first(slots, hash)]);
}

static inline void tree_fetch_key(const struct syc_tree *tree, uint64_t hash)
{
	const struct syc_slots *slots = &tree->slots;
	const uint64_t slot = slots->items[syc_slots_first(slots, hash)];

	__builtin_prefetch(&tree->keys[(uint32_t)slot - (slot != 0)]);
}

/* Context markers are small negative numbers. */
#define MARKERS_BEGIN UINT64_C(0xFFFFFFFFFFFFF000)
#define KERNEL_BEGIN  UINT64_C(0xFFFF000000000000)

/*
 * The outermost frames of a process are children of the root, under a parent
 * number that no node has.  So processes share no nodes.
 */
#define OUTERMOST(process) (UINT32_C(0x80000000) | (process))

static bool is_marker(uint64_t address)
{
	return address >= MARKERS_BEGIN;
}

bool syc_stacks_is_kernel(uint64_t address)
{
	return address >= KERNEL_BEGIN && address < MARKERS_BEGIN;
}

bool syc_stacks_is_name(uint64_t address)
{
	return address >> 32 == SYSCAP_JIT_MARK >> 32;
}

static int add_location(struct syc_stacks *stacks, uint32_t process,
                        const struct syc_stack_step *step, int64_t time,
                        uint32_t *ret_location)
{
	const struct syscap_profile_location location = {
		.address = step->kind == SYC_STEP_NOTE ? 0 : step->address,
		.process = step->kind == SYC_STEP_NOTE ? NONE : process,
		.function = step->kind == SYC_STEP_NOTE
		                    ? (uint32_t)step->address
		                    : NONE,
		.map = NONE,
		.source = NONE,
	};
	const struct syc_location_facts place = { .time = time,
		                                  .kind = step->kind };
	const struct {
		uint64_t address;
		uint32_t process, kind;
	} key = { step->address, location.process, step->kind };
	size_t number;
	int r;

	if (syc_array_room(&stacks->locations) < 0 ||
	    syc_array_room(&stacks->places) < 0)
		return -ENOMEM;
	r = syc_map_put(&stacks->by_address, &key, sizeof(key), &number);
	if (r < 0)
		return r;
	if (r > 0) {
		stacks->locations.items[stacks->locations.n++] = location;
		stacks->places.items[stacks->places.n++] = place;
	}
	*ret_location = (uint32_t)number;
	return 0;
}

int syc_stacks_make_exact(struct syc_stacks *stacks, uint32_t node)
{
	const uint32_t old = stacks->nodes.items[node];
	const struct syc_stack_step step = {
		.address = stacks->locations.items[old].address,
		.kind = SYC_STEP_EXACT,
	};

	if (stacks->places.items[old].kind != SYC_STEP_RETURN)
		return 0;
	return add_location(stacks, stacks->locations.items[old].process, &step,
	                    stacks->places.items[old].time,
	                    &stacks->nodes.items[node]);
}

static int add_node(struct syc_stacks *stacks, uint32_t parent,
                    uint32_t location)
{
	if (syc_array_room(&stacks->parents) < 0 ||
	    syc_array_room(&stacks->nodes) < 0)
		return -ENOMEM;
	stacks->parents.items[stacks->parents.n++] = parent;
	stacks->nodes.items[stacks->nodes.n++] = location;
	return 0;
}

int syc_stacks_init(struct syc_stacks *stacks)
{
	memset(stacks, 0, sizeof(*stacks));
	stacks->last_process = NONE;
	if (tree_init(&stacks->tree) < 0)
		return -ENOMEM;
	return add_node(stacks, NONE, NONE);
}

void syc_stacks_fini(struct syc_stacks *stacks)
{
	tree_fini(&stacks->tree);
	syc_dedup_fini(&stacks->dedup);
	syc_map_fini(&stacks->by_address);
	free(stacks->parents.items);
	free(stacks->nodes.items);
	free(stacks->locations.items);
	free(stacks->places.items);
	free(stacks->steps.items);
	free(stacks->last_steps.items);
	free(stacks->path.items);
	free(stacks->hashes.items);
}

void syc_stacks_seal(struct syc_stacks *stacks)
{
	tree_fini(&stacks->tree);
	syc_dedup_fini(&stacks->dedup);
	syc_map_fini(&stacks->by_address);
	free(stacks->places.items);
	memset(&stacks->places, 0, sizeof(stacks->places));
}

static int push_note(struct syc_stacks *stacks, uint32_t function)
{
	const struct syc_stack_step step = { function, SYC_STEP_NOTE };

	return syc_array_push(&stacks->steps, step);
}

/* Fill steps, outermost first.  The file stores the outermost frame last. */
static int collect(struct syc_stacks *stacks,
                   const struct syc_stack_source *source)
{
	uint64_t address, inner = 0;

	stacks->steps.n = 0;
	if ((source->flags & SYSCAP_STACK_CUT) != 0 &&
	    push_note(stacks, SYSCAP_FUNCTION_CUT) < 0)
		return -ENOMEM;
	if ((source->flags & SYSCAP_STACK_CUT) == 0 &&
	    (source->flags & SYSCAP_STACK_STOPPED) != 0 &&
	    push_note(stacks, SYSCAP_FUNCTION_STOPPED) < 0)
		return -ENOMEM;
	if (source->n_addrs > 0)
		syscap_frame_addr(source->reader, source->frame,
		                  source->n_addrs - 1, &inner);
	for (unsigned i = source->n_addrs; i-- > 0;) {
		struct syc_stack_step step = { .kind = SYC_STEP_EXACT };

		address = inner;
		if (i > 0)
			syscap_frame_addr(source->reader, source->frame, i - 1,
			                  &inner);
		if (is_marker(address))
			continue;
		step.address = address;
		if (i > 0 && !is_marker(inner))
			step.kind = SYC_STEP_RETURN;
		if (syc_array_push(&stacks->steps, step) < 0)
			return -ENOMEM;
	}
	return stacks->steps.n == 0 ? push_note(stacks, SYSCAP_FUNCTION_EMPTY)
	                            : 0;
}

static size_t count_common(const struct syc_stacks *stacks, uint32_t process)
{
	const size_t most = stacks->steps.n < stacks->last_steps.n
	                            ? stacks->steps.n
	                            : stacks->last_steps.n;
	size_t n = 0;

	if (stacks->last_process != process)
		return 0;
	while (n < most &&
	       stacks->steps.items[n].address ==
	               stacks->last_steps.items[n].address &&
	       stacks->steps.items[n].kind == stacks->last_steps.items[n].kind)
		n++;
	return n;
}

static int put_step(struct syc_stacks *stacks,
                    const struct syc_stack_source *source, uint32_t parent,
                    const struct syc_stack_step *step, uint64_t hash,
                    uint32_t *ret_node)
{
	const struct syc_tree_key key = {
		.key = step->address,
		.parent = parent == 0 ? OUTERMOST(source->process) : parent,
		.kind = step->kind,
	};
	uint32_t location;
	int r = tree_put(&stacks->tree, &key, hash, ret_node);

	if (r <= 0)
		return r;
	r = add_location(stacks, source->process, step, source->frame->time,
	                 &location);
	return r == 0 ? add_node(stacks, parent, location) : r;
}

static int add_variant(struct syc_stacks *stacks, uint32_t of,
                       uint32_t function, int64_t time, uint32_t *ret_location)
{
	const struct syscap_profile_location *old =
		&stacks->locations.items[of];
	const struct syc_stack_step step = {
		.address = old->address,
		.kind = stacks->places.items[of].kind | (function + 1) << 2,
	};
	const uint32_t kind = stacks->places.items[of].kind;
	int r = add_location(stacks, old->process, &step, time, ret_location);

	if (r < 0)
		return r;
	stacks->locations.items[*ret_location].function = function;
	stacks->places.items[*ret_location].kind = kind;
	stacks->places.items[*ret_location].may_vary = true;
	return 0;
}

int syc_stacks_go_on(struct syc_stacks *stacks, struct syc_way *way,
                     uint32_t node, uint32_t function, int64_t time)
{
	struct syc_tree_key key = stacks->tree.keys[node];
	uint32_t location = stacks->nodes.items[node];
	const uint32_t parent = way->node;
	const bool is_other =
		stacks->locations.items[location].function != function;
	int r;

	if (parent != 0)
		key.parent = parent;
	if (is_other)
		key.kind = (key.kind & 3) | (function + 1) << 2;
	way->hash = syc_slots_hash(&stacks->tree.slots,
	                           parent == 0 ? key.parent : way->hash,
	                           key.key, key.kind);
	r = tree_put(&stacks->tree, &key, way->hash, &way->node);
	if (r <= 0)
		return r;
	if (is_other)
		r = add_variant(stacks, location, function, time, &location);
	return r < 0 ? r : add_node(stacks, parent, location);
}

/* Compute the hashes of the paths from step @n on, and prefetch their slots. */
static int hash_ways(struct syc_stacks *stacks, size_t n, uint32_t process)
{
	const struct syc_tree *tree = &stacks->tree;
	uint64_t hash =
		n > 0 ? stacks->hashes.items[n - 1] : OUTERMOST(process);

	stacks->hashes.n = n;
	for (size_t i = n; i < stacks->steps.n; i++) {
		const struct syc_stack_step *step = &stacks->steps.items[i];

		hash = syc_slots_hash(&tree->slots, hash, step->address,
		                      step->kind);
		if (syc_array_push(&stacks->hashes, hash) < 0)
			return -ENOMEM;
		tree_fetch(tree, hash);
	}
	for (size_t i = n; i < stacks->steps.n; i++)
		tree_fetch_key(tree, stacks->hashes.items[i]);
	return 0;
}

/*
 * Compute the checksum of a whole stack.  Returns false if the stack has no
 * checksum.
 */
static bool sum_up(struct syc_stacks *stacks,
                   const struct syc_stack_source *source,
                   unsigned __int128 *ret_sum)
{
	const struct syc_dedup *dedup = &stacks->dedup;
	const unsigned n = source->n_addrs;
	unsigned __int128 sum;
	uint64_t address;

	if (n >= SYC_DEDUP_WORDS || !syc_dedup_begin(&stacks->dedup))
		return false;
	sum = syc_dedup_first(dedup, n);
	for (unsigned i = 0; i < n; i++) {
		syscap_frame_addr(source->reader, source->frame, i, &address);
		sum += syc_dedup_word(dedup, i, address);
	}
	*ret_sum = sum + syc_dedup_word(dedup, n,
	                                (uint64_t)source->flags << 32 |
	                                        source->process);
	return true;
}

static int put_steps(struct syc_stacks *stacks,
                     const struct syc_stack_source *source, uint32_t *ret_stack)
{
	size_t n;
	int r = collect(stacks, source);

	if (r < 0)
		return r;
	n = count_common(stacks, source->process);
	stacks->path.n = n;
	r = hash_ways(stacks, n, source->process);
	if (r < 0)
		return r;
	for (size_t i = n; i < stacks->steps.n; i++) {
		uint32_t node = i == 0 ? 0 : stacks->path.items[i - 1];

		if (syc_array_room(&stacks->path) < 0 ||
		    put_step(stacks, source, node, &stacks->steps.items[i],
		             stacks->hashes.items[i], &node) < 0) {
			stacks->last_process = NONE;
			return -ENOMEM;
		}
		stacks->path.items[stacks->path.n++] = node;
	}
	*ret_stack = stacks->path.items[stacks->path.n - 1];
	stacks->last_process = source->process;
	/* Reuse the previous steps for the next stack. */
	struct syc_stack_step *const items = stacks->last_steps.items;
	const size_t capacity = stacks->last_steps.capacity;
	stacks->last_steps.items = stacks->steps.items;
	stacks->last_steps.n = stacks->steps.n;
	stacks->last_steps.capacity = stacks->steps.capacity;
	stacks->steps.items = items;
	stacks->steps.capacity = capacity;
	return 0;
}

int syc_stacks_put(struct syc_stacks *stacks,
                   const struct syc_stack_source *source, uint32_t *ret_stack)
{
	unsigned __int128 sum = 0;
	const bool has_sum = sum_up(stacks, source, &sum);
	const uint32_t known =
		has_sum ? syc_dedup_find(&stacks->dedup, sum) : 0;
	int r;

	if (known != 0) {
		*ret_stack = known;
		return 0;
	}
	r = put_steps(stacks, source, ret_stack);
	if (r == 0 && has_sum)
		syc_dedup_put(&stacks->dedup, sum, *ret_stack);
	return r;
}
