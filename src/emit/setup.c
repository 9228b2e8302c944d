/* SPDX-License-Identifier: BSD-2-Clause */
/* setup.c - set-up of the library at load, set-up of each thread's ring, and
 * the end of the process. */
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <sys/auxv.h>
#include <sys/un.h>
#include <unistd.h>

#include <syscap.h>

#include "emit/loss.h"
#include "emit/overflow.h"
#include "emit/process.h"
#include "emit/recorder.h"
#include "emit/ring_source.h"
#include "emit/thread.h"
#include "os/env.h"
#include "os/process.h"
#include "os/seccomp_state.h"
#include "os/signals.h"
#include "os/syscalls.h"
#include "ring/arena.h"
#include "ring/clock.h"

const struct syc_ring_source *syc_ring_sources[SYC_N_SOURCES];

void syc_at_exit_end(void)
{
	struct syc_undisturbed before;

	if (syc_seccomp_is_closed() || !syc_process_is_there() ||
	    syc_process->pid != getpid())
		return;
	/* A handler of this thread would wait for the interrupted set-up */
	syc_undisturbed_begin(&before);
	if (!syc_seccomp_has_filter())
		syc_overflow_end();
	for (int i = 0; i < SYC_N_SOURCES; i++)
		if (syc_ring_sources[i] != NULL && syc_ring_sources[i]->end())
			break;
	syc_undisturbed_end(&before);
}

/* Each copy has this destructor, and other copies may emit until the destructor
 * runs.  Other destructors emit, too, such as the sampler's.  Because of its
 * priority this destructor is the last of its object.  Without a priority the
 * link order would decide. */
__attribute__((destructor(101))) static void end_at_unload(void)
{
	/* Another copy may have turned this copy on, without an event in this
	 * copy since.  A copy that was never turned on is about to be unmapped,
	 * so it must not register. */
	if (!syc_process_is_there() && !syc_block_adopt())
		return;
	if (syc_copies_end())
		syc_at_exit_end();
}

enum {
	NOT_BEGUN,
	UNDER_WAY,
	BEFORE_MAIN, /* in progress, before main() */
	DONE
};
static uint32_t init_phase;
static struct syc_control_socket control = { .fd = -1 };
static struct sockaddr_un address; /* no family: there is no name */
static bool has_recorder;
void (*syc_setup_decide)(void);
uint32_t syc_setup_n_early;

static const char only_recorders[] =
	"this program records only under a recorder";
static const char nothing_asks[] = "none of SYSPROF_CONTROL_FD, "
				   "SYSPROF_TRACE_FD and SYSCAP_OUTPUT is set";

static enum syc_sink take_environment(const char **ret_why)
{
	if (syc_own_recording != NULL)
		return syc_own_recording->take_environment(has_recorder,
		                                           ret_why);
	if (!has_recorder)
		*ret_why = only_recorders;
	return has_recorder ? SYC_SINK_CONTROL : SYC_SINK_NONE;
}

static const struct syc_destination *environment_destination(void)
{
	static const struct syc_destination none = { .sink = SYC_SINK_NONE };
	static const struct syc_destination recorder = {
		.sink = SYC_SINK_CONTROL
	};

	if (syc_own_recording != NULL)
		return syc_own_recording->environment();
	return has_recorder ? &recorder : &none;
}

/* Size of a ring's body in the arena that the recorder requests. */
static uint32_t requested_body(void)
{
	const uint64_t body = has_recorder ? syc_env_number(SYC_ENV_ARENA) : 0;

	return body >= SYC_ARENA_BODY_MIN && body <= SYC_ARENA_BODY_MAX &&
	                       body % (uint64_t)sysconf(_SC_PAGESIZE) == 0
	               ? (uint32_t)body
	               : 0;
}

/* Set up the data that every kind of recording needs. */
static int prepare_recording(void)
{
	static const struct syc_block_hooks hooks = {
		.on_thread_exit = syc_thread_leave_for_good,
		.on_fork = syc_child_prepare,
		.on_child = syc_child_begin,
		.on_quick_exit = syc_at_exit_end,
	};

	syc_pin_object(&syc_active);
	return syc_block_make(&control, &address, requested_body(),
	                      environment_destination(), &hooks);
}

int syc_setup_prepare(void)
{
	static uint32_t phase = NOT_BEGUN;
	uint32_t expected = NOT_BEGUN;
	struct syc_undisturbed before;

	syc_setup_run();
	if (syc_process_is_there())
		return 0;
	syc_undisturbed_begin(&before);
	while (!__atomic_compare_exchange_n(&phase, &expected, UNDER_WAY, false,
	                                    __ATOMIC_ACQUIRE,
	                                    __ATOMIC_ACQUIRE)) {
		expected = NOT_BEGUN; /* another thread does the set-up */
		syc_futex_nap();
	}
	const int r = !syc_process_is_there() ? prepare_recording() : 0;
	__atomic_store_n(&phase, NOT_BEGUN, __ATOMIC_RELEASE);
	syc_undisturbed_end(&before);
	return r;
}

void syc_setup_join(void)
{
	/* The copy that turned this copy on has also pinned this copy */
	if (!syc_process_is_there() &&
	    __atomic_load_n(&syc_active, __ATOMIC_ACQUIRE) > 0 &&
	    __atomic_load_n(&init_phase, __ATOMIC_ACQUIRE) == DONE &&
	    !syc_block_adopt())
		__atomic_store_n(&syc_active, 0, __ATOMIC_RELAXED);
}

void syc_setup_look_at_attach(void)
{
	struct syc_undisturbed before;

	if (!syc_process_is_there() || syc_own_recording == NULL)
		return;
	syc_undisturbed_begin(&before);
	syc_own_recording->look_at_attach();
	syc_undisturbed_end(&before);
}

/* ---------------------------------------------------------- a thread's ring */

SYC_COLD bool syc_thread_connect(struct syc_state *ts)
{
	const struct syc_ring_source *const source = syc_ring_source_current();
	struct syc_undisturbed before;

	if (ts->is_connecting || ts->ring != NULL || syc_seccomp_has_filter())
		return false; /* nested in set-up; closed; forbidden */
	if (source == NULL)
		return false; /* this copy lacks the source of rings */
	if (ts->retry_at != 0 && (ts->retry_at == SYC_RETRY_NEVER ||
	                          syc_clock_kernel() < ts->retry_at))
		return false;
	syc_undisturbed_begin(&before);
	if (!syc_thread_is_begun(ts))
		syc_thread_claim(); /* a fork interrupted this event */
	/* The load is atomic, because other threads may change the phase in
	 * search of a state */
	if (ts->hot.body == NULL &&
	    __atomic_load_n(&ts->phase, __ATOMIC_RELAXED) == SYC_STATE_ALIVE) {
		ts->is_connecting = true;
		if (source->connect(ts))
			syc_announce(ts);
		ts->is_connecting = false;
	}
	syc_undisturbed_end(&before);
	return ts->hot.body != NULL;
}

/* -------------------------------------------------------------- at load */

/*
 * Returns the inode that the environment stores for the fd @fd; 0: no inode for
 * this fd.  The fd in SYSPROF_CONTROL_FD may now be another file.  Some
 * programs close all unknown fds, and pass sockets of their own to children,
 * with the variable unchanged.  A syscap recorder stores the fd and the
 * socket's inode in another variable.
 */
static uint64_t control_inode(int fd)
{
	const char *text = syc_env_get(SYC_ENV_CONTROL_INODE);
	uint64_t numbers[2] = { 0, 0 };

	for (unsigned i = 0; text != NULL && i < 2; i++) {
		for (; *text >= '0' && *text <= '9'; text++)
			numbers[i] = numbers[i] * 10 + (uint64_t)(*text - '0');
		if (*text++ != (i == 0 ? ':' : '\0'))
			return 0;
	}
	return numbers[0] == (uint64_t)fd ? numbers[1] : 0;
}

static const char *set_up_control(const char *value)
{
	const int fd = syc_env_parse_fd(value);

	if (fd < 0)
		return "SYSPROF_CONTROL_FD is not a descriptor number above 2";
	const char *const why =
		syc_control_adopt(fd, init_phase == BEFORE_MAIN, &control);
	const uint64_t inode = why == NULL ? control_inode(fd) : 0;
	control.peer_is_syscap = inode != 0 && inode == control.ino;
	return inode != 0 && !control.peer_is_syscap
	               ? "SYSPROF_CONTROL_FD now refers to another socket"
	               : why;
}

/* Find the recorder; an inherited socket precedes a name (decision 0022).
 * Returns the reason if the environment names a recorder and there is none. */
static const char *find_recorder(const char **ret_why)
{
	const char *const control_fd = syc_env_get(SYC_ENV_CONTROL_FD);
	const char *const path = syc_env_get(SYC_ENV_RECORDER);
	const char *why = NULL;

	if (path != NULL) {
		*ret_why = "SYSCAP_RECORDER leads to a recorder";
		has_recorder = syc_connection_adopt(path, &address);
		if (!has_recorder)
			why = "the recorder has ended";
	}
	if (control_fd != NULL) {
		why = set_up_control(control_fd);
		if (why == NULL) {
			*ret_why = "SYSPROF_CONTROL_FD leads to a recorder";
			has_recorder = true;
		} else {
			control.fd = -1;
		}
	}
	return why;
}

/* Return whether the environment requests a recording.  Without a request, the
 * set-up makes no system call. */
static bool is_recording_requested(void)
{
	return syc_env_get(SYC_ENV_CONTROL_FD) != NULL ||
	       syc_env_get(SYC_ENV_RECORDER) != NULL ||
	       syc_env_get(SYC_ENV_TRACE_FD) != NULL ||
	       syc_env_get(SYC_ENV_OUTPUT) != NULL ||
	       syc_env_number(SYC_ENV_ATTACH) == 1;
}

/* The first working sink among those that the environment names. */
static enum syc_sink choose_sink(const char **ret_why)
{
	const char *const why = find_recorder(ret_why);

	if (why != NULL)
		syc_diag_say("the recorder", why);
	if (has_recorder)
		return take_environment(NULL);
	*ret_why = nothing_asks;
	const enum syc_sink sink = take_environment(ret_why);
	if (sink == SYC_SINK_NONE && why != NULL)
		*ret_why = why;
	return sink;
}

static bool is_joined(void)
{
	if (!syc_block_find())
		return false;
	syc_pin_object(&syc_active);
	syc_diag_say("recording is shared", "with another copy of the library");
	return true;
}

static void allow_attach(void)
{
	if (syc_env_number(SYC_ENV_ATTACH) == 1 && syc_own_recording != NULL &&
	    prepare_recording() == 0)
		syc_own_recording->allow_attach();
}

static void begin_recording(void)
{
	const char *why;

	if (choose_sink(&why) == SYC_SINK_NONE) {
		syc_process_turn_off(why);
	} else if (prepare_recording() != 0) {
		syc_process_turn_off("no memory for thread states");
	} else if (syc_block->last_epoch == 0) { /* no copy was faster */
		syc_process_set_reason(why);
		syc_copies_set_active(syc_process_next_epoch());
		syc_diag_say("recording is on", why);
		if (syc_own_recording != NULL)
			syc_own_recording->begin();
	}
}

void syc_setup_again(void)
{
	struct syc_undisturbed before;

	syc_ring_sources[SYC_SOURCE_RECORDER] = &syc_recorder;
	if (syc_own_recording != NULL)
		syc_ring_sources[SYC_SOURCE_OWN] = &syc_own_recording->source;
	syc_diag_init();
	if (is_joined())
		return;
	if (!is_recording_requested()) {
		syc_process_turn_off(syc_own_recording == NULL ? only_recorders
		                                               : nothing_asks);
		return;
	}
	syc_undisturbed_begin(&before);
	begin_recording();
	allow_attach();
	syc_undisturbed_end(&before);
}

/* Greatest size of arguments and environment together (execve(2)) */
#define ARGS_MAX ((uintptr_t)6 << 20)

/*
 * Return whether the stack is as shallow as before main().  Before main() the
 * start-up code calls constructors 100 to 420 bytes below the beginning of the
 * first thread's stack.  dlopen() puts at least 200 bytes of jump buffers below
 * main(), and calls constructors 1,800 bytes deep in glibc, 980 in musl.
 */
static bool has_shallow_stack(void)
{
	const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	char **at = environ - 1; /* the NULL after argv */
	uintptr_t n = 0;

	/* An environment that the program has set is not on the stack, above
	 * which the kernel put some bytes.  Memory below the environment may be
	 * unmapped */
	if ((uintptr_t)getauxval(AT_RANDOM) - (uintptr_t)environ > ARGS_MAX)
		return false;
	/* The stack begins at argc */
	while ((uintptr_t)at > here && (uintptr_t) * --at != n)
		n++;
	return (uintptr_t)at - here < 768;
}

void syc_setup_run(void)
{
	uint32_t expected = NOT_BEGUN;
	const int saved = errno;

	if (__atomic_load_n(&init_phase, __ATOMIC_ACQUIRE) != NOT_BEGUN ||
	    !__atomic_compare_exchange_n(
		    &init_phase, &expected,
		    has_shallow_stack() ? BEFORE_MAIN : UNDER_WAY, false,
		    __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
		return;
	syc_setup_again();
	__atomic_store_n(&init_phase, DONE, __ATOMIC_RELEASE);
	if (__atomic_load_n(&syc_active, __ATOMIC_RELAXED) > 0)
		for (uint32_t n = __atomic_exchange_n(&syc_setup_n_early, 0,
		                                      __ATOMIC_RELAXED);
		     n != 0; n--)
			syc_loss_count_stray(SYC_LOSS_ABANDONED, 0,
			                     syc_clock_kernel());
	errno = saved;
}

__attribute__((constructor)) static void init_at_load(void)
{
	syc_setup_run();
}
