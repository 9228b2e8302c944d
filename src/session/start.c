/* SPDX-License-Identifier: BSD-2-Clause */
/* start.c - begin and end of a recording by a call. */
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <syscap.h>

#include "base/text.h"
#include "copies/copies.h"
#include "emit/process.h"
#include "emit/thread.h"
#include "os/env.h"
#include "os/signals.h"
#include "ring/clock.h"
#include "session/session.h"
#include "session/spill.h"

/* Limit of each wait of syscap_start() and syscap_stop(). */
#define STOP_NS INT64_C(5000000000)

static int fail_start(struct syscap_options *options, const char *why, int r)
{
	syc_text_field(options->message, sizeof(options->message), why);
	syc_diag_say("syscap_start()", why);
	return r;
}

/* Start a session.  The caller holds `life`, and blocks signals. */
static int start_session(struct syscap_options *options)
{
	struct syc_session *before = syc_process->session;
	const int epoch = syc_process_next_epoch();
	const char *why;

	if (syc_destination_is_started() && syc_block->active != 0)
		return fail_start(options, "a recording is running already",
		                  -EALREADY);
	if (before != NULL && before->is_started) {
		/* the earlier recording failed, or reached its limit, and was
		 * not stopped */
		__atomic_store_n(&syc_process->session, NULL, __ATOMIC_SEQ_CST);
		syc_end_session(before, STOP_NS);
		before = NULL;
	}
	why = syc_plan_from_options(options);
	if (why != NULL)
		return fail_start(options, why, -EINVAL);
	syc_process->since = 0;
	struct syc_session *const s =
		syc_session_make(syc_plan_of_options(), epoch, &why);
	if (s == NULL)
		return fail_start(options, why, -EIO);
	if (syc_block_is_shareable())
		syc_discovery_enter_loaded(syc_block);
	__atomic_store_n(&syc_process->session, s, __ATOMIC_SEQ_CST);
	syc_plan_use(syc_plan_of_options());
	syc_process_set_reason("syscap_start() was called");
	syc_copies_set_active(epoch);
	syc_text_field(options->message, sizeof(options->message),
	               s->output.path);
	if (before != NULL)
		syc_end_session(before, STOP_NS);
	return 0;
}

int syscap_start(struct syscap_options *given)
{
	struct syscap_options options = { .size = sizeof(options) };
	const size_t size =
		given->size < sizeof(options) ? given->size : sizeof(options);
	struct syc_undisturbed before;
	int r;

	if (size < offsetof(struct syscap_options, message) + 64)
		return -EINVAL;
	memcpy(&options, given, size);
	options.size = sizeof(options);
	syc_undisturbed_begin(&before);
	r = syc_setup_prepare();
	if (r != 0) {
		r = fail_start(&options, "no memory for thread states", r);
	} else if (syc_child_pid() != getpid()) {
		r = fail_start(&options, "a vfork() child cannot record",
		               -EPERM);
	} else if (!syc_session_take_life(syc_clock_kernel() + STOP_NS)) {
		r = fail_start(&options, "another start or stop takes too long",
		               -EBUSY);
	} else {
		r = start_session(&options);
		syc_session_give_life();
	}
	syc_undisturbed_end(&before);
	struct syc_session *const s = r == 0 ? syc_session_look() : NULL;
	if (s != NULL && !s->no_thread)
		syc_spill_thread_start(s); /* without this thread, events cause
		                            * the writes */
	if (r == 0)
		syc_session_leave();
	memcpy(given->message, options.message,
	       size - offsetof(struct syscap_options, message));
	return r;
}

int syscap_allow_attach(void)
{
	const int r = syc_setup_prepare();
	struct syc_undisturbed before;

	if (r != 0)
		return r;
	syc_undisturbed_begin(&before);
	if (syc_block_is_shareable())
		syc_discovery_enter_loaded(syc_block);
	syc_attach_allow();
	syc_undisturbed_end(&before);
	return 0;
}

int syscap_stop(void)
{
	struct syc_session *s;
	struct syc_undisturbed before;
	int r = -ENOENT;

	syc_setup_join();
	if (!syc_process_is_there() || !syc_destination_is_started())
		return -ENOENT;
	syc_undisturbed_begin(&before);
	if (!syc_session_take_life(syc_clock_kernel() + STOP_NS)) {
		r = -EBUSY;
		goto out;
	}
	if (syc_destination_is_started()) {
		s = syc_process->session;
		__atomic_store_n(&syc_process->session, NULL, __ATOMIC_SEQ_CST);
		syc_plan_use_environment();
		const enum syc_sink sink = syc_destination_sink();
		syc_process_set_reason(sink == SYC_SINK_NONE
		                               ? "syscap_stop() was called"
		                               : "the environment's recording "
		                                 "continues");
		syc_copies_set_active(
			sink == SYC_SINK_NONE ? 0 : syc_process_next_epoch());
		r = s != NULL ? syc_end_session(s, STOP_NS) : 0;
	}
	syc_session_give_life();
out:
	syc_undisturbed_end(&before);
	return r;
}
