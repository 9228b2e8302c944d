/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * functions.h - the functions of a profile: a name in a binary is one.
 *
 * Their numbers stay what they are; the first ones are those that every
 * profile has, SYSCAP_FUNCTION_*.
 */
#ifndef SYC_PROFILE_FUNCTIONS_H
#define SYC_PROFILE_FUNCTIONS_H

#include <syscap/profile.h>

#include "data/array.h"
#include "data/map.h"
#include "profile/texts.h"

struct syc_functions {
	struct syc_map by_text; /* of two texts, by where they are */
	SYC_ARRAY(struct syscap_profile_function) items;
	SYC_ARRAY(uint32_t) of_binary; /* what stands for its binary */
};

/** 0 or -ENOMEM. */
int syc_functions_init(struct syc_functions *functions,
                       struct syc_texts *texts);
void syc_functions_fini(struct syc_functions *functions);

/** The number of @function, whose texts were kept.  0 or -ENOMEM. */
int syc_functions_put(struct syc_functions *functions,
                      const struct syscap_profile_function *function,
                      uint32_t *ret_number);

/** Have a function "[BINARY]" for the binary of each.  0 or -ENOMEM. */
int syc_functions_settle(struct syc_functions *functions,
                         struct syc_texts *texts);

/** What the code in the file @path is: the system's or not. */
enum syscap_profile_category syc_functions_category(const char *path);

#endif
