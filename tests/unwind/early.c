/* SPDX-License-Identifier: BSD-2-Clause */
/* early.c - a library whose constructor calls the program. */
void by_hand_early(void);

static __attribute__((constructor)) void call_program(void)
{
	by_hand_early();
}
