/* SPDX-License-Identifier: BSD-2-Clause */
/* logged.h - what the command writes on standard error, as LOG frames. */
#ifndef SYC_RECORD_LOGGED_H
#define SYC_RECORD_LOGGED_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/compose.h"
#include "capture/writer.h"
#include "record/pump.h"

/** A line is cut behind as many bytes. */
#define SYC_LOGGED_LINE 8192u

struct syc_logged {
	struct syc_pump pump;
	bool is_on, has_ended;
	bool has_all; /* the pump said so; one that was killed does not */
	int32_t pid;  /* whose lines these are taken for */
	struct syc_writer *writer;
	uint64_t lost; /* bytes, of which there are no frames */
	size_t n;      /* of the line that is not at its end */
	int64_t time;  /* when that began */
	char line[SYC_LOGGED_LINE];
};

/** Begin: pump.given is for the command, pump.socket is read when there is
 * something.  0 or -errno. */
int syc_logged_begin(struct syc_logged *logged);

/** Take what there is, but not for long: others write, too.  False: no more
 * will come. */
bool syc_logged_take(struct syc_logged *logged);

/** Take all that was written up to now; wait for it, but not for long.  False:
 * some of it is missing. */
bool syc_logged_end(struct syc_logged *logged);

void syc_logged_free(struct syc_logged *logged);

#endif
