/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report.h - a capture as one HTML file, which needs nothing else.
 *
 * The page is written from front to back: a policy that forbids it every
 * connection, its style and its skeleton, what its first picture is made of,
 * its script, and then the bulk, column by column.  docs/decisions/0021 has
 * the columns' names.
 */
#ifndef SYC_REPORT_REPORT_H
#define SYC_REPORT_REPORT_H

#include "report/asked.h"

/** 0 or -ENOMEM; errors of @out are its own. */
int syc_report_write(struct syc_report *report);

#endif
