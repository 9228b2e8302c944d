/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stacks.h - the stacks of a capture, interned: one tree of locations.
 *
 * Most stacks are nearly the one before; what is common on the outside is not
 * looked up again.
 */
#ifndef SC_PROFILE_STACKS_H
#define SC_PROFILE_STACKS_H

#include <stdbool.h>

#include <syscap/profile.h>

#include "data/array.h"
#include "data/map.h"
#include "profile/tree.h"

/** What an address in a stack is. */
enum sc_step_kind {
	SC_STEP_RETURN, /* where a call returns to */
	SC_STEP_EXACT,  /* an instruction that was about to run */
	SC_STEP_NOTE    /* no address: a function of every profile */
};

struct sc_stack_step {
	uint64_t address;
	uint32_t kind;
};

/** What is known of a location beside what is public. */
struct sc_location_facts {
	int64_t time; /* of the first stack that it is in */
	uint32_t kind;
	bool is_signal; /* it returns from a signal handler */
	bool may_vary;  /* another function may be there at other times */
};

struct sc_stacks {
	struct sc_tree tree;
	struct sc_map by_address;
	SC_ARRAY(uint32_t) parents;
	SC_ARRAY(uint32_t) nodes; /* the location of each */
	SC_ARRAY(struct syscap_profile_location) locations;
	SC_ARRAY(struct sc_location_facts) places; /* of each location */
	/* The stack before, the outermost first. */
	SC_ARRAY(struct sc_stack_step) steps, last_steps;
	SC_ARRAY(uint32_t) path;
	SC_ARRAY(uint64_t) hashes; /* of the ways to them */
	uint32_t last_process;
};

/** 0 or -ENOMEM. */
int sc_stacks_init(struct sc_stacks *stacks);
void sc_stacks_fini(struct sc_stacks *stacks);

/** What of a frame makes its stack. */
struct sc_stack_source {
	const struct syscap_reader *reader;
	const struct syscap_frame *frame;
	unsigned n_addrs;
	unsigned flags; /* SYSCAP_STACK_* */
	uint32_t process;
};

/** The number of a stack.  0 or -ENOMEM. */
int sc_stacks_put(struct sc_stacks *stacks,
                  const struct sc_stack_source *source, uint32_t *ret_stack);

/** The address of @node is no return address.  0 or -ENOMEM. */
int sc_stacks_make_exact(struct sc_stacks *stacks, uint32_t node);

/** The way to a node, from the outermost frame on; all zero at first. */
struct sc_way {
	uint32_t node;
	uint64_t hash;
};

/**
 * Go on by what @node is, which was @function at @time: through a location of
 * its own if that is not what its location is called.  0 or -ENOMEM.
 */
int sc_stacks_go_on(struct sc_stacks *stacks, struct sc_way *way, uint32_t node,
                    uint32_t function, int64_t time);

/** Kinds of addresses that are no code of a process. */
bool sc_stacks_is_kernel(uint64_t address);
bool sc_stacks_is_name(uint64_t address);

#endif
