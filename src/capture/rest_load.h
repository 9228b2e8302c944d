/* SPDX-License-Identifier: BSD-2-Clause */
/* rest_load.h - the frames that a process left in its ring file.  Context of
 * all: offline. */
#ifndef SYC_CAPTURE_REST_LOAD_H
#define SYC_CAPTURE_REST_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include <syscap/capture.h>

#include "capture/rest.h"

/**
 * Read what is left: @capture is the file's content, @size bytes.  Losses
 * that no record tells are among the frames, as loss records.  May be called
 * again.  0 or -errno; -EBADMSG: the journal does not fit the capture.
 *
 * @size 0: the capture is gone.  Then all that the rings hold is left.
 */
int syc_rest_load(struct syc_rest *rest, const unsigned char *capture,
                  uint64_t size, struct syscap_error *error);

/**
 * Whether the @size bytes at @torn, what the capture has behind capture_size,
 * are the beginning of the journal's batch.
 */
bool syc_rest_is_torn_batch(const struct syc_rest *rest,
                            const unsigned char *torn, uint64_t size);

#endif
