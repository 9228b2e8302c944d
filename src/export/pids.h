/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pids.h - a number for each process, where a format tells processes apart by
 * their pids.  Of processes with one pid the first has it; the others have
 * numbers that no pid is.
 */
#ifndef SYC_EXPORT_PIDS_H
#define SYC_EXPORT_PIDS_H

#include <syscap/profile.h>

struct syc_pids {
	int32_t *items; /* of each process; -1: of none */
	size_t n;
};

/** 0 or -ENOMEM. */
int syc_pids_init(struct syc_pids *pids, const struct syscap_profile *profile);
void syc_pids_fini(struct syc_pids *pids);

#endif
