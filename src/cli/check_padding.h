/* SPDX-License-Identifier: BSD-2-Clause */
/* check_padding.h - are the bytes that mean nothing zero? */
#ifndef SYC_CLI_CHECK_PADDING_H
#define SYC_CLI_CHECK_PADDING_H

#include <syscap/capture.h>

/**
 * Where in the decoded @frame the first byte is that means nothing and is
 * not zero, in words; NULL when there is none.
 */
const char *syc_check_padding(const struct syscap_frame *frame);

#endif
