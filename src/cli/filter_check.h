/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * filter_check.h - names in a filter that a capture does not contain.
 *
 * A name that is nowhere is distinguished from one whose samples another
 * condition excludes: the first is usually a typing error. Threads are those
 * with events that the profile keeps.
 */
#ifndef SYC_CLI_FILTER_CHECK_H
#define SYC_CLI_FILTER_CHECK_H

#include <stdbool.h>

#include <syscap/profile.h>

/** A set of kinds of names. */
unsigned syc_filter_check_find(const struct syscap_profile *profile,
                               const struct syscap_filter *filter);

/** Print the @missing ones to stderr, with the names that exist instead. */
void syc_filter_check_print(const char *command, const char *file,
                            const struct syscap_profile *profile,
                            const struct syscap_filter *filter,
                            unsigned missing);

/**
 * Report all errors of @filter, for which syscap_view_new() returned @r and
 * @error. Returns whether there are any.
 */
bool syc_filter_check_report(const char *command, const char *file,
                             const struct syscap_profile *profile,
                             const struct syscap_filter *filter, int r,
                             const struct syscap_error *error);

#endif
