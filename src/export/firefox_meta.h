/* SPDX-License-Identifier: BSD-2-Clause */
/* firefox_meta.h - what a Firefox profile says of itself: versions, units,
 * categories, kinds of markers. */
#ifndef SYC_EXPORT_FIREFOX_META_H
#define SYC_EXPORT_FIREFOX_META_H

#include "data/json.h"
#include "export/export.h"

/** Members of the object that is open. */
void syc_firefox_meta(struct syc_json *json, const struct syc_export *export);

#endif
