/* SPDX-License-Identifier: BSD-2-Clause */
/* setup.c - whether and where this process records, decided when it starts. */
#define _GNU_SOURCE
#include "emit/setup.h"

#include <errno.h>
#include <stddef.h>
#include <sys/un.h>
#include <unistd.h>

#include <syscap.h>

#include "emit/at_exit.h"
#include "emit/child.h"
#include "emit/connection.h"
#include "emit/control.h"
#include "emit/loss.h"
#include "emit/own.h"
#include "emit/process.h"
#include "emit/recorder.h"
#include "emit/share.h"
#include "emit/thread_leave.h"
#include "os/env.h"
#include "os/permanent_map.h"
#include "os/signals.h"
#include "os/syscalls.h"
#include "ring/arena.h"
#include "ring/clock.h"

enum {
	NOT_BEGUN,
	UNDER_WAY,
	BEFORE_MAIN, /* under way */
	DONE
};
static uint32_t init_phase;
static struct syc_control_socket control = { .fd = -1 };
static struct sockaddr_un address; /* of no family: it has no name */
static bool has_recorder;
void (*syc_setup_decide)(void);
uint32_t syc_setup_n_early;

static const char only_knows_recorders[] = "this program only knows recorders";
static const char nothing_asks[] = "none of SYSPROF_CONTROL_FD, "
				   "SYSPROF_TRACE_FD and SYSCAP_OUTPUT is set";

static enum syc_sink take_environment(const char **ret_why)
{
	if (syc_own_recording != NULL)
		return syc_own_recording->take_environment(has_recorder,
		                                           ret_why);
	if (!has_recorder)
		*ret_why = only_knows_recorders;
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

/* Bytes of a ring's body that the recorder would like to be handed over. */
static uint32_t wanted_body(void)
{
	const uint64_t body = has_recorder ? syc_env_number(SYC_ENV_ARENA) : 0;

	return body >= SYC_ARENA_BODY_MIN && body <= SYC_ARENA_BODY_MAX &&
	                       body % (uint64_t)sysconf(_SC_PAGESIZE) == 0
	               ? (uint32_t)body
	               : 0;
}

/* What recording of any kind needs. */
static int prepare_recording(void)
{
	static const struct syc_share_hooks hooks = {
		.on_thread_exit = syc_thread_leave_for_good,
		.on_fork = syc_child_prepare,
		.on_child = syc_child_begin,
		.on_quick_exit = syc_at_exit_end,
	};

	syc_pin_object(&syc_active);
	return syc_share_found(&control, &address, wanted_body(),
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
		expected = NOT_BEGUN; /* another thread is at it */
		syc_futex_nap();
	}
	const int r = !syc_process_is_there() ? prepare_recording() : 0;
	__atomic_store_n(&phase, NOT_BEGUN, __ATOMIC_RELEASE);
	syc_undisturbed_end(&before);
	return r;
}

void syc_setup_join(void)
{
	/* Whoever switched us on has pinned us, too */
	if (!syc_process_is_there() &&
	    __atomic_load_n(&syc_active, __ATOMIC_ACQUIRE) > 0 &&
	    __atomic_load_n(&init_phase, __ATOMIC_ACQUIRE) == DONE &&
	    !syc_share_adopt())
		__atomic_store_n(&syc_active, 0, __ATOMIC_RELAXED);
}

/* -------------------------------------------------------------- at load */

/*
 * A program that closes descriptors that it does not know, and hands sockets
 * of its own to what it starts, leaves the variable as it was: what answers
 * to that number may be anybody's.  Recorders of ours say which socket it is,
 * and for which number that holds: another recorder may have set only that.
 * Returns 0 where nobody says.
 */
static uint64_t inode_of_ours(int fd)
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
	const uint64_t ours = why == NULL ? inode_of_ours(fd) : 0;
	control.is_ours = ours != 0 && ours == control.ino;
	return ours != 0 && !control.is_ours
	               ? "SYSPROF_CONTROL_FD is another socket by now"
	               : why;
}

/* The socket that was inherited comes first: decision 0022.  Returns why there
 * is no recorder, where there should be one. */
static const char *find_recorder(const char **ret_why)
{
	const char *const control_fd = syc_env_get(SYC_ENV_CONTROL_FD);
	const char *const path = syc_env_get(SYC_ENV_RECORDER);
	const char *why = NULL;

	if (path != NULL) {
		*ret_why = "SYSCAP_RECORDER leads to a recorder";
		has_recorder = syc_connection_adopt(path, &address);
		if (!has_recorder)
			why = "the recorder is gone";
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

/* If not, no system call is made. */
static bool is_asked_for(void)
{
	return syc_env_get(SYC_ENV_CONTROL_FD) != NULL ||
	       syc_env_get(SYC_ENV_RECORDER) != NULL ||
	       syc_env_get(SYC_ENV_TRACE_FD) != NULL ||
	       syc_env_get(SYC_ENV_OUTPUT) != NULL;
}

/* The first sink that the environment names and that works. */
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
	if (!syc_share_find())
		return false;
	syc_pin_object(&syc_active);
	syc_diag_say("recording is shared", "with another copy of the library");
	return true;
}

static void begin_recording(void)
{
	const char *why;

	if (choose_sink(&why) == SYC_SINK_NONE) {
		syc_process_turn_off(why);
	} else if (prepare_recording() != 0) {
		syc_process_turn_off("no memory for thread states");
	} else if (syc_block->last_epoch == 0) { /* nobody was faster */
		syc_process_set_reason(why);
		syc_copies_set_active(syc_process_next_epoch());
		syc_diag_say("recording is on", why);
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
	if (!is_asked_for()) {
		syc_process_turn_off(syc_own_recording == NULL
		                             ? only_knows_recorders
		                             : nothing_asks);
		return;
	}
	syc_undisturbed_begin(&before);
	begin_recording();
	syc_undisturbed_end(&before);
}

/*
 * Before main() the start-up code calls constructors from the very beginning of
 * the first thread's stack: 100 to 420 bytes deep.  Below main(), dlopen() alone
 * puts jump buffers of at least 200 bytes there; a constructor that it calls is
 * 1,800 bytes deep with glibc, 980 with musl.
 */
static bool has_shallow_stack(void)
{
	const uintptr_t here = (uintptr_t)__builtin_frame_address(0);
	char **at = environ - 1; /* the NULL behind argv */
	uintptr_t n = 0;

	/* The stack begins at argc.  An environment that the program has set
	 * lies elsewhere */
	while (environ != NULL && (uintptr_t)at > here &&
	       (uintptr_t) * --at != n)
		n++;
	return (uintptr_t)at - here < 768;
}

void syc_setup_run(void)
{
	uint32_t expected = NOT_BEGUN;
	const int saved = errno;

	if (!__atomic_compare_exchange_n(
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
