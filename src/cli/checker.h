/* SPDX-License-Identifier: BSD-2-Clause */
/* checker.h - the rules of `syscap check`. */
#ifndef SC_CLI_CHECKER_H
#define SC_CLI_CHECKER_H

#include <syscap/capture.h>

#include "cli/findings.h"
#include "data/array.h"
#include "data/map.h"

struct sc_check_pid {
	int32_t pid;
	uint64_t first; /* offset of its first frame */
	int64_t latest; /* time of its frames so far, ns */
	bool has_process;
};

/* A (pid, id); offset 0 says that it was not met, for no frame is there. */
struct sc_check_counter {
	int32_t pid;
	uint32_t id;
	uint64_t defined, set; /* first offsets */
};

struct sc_check_definition { /* the first of an id, whose ever it is */
	uint64_t offset;
	const unsigned char *bytes;
	bool is_told; /* that another one differs */
};

struct sc_check_address {
	uint64_t addr;
	uint64_t used; /* offset of the first stack that has it */
	const char *name;
};

/** All zero but the first two is how it starts. */
struct sc_checker {
	struct syscap_reader *reader;
	struct sc_findings *findings;
	uint64_t n_frames;
	uint64_t last; /* offset of the last frame; 0: none yet */

	struct sc_map by_pid, by_counter, by_id, by_addr;
	SC_ARRAY(struct sc_check_pid) pids;
	struct sc_map titles; /* pids with their command lines */
	SC_ARRAY(struct sc_check_counter) counters;
	SC_ARRAY(struct sc_check_definition) definitions;
	SC_ARRAY(struct sc_check_address) addresses;
};

/** Walk the whole file and tell what is wrong.  0 or -ENOMEM. */
int sc_checker_run(struct sc_checker *checker);

void sc_checker_fini(struct sc_checker *checker);

/* checker_counters.c, which sc_checker_run() calls. */

/** The rules about one CTRDEF or CTRSET.  0 or -ENOMEM. */
int sc_checker_counters(struct sc_checker *checker,
                        const struct syscap_frame *frame);
/** The rules about definitions and their order, when all are known. */
void sc_checker_counters_end(struct sc_checker *checker);

#endif
