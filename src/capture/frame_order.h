/* SPDX-License-Identifier: BSD-2-Clause */
/* frame_order.h - a frame of a big-endian file, in little-endian order. */
#ifndef SYC_CAPTURE_FRAME_ORDER_H
#define SYC_CAPTURE_FRAME_ORDER_H

#include <syscap/capture.h>

/**
 * Copy @frame, which was decoded from a file of byte order @big, to @buffer,
 * which has room for SYSCAP_FRAME_MAX bytes, in little-endian order.  What
 * has no order of bytes, such as texts and padding, is copied as it is.
 *
 * Returns false when the type is not known and the file big-endian: then only
 * the 24 bytes that all frames begin with are converted.
 *
 * Context: offline.
 */
bool syc_frame_order_copy(const struct syscap_frame *frame, bool big,
                          unsigned char *buffer);

#endif
