/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reader.h - a capture that is mapped in memory, as reader_open.c makes it and
 * reader.c steps through it; nobody else looks inside.
 */
#ifndef SYC_CAPTURE_READER_H
#define SYC_CAPTURE_READER_H

#include <stdbool.h>
#include <stdint.h>

#include <syscap/capture.h>
#include <syscap/format.h>

#include "capture/mapping.h"

#define SYC_READER_HEADER sizeof(struct syscap_wire_file)

struct syscap_reader {
	const unsigned char *data;
	uint64_t size; /* of it, as far as it counts */
	struct syc_mapping mapping;
	unsigned char *rest; /* frames that follow: from a ring file, or one */
	uint64_t rest_size;  /* bytes of them */
	uint64_t rest_frames;
	uint64_t rest_bad; /* what of the ring file could not be read */
	char not_merged[sizeof(((struct syscap_error *)0)->message)];
	uint64_t position; /* of the next frame; never behind size + rest */
	uint64_t released; /* pages up to here were given back */
	bool big;          /* the file's byte order */
	bool is_written;   /* somebody does: it may end within a frame */
};

#endif
