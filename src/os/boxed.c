/* SPDX-License-Identifier: BSD-2-Clause */
/* boxed.c - whether the program's system calls are filtered. */
#include "os/boxed.h"

uint32_t syc_boxed, syc_boxed_closed;

_Thread_local uint8_t syc_boxed_here
	__attribute__((tls_model(SYSCAP_TLS_MODEL)));
