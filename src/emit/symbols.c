/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * symbols.c - the inline functions of <syscap.h> as symbols, for languages that
 * can't inline C.
 */
#define SYSCAP_INLINE
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#include <syscap.h>
