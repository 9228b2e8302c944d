/* SPDX-License-Identifier: BSD-2-Clause */
/* process.c - what all threads of the process share: life and fork. */
#define _GNU_SOURCE
#include "client/process.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <syscap.h>

#include "base/diag.h"
#include "base/env.h"
#include "base/text.h"
#include "client/at_load.h"
#include "client/control.h"
#include "client/session.h"
#include "client/start.h"
#include "client/thread.h"
#include "clock/clock.h"

/* 1 until the constructor has looked: events before it come to us. */
int sc_active = 1;
__thread struct sc_thread *sc_self __attribute__((tls_model(SYSCAP_TLS_MODEL)));

struct sc_process *sc_process;
struct sc_state *sc_states;
uint32_t sc_loss_epoch;

/* Static dlopen() needs libraries at run time, and a static program can't
 * be unloaded: take it only where it is there. */
#pragma weak dlopen
#pragma weak dladdr

enum {
	NOT_BEGUN,
	UNDER_WAY,
	DONE
};
static uint32_t init_phase;
static const char *reason = "nothing was recorded yet";
static pthread_key_t exit_key;
static bool have_exit_key;

/* The highest `high_water` of this process and its ancestors since exec.
 * Kept over fork: says which states an inherited sc_self may point to. */
uint32_t sc_states_ever;

/* pthread_setspecific() allocates for keys from here on (glibc, musl: 128
 * keys and never): a handler must not. */
#define FIRST_ALLOCATING_KEY 32

void sc_process_set_reason(const char *text)
{
	__atomic_store_n(&reason, text, __ATOMIC_RELAXED);
}

void sc_process_turn_off(const char *why)
{
	sc_process_set_reason(why);
	__atomic_store_n(&sc_active, 0, __ATOMIC_RELAXED);
	sc_diag_say("recording is off", why);
}

bool sc_process_watch_thread(void *state)
{
	return have_exit_key && exit_key < FIRST_ALLOCATING_KEY &&
	       pthread_setspecific(exit_key, state) == 0;
}

/*
 * dlclose() of the library that holds this copy must not unmap the code that
 * thread exit and fork run.
 */
static void pin_own_object(void)
{
	Dl_info info;

	if (dlopen == NULL || dladdr == NULL ||
	    dladdr(&sc_active, &info) == 0 || info.dli_fname == NULL)
		return;
	void *const handle =
		dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
	if (handle != NULL)
		dlclose(handle);
}

/*
 * States and sc_process in one mapping that a child finds zeroed.  Without
 * MADV_WIPEONFORK (Linux < 4.14) the atfork handler clears it, and _Fork()
 * is not noticed.
 */
static bool map_states(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t front =
		(sizeof(struct sc_process) + page - 1) / page * page;
	const size_t size = front + SC_THREADS_MAX * sizeof(struct sc_state);
	char *const base =
		mmap(NULL, size, PROT_READ | PROT_WRITE,
	             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (base == MAP_FAILED)
		return false;
	if (madvise(base, size, MADV_WIPEONFORK) != 0)
		sc_diag_say("MADV_WIPEONFORK", "not supported: children of "
		                               "_Fork() must not emit");
	sc_states = (struct sc_state *)(void *)(base + front);
	__atomic_store_n(&sc_process, (struct sc_process *)(void *)base,
	                 __ATOMIC_RELEASE);
	return true;
}

/* What fork() can do at once and _Fork() leaves to the first event. */
static void begin_child(void)
{
	if (sc_process == NULL)
		return;
	if (sc_process->pid != 0) { /* was not wiped */
		memset(sc_process, 0, sizeof(*sc_process));
		memset(sc_states, 0, sc_states_ever * sizeof(*sc_states));
	}
	sc_process->born = getpid();
	sc_process->is_child = true;
	if (sc_self != NULL)
		sc_thread_drop_inherited_ring(sc_state_of(sc_self), true);
}

static const char *set_up_control(const char *value)
{
	const int fd = sc_env_parse_fd(value);

	if (fd < 0)
		return "SYSPROF_CONTROL_FD is not a descriptor number above 2";
	return sc_control_adopt(fd);
}

/* What recording of any kind needs. */
static int prepare(void)
{
	if (!map_states())
		return -ENOMEM;
	/* known before there are events: a vfork() child that has the first
	 * one of all must not pass for us */
	sc_process->born = getpid();
	sc_process->pid = sc_process->born;
	sc_clock_init();
	pin_own_object();
	have_exit_key = pthread_key_create(&exit_key, sc_thread_exit) == 0;
	pthread_atfork(NULL, NULL, begin_child);
	sc_start_watch_exit();
	return 0;
}

int sc_process_prepare(void)
{
	static uint32_t phase = NOT_BEGUN;
	uint32_t expected = NOT_BEGUN;

	sc_process_init();
	if (sc_process != NULL)
		return 0;
	while (!__atomic_compare_exchange_n(&phase, &expected, UNDER_WAY, false,
	                                    __ATOMIC_ACQUIRE,
	                                    __ATOMIC_ACQUIRE)) {
		expected = NOT_BEGUN; /* another thread is at it */
		poll(NULL, 0, 1);
	}
	const int r = sc_process == NULL ? prepare() : 0;
	__atomic_store_n(&phase, NOT_BEGUN, __ATOMIC_RELEASE);
	return r;
}

/* The first sink of the environment that can be had. */
static enum sc_sink choose_sink(const char **ret_why)
{
	const char *const control = sc_env_get(SC_ENV_CONTROL_FD);
	const char *why = NULL;

	if (control != NULL) {
		why = set_up_control(control);
		if (why == NULL) {
			*ret_why = "SYSPROF_CONTROL_FD leads to a recorder";
			return sc_plan_from_environment(true, NULL);
		}
		sc_diag_say("the recorder", why);
	}
	*ret_why = "none of SYSPROF_CONTROL_FD, SYSPROF_TRACE_FD and "
		   "SYSCAP_OUTPUT is set";
	const enum sc_sink sink = sc_plan_from_environment(false, ret_why);
	if (sink == SC_SINK_NONE && why != NULL)
		*ret_why = why;
	return sink;
}

static void set_up(void)
{
	const char *why;

	sc_diag_init();
	if (choose_sink(&why) == SC_SINK_NONE) {
		sc_process_turn_off(why);
	} else if (prepare() != 0) {
		sc_process_turn_off("no memory for thread states");
	} else {
		sc_process_set_reason(why);
		__atomic_store_n(&sc_active, sc_session_next_epoch(),
		                 __ATOMIC_RELAXED);
		sc_diag_say("recording is on", why);
	}
}

void sc_process_init(void)
{
	uint32_t expected = NOT_BEGUN;
	const int saved = errno;

	if (!__atomic_compare_exchange_n(&init_phase, &expected, UNDER_WAY,
	                                 false, __ATOMIC_ACQUIRE,
	                                 __ATOMIC_ACQUIRE))
		return;
	set_up();
	__atomic_store_n(&init_phase, DONE, __ATOMIC_RELEASE);
	errno = saved;
}

__attribute__((constructor)) static void init_at_load(void)
{
	sc_process_init();
	sc_sampler_at_load();
}

/* Another thread is at it: 0 if it is not done within 250 ms. */
static int32_t wait_for_pid(void)
{
	for (int i = 0; i < 250; i++) {
		const int32_t pid =
			__atomic_load_n(&sc_process->pid, __ATOMIC_ACQUIRE);

		if (pid > 0)
			return pid;
		poll(NULL, 0, 1);
	}
	return 0;
}

int32_t sc_process_current(void)
{
	const int32_t known =
		__atomic_load_n(&sc_process->pid, __ATOMIC_ACQUIRE);

	if (known > 0)
		return known;
	const int32_t pid = getpid();
	if (sc_process->born != 0 && sc_process->born != pid)
		return 0; /* a vfork() child of one that has not emitted */
	/* The first event of a forked child.  Whoever comes first does it,
	 * with signals blocked: it is another thread that others wait for. */
	int32_t expected = 0;
	if (!__atomic_compare_exchange_n(&sc_process->pid, &expected, -1, false,
	                                 __ATOMIC_ACQUIRE, __ATOMIC_ACQUIRE))
		return wait_for_pid();
	const uint32_t inherited =
		__atomic_load_n(&sc_states_ever, __ATOMIC_RELAXED);
	const bool is_main = pid == gettid();
	sc_process->high_water = inherited;
	/* A child's only thread may hold a pointer to an inherited state */
	sc_process->low_water = inherited;
	for (uint32_t i = 0; i < inherited; i++)
		sc_thread_drop_inherited_ring(
			&sc_states[i],
			!is_main || (sc_self != NULL &&
		                     sc_state_of(sc_self) == &sc_states[i]));
	__atomic_store_n(&sc_process->pid, pid, __ATOMIC_RELEASE);
	return pid;
}

static uint64_t sum(const struct sc_ring_losses *losses)
{
	uint64_t n = 0;

	for (int i = 0; i < SC_LOSS_KINDS; i++)
		n += __atomic_load_n(&losses->frames[i], __ATOMIC_RELAXED);
	return n;
}

static void collect(struct syscap_stats *all)
{
	const struct sc_process *const p = sc_process;
	const uint32_t n = __atomic_load_n(&p->high_water, __ATOMIC_RELAXED);

	all->n_dropped = __atomic_load_n(&p->n_dropped, __ATOMIC_RELAXED);
	all->n_abandoned = __atomic_load_n(&p->n_abandoned, __ATOMIC_RELAXED);
	all->n_rings = __atomic_load_n(&p->n_rings, __ATOMIC_RELAXED);
	all->n_untold = sum(&p->lost) - sum(&p->told);
	for (uint32_t i = 0; i < n; i++) {
		const struct sc_state *const ts = &sc_states[i];

		if (__atomic_load_n(&ts->phase, __ATOMIC_ACQUIRE) ==
		    SC_STATE_ALIVE)
			all->n_untold +=
				sum(&ts->lost) - sum(&ts->told[ts->bank & 1]);
	}
}

void syscap_get_stats(struct syscap_stats *stats)
{
	struct syscap_stats all = { .size = sizeof(all) };

	all.is_active = syscap_is_active();
	sc_text_field(all.reason, sizeof(all.reason),
	              __atomic_load_n(&reason, __ATOMIC_RELAXED));
	all.clock_is_tsc = sc_clock_is_tsc();
	if (sc_process != NULL) {
		collect(&all);
		all.n_written =
			sc_session_written(all.output, sizeof(all.output));
	}
	all.size = stats->size < sizeof(all) ? stats->size : sizeof(all);
	memcpy(stats, &all, all.size);
}
