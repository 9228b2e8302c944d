/* SPDX-License-Identifier: BSD-2-Clause */
/* process.c - what all threads of the process share: life and fork. */
#define _GNU_SOURCE
#include "emit/process.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <syscap.h>

#include "emit/control.h"
#include "emit/own.h"
#include "emit/share.h"
#include "emit/thread.h"
#include "emit/unsampled.h"
#include "os/diag.h"
#include "os/env.h"
#include "os/pin.h"

__thread struct syc_thread *syc_self
	__attribute__((tls_model(SYSCAP_TLS_MODEL)));

enum {
	NOT_BEGUN,
	UNDER_WAY,
	DONE
};
static uint32_t init_phase;
static const char *reason = "nothing was recorded yet"; /* without a block */
static struct syc_control_socket control = { .fd = -1 };
static bool has_recorder;
void (*syc_process_decide)(void);

/* pthread_setspecific() allocates for keys from here on (glibc, musl: 128
 * keys and never): a handler must not. */
#define FIRST_ALLOCATING_KEY 32

const char **syc_process_reason(void)
{
	return syc_block_is_there() ? &syc_block->reason : &reason;
}

void syc_process_set_reason(const char *text)
{
	__atomic_store_n(syc_process_reason(), text, __ATOMIC_RELAXED);
}

void syc_process_turn_off(const char *why)
{
	syc_process_set_reason(why);
	if (syc_block_is_there())
		syc_copies_set_active(0);
	else
		__atomic_store_n(&syc_active, 0, __ATOMIC_RELAXED);
	syc_diag_say("recording is off", why);
}

int syc_process_next_epoch(void)
{
	return __atomic_add_fetch(&syc_block->last_epoch, 1, __ATOMIC_RELAXED);
}

static bool have_exit_key(pthread_key_t *ret_key)
{
	const uint32_t key = syc_block->exit_key;

	*ret_key = (pthread_key_t)(key - 1);
	return key != 0 && key - 1 < FIRST_ALLOCATING_KEY;
}

bool syc_process_watch_thread(void *state)
{
	pthread_key_t key;

	return have_exit_key(&key) && pthread_setspecific(key, state) == 0;
}

void *syc_process_watched_thread(void)
{
	pthread_key_t key;

	void *const state =
		have_exit_key(&key) ? pthread_getspecific(key) : NULL;
	const uintptr_t offset = (uintptr_t)state - (uintptr_t)syc_states;

	/* A second C library in the process counts its keys as ours does, and
	 * threads have one place for a number */
	return offset < SYC_THREADS_MAX * sizeof(struct syc_state) ? state
	                                                           : NULL;
}

/* What fork() can do at once and _Fork() leaves to the first event. */
static void begin_child(void)
{
	const int32_t pid = getpid();

	if (syc_process->pid ==
	    pid) { /* emitted in another handler of fork() */
		syc_process->born = pid;
		syc_process->is_child = true;
		return;
	}
	if (syc_process->pid != 0) { /* was not wiped */
		memset(syc_process, 0, sizeof(*syc_process));
		memset(syc_states, 0,
		       syc_block->states_ever * sizeof(struct syc_state));
	}
	syc_process->born = pid;
	syc_process->is_child = true;
	void *const own = syc_process_watched_thread();
	if (own != NULL || syc_self != NULL)
		syc_thread_drop_inherited_ring(
			own != NULL ? own : syc_state_of(syc_self), true);
}

static enum syc_sink take_environment(const char **ret_why)
{
	if (syc_own_recording != NULL)
		return syc_own_recording->take_environment(has_recorder,
		                                           ret_why);
	if (!has_recorder)
		*ret_why = "this program only knows recorders";
	return has_recorder ? SYC_SINK_CONTROL : SYC_SINK_NONE;
}

static const struct syc_destination *environment(void)
{
	static const struct syc_destination none = { .sink = SYC_SINK_NONE };
	static const struct syc_destination recorder = {
		.sink = SYC_SINK_CONTROL
	};

	if (syc_own_recording != NULL)
		return syc_own_recording->environment();
	return has_recorder ? &recorder : &none;
}

/* What recording of any kind needs. */
static int prepare(void)
{
	syc_pin_object(&syc_active);
	return syc_share_found(&control, environment(), syc_thread_exit,
	                       begin_child);
}

int syc_process_prepare(void)
{
	static uint32_t phase = NOT_BEGUN;
	uint32_t expected = NOT_BEGUN;

	syc_process_init();
	if (syc_process_is_there())
		return 0;
	while (!__atomic_compare_exchange_n(&phase, &expected, UNDER_WAY, false,
	                                    __ATOMIC_ACQUIRE,
	                                    __ATOMIC_ACQUIRE)) {
		expected = NOT_BEGUN; /* another thread is at it */
		poll(NULL, 0, 1);
	}
	const int r = !syc_process_is_there() ? prepare() : 0;
	__atomic_store_n(&phase, NOT_BEGUN, __ATOMIC_RELEASE);
	return r;
}

void syc_process_join(void)
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
 */
static bool is_another_socket(int fd)
{
	const char *text = syc_env_get(SYC_ENV_CONTROL_INODE);
	uint64_t numbers[2] = { 0, 0 };

	for (unsigned i = 0; text != NULL && i < 2; i++) {
		for (; *text >= '0' && *text <= '9'; text++)
			numbers[i] = numbers[i] * 10 + (uint64_t)(*text - '0');
		if (*text++ != (i == 0 ? ':' : '\0'))
			return false;
	}
	return text != NULL && numbers[0] == (uint64_t)fd &&
	       numbers[1] != control.ino;
}

static const char *set_up_control(const char *value)
{
	const int fd = syc_env_parse_fd(value);

	if (fd < 0)
		return "SYSPROF_CONTROL_FD is not a descriptor number above 2";
	const char *const why = syc_control_adopt(fd, &control);
	if (why == NULL && is_another_socket(fd))
		return "SYSPROF_CONTROL_FD is another socket by now";
	return why;
}

/* The first sink of the environment that can be had. */
static enum syc_sink choose_sink(const char **ret_why)
{
	const char *const control_fd = syc_env_get(SYC_ENV_CONTROL_FD);
	const char *why = NULL;

	if (control_fd != NULL) {
		why = set_up_control(control_fd);
		if (why == NULL) {
			*ret_why = "SYSPROF_CONTROL_FD leads to a recorder";
			has_recorder = true;
			return take_environment(NULL);
		}
		syc_diag_say("the recorder", why);
	}
	*ret_why = "none of SYSPROF_CONTROL_FD, SYSPROF_TRACE_FD and "
		   "SYSCAP_OUTPUT is set";
	const enum syc_sink sink = take_environment(ret_why);
	if (sink == SYC_SINK_NONE && why != NULL)
		*ret_why = why;
	return sink;
}

static bool is_joined(void)
{
	if (!syc_share_adopt())
		return false;
	syc_pin_object(&syc_active);
	syc_diag_say("recording is shared", "with another copy of the library");
	return true;
}

void syc_process_set_up(void)
{
	const char *why;

	syc_diag_init();
	syc_unsampled_look();
	if (is_joined())
		return;
	if (choose_sink(&why) == SYC_SINK_NONE) {
		syc_process_turn_off(why);
	} else if (prepare() != 0) {
		syc_process_turn_off("no memory for thread states");
	} else if (syc_block->last_epoch == 0) { /* nobody was faster */
		syc_process_set_reason(why);
		syc_copies_set_active(syc_process_next_epoch());
		syc_diag_say("recording is on", why);
	}
}

void syc_process_init(void)
{
	uint32_t expected = NOT_BEGUN;
	const int saved = errno;

	if (!__atomic_compare_exchange_n(&init_phase, &expected, UNDER_WAY,
	                                 false, __ATOMIC_ACQUIRE,
	                                 __ATOMIC_ACQUIRE))
		return;
	syc_process_set_up();
	__atomic_store_n(&init_phase, DONE, __ATOMIC_RELEASE);
	errno = saved;
}

__attribute__((constructor)) static void init_at_load(void)
{
	syc_process_init();
}

/* Another thread is at it: 0 if it is not done within 250 ms. */
static int32_t wait_for_pid(void)
{
	for (int i = 0; i < 250; i++) {
		const int32_t pid =
			__atomic_load_n(&syc_process->pid, __ATOMIC_ACQUIRE);

		if (pid > 0)
			return pid;
		poll(NULL, 0, 1);
	}
	return 0;
}

int32_t syc_process_current(void)
{
	const int32_t known =
		__atomic_load_n(&syc_process->pid, __ATOMIC_ACQUIRE);

	if (known > 0)
		return known;
	const int32_t pid = getpid();
	if (syc_process->born != 0 && syc_process->born != pid)
		return 0; /* a vfork() child of one that has not emitted */
	/* The first event of a forked child.  Whoever comes first does it,
	 * with signals blocked: it is another thread that others wait for. */
	int32_t expected = 0;
	if (!__atomic_compare_exchange_n(&syc_process->pid, &expected, -1,
	                                 false, __ATOMIC_ACQUIRE,
	                                 __ATOMIC_ACQUIRE))
		return wait_for_pid();
	const uint32_t inherited =
		__atomic_load_n(&syc_block->states_ever, __ATOMIC_RELAXED);
	const struct syc_state *const own = syc_thread_of_self();
	const bool is_main = pid == gettid();
	syc_process->high_water = inherited;
	/* A child's only thread may hold a pointer to an inherited state */
	syc_process->low_water = inherited;
	for (uint32_t i = 0; i < inherited; i++)
		syc_thread_drop_inherited_ring(
			syc_state_at(i), !is_main || syc_state_at(i) == own);
	__atomic_store_n(&syc_process->pid, pid, __ATOMIC_RELEASE);
	return pid;
}
