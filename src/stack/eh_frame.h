/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * eh_frame.h - which entry of a module's .eh_frame is about a pc.
 *
 * Nothing in the tables is believed: every offset is checked by the cursor
 * that it is read through (bytes.h), every loop has a limit.
 */
#ifndef SYC_STACK_EH_FRAME_H
#define SYC_STACK_EH_FRAME_H

#include <stdbool.h>
#include <stdint.h>

#include "stack/bytes.h"

/** Contents of a frame description entry and of its common entry. */
struct syc_fde {
	uintptr_t begin, end;           /* the code that it is about */
	uintptr_t common, common_end;   /* instructions of all its like, */
	uintptr_t program, program_end; /* and its own */
	uint64_t code_align;
	int64_t data_align;
	unsigned ra;      /* the column of the return address */
	uint8_t encoding; /* of pointers in the instructions */
	bool signal;      /* returns to where a signal interrupted */
};

/**
 * Find the entry about @pc, by the table of PT_GNU_EH_FRAME at @header.
 *
 * Returns 0; -ENOENT, there is none; -EINVAL, what is there is no table.
 *
 * Context: signal-safe, any-thread.
 */
int syc_eh_frame_find(struct syc_bytes *bytes, uintptr_t header, uintptr_t pc,
                      struct syc_fde *ret_fde);

/**
 * The entry at @at itself.  0 or -EINVAL.
 *
 * Context: signal-safe, any-thread.
 */
int syc_eh_frame_parse(struct syc_bytes *bytes, uintptr_t at,
                       struct syc_fde *ret_fde);

#endif
