/* SPDX-License-Identifier: BSD-2-Clause */
/* renamed.h - functions whose binary is called otherwise on the other side. */
#ifndef SYC_COMPARE_RENAMED_H
#define SYC_COMPARE_RENAMED_H

#include "compare/compared.h"

/**
 * A function of one binary that only the base has, and of another that only
 * the new side has, becomes one row, if there is one such pair of its name.
 * 0 or -ENOMEM.
 */
int syc_renamed_join(struct syc_comparison *comparison);

#endif
