/* SPDX-License-Identifier: BSD-2-Clause */
/* chrome_samples.h - samples as V8's profiles in Chrome's trace format. */
#ifndef SYC_EXPORT_CHROME_SAMPLES_H
#define SYC_EXPORT_CHROME_SAMPLES_H

#include "export/chrome_event.h"

/** 0 or -ENOMEM. */
int syc_chrome_samples(struct syc_chrome *trace);

#endif
