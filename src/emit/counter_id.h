/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counter_id.h - the numbers of counters.
 *
 * Ids are 24 bits wide and belong to the process: one sequence for all of
 * its threads and copies of the library, from a base that a hash of the
 * process scatters, so that processes in one capture rarely meet
 * (recorders of ours renumber anyway).  1..255 and the block that a stock
 * client of the same process counts in are left out.
 *
 * An index is the place of an id in the sequence, from 1.
 *
 * A child goes on counting: ids that were given stay given.
 *
 * Context of everything here: any-thread, signal-safe.
 */
#ifndef SYC_EMIT_COUNTER_ID_H
#define SYC_EMIT_COUNTER_ID_H

#include <stdint.h>

#include <syscap.h>

/** Give @counter an id unless it has one.  Returns its index. */
uint32_t syc_counter_id_give(struct syscap_counter *counter);

/** @n ids in a row; the first one, or 0: there are not that many left. */
uint32_t syc_counter_id_request(uint32_t n);

/** The index that @id has if it was requested; else any number, or 0. */
uint32_t syc_counter_id_index(uint32_t id);

#endif
