/* SPDX-License-Identifier: BSD-2-Clause */
/* flamegraph.h - a view as a picture, SVG, that can be searched and zoomed. */
#ifndef SYC_EXPORT_FLAMEGRAPH_H
#define SYC_EXPORT_FLAMEGRAPH_H

#include <stdbool.h>
#include <stdio.h>

#include <syscap/profile.h>

#include "export/flamegraph_diff.h"

struct syc_flamegraph {
	const struct syscap_profile *profile;
	const struct syscap_view *view;
	const char *title;  /* of what: the capture's name */
	const char *filter; /* as it was given, or "" */
	const struct syc_flamegraph_diff *diff; /* NULL: none */
	bool by_self; /* colours of a diff: of self instead of total */
};

/** 0 or -ENOMEM; errors of @out are its own. */
int syc_flamegraph_write(const struct syc_flamegraph *graph, FILE *out);

#endif
