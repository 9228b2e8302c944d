/* SPDX-License-Identifier: BSD-2-Clause */
/* keep_old.h - a capture that stands where the new one goes. */
#ifndef SYC_RECORD_KEEP_OLD_H
#define SYC_RECORD_KEEP_OLD_H

#include <syscap/capture.h>

/**
 * If @output is a capture, rename it to its name with ".old" behind, in whose
 * place another capture is lost.  Anything else is left as it is.
 *
 * Returns 1 when it was renamed, 0 when there was none; or -errno, and @error
 * tells why it cannot be kept.
 */
int syc_keep_old(const char *output, struct syscap_error *error);

#endif
