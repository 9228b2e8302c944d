/* SPDX-License-Identifier: BSD-2-Clause */
/* session.c - start of a recording that the process makes by itself: plan,
 * arena and sink. */
#define _GNU_SOURCE
#include "session/session.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <syscap.h>

#include "base/text.h"
#include "emit/process.h"
#include "os/env.h"
#include "os/fd.h"
#include "os/process.h"
#include "os/signals.h"
#include "os/syscalls.h"
#include "os/threads.h"
#include "ring/arena.h"
#include "ring/clock.h"
#include "ring/ring.h"
#include "session/sink.h"
#include "session/spill.h"

#define MS               INT64_C(1000000)
#define DEFAULT_FLUSH_NS (250 * MS)
/* Longer flush time for a trace file, because no ring file remains for a
 * recovery.  Many processes that take turns may delay a write, but no slow
 * reader does */
#define SHARED_FLUSH_NS  (2000 * MS)
#define DEFAULT_RING_KIB 256u
/* Least size in flight mode, and the default.  A quarter of a ring is always
 * free, and has space for any frame */
#define FLIGHT_RING_BYTES (UINT32_C(512) * 1024)

/* ----------------------------------------------------------------- plan */

static struct syc_plan from_environment;
static struct syc_plan from_options;
static struct syc_plan from_attach;

const struct syc_destination *syc_plan_of_environment(void)
{
	return &from_environment.to;
}

const struct syc_plan *syc_plan_of_options(void)
{
	return &from_options;
}

void syc_plan_use(const struct syc_plan *plan)
{
	syc_block->started = &plan->to;
	__atomic_store_n(&syc_block->is_started, 1, __ATOMIC_RELEASE);
}

void syc_plan_use_environment(void)
{
	__atomic_store_n(&syc_block->is_started, 0, __ATOMIC_RELEASE);
}

static uint32_t ring_bytes(uint64_t kib)
{
	const uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);
	uint64_t bytes = kib * 1024;

	if (kib == 0)
		bytes = DEFAULT_RING_KIB * 1024;
	if (kib > SYC_ARENA_BODY_MAX / 1024)
		bytes = SYC_ARENA_BODY_MAX;
	if (bytes < SYC_ARENA_BODY_MIN)
		bytes = SYC_ARENA_BODY_MIN;
	return (uint32_t)((bytes + page - 1) / page * page);
}

static void fill_defaults(struct syc_plan *plan)
{
	const char *const thread = syc_env_get(SYC_ENV_THREAD);

	plan->no_thread = thread != NULL && strcmp(thread, "0") == 0;
	plan->wants_thread = thread != NULL && strcmp(thread, "1") == 0;
	plan->ring_bytes = ring_bytes(syc_env_number(SYC_ENV_RING_KIB));
	plan->interval_ns = plan->wants_thread ? SYC_DRAIN_BY_THREAD_NS
	                                       : SYC_DRAIN_BY_EMITTERS_NS;
	plan->exit_flush_ns = DEFAULT_FLUSH_NS;
}

static __attribute__((noinline)) void plan_flight(struct syc_plan *plan)
{
	plan->is_flight = plan->no_thread = plan->private_children = true;
	plan->wants_thread = false;
	if (plan->ring_bytes < FLIGHT_RING_BYTES)
		plan->ring_bytes = FLIGHT_RING_BYTES;
}

static const char *plan_output(struct syc_plan *plan, const char *pattern)
{
	if (syc_lazy_map_get(&plan->output, sizeof(*plan->output)) == NULL)
		return "no memory for the output's name";
	switch (syc_output_choose(plan->output, pattern,
	                          syc_env_get(SYC_ENV_RUNTIME_DIR),
	                          program_invocation_short_name)) {
	case 0:
		return NULL;
	case -ENAMETOOLONG:
		return "the output's name is too long";
	case -EINVAL:
		return "the output's name is empty or has a % other than "
		       "%p, %n or %%";
	default:
		return "the output's directory is unknown: use an absolute "
		       "path";
	}
}

enum syc_sink syc_plan_from_environment(bool has_recorder, const char **ret_why)
{
	struct syc_plan *const plan = &from_environment;
	const char *const trace = syc_env_get(SYC_ENV_TRACE_FD);
	const char *const output = syc_env_get(SYC_ENV_OUTPUT);
	const int fd = syc_env_parse_fd(trace);

	fill_defaults(plan);
	plan->to.sink = SYC_SINK_NONE;
	if (has_recorder) {
		plan->to.sink = SYC_SINK_CONTROL;
	} else if (trace != NULL) {
		*ret_why = fd < 0 ? "SYSPROF_TRACE_FD is not a descriptor "
		                    "number above 2"
		                  : syc_trace_adopt(fd, &plan->trace);
		if (*ret_why == NULL)
			plan->to.sink = SYC_SINK_TRACE;
		if (plan->trace.kind == SYC_TRACE_FILE)
			plan->exit_flush_ns = SHARED_FLUSH_NS;
	} else if (output != NULL) {
		const char *const mode = syc_env_get(SYC_ENV_MODE);

		*ret_why = plan_output(plan, output);
		if (*ret_why == NULL)
			plan->to.sink = SYC_SINK_OUTPUT;
		if (mode != NULL && strcmp(mode, "flight") != 0)
			syc_diag_say(SYC_ENV_MODE, "not flight");
		else if (mode != NULL)
			plan_flight(plan);
	}
	if (plan->to.sink >= SYC_SINK_TRACE)
		plan->n_filters = syc_spill_count_filters();
	if (plan->to.sink == SYC_SINK_TRACE)
		*ret_why = "SYSPROF_TRACE_FD is written to";
	else if (plan->to.sink == SYC_SINK_OUTPUT)
		*ret_why = "SYSCAP_OUTPUT is written to";
	return plan->to.sink;
}

const char *syc_plan_from_options(const struct syscap_options *options)
{
	struct syc_plan *const plan = &from_options;

	fill_defaults(plan);
	plan->n_filters = syc_spill_count_filters();
	plan->to.sink = SYC_SINK_OUTPUT;
	if ((options->flags & SYSCAP_NO_THREAD) != 0)
		plan->no_thread = true;
	plan->wants_thread = !plan->no_thread;
	plan->interval_ns = SYC_DRAIN_BY_THREAD_NS;
	plan->is_flight = false;
	plan->private_children =
		(options->flags & SYSCAP_PRIVATE_CHILDREN) != 0;
	if (options->ring_kib != 0)
		plan->ring_bytes = ring_bytes(options->ring_kib);
	if ((options->flags & SYSCAP_FLIGHT) != 0)
		plan_flight(plan);
	if (options->interval_ms != 0)
		plan->interval_ns = options->interval_ms * MS;
	if (options->exit_flush_ms != 0)
		plan->exit_flush_ns = options->exit_flush_ms * MS;
	const char *const why = plan_output(plan, options->output);
	if (why == NULL)
		plan->output->max_bytes = options->max_bytes;
	return why;
}

const char *syc_plan_for_attach(void)
{
	struct syc_plan *const plan = &from_attach;

	fill_defaults(plan);
	plan->no_thread = plan->wants_thread = false;
	plan->interval_ns = SYC_DRAIN_BY_EMITTERS_NS;
	plan->n_filters = syc_spill_count_filters();
	plan->to.sink = SYC_SINK_OUTPUT;
	plan->private_children = true;
	syc_block->attach_plan = plan;
	return plan_output(plan, "/");
}

const struct syc_plan *syc_plan_from_attach(const struct syc_attach *attach)
{
	struct syc_plan *const plan = syc_block->attach_plan;

	if (attach->ring_kib != 0)
		plan->ring_bytes = ring_bytes(attach->ring_kib);
	plan->recorder = attach->recorder;
	plan->recorder_start = attach->recorder_start;
	plan->recorded = attach->pid;
	syc_text_field(plan->output->pattern, sizeof(plan->output->pattern),
	               attach->path);
	return plan;
}

/* --------------------------------------------------------------- making */

static const char *why_no_output(int r)
{
	switch (r) {
	case -ENOENT:
	case -ENOTDIR:
		return "no output: there is no such directory";
	case -EACCES:
	case -EPERM:
		return "no output: no permission";
	case -EROFS:
		return "no output: the file system is "
		       "read-only";
	case -ENOSPC:
	case -EDQUOT:
		return "no output: no space left";
	case -EEXIST:
		return "no output: all names are taken";
	case -EFBIG:
		return "no output: the file size limit is too "
		       "low";
	default:
		return "no output: the file can't be made";
	}
}

static const char *make_output(struct syc_session *s)
{
	const struct syc_output_target *const target = s->plan->output;
	int r = syc_output_create(&s->output, target, s->pid);

	if (r != 0)
		return why_no_output(r);
	for (int place = 0; place < SYC_RING_PLACES; place++) {
		r = syc_output_create_rings(&s->output, target, s->pid,
		                            (enum syc_ring_place)place);
		if (r != 0)
			continue;
		r = syc_arena_create(&s->arena, s->output.ring_fd,
		                     s->plan->ring_bytes, s->pid);
		if (r == 0)
			break;
		syc_output_drop_rings(&s->output);
	}
	if (r == 0)
		r = syc_output_begin(&s->output, s->arena.base, &s->arena,
		                     s->pid, s->began, s->copy,
		                     s->plan->is_flight);
	if (r == 0) {
		syc_session_find_journal(s);
		s->written = s->journal->end;
		s->described = SYC_TOLD_NAME;
		return NULL;
	}
	unlink(s->output.path);
	return why_no_output(r);
}

/* Make the rings' memfd, with a high fd, like the sinks' fds. */
static int make_rings_fd(struct syc_session *s)
{
	struct stat st;
	const unsigned held = syc_fd_hold();

	s->output.ring_fd = syc_fd_keep(syc_fd_release(
		held,
		(int)syscall(SYS_memfd_create, "syscap-rings", MFD_CLOEXEC)));
	if (s->output.ring_fd < 0)
		return -ENOTSUP;
	if (fstat(s->output.ring_fd, &st) != 0)
		return -errno;
	s->output.ring_dev = st.st_dev;
	s->output.ring_ino = st.st_ino;
	return 0;
}

static int make_trace_arena(struct syc_session *s)
{
	int r = syc_arena_create(&s->arena, -1, s->plan->ring_bytes, s->pid);

	if (r != -ENOTSUP)
		return r;
	r = make_rings_fd(s);
	if (r == 0)
		r = syc_arena_create(&s->arena, s->output.ring_fd,
		                     s->plan->ring_bytes, s->pid);
	return r;
}

static const char *make_trace(struct syc_session *s)
{
	int r = syc_trace_open(&s->trace, &s->plan->trace);

	if (r == 0)
		r = make_trace_arena(s);
	switch (r) {
	case 0:
		syc_session_find_journal(s);
		return NULL;
	case -ESTALE:
		return "SYSPROF_TRACE_FD was closed or reused";
	case -EBUSY:
		return "SYSPROF_TRACE_FD is a socket that another process, or "
		       "another copy of the library, writes to";
	case -EPIPE:
		return "the reader of SYSPROF_TRACE_FD has ended";
	case -ENOLCK:
		return "SYSPROF_TRACE_FD can't be locked";
	case -ENOMEM:
	case -ENOSPC:
		return "no memory for rings";
	case -ENOTSUP:
		return "rings can't be mapped: mremap() is refused, and "
		       "memfd_create() too";
	default:
		return "SYSPROF_TRACE_FD can't be written to";
	}
}

static bool is_rings(const struct syc_session *s, int fd)
{
	return syc_fd_is_file(fd, s->output.ring_dev, s->output.ring_ino);
}

void syc_session_close(struct syc_session *s, bool is_whole)
{
	if (s->plan->to.sink == SYC_SINK_OUTPUT) {
		syc_output_close(&s->output, is_whole);
		return;
	}
	syc_trace_close(&s->trace);
	if (is_rings(s, s->output.ring_fd))
		syc_fd_close(s->output.ring_fd);
	s->output.ring_fd = -1;
}

void syc_session_find_journal(struct syc_session *s)
{
	s->journal =
		(struct syc_ring_journal *)(void *)(s->arena.base +
	                                            syc_ring_file_journal(
							    s->arena.page));
}

void syc_session_free(struct syc_session *s, bool is_whole)
{
	syc_arena_destroy(&s->arena);
	syc_session_close(s, is_whole);
	munmap(s, sizeof(*s));
}

struct syc_session *syc_session_begin(const struct syc_plan *plan, int epoch)
{
	const int64_t now = syc_clock_kernel();
	struct syc_session *const s =
		mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE,
	             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (s == MAP_FAILED)
		return NULL;
	madvise(s, sizeof(*s), MADV_DONTFORK);
	s->plan = plan;
	s->no_thread = plan->no_thread;
	s->interval_ns = plan->interval_ns;
	s->exit_flush_ns = plan->exit_flush_ns;
	s->is_started = &plan->to != syc_block->environment;
	s->pid = getpid();
	s->epoch = epoch;
	s->is_child = syc_process->is_child || syc_process->born == 0;
	/* The time of the first event precedes the session that the event
	 * needs.  The recording must not begin later than its first event */
	s->began = syc_process->since != 0 ? syc_process->since : now;
	s->output.fd = s->output.ring_fd = s->trace.fd = s->trace.shared = -1;
	syc_spill_set_time(s, now);
	return s;
}

struct syc_session *syc_session_make(const struct syc_plan *plan, int epoch,
                                     const char **ret_why)
{
	struct syc_write_nosignal quiet;
	struct syc_session *const s = syc_session_begin(plan, epoch);

	if (s == NULL) {
		*ret_why = "no memory for a recording";
		return NULL;
	}
	syc_write_nosignal_begin(&quiet);
	*ret_why = plan->to.sink == SYC_SINK_OUTPUT ? make_output(s)
	                                            : make_trace(s);
	syc_write_nosignal_end(&quiet);
	if (*ret_why != NULL) {
		syc_session_free(s, true);
		return NULL;
	}
	if (plan->private_children)
		madvise(s->arena.base, s->arena.size, MADV_DONTFORK);
	syc_origin_offer(s);
	__atomic_store_n(&syc_process->announced, 0, __ATOMIC_RELAXED);
	return s;
}

/* ----------------------------------------------------------------- users */

bool syc_session_take_life(int64_t deadline)
{
	for (;;) {
		const uint32_t holder = syc_tid_lock_try(&syc_process->life);

		if (holder == 0)
			return true;
		if (holder == (uint32_t)gettid() ||
		    syc_clock_kernel() >= deadline)
			return false;
		syc_futex_nap();
	}
}

void syc_session_give_life(void)
{
	syc_tid_lock_give(&syc_process->life);
}

int syc_session_open_rings(const struct syc_session *s)
{
	int fd = s->output.ring_fd >= 0 ? syc_fd_dup(s->output.ring_fd) : -1;

	if (fd >= 0 && is_rings(s, fd))
		return fd;
	if (fd >= 0)
		syc_fd_close(fd);
	/* The program may have closed this library's fd */
	fd = s->output.ring_path[0] != '\0'
	             ? syc_fd_open(s->output.ring_path, O_RDWR | O_NOFOLLOW, 0)
	             : -1;
	if (fd >= 0 && is_rings(s, fd))
		return fd;
	if (fd >= 0)
		syc_fd_close(fd);
	return -ENOTSUP;
}

uint32_t syc_session_slots(struct syc_session *s)
{
	const uint32_t n = syc_arena_used(&s->arena);
	uint32_t seen = __atomic_load_n(&s->n_used, __ATOMIC_RELAXED);

	/* Related processes may write to this count, so this process never
	 * lowers the count */
	while (n > seen && syc_arena_open(&s->arena, n) == 0)
		if (__atomic_compare_exchange_n(&s->n_used, &seen, n, true,
		                                __ATOMIC_RELAXED,
		                                __ATOMIC_RELAXED))
			return n;
	return seen;
}

void syc_session_fail(struct syc_session *s, const char *why)
{
	syc_process_set_reason(why);
	if (syc_copies_change_active(s->epoch, 0))
		syc_diag_say("recording is off", why);
}
