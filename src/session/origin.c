/* SPDX-License-Identifier: BSD-2-Clause */
/* origin.c - the session that a forked child shares with its parent. */
#define _GNU_SOURCE
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "copies/copies.h"
#include "os/fd.h"
#include "os/process.h"
#include "os/signals.h"
#include "ring/clock.h"
#include "session/session.h"
#include "session/spill.h"

void syc_origin_offer(const struct syc_session *s)
{
	struct syc_origin *const origin =
		syc_lazy_map_get(&syc_block->origin, sizeof(*origin));

	if (origin == NULL || s->plan->private_children)
		return;
	__atomic_store_n(&origin->epoch, 0, __ATOMIC_RELEASE);
	origin->pid = s->pid;
	origin->pid_ns = syc_pid_namespace_id();
	origin->arena = s->arena;
	origin->output = s->output;
	origin->trace_fd = s->trace.fd;
	origin->trace_shared = s->trace.shared;
	__atomic_store_n(&origin->epoch, s->epoch, __ATOMIC_RELEASE);
}

void syc_origin_end(const struct syc_session *s)
{
	struct syc_origin *const origin =
		__atomic_load_n(&syc_block->origin, __ATOMIC_ACQUIRE);

	if (origin != NULL && origin->epoch == s->epoch)
		__atomic_store_n(&origin->epoch, 0, __ATOMIC_RELEASE);
}

/* Close the fds of the parent's trace.  A record lock of the parent would last
 * as long as this process has the fds open. */
static void close_trace(struct syc_origin *origin, const struct syc_plan *plan)
{
	int *const fds[] = { &origin->trace_fd, &origin->trace_shared };

	for (int i = 0; i < 2; i++) {
		if (*fds[i] >= 0 &&
		    syc_fd_is_file(*fds[i], plan->trace.dev, plan->trace.ino))
			syc_fd_close(*fds[i]);
		*fds[i] = -1;
	}
}

void syc_origin_close_inherited(void)
{
	struct syc_origin *const origin =
		__atomic_load_n(&syc_block->origin, __ATOMIC_ACQUIRE);

	if (origin != NULL && origin->epoch != 0 && origin->pid != getpid() &&
	    syc_plan_current()->to.sink == SYC_SINK_TRACE)
		close_trace(origin, syc_plan_current());
}

static int join_sink(struct syc_session *s)
{
	struct syc_write_nosignal quiet;
	int r;

	syc_write_nosignal_begin(&quiet);
	r = s->plan->to.sink == SYC_SINK_OUTPUT
	            ? syc_output_join(&s->output)
	            : syc_trace_open(&s->trace, &s->plan->trace);
	syc_write_nosignal_end(&quiet);
	return r;
}

/* Return whether pids mean the same here as in the process that made the offer.
 * Without /proc, that process is known to be the parent, or unknown. */
static bool is_namespace_of(const struct syc_origin *origin)
{
	const uint64_t here = syc_pid_namespace_id();

	return here != 0 ? here == origin->pid_ns
	                 : syscall(SYS_getppid) == origin->pid;
}

struct syc_session *syc_origin_join(const struct syc_plan *plan, int epoch)
{
	const struct syc_origin *const origin =
		__atomic_load_n(&syc_block->origin, __ATOMIC_ACQUIRE);
	struct syc_session *s;

	syc_origin_close_inherited();
	if (origin == NULL ||
	    __atomic_load_n(&origin->epoch, __ATOMIC_ACQUIRE) != epoch ||
	    origin->pid == getpid() || !is_namespace_of(origin))
		return NULL;
	s = syc_session_begin(plan, epoch);
	if (s == NULL)
		return NULL;
	s->parent = origin->pid;
	s->is_child = true;
	s->arena = origin->arena;
	s->output = origin->output;
	syc_session_find_journal(s);
	/* A filtered child only has rings, and related processes write the
	 * child's frames */
	if (!syc_session_is_closed(s) &&
	    (syc_spill_is_filtered(plan, syc_clock_kernel()) ||
	     join_sink(s) == 0)) {
		syc_origin_offer(s); /* Offer the session to this process' own
		                      * children */
		return s;
	}
	munmap(s, sizeof(*s));
	return NULL;
}
