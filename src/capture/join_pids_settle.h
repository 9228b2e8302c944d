/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * join_pids_settle.h - who is who in a joined capture.
 *
 * No frame says who a process is, so it is found from what is mapped where,
 * which is at random: two inputs mean one process if the first file that they
 * have mapped of it is the same, at the same place, and not all others are
 * elsewhere.  Where one of them has no maps, the command lines decide.  A
 * process that ended before the other one began is another in any case; one
 * that exec'ed between two captures is taken for two.
 */
#ifndef SYC_CAPTURE_JOIN_PIDS_SETTLE_H
#define SYC_CAPTURE_JOIN_PIDS_SETTLE_H

#include "capture/join_pids.h"

/**
 * Give every process of the @n inputs its number.  0 or -ENOMEM.  @told is
 * called for each that gets another one, with the input's place, and the
 * place of one that has the number.
 */
int syc_join_pids_settle(struct syc_join_pids *const *inputs, size_t n,
                         void (*told)(void *data, size_t input,
                                      const struct syc_join_process *process,
                                      size_t other),
                         void *data);

#endif
