/* SPDX-License-Identifier: BSD-2-Clause */
/* copy_emit.c - a library with a copy of syscap's library, or of the
 * reference's. */
#if BENCH_COPY_OF_REFERENCE
#include <sysprof-capture.h>
#else
#include <syscap.h>
#endif

__attribute__((visibility("default"))) void bench_copy_emit(unsigned n);

void bench_copy_emit(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
#if BENCH_COPY_OF_REFERENCE
		sysprof_collector_mark(1000, 10, "bench", "mark", "");
#else
		SYSCAP_MARK("bench", "mark", 1000, 10, NULL);
#endif
	}
}
