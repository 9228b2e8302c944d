/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * functions.h - the functions of a profile: a name in a binary is one.
 *
 * Their numbers stay what they are; the first ones are those that every
 * profile has, SYSCAP_FUNCTION_*.
 */
#ifndef SC_PROFILE_FUNCTIONS_H
#define SC_PROFILE_FUNCTIONS_H

#include <syscap/profile.h>

#include "data/array.h"
#include "data/map.h"
#include "profile/texts.h"

struct sc_functions {
	struct sc_map by_text; /* of two texts, by where they are */
	SC_ARRAY(struct syscap_profile_function) items;
	SC_ARRAY(uint32_t) of_binary; /* what stands for its binary */
};

/** 0 or -ENOMEM. */
int sc_functions_init(struct sc_functions *functions, struct sc_texts *texts);
void sc_functions_fini(struct sc_functions *functions);

/** The number of @function, whose texts were kept.  0 or -ENOMEM. */
int sc_functions_put(struct sc_functions *functions,
                     const struct syscap_profile_function *function,
                     uint32_t *ret_number);

/** Have a function "[BINARY]" for the binary of each.  0 or -ENOMEM. */
int sc_functions_settle(struct sc_functions *functions, struct sc_texts *texts);

/** What the code in the file @path is: the system's or not. */
enum syscap_profile_category sc_functions_category(const char *path);

#endif
