/* SPDX-License-Identifier: BSD-2-Clause */
/* left_open.h - reference that links left_open.c with each part of the
 * collector. */
#ifndef SYC_SYSPROF_COMPAT_LEFT_OPEN_H
#define SYC_SYSPROF_COMPAT_LEFT_OPEN_H

extern const char syc_dropin_left_open;
__attribute__((used)) static const char *const syc_dropin_is_left_open =
	&syc_dropin_left_open;

#endif
