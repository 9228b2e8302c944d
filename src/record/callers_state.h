/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * callers_state.h - what the two files of the recorder's callers share: the
 * set of them (callers.c), and one of them and what it says (caller.c).
 */
#ifndef SYC_RECORD_CALLERS_STATE_H
#define SYC_RECORD_CALLERS_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "data/array.h"
#include "record/control_message.h"
#include "record/control_server.h"
#include "record/report.h"

/* A quarter of the descriptors that we may have, but no more; and of them a
 * quarter of one process. */
#define SYC_CALLERS_MAX 1024u

/** One connection. */
struct syc_connected {
	int fd; /* -1: free */
	int32_t pid;
	uint32_t events;   /* that epoll is to tell */
	bool has_ring_due; /* due: a descriptor, or -1 for "none" */
	int due;
	uint64_t seen;
};

/** See callers.h. */
struct syc_callers {
	int listener, epoll;
	struct syc_control_spare spare;
	uint64_t data;
	struct syc_control_hooks hooks;
	struct syc_record_report *report;
	bool has_complained, is_listening;
	int64_t paused_until;
	uint64_t clock;
	unsigned n, n_due;
	unsigned max; /* connections that we keep */
	struct syc_connected callers[SYC_CALLERS_MAX];
	SYC_ARRAY(int32_t) without; /* processes that came and have no ring */
};

#endif
