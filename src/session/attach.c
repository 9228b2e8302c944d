/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * attach.c - recordings that a recorder begins and ends in a process that runs
 * already.
 *
 * The recorder stores a request into block->attach, by the kernel's calls for
 * the memory of other processes, and then notifies the process.  The next event
 * of any thread calls this file.  The process then records itself, as after
 * syscap_start(), into the file that the recorder has chosen.
 *
 * At the end the recorder stores OVER, waits for events in progress, and takes
 * the lock of the arena.  The recorder then moves the rest of the frames, as a
 * recovery does, and stores READ.  Until a next event, the process only keeps
 * the memory of its rings.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <unistd.h>

#include "copies/copies.h"
#include "emit/process.h"
#include "emit/ring_source.h"
#include "os/env.h"
#include "ring/clock.h"
#include "session/session.h"
#include "session/spill.h"

#define MS INT64_C(1000000)
/* Longest wait for another thread that makes, starts or stops a session. */
#define LIFE_WAIT_NS (250 * MS)
/* Longest time for the end of a session whose frames the recorder has read. */
#define END_NS (2 * MS)

void syc_attach_allow(void)
{
	const char *const why = syc_plan_for_attach();

	if (why != NULL) {
		syc_diag_say("no recorder can attach", why);
		return;
	}
	syc_block->attach.n_filters = syc_block->attach_plan->n_filters;
	__atomic_store_n(&syc_block->attach.is_allowed, 1, __ATOMIC_RELEASE);
}

static bool is_attached(void)
{
	return syc_destination_is_started() &&
	       syc_plan_current()->recorder != 0;
}

/* Free the rings of an earlier recording. */
static void free_last(void)
{
	struct syc_session *const s = syc_process->session;

	if (s == NULL || s->plan->recorder == 0)
		return;
	__atomic_store_n(&syc_process->session, NULL, __ATOMIC_SEQ_CST);
	syc_end_session(s, END_NS);
}

static const char *begin_session(const struct syc_attach *attach)
{
	const int epoch = syc_process_next_epoch();
	const char *why;

	free_last();
	if (syc_process->session != NULL)
		return "a recording is running already";
	const struct syc_plan *const plan = syc_plan_from_attach(attach);
	if (syc_spill_is_filtered(plan, syc_clock_kernel()))
		return "a seccomp filter may forbid writing";
	struct syc_session *const s = syc_session_make(plan, epoch, &why);
	if (s == NULL)
		return why;
	__atomic_store_n(&syc_process->session, s, __ATOMIC_SEQ_CST);
	syc_plan_use(plan);
	syc_process_set_reason("a recorder is attached");
	syc_copies_set_active(epoch);
	return NULL;
}

static void end(void)
{
	if (!is_attached())
		return;
	syc_plan_use_environment();
	syc_process_set_reason("the recorder has detached");
	syc_copies_set_active(0);
}

static void begin(struct syc_attach *attach)
{
	uint32_t requested = SYC_ATTACH_REQUESTED;
	const char *why = NULL;

	if (attach->pid != getpid())
		return; /* the request was inherited */
	end();          /* of a recorder that was killed */
	if (syc_block->active != 0 || attach->is_allowed == 0)
		why = "a recording is running already";
	else
		why = begin_session(attach);
	if (why != NULL)
		syc_process_set_reason(why);
	__atomic_compare_exchange_n(&attach->state, &requested,
	                            why == NULL ? SYC_ATTACH_RUNNING
	                                        : SYC_ATTACH_FAILED,
	                            false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static void do_request(struct syc_attach *attach)
{
	const uint32_t state =
		__atomic_load_n(&attach->state, __ATOMIC_SEQ_CST);

	if (state == SYC_ATTACH_REQUESTED)
		begin(attach);
	if (state == SYC_ATTACH_OVER || state == SYC_ATTACH_READ)
		end();
	if (state == SYC_ATTACH_READ)
		free_last();
}

void syc_attach_look(void)
{
	struct syc_attach *const attach = &syc_block->attach;
	uint32_t state;

	if (!syc_session_take_life(syc_clock_kernel() + LIFE_WAIT_NS))
		return;
	/* The recorder stores the state first, and then the notification, which
	 * the restored words may overwrite.  So load the state again. */
	do {
		do_request(attach);
		state = __atomic_load_n(&attach->state, __ATOMIC_SEQ_CST);
		syc_copies_set_active(syc_block->active);
	} while (__atomic_load_n(&attach->state, __ATOMIC_SEQ_CST) != state);
	syc_session_give_life();
}
