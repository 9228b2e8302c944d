/* SPDX-License-Identifier: BSD-2-Clause */
/* checker.h - the rules of `syscap check`. */
#ifndef SYC_CLI_CHECKER_H
#define SYC_CLI_CHECKER_H

#include "cli/checker_state.h"

/** Walk the whole file and tell what is wrong.  0 or -ENOMEM. */
int syc_checker_run(struct syc_checker *checker);

void syc_checker_fini(struct syc_checker *checker);

#endif
