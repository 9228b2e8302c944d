/* SPDX-License-Identifier: BSD-2-Clause */
/* checker.h - the rules of `syscap check`. */
#ifndef SC_CLI_CHECKER_H
#define SC_CLI_CHECKER_H

#include "cli/checker_state.h"

/** Walk the whole file and tell what is wrong.  0 or -ENOMEM. */
int sc_checker_run(struct sc_checker *checker);

void sc_checker_fini(struct sc_checker *checker);

#endif
