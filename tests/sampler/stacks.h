/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stacks.h - the stacks that a CHILD sampled, as text, innermost first:
 *
 *	leaf < inner < native_call < outer
 *
 * Names come from JITMAP frames anywhere in the capture, and from functions
 * that the child has named with stacks_tell(). Other frames (of the C library
 * and of the test) are omitted.
 */
#ifndef SYSCAP_TEST_STACKS_H
#define SYSCAP_TEST_STACKS_H

#include <stdbool.h>
#include <stdint.h>

#include "harness/peer.h"

/** A function with a name in stacks; see NATIVE_TELL(). */
#define NATIVE(name)                               \
	extern const char __start_native_##name[]; \
	extern const char __stop_native_##name[];  \
	__attribute__((noinline, section("native_" #name)))

/** In the child: stacks show @name, which was made with NATIVE(@name). */
#define NATIVE_TELL(name) \
	stacks_tell(#name, __start_native_##name, __stop_native_##name)

void stacks_tell(const char *name, const char *low, const char *high);

/** The @i-th sample of the process, over all rings; fails without such a
 * sample. */
struct peer_frame stacks_sample(const struct peer *peer, unsigned i);

/** The stack of @sample as text, in static memory. */
const char *stacks_text(const struct peer *peer,
                        const struct peer_frame *sample);

/** Is @name the innermost function of @sample? */
bool stacks_is_in(const struct peer *peer, const struct peer_frame *sample,
                  const char *name);

/** The stack of the @i-th sample as text. */
const char *stacks_nth(const struct peer *peer, unsigned i);

/** The SYSCAP_STACK_* flags of @sample. */
unsigned stacks_flags(const struct peer_frame *sample);
uint32_t stacks_weight(const struct peer_frame *sample);

/** The name of @address in the JITMAP frames of @pid; NULL: no name. */
const char *stacks_name(const struct peer *peer, int32_t pid, uint64_t address);

/** Number of entries for @name in all JITMAP frames. */
unsigned stacks_count_name(const struct peer *peer, const char *name);

#endif
