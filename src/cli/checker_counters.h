/* SPDX-License-Identifier: BSD-2-Clause */
/* checker_counters.h - the rules of `syscap check` about counters. */
#ifndef SYC_CLI_CHECKER_COUNTERS_H
#define SYC_CLI_CHECKER_COUNTERS_H

#include "cli/checker_state.h"

/** The rules about one CTRDEF or CTRSET.  0 or -ENOMEM. */
int syc_checker_counters(struct syc_checker *checker,
                         const struct syscap_frame *frame);

/** The rules about definitions and their order, when all are known. */
void syc_checker_counters_end(struct syc_checker *checker);

#endif
