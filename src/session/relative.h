/* SPDX-License-Identifier: BSD-2-Clause */
/* relative.h - a drainer's data about processes that have slots in its arena;
 * only relatives.c changes it. */
#ifndef SYC_SESSION_RELATIVE_H
#define SYC_SESSION_RELATIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "os/process.h"
#include "ring/ring_file.h"

/** Frames about a relative that the capture has. */
enum syc_relative_stage {
	SYC_RELATIVE_MET,
	SYC_RELATIVE_NAMED,  /* PROCESS */
	SYC_RELATIVE_FORKED, /* FORK */
	SYC_RELATIVE_KNOWN,  /* MAP frames */
};

struct syc_relative {
	struct syc_fork_identity kin;
	enum syc_relative_stage stage;
	bool is_gone;
	bool is_in; /* has slots */
};

struct syc_relatives {
	uint32_t n;
	int64_t looked_at; /* ns */
	int32_t described; /* pid whose maps are being written; 0: none */
	struct syc_relative all[SYC_RING_FILE_SLOTS];
};

#endif
