/* SPDX-License-Identifier: BSD-2-Clause */
/* checker_counters.h - the rules of `syscap check` about counters. */
#ifndef SC_CLI_CHECKER_COUNTERS_H
#define SC_CLI_CHECKER_COUNTERS_H

#include "cli/checker_state.h"

/** The rules about one CTRDEF or CTRSET.  0 or -ENOMEM. */
int sc_checker_counters(struct sc_checker *checker,
                        const struct syscap_frame *frame);

/** The rules about definitions and their order, when all are known. */
void sc_checker_counters_end(struct sc_checker *checker);

#endif
