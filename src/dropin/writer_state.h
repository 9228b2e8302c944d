/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * writer_state.h - a capture that is being written, as its parts share it.
 *
 * buffer.h says how signal handlers and the thread they interrupt keep out of
 * each other's way.  What is not in there is only touched by the outermost
 * call, or changes by one instruction.
 */
#ifndef SYC_DROPIN_WRITER_STATE_H
#define SYC_DROPIN_WRITER_STATE_H

#include <stdbool.h>
#include <stdint.h>

#define SYSPROF_DROPIN_NO_INLINE
#include <sysprof-6/sysprof-capture-writer.h>

#include "dropin/buffer.h"
#include "dropin/index_chain.h"
#include "dropin/names.h"
#include "dropin/out.h"
#include "dropin/untold.h"

/** In the memory that a forked child finds zeroed. */
struct syc_writer_life {
	struct syc_buffer_words buffer;
	int32_t pid;
	uint32_t told;   /* names with this number are written, or wait */
	uint64_t untold; /* names that wait, see untold.h */
	struct syc_index_chain chain;
};

struct _SysprofCaptureWriter {
	struct syc_writer_life *life;
	struct syc_buffer buffer;
	struct syc_out out;
	struct syc_names names;
	struct syc_untold untold;
	size_t map_size; /* of all of it, from life on */
	int32_t n_refs;
	int32_t pid;           /* of its maker */
	uint32_t n_told;       /* see life->told */
	uint32_t next_counter; /* 0: those of the process are taken */
	int64_t flushed;       /* when, by the kernel's clock ... */
	int64_t looked;        /* ... and the frame time that made us look */
	uint64_t counts[SYSPROF_CAPTURE_FRAME_LAST];
};

static inline void syc_writer_count(uint64_t *word)
{
#if defined(__x86_64__)
	__asm__("incq %0" : "+m"(*word) : : "cc"); /* one, to handlers */
#else
	__atomic_fetch_add(word, 1, __ATOMIC_RELAXED);
#endif
}

#endif
