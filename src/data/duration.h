/* SPDX-License-Identifier: BSD-2-Clause */
/* duration.h - nanoseconds, for people. */
#ifndef SYC_DATA_DURATION_H
#define SYC_DATA_DURATION_H

#include <stddef.h>
#include <stdint.h>

/** Write @ns into @buffer in ns, µs, ms or s: "12.345 ms". */
void syc_duration_format(int64_t ns, char *buffer, size_t size);

#endif
