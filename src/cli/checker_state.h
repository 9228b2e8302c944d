/* SPDX-License-Identifier: BSD-2-Clause */
/* checker_state.h - what `syscap check` has seen so far. */
#ifndef SYC_CLI_CHECKER_STATE_H
#define SYC_CLI_CHECKER_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include <syscap/capture.h>

#include "cli/findings.h"
#include "data/array.h"
#include "data/map.h"

struct syc_check_pid {
	int32_t pid;
	uint64_t first; /* offset of its first frame */
	int64_t latest; /* time of its frames so far, ns */
	bool has_process;
};

/* A (pid, id); offset 0 says that it was not met, for no frame is there. */
struct syc_check_counter {
	int32_t pid;
	uint32_t id;
	uint64_t defined, set; /* first offsets */
};

struct syc_check_definition { /* the first of an id, whose ever it is */
	uint64_t offset;
	const unsigned char *bytes;
	bool is_told; /* that another one differs */
};

struct syc_check_address {
	uint64_t addr;
	uint64_t used; /* offset of the first stack that has it */
	const char *name;
};

/** All zero but the first two is how it starts. */
struct syc_checker {
	struct syscap_reader *reader;
	struct syc_findings *findings;
	uint64_t n_frames;
	uint64_t last;  /* offset of the last frame; 0: none yet */
	uint64_t lines; /* of the first chunk of source lines; 0: none */

	struct syc_map by_pid, by_counter, by_id, by_addr;
	SYC_ARRAY(struct syc_check_pid) pids;
	struct syc_map titles; /* pids with their command lines */
	SYC_ARRAY(struct syc_check_counter) counters;
	SYC_ARRAY(struct syc_check_definition) definitions;
	SYC_ARRAY(struct syc_check_address) addresses;
};

#endif
