/* SPDX-License-Identifier: BSD-2-Clause */
/* recovered.h - what making a capture whole has found and done. */
#ifndef SYC_CAPTURE_RECOVERED_H
#define SYC_CAPTURE_RECOVERED_H

#include <stdbool.h>
#include <stdint.h>

struct syc_recovered {
	char capture[4096];   /* its name, where a ring file was given */
	char left_alone[200]; /* why a ring file was not its; "": none */
	bool is_rings;        /* a ring file was given, by its first bytes */
	bool had_rings;       /* there was a ring file */
	bool made_capture;    /* it was missing, and is there again */
	bool is_left;         /* it is missing, or another file by now */
	uint64_t frames;      /* moved into the capture */
	uint64_t bad;         /* in the rings, and not readable: if there are
	                       * any, the ring file is kept, else it is gone */
	uint64_t cut;         /* bytes of a torn frame that were cut off */
	uint64_t cut_at;      /* where the file ended then; with cut */
	bool made_end;        /* end_time was missing, or too early */
};

#endif
