/* SPDX-License-Identifier: BSD-2-Clause */
/* gdb_jit_image.h - the functions of one image of the list.  Context: offline. */
#ifndef SYC_CODE_GDB_JIT_IMAGE_H
#define SYC_CODE_GDB_JIT_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "code/code_table.h"

/** What the functions of an image cover. */
struct syc_gdb_jit_cover {
	bool any;
	uint64_t low, last;
};

/**
 * Put the functions of the image at @bytes into @table from @from on.  0;
 * -ENOEXEC, no such image; or as syc_elf_view_read() and syc_code_table_add().
 * *@ret_cover has what was put, also when this fails.
 */
int syc_gdb_jit_take_image(const void *bytes, size_t size, int64_t from,
                           struct syc_code_table *table,
                           struct syc_gdb_jit_cover *ret_cover);

#endif
