/* SPDX-License-Identifier: BSD-2-Clause */
/* left_open.c - permission for a program to set its own collector variables
 * after its start. */
#include "sysprof_compat/left_open.h"

#include "emit/left_open.h"

const char syc_dropin_left_open = 1;

__attribute__((constructor)) static void leave_open(void)
{
	syc_left_open_begin();
}
