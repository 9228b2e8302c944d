/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * loss_tell.h - loss records in a thread's own ring.
 *
 * A record is told exactly once even if the emit that writes it dies half
 * way: the new totals are staged in the other bank, and the bank flips when
 * the record is complete; syc_loss_resolve() looks at the frame itself to
 * decide for a record whose writer is gone.
 */
#ifndef SYC_EMIT_LOSS_TELL_H
#define SYC_EMIT_LOSS_TELL_H

#include "emit/thread.h"

/**
 * Write the records that are due, if they fit below @limit.  Called inside
 * an emit.  Returns false where they are due and do not fit.
 */
bool syc_loss_tell(struct syc_state *ts, uint32_t limit);

#endif
