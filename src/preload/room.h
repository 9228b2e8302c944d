/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * room.h - room for a tick on stacks that programs make as small as can be.
 *
 * What the kernel stores for a signal takes 3 KiB, our handler up to 4.
 */
#ifndef SYC_PRELOAD_ROOM_H
#define SYC_PRELOAD_ROOM_H

#include <pthread.h>
#include <signal.h>
#include <stdbool.h>

/**
 * What a thread is to be made with that asks for @attr: that, or @copy with a
 * larger stack.  *ret_is_cramped: the program's own memory is too small.
 *
 * Context: any-thread, signal-safe.
 */
const pthread_attr_t *syc_room_on_stack(const pthread_attr_t *attr,
                                        pthread_attr_t *copy,
                                        bool *ret_is_cramped);

/** Threads need room though nobody samples them. */
extern bool syc_room_is_always;

/** Whether @stack is an alternate one on which a tick may not fit. */
bool syc_room_is_cramped(const stack_t *stack);

#endif
