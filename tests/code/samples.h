/* SPDX-License-Identifier: BSD-2-Clause */
/* samples.h - files written by runtimes, in tests/code/samples/. */
#ifndef SYSCAP_TEST_SAMPLES_H
#define SYSCAP_TEST_SAMPLES_H

#include <stddef.h>
#include <stdint.h>

#include "code/code_table.h"

/** The path of a sample, until the next call. */
const char *sample_path(const char *name);

/** The content of a sample; the caller frees it. */
unsigned char *sample_read(const char *name, size_t *ret_size);

/** Read the perf map or jitdump @path, as its owner, into a new table. */
struct syc_code_table *sample_perf_map(const char *path, uint64_t *ret_bad);
struct syc_code_table *sample_jitdump(const char *path);

/** The name in a settled table at an address and time, or "-". */
const char *sample_find(const struct syc_code_table *table, uint64_t addr,
                        int64_t time);

/**
 * Make a file of @size bytes at @data in a new directory.  Returns its path.
 */
char *sample_make(const char *name, const void *data, size_t size);
void sample_remove(char *path);

#endif
