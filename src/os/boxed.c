/* SPDX-License-Identifier: BSD-2-Clause */
/* boxed.c - whether the program's system calls are filtered. */
#include "os/boxed.h"

bool syc_boxed;
