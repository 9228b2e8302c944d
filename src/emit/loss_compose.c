/* SPDX-License-Identifier: BSD-2-Clause */
/* loss_compose.c - loss records, composed of totals. */
#define _GNU_SOURCE
#include "emit/loss_compose.h"

#include <unistd.h>

#include "base/frame.h"
#include "base/loss_record.h"
#include "emit/loss_totals.h"
#include "emit/process.h"
#include "os/syscalls.h"
#include "os/threads.h"
#include "ring/clock.h"

/* How long a thread that tells of stray losses is waited for: on a busy machine
 * until it gets the processor again.  One may have been left for good there. */
#define TELLER_MS 500

void syc_loss_compose_text(struct syc_loss_text *message,
                           const struct syc_ring_losses *now,
                           const struct syc_ring_losses *told, int32_t tid)
{
	struct syc_loss loss = {
		.total = syc_loss_totals_sum(now) - syc_loss_totals_sum(told),
		.bytes = now->bytes - told->bytes,
		.tid = tid,
	};

	for (int i = 0; i < SYC_LOSS_KINDS; i++)
		loss.frames[i] = now->frames[i] - told->frames[i];
	message->n_lost = loss.total;
	message->n = syc_loss_record_write(&loss, message->text,
	                                   sizeof(message->text));
}

/* A record of losses that were counted after another had taken their range. */
void syc_loss_compose_range(struct syc_ring_losses *lost)
{
	if (lost->from == 0)
		lost->from = lost->to = syc_clock_kernel();
}

void syc_loss_compose_fill(unsigned char *frame, uint32_t len,
                           const struct syc_ring_losses *lost,
                           const struct syc_loss_text *message)
{
	syc_store_word(frame + len - 8, 0);
	syc_loss_record_fill((void *)frame, lost->from, lost->to, message->text,
	                     message->n);
}

uint32_t syc_loss_compose(unsigned char *frame,
                          const struct syc_ring_losses *lost,
                          const struct syc_ring_losses *told, int32_t pid,
                          int32_t tid)
{
	struct syc_ring_losses now = {
		.bytes = __atomic_load_n(&lost->bytes, __ATOMIC_RELAXED),
		.from = __atomic_load_n(&lost->from, __ATOMIC_RELAXED),
		.to = __atomic_load_n(&lost->to, __ATOMIC_RELAXED),
	};
	struct syc_loss_text message;

	for (int i = 0; i < SYC_LOSS_KINDS; i++)
		now.frames[i] =
			__atomic_load_n(&lost->frames[i], __ATOMIC_RELAXED);
	syc_loss_compose_text(&message, &now, told, tid);
	const uint32_t len =
		syc_text_frame_len(sizeof(struct syscap_wire_mark), message.n);
	if (message.n_lost == 0)
		return 0;
	syc_loss_compose_range(&now);
	struct syscap_wire_frame *const header = (void *)frame;
	syc_frame_begin(header, SYSCAP_FRAME_MARK, pid, now.from);
	header->len = (uint16_t)len;
	header->padding2 = syc_frame_tid_tag(tid);
	syc_loss_compose_fill(frame, len, &now, &message);
	return len;
}

static uint32_t compose_stray(unsigned char *frame, int32_t pid)
{
	struct syc_ring_losses now;

	syc_loss_totals_take(&now, &syc_process->lost);
	const uint32_t len =
		syc_loss_compose(frame, &now, &syc_process->told, pid, 0);
	syc_loss_totals_copy(&syc_process->told, &now);
	return len;
}

uint32_t syc_loss_compose_last(unsigned char *frame, int32_t pid)
{
	for (int i = 0; i < TELLER_MS; i++) {
		int32_t teller = 0;

		if (__atomic_compare_exchange_n(
			    &syc_process->telling, &teller, gettid(), false,
			    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED) ||
		    syc_tid_is_gone(teller))
			break;
		syc_futex_nap(); /* or it will never go on */
	}
	const uint32_t len = compose_stray(frame, pid);
	__atomic_store_n(&syc_process->telling, 0, __ATOMIC_RELEASE);
	return len;
}
