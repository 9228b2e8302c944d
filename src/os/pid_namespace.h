/* SPDX-License-Identifier: BSD-2-Clause */
/* pid_namespace.h - what pids of this process mean: relatives may be in other
 * namespaces, where the same ones are others'. */
#ifndef SYC_PID_NAMESPACE_H
#define SYC_PID_NAMESPACE_H

#include <stdint.h>

/** The namespace that our pids are of; 0: not known.  Context: any-thread,
 * signal-safe; errno is kept. */
uint64_t syc_pid_namespace_id(void);

#endif
