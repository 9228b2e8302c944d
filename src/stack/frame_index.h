/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frame_index.h - a search table for a program that has none: linkers leave
 * PT_GNU_EH_FRAME out of static ones, whose .eh_frame is there all the same.
 *
 * Made once, in normal context, from the section headers of the program's
 * file; then only read.
 */
#ifndef SYC_STACK_FRAME_INDEX_H
#define SYC_STACK_FRAME_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "stack/eh_frame.h"

/**
 * Make it for the running program, which is loaded @bias above the addresses
 * in its file.  Does nothing if there is one, or if the file can't be opened.
 *
 * Context: any-thread.
 */
void syc_frame_index_make(uintptr_t bias);

/**
 * As syc_eh_frame_find(), in the index.  -ENOENT where there is none.
 * Readies @bytes for its entry.
 *
 * Context: any-thread, signal-safe.
 */
int syc_frame_index_find(struct syc_bytes *bytes, uintptr_t pc,
                         struct syc_fde *ret_fde);

#endif
