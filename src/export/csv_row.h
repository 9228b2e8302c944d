/* SPDX-License-Identifier: BSD-2-Clause */
/* csv_row.h - what rows of csv tables are made of. */
#ifndef SYC_EXPORT_CSV_ROW_H
#define SYC_EXPORT_CSV_ROW_H

#include <stdio.h>

#include "export/export.h"

/** Always quoted; a quote inside is two.  What it begins with is data. */
void syc_csv_text(FILE *out, const char *text);
void syc_csv_integer(FILE *out, int64_t value, const char *behind);
/** "pid,tid,": one that is not known is empty. */
void syc_csv_thread(const struct syc_export *export, uint32_t thread);

#endif
