/* SPDX-License-Identifier: BSD-2-Clause */
/* joining.h - joiner of a test's captures, in memory. */
#ifndef SYSCAP_JOINING_H
#define SYSCAP_JOINING_H

#include <syscap/capture.h>

#include "capture/join.h"
#include "harness/make_capture.h"

struct joined {
	unsigned char *data;
	size_t size;
	struct syscap_file_info info;
	struct syc_join_span span;
	struct syc_join_totals totals;
	char told[8192]; /* "a: at byte 256: message\n"... */
};

/** Join the @n captures, which are called a, b, ..., and free them. */
void join(struct joined *ret_joined, struct make_capture *captures, unsigned n);
void join_with(struct joined *ret_joined,
               const struct syc_join_options *options,
               struct make_capture *captures, unsigned n);
void joined_free(struct joined *joined);

struct syscap_reader *joined_open(const struct joined *joined);

/** Number of frames of @type; fails if the capture is not readable to its
 * end. */
unsigned joined_count(const struct joined *joined, unsigned type);

/** Frame @i of @type; fails if there is no such frame. */
void joined_find(const struct joined *joined, unsigned type, unsigned i,
                 struct syscap_frame *ret_frame);

#endif
