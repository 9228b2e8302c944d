/* SPDX-License-Identifier: BSD-2-Clause */
/* chrome_marks.h - marks, operations and arrows in Chrome's trace format. */
#ifndef SYC_EXPORT_CHROME_MARKS_H
#define SYC_EXPORT_CHROME_MARKS_H

#include "export/chrome_event.h"

/* 0 or -ENOMEM. */
int syc_chrome_marks(struct syc_chrome *trace);
int syc_chrome_operations(struct syc_chrome *trace);
void syc_chrome_arrows(struct syc_chrome *trace);

#endif
