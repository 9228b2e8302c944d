/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * join_jit.h - JIT addresses that are unique in a joined capture.
 *
 * Names are looked up by address alone, in the whole file.  So every address
 * that a JITMAP of an input names gets a new one, by its pid: what two
 * processes of one input named alike comes apart.  A stack's pid need not be
 * that of the JITMAP; then the first that named the address is meant.
 */
#ifndef SYC_CAPTURE_JOIN_JIT_H
#define SYC_CAPTURE_JOIN_JIT_H

#include <syscap/capture.h>

#include "data/array.h"
#include "data/map.h"

/** The addresses of one input; all zero at first. */
struct syc_join_jit {
	struct syc_map by_pid; /* of struct pid_addr */
	struct syc_map by_addr;
	SYC_ARRAY(uint32_t) of_pid; /* the new lower halves */
	SYC_ARRAY(uint32_t) of_addr;
	SYC_ARRAY(const unsigned char *) frames; /* the JITMAPs, in the map */
};

void syc_join_jit_fini(struct syc_join_jit *jit);

/**
 * Learn the names of @frame, a JITMAP.  *@last is the latest new address, its
 * lower half.  Returns 0, -ENOMEM, or -ENOSPC when there are no more.
 */
int syc_join_jit_scan(struct syc_join_jit *jit,
                      const struct syscap_frame *frame, bool big,
                      uint32_t *last);

/**
 * Renumber the JITMAP in @buffer, which is little-endian; @frame is what it
 * was copied from.
 */
void syc_join_jit_names(const struct syc_join_jit *jit,
                        const struct syscap_frame *frame,
                        unsigned char *buffer);

/**
 * Renumber the @n little-endian addresses of a stack of @pid at @addrs.  An
 * address that should have a name and has none gets a new one too, or
 * another input's name would be its own.
 */
int syc_join_jit_stack(struct syc_join_jit *jit, int32_t pid,
                       unsigned char *addrs, unsigned n, uint32_t *last);

#endif
