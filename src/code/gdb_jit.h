/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gdb_jit.h - the list of images in GDB's JIT interface.
 *
 * A runtime keeps a list of ELF images in its memory, headed by the symbol
 * __jit_debug_descriptor.  The runtime's lock on the list is not visible from
 * outside.  So the list is read until it is the same before and after, and all
 * lengths in it are limited.  It is readable only while the process lives.
 */
#ifndef SYC_CODE_GDB_JIT_H
#define SYC_CODE_GDB_JIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <syscap/capture.h>

#include "code/code_table.h"

/** The bounds of an image's functions. */
struct syc_gdb_jit_cover {
	bool any;
	uint64_t low, last;
};

/**
 * Add the functions of the image at @bytes to @table, from @from on.  Returns
 * 0; -ENOEXEC: no such image; or as syc_elf_view_read() and
 * syc_code_table_add(). *@ret_cover is valid also on failure.  Context:
 * offline.
 */
int syc_gdb_jit_take_image(const void *bytes, size_t size, int64_t from,
                           struct syc_code_table *table,
                           struct syc_gdb_jit_cover *ret_cover);

struct syc_gdb_jit;

/** @descriptor: the address of the symbol in @pid.  Context: offline. */
int syc_gdb_jit_new(int32_t pid, uint64_t descriptor,
                    struct syc_gdb_jit **ret_jit);

void syc_gdb_jit_free(struct syc_gdb_jit *jit);

/**
 * Add the images that were registered since the last look to @table, from @from
 * on.  Code of removed images ends at @now.  Costs one system call if the head
 * is unchanged.
 *
 * Returns 0, also if the list kept changing: the next look reads it.  With
 * @error: -EOPNOTSUPP: a version other than 1; -ENOSPC: the table is full;
 * -ENOMEM; or an error of reading the process's memory.
 *
 * Context: offline.
 */
int syc_gdb_jit_look(struct syc_gdb_jit *jit, int64_t from, int64_t now,
                     struct syc_code_table *table, struct syscap_error *error);

/**
 * Find the symbol's address by the file @fd, which is mapped as code at @mapped
 * from @file_offset on.  Returns 0; -ENOENT: no such symbol; or -errno.
 */
int syc_gdb_jit_find(int fd, uint64_t mapped, uint64_t file_offset,
                     uint64_t *ret_descriptor);

#endif
