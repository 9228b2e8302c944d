/* SPDX-License-Identifier: BSD-2-Clause */
/* nop.c - a library whose only function does nothing. */
#include "nop.h"

void syscap_bench_nop(void)
{
}
