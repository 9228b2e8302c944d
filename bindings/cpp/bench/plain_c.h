/* SPDX-License-Identifier: BSD-2-Clause */
/* plain_c.h - loops of @n events in C, for comparison with other languages. */
#ifndef SYC_BENCH_PLAIN_C_H
#define SYC_BENCH_PLAIN_C_H

#ifdef __cplusplus
extern "C" {
#endif

/* Calls of a C function that does nothing */
void plain_c_call(unsigned n);
void plain_c_nothing(void);
/* Empty loops */
void plain_c_empty(unsigned n);
void plain_c_mark(unsigned n);
void plain_c_scope(unsigned n);
void plain_c_counter(unsigned n);
void plain_c_log(unsigned n);

#ifdef __cplusplus
}
#endif
#endif
