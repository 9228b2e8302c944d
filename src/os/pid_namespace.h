/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pid_namespace.h - the pid namespace of this process.  Children may be in
 * others, in which the same pids belong to other processes.
 */
#ifndef SYC_OS_PID_NAMESPACE_H
#define SYC_OS_PID_NAMESPACE_H

#include <stdint.h>

/** The namespace that our pids are of; 0: not known.  Context: any-thread,
 * signal-safe; errno is kept. */
uint64_t syc_pid_namespace_id(void);

#endif
