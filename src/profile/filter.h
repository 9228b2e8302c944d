/* SPDX-License-Identifier: BSD-2-Clause */
/* filter.h - filters: the functions, threads, and times that pass. */
#ifndef SYC_PROFILE_FILTER_H
#define SYC_PROFILE_FILTER_H

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

#include "common/containers.h"
#include "profile/model.h"

/**
 * Compile a POSIX extended expression, without subexpressions.  Returns 0,
 * -ENOMEM, or -EINVAL with the reason in @why.  On success, the caller frees the
 * expression.
 */
int syc_pattern_compile(regex_t *regex, const char *pattern, char *why,
                        size_t size);

/** A time inside marks. */
struct syc_inside_marks {
	int64_t begin, end;
	uint32_t thread; /* number; NONE: all threads of the process */
	uint32_t process;
};

/** All zero: no marks. */
struct syc_filter_marks {
	SYC_ARRAY(uint32_t) numbers; /* numbers of marks, the slowest first */
	SYC_ARRAY(struct syc_inside_marks)
	inside; /* disjoint times, by thread or process */
	uint64_t n_threadless;
};

/** The roles of a function in a filter. */
enum syc_function_mark {
	SYC_FUNCTION_WANTED = 1,
	SYC_FUNCTION_DROPPED = 2,
	SYC_FUNCTION_FOCUSED = 4,
	SYC_FUNCTION_TAKEN_OUT = 8,
	SYC_FUNCTION_RECORDING = 16,
	SYC_FUNCTION_ALLOCATOR = 32, /* RECORDING function that replaces
	                              * malloc() etc. */
	SYC_FUNCTION_VDSO = 64       /* RECORDING if the caller is RECORDING */
};

struct syc_filter {
	const struct syscap_filter *asked;
	/* Flags of each function: enum syc_function_mark. */
	unsigned char *functions;
	uint32_t *shown_as;     /* function that represents each function */
	unsigned char *threads; /* flag of each thread: may pass */
	/* Flag of each process: has a thread that may pass. */
	unsigned char *processes;
	bool has_recording; /* a function has SYC_FUNCTION_RECORDING */
	bool has_marks;
	struct syc_filter_marks marks;
};

/** Returns 0, -ENOMEM, or -EINVAL with the reason in @error. */
int syc_filter_init(struct syc_filter *filter,
                    const struct syscap_profile *profile,
                    const struct syscap_filter *asked,
                    struct syscap_error *error);

void syc_filter_fini(struct syc_filter *filter);

/** Return whether an event of @thread at @time passes, regardless of its
 * stack. */
bool syc_filter_passes(const struct syc_filter *filter,
                       const struct syscap_profile *profile, uint32_t thread,
                       int64_t time);

#endif
