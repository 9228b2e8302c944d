/* SPDX-License-Identifier: BSD-2-Clause */
/* recover_rings.h - move what is left in a ring file into its capture. */
#ifndef SYC_CAPTURE_RECOVER_RINGS_H
#define SYC_CAPTURE_RECOVER_RINGS_H

#include "capture/recover_file.h"

/**
 * @rest is open, for changes unless @file is dry, and is @file's.  When this
 * is done, nothing is left in the rings, and the ring file may be removed,
 * unless recovered->bad says that something could not be read.
 *
 * Returns 0; -EBADMSG, the capture or the journal is damaged, and nothing was
 * changed; or -errno, and the next attempt goes on.
 */
int syc_recover_rings(struct syc_rest *rest, struct syc_recover_file *file,
                      struct syc_recovered *recovered,
                      struct syscap_error *error);

/** Remove the ring file @path, if that is still the one that is open. */
int syc_recover_rings_remove(const struct syc_rest *rest, const char *path,
                             struct syscap_error *error);

#endif
