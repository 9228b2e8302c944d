/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * symbols.c - symbols of the inline functions of <syscap.h>, for languages that
 * can't inline C.
 */
#define SYSCAP_INLINE
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#include <syscap.h>
