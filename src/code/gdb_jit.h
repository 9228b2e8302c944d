/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gdb_jit.h - read the list that a runtime keeps for GDB's JIT interface.
 *
 * A list of ELF images in the memory of the process, whose head is the symbol
 * __jit_debug_descriptor.  The runtime changes it under a lock that nobody
 * outside can see, so it is read until it is the same before and after, and
 * all lengths in it are bounded.  It can be read only while the process lives.
 */
#ifndef SYC_CODE_GDB_JIT_H
#define SYC_CODE_GDB_JIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <syscap/capture.h>

#include "code/code_table.h"

struct syc_gdb_jit;

/** @descriptor: the address of the symbol in @pid.  Context: offline. */
int syc_gdb_jit_new(int32_t pid, uint64_t descriptor,
                    struct syc_gdb_jit **ret_jit);
void syc_gdb_jit_free(struct syc_gdb_jit *jit);

/**
 * Read what was registered since the last look into @table: good from @from
 * on.  What is not in the list any more was good until @now.  Costs one
 * system call where the head is the same.
 *
 * Returns 0, also where the list did not hold still: then the next look does
 * it.  With @error: -EOPNOTSUPP, a version that is not 1; -ENOSPC, the table
 * is full; -ENOMEM; or as syc_remote_memory_read().
 *
 * Context: offline.
 */
int syc_gdb_jit_look(struct syc_gdb_jit *jit, int64_t from, int64_t now,
                     struct syc_code_table *table, struct syscap_error *error);

/**
 * Find the symbol in the file @fd, which @pid has mapped as code at @mapped
 * from @file_offset on.  0; -ENOENT, it has none; or -errno.
 */
int syc_gdb_jit_find(int fd, uint64_t mapped, uint64_t file_offset,
                     uint64_t *ret_descriptor);

#endif
