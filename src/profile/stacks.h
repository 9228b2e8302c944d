/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stacks.h - the stacks of a capture, interned: one tree of locations.
 *
 * Most stacks were met before as they are, and of others what is common on the
 * outside with the one before is not looked up again.
 */
#ifndef SYC_PROFILE_STACKS_H
#define SYC_PROFILE_STACKS_H

#include <stdbool.h>

#include <syscap/profile.h>

#include "data/array.h"
#include "data/map.h"
#include "profile/met.h"
#include "profile/tree.h"

/** What an address in a stack is. */
enum syc_step_kind {
	SYC_STEP_RETURN, /* where a call returns to */
	SYC_STEP_EXACT,  /* an instruction that was about to run */
	SYC_STEP_NOTE    /* no address: a function of every profile */
};

struct syc_stack_step {
	uint64_t address;
	uint32_t kind;
};

/** What is known of a location beside what is public. */
struct syc_location_facts {
	int64_t time; /* of the first stack that it is in */
	uint32_t kind;
	bool is_signal; /* it returns from a signal handler */
	bool may_vary;  /* another function may be there at other times */
};

struct syc_stacks {
	struct syc_tree tree;
	struct syc_met met;
	struct syc_map by_address;
	SYC_ARRAY(uint32_t) parents;
	SYC_ARRAY(uint32_t) nodes; /* the location of each */
	SYC_ARRAY(struct syscap_profile_location) locations;
	SYC_ARRAY(struct syc_location_facts) places; /* of each location */
	/* The last one that was not met before, the outermost first. */
	SYC_ARRAY(struct syc_stack_step) steps, last_steps;
	SYC_ARRAY(uint32_t) path;
	SYC_ARRAY(uint64_t) hashes; /* of the ways to them */
	uint32_t last_process;
};

/** 0 or -ENOMEM. */
int syc_stacks_init(struct syc_stacks *stacks);
void syc_stacks_fini(struct syc_stacks *stacks);
/** No stack is put, and no location made exact, any more. */
void syc_stacks_seal(struct syc_stacks *stacks);

/** What of a frame makes its stack. */
struct syc_stack_source {
	const struct syscap_reader *reader;
	const struct syscap_frame *frame;
	unsigned n_addrs;
	unsigned flags; /* SYSCAP_STACK_* */
	uint32_t process;
};

/** The number of a stack.  0 or -ENOMEM. */
int syc_stacks_put(struct syc_stacks *stacks,
                   const struct syc_stack_source *source, uint32_t *ret_stack);

/** The address of @node is no return address.  0 or -ENOMEM. */
int syc_stacks_make_exact(struct syc_stacks *stacks, uint32_t node);

/** The way to a node, from the outermost frame on; all zero at first. */
struct syc_way {
	uint32_t node;
	uint64_t hash;
};

/**
 * Go on by what @node is, which was @function at @time: through a location of
 * its own if that is not what its location is called.  0 or -ENOMEM.
 */
int syc_stacks_go_on(struct syc_stacks *stacks, struct syc_way *way,
                     uint32_t node, uint32_t function, int64_t time);

/** Kinds of addresses that are no code of a process. */
bool syc_stacks_is_kernel(uint64_t address);
bool syc_stacks_is_name(uint64_t address);

#endif
