/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counter.h - definitions of counters in a ring, and ids of counters.
 *
 * Ids have 24 bits and belong to the process: one sequence for all threads and
 * copies of the library.  The base of the sequence is a hash of the process, so
 * that processes in one capture rarely have equal ids. (A syscap recorder
 * renumbers all ids.)  The sequence leaves out 1..255 and the block of ids that
 * a stock client of the same process uses.
 *
 * An index is the position of an id in the sequence, from 1.
 *
 * A child continues the sequence, and the ids of its counters stay valid.
 *
 * Context of everything here: any-thread, signal-safe.
 */
#ifndef SYC_EMIT_COUNTER_H
#define SYC_EMIT_COUNTER_H

#include <stdbool.h>
#include <stdint.h>

#include <syscap.h>

/**
 * Put the definition of @counter into this ring unless the ring has it.  A
 * counter without an id gets an id.  Returns false if there is no space, and
 * counts the loss.
 *
 * Context of both: any-thread, signal-safe, between syc_enter() and
 * syc_leave().
 */
bool syc_counter_define(struct syc_thread *st, struct syscap_counter *counter,
                        int64_t time);

/** Put the definition of @counter, which has an id, into this ring even if the
 * ring has it. */
bool syc_counter_define_once(struct syc_thread *st,
                             const struct syscap_counter *counter,
                             int64_t time);

/** Give @counter an id unless it has one.  Returns the counter's index. */
uint32_t syc_counter_id_give(struct syscap_counter *counter);

/** Reserve @n consecutive ids.  Returns the first id, or 0 if too few ids are
 * free. */
uint32_t syc_counter_id_request(uint32_t n);

/** The index of @id if a thread requested @id; otherwise any number. */
uint32_t syc_counter_id_index(uint32_t id);

#endif
