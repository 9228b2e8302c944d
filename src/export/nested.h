/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nested.h - the marks of a view, lane by lane, as what begins and ends: ends
 * come before what begins at their time, and of what begins at one time the
 * longest is first.
 *
 * Marks that are parts of operations are not among them; steps of none are.
 */
#ifndef SYC_EXPORT_NESTED_H
#define SYC_EXPORT_NESTED_H

#include <stdbool.h>

#include <syscap/profile.h>

struct syc_nested_open {
	uint32_t number;
	int64_t end;
};

struct syc_nested {
	const struct syscap_profile *profile;
	uint32_t *order; /* numbers of marks */
	struct syc_nested_open *open;
	size_t n, at, n_open, n_depths;
	struct syscap_profile_mark next; /* the one at @at */
	bool is_first;                   /* it is, in its lane */
};

enum syc_nested_kind {
	SYC_NESTED_BEGIN,
	SYC_NESTED_END,
	SYC_NESTED_INSTANT
};

struct syc_nested_event {
	enum syc_nested_kind kind;
	uint32_t number;
	struct syscap_profile_mark mark; /* of what begins */
	int64_t time;
	bool is_first; /* in its lane */
};

/** 0 or -ENOMEM. */
int syc_nested_init(struct syc_nested *nested,
                    const struct syscap_profile *profile,
                    const struct syscap_view *view);
void syc_nested_fini(struct syc_nested *nested);

/** False: there is no more. */
bool syc_nested_next(struct syc_nested *nested,
                     struct syc_nested_event *ret_event);

/** When @mark ends. */
int64_t syc_nested_end_of(const struct syscap_profile_mark *mark);

#endif
