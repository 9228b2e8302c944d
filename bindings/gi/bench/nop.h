/* SPDX-License-Identifier: BSD-2-Clause */
/* nop.h - the cheapest call through a typelib. */
#ifndef SYSCAP_BENCH_NOP_H
#define SYSCAP_BENCH_NOP_H

#include <glib-object.h>

G_BEGIN_DECLS

/**
 * syscap_bench_nop:
 *
 * Does nothing.
 */
void syscap_bench_nop(void);

G_END_DECLS

#endif
