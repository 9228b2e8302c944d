/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * threads.c - Python threads with names in their samples (walker.h).
 *
 * A thread attaches itself.  An object in the dict of the thread's state
 * detects the thread's end: its destructor runs on the thread before the state
 * is freed.  Another thread may run the destructor for a daemon thread at
 * Python's end, or for a thread missing in a forked child.  The attachment then
 * cannot be detached, and is emptied once no tick reads it.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "walker/walker.h"

#define KEY "syscap._walker"

struct thread {
	PyThreadState *state; /* NULL: the thread has ended */
	int is_walking;       /* a tick reads the state */
	struct syscap_attachment *attachment;
	pthread_t owner;
	/* n_forks of the process in which the thread attached */
	unsigned forks;
	struct thread *next;
};

static struct thread *threads; /* guarded by the GIL */
static struct syscap_provider provider;
static bool has_ended;
static unsigned n_forks;

/* Pairs with empty(), which stores to state, while this function stores to
 * is_walking.  At least one side sees the other side's store. */
static int walk(struct syscap_stack_sink *sink, const struct syscap_regs *regs,
                void *data)
{
	struct thread *const thread = data;
	int result = SYSCAP_WALK_BUSY;

	__atomic_store_n(&thread->is_walking, 1, __ATOMIC_SEQ_CST);
	PyThreadState *const state =
		__atomic_load_n(&thread->state, __ATOMIC_SEQ_CST);
	/* A thread within a subinterpreter has frames of two interpreters */
	if (state != NULL && !has_subinterpreters())
		result = walk_thread(sink, regs, state);
	__atomic_store_n(&thread->is_walking, 0, __ATOMIC_RELEASE);
	return result;
}

static bool is_current(const struct thread *thread)
{
	return pthread_equal(thread->owner, pthread_self());
}

static void empty(struct thread *thread)
{
	__atomic_store_n(&thread->state, NULL, __ATOMIC_SEQ_CST);
	/* In a child of fork(), the other threads do not exist */
	if (is_current(thread) || thread->forks != n_forks)
		return;
	while (__atomic_load_n(&thread->is_walking, __ATOMIC_SEQ_CST) != 0)
		sched_yield();
}

static void on_state_cleared(PyObject *capsule)
{
	struct thread *const thread = PyCapsule_GetPointer(capsule, KEY);

	for (struct thread **at = &threads; *at != NULL; at = &(*at)->next) {
		if (*at == thread) {
			*at = thread->next;
			break;
		}
	}
	empty(thread);
	if (!is_current(thread))
		return; /* a handler may use @thread until the thread ends */
	bridge->detach(thread->attachment);
	free(thread);
}

static void on_fork_in_child(void)
{
	n_forks++;
	for (struct thread *t = threads; t != NULL; t = t->next)
		if (is_current(t))
			t->forks = n_forks;
}

void threads_init(uintptr_t eval_low, uintptr_t eval_high)
{
	static bool was_here;

	provider = (struct syscap_provider){
		.size = sizeof(provider),
		.caps = SYSCAP_PROVIDER_SIGNAL | SYSCAP_PROVIDER_ENTRY,
		.name = "cpython",
		.eval_low = eval_low,
		.eval_high = eval_high,
		.walk = walk,
	};
	has_ended = false;
	if (!was_here)
		pthread_atfork(NULL, NULL, on_fork_in_child);
	was_here = true;
}

bool threads_has(const PyThreadState *state)
{
	for (const struct thread *t = threads; t != NULL; t = t->next)
		if (t->state == state)
			return true;
	return false;
}

static int remember(struct thread *thread, PyObject *dict)
{
	PyObject *const capsule = PyCapsule_New(thread, KEY, on_state_cleared);

	if (capsule == NULL) {
		bridge->detach(thread->attachment);
		free(thread);
		return -1;
	}
	thread->next = threads;
	threads = thread;
	const int result = PyDict_SetItemString(dict, KEY, capsule);
	Py_DECREF(capsule);
	return result;
}

int threads_attach(void)
{
	PyThreadState *const state = PyThreadState_Get();

	if (has_ended || state->interp != _PyRuntime.interpreters.main ||
	    threads_has(state))
		return 0;
	PyObject *const dict = PyThreadState_GetDict();
	struct thread *const thread = calloc(1, sizeof(*thread));
	if (dict == NULL || thread == NULL) {
		free(thread);
		PyErr_NoMemory();
		return -1;
	}
	thread->state = state;
	thread->owner = pthread_self();
	thread->forks = n_forks;
	bridge->meet();
	thread->attachment = bridge->attach(&provider, thread);
	if (thread->attachment == NULL) {
		free(thread);
		PyErr_SetString(PyExc_RuntimeError,
		                "no room for another provider of stacks in "
		                "this thread");
		return -1;
	}
	return remember(thread, dict);
}

void threads_end(void)
{
	has_ended = true;
	for (struct thread *t = threads; t != NULL; t = t->next)
		empty(t);
}
