/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stacks.h - the stacks that a CHILD sampled, as text, innermost first:
 *
 *	leaf < inner < native_call < outer
 *
 * Names are those of JITMAP frames, wherever in the capture they are, and of
 * functions that the child has told with stacks_tell(); what else is in a
 * stack (the C library, the test's own frames) is left out.
 */
#ifndef SYSCAP_TEST_STACKS_H
#define SYSCAP_TEST_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/peer.h"

/** A function that stands in stacks by its name; see NATIVE_TELL(). */
#define NATIVE(name)                               \
	extern const char __start_native_##name[]; \
	extern const char __stop_native_##name[];  \
	__attribute__((noinline, section("native_" #name)))

/** In the child: @name, made with NATIVE(@name), is to be known. */
#define NATIVE_TELL(name) \
	stacks_tell(#name, __start_native_##name, __stop_native_##name)

void stacks_tell(const char *name, const char *low, const char *high);

/** The @i-th sample of the process, over all rings; fails if there is none. */
struct peer_frame stacks_sample(const struct peer *peer, unsigned i);

/** Its stack as a text, in static memory. */
const char *stacks_text(const struct peer *peer,
                        const struct peer_frame *sample);

/** The function in which it was taken is @name: nothing is inside of it. */
bool stacks_is_in(const struct peer *peer, const struct peer_frame *sample,
                  const char *name);

/** The text of the @i-th. */
const char *stacks_nth(const struct peer *peer, unsigned i);

/** SYSCAP_STACK_* of it. */
unsigned stacks_flags(const struct peer_frame *sample);
uint32_t stacks_weight(const struct peer_frame *sample);

/** The name of @address in the JITMAP frames of @pid; NULL: there is none. */
const char *stacks_name(const struct peer *peer, int32_t pid, uint64_t address);

/** How often JITMAP frames say what @name's address is. */
unsigned stacks_count_name(const struct peer *peer, const char *name);

#endif
