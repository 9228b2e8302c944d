/* SPDX-License-Identifier: BSD-2-Clause */
/* judge.h - which rows differ, of many that are looked at. */
#ifndef SYC_COMPARE_JUDGE_H
#define SYC_COMPARE_JUDGE_H

#include "compare/compared.h"

/** Fill in what each row says, all rows being there.  0 or -ENOMEM. */
int syc_judge(struct syc_comparison *comparison);

#endif
