/* SPDX-License-Identifier: BSD-2-Clause */
/* write_bars.h - what stands in a page for the marks that are left out. */
#ifndef SYC_REPORT_WRITE_BARS_H
#define SYC_REPORT_WRITE_BARS_H

#include "report/fit_marks.h"
#include "report/writer.h"

/** Cell by cell of their time.  0 or -errno. */
int syc_bars_write(const struct syc_page *page, const struct syc_fit *fit,
                   struct syc_pack *pack);

/** What all marks were, those that are there too, name by name. */
int syc_bars_write_sums(struct syc_page *page, const struct syc_fit *fit);

#endif
