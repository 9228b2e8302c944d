/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_ends.c - a signal at every instruction after a thread's last destructor.
 *
 * glibc blocks all signals a little later, and gives the thread's stack to the
 * next thread.  The next thread finds all data that the handler left there,
 * also the values of thread-specific keys.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <syscap.h>
#include <syscap/sampler.h>

#include "emit/process.h"
#include "emit/thread.h"
#include "harness/peer.h"
#include "harness/test.h"
#include "sampler/state.h"

#define TRAP_FLAG 0x100
#define STRIDE    23 /* between instants, except near the end */
#define ALL_OF    30 /* the last ones */

static struct syscap_stats get_stats(void)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	syscap_get_stats(&stats);
	return stats;
}

/* The message is the emitting thread's tid. */
static void emit_own_tid(const char *name)
{
	char tid[16];

	snprintf(tid, sizeof(tid), "%d", gettid());
	syscap_mark("test", name, 1, 0, tid);
}

/* ------------------------------------------------------------- stepping */

/* State of the only thread that is stepped at a time. */
static long n_steps, act_at;
static void (*action)(void);

/* The next instruction blocks all signals: a trap would kill. */
static bool is_about_to_block(const greg_t *regs)
{
	const unsigned char *const code =
		(const unsigned char *)(uintptr_t)regs[REG_RIP];

	return code[0] == 0x0f && code[1] == 0x05 &&
	       regs[REG_RAX] == SYS_rt_sigprocmask;
}

static void on_trap(int signal, siginfo_t *info, void *context)
{
	greg_t *const regs = ((ucontext_t *)context)->uc_mcontext.gregs;

	(void)signal;
	(void)info;
	if (++n_steps == act_at)
		action();
	if (is_about_to_block(regs))
		regs[REG_EFL] &= ~(greg_t)TRAP_FLAG;
}

/* The last destructor: from here on every instruction traps. */
static void begin_stepping(void *unused)
{
	(void)unused;
	n_steps = 0;
	__asm__ volatile("lea -128(%%rsp), %%rsp\n\t"
	                 "pushfq\n\t"
	                 "orq $0x100, (%%rsp)\n\t"
	                 "popfq\n\t"
	                 "lea 128(%%rsp), %%rsp" ::
	                         : "memory", "cc");
}

/* Destructors run in the order of keys, and the library's key is older. */
static pthread_key_t last_key;

static void prepare(void (*what)(void))
{
	struct sigaction sa = { .sa_sigaction = on_trap,
		                .sa_flags = SA_SIGINFO };

	sigaction(SIGTRAP, &sa, NULL);
	pthread_key_create(&last_key, begin_stepping);
	action = what;
}

static pthread_t ended; /* stack of the ended thread, for the next thread */
static pid_t ended_tid;

static void *emit_and_end(void *unused)
{
	ended = pthread_self();
	ended_tid = gettid();
	emit_own_tid("ending");
	pthread_setspecific(last_key, &last_key);
	return unused;
}

/* Runs a thread that is interrupted at the @at-th instruction after its last
 * destructor, and waits until the kernel has removed the thread.  Returns the
 * number of those instructions. */
static long end_a_thread(void *(*run)(void *), long at)
{
	pthread_t thread;

	act_at = at;
	CHECK_EQ(pthread_create(&thread, NULL, run, NULL), 0);
	pthread_join(thread, NULL);
	/* A joined thread may still be ending. */
	while (syscall(SYS_tgkill, getpid(), ended_tid, 0) == 0)
		sched_yield();
	return n_steps;
}

/* The next instant to act at: from the end to the beginning. */
static long before(long at, long n)
{
	return n - at < ALL_OF ? at - 1 : at - STRIDE;
}

/* ------------------------------------------------------- the next thread */

struct other {
	pthread_t thread;
	pthread_barrier_t begin, has_begun, end;
};

static void *emit_when_told(void *data)
{
	struct other *const other = data;

	pthread_barrier_wait(&other->begin);
	emit_own_tid("other");
	pthread_barrier_wait(&other->has_begun);
	pthread_barrier_wait(&other->end);
	emit_own_tid("other");
	return NULL;
}

static unsigned n_inherited;

static void *emit_on_the_same_stack(void *data)
{
	struct other *const other = data;

	n_inherited += pthread_equal(pthread_self(), ended) != 0;
	for (int i = 0; i < 3; i++)
		emit_own_tid("next");
	CHECK_EQ(syc_state_of(syc_self)->tid, gettid());
	pthread_barrier_wait(&other->end);
	emit_own_tid("next");
	return NULL;
}

static void emit_late(void)
{
	emit_own_tid("late");
}

/* Another thread takes the dead thread's state before the next thread
 * begins. */
static void have_a_successor(long at)
{
	struct other other;
	pthread_t thread;

	pthread_barrier_init(&other.begin, NULL, 2);
	pthread_barrier_init(&other.has_begun, NULL, 2);
	pthread_barrier_init(&other.end, NULL, 2);
	pthread_create(&other.thread, NULL, emit_when_told, &other);
	end_a_thread(emit_and_end, at);
	pthread_barrier_wait(&other.begin);
	pthread_barrier_wait(&other.has_begun);
	pthread_create(&thread, NULL, emit_on_the_same_stack, &other);
	pthread_join(thread, NULL);
	pthread_join(other.thread, NULL);
}

CHILD(late_events)
{
	prepare(emit_late);
	const long n = end_a_thread(emit_and_end, 0);
	CHECK(n > 10);
	for (long at = n; at > 0; at = before(at, n))
		have_a_successor(at);
	CHECK(n_inherited > 10);
	CHECK_EQ(get_stats().n_dropped, 0);
	/* states of dead threads are reused */
	CHECK(get_stats().n_rings <= 8);
	CHECK(syc_block->states_ever <= 16);
}

/* Checks that every mark's message is the tid in its frame. */
static unsigned check_tids(const struct peer_ring *ring)
{
	struct peer_frame f;
	size_t at = 0;
	unsigned n = 0;

	while (peer_next(ring, &at, &f)) {
		if (f.type != 10 || strcmp(peer_mark_group(&f), "test") != 0)
			continue;
		CHECK_EQ((int)(f.padding2 & 0xFFFFFF),
		         atoi(peer_mark_message(&f)));
		CHECK_EQ(ring->header->tid, atoi(peer_mark_message(&f)));
		n++;
	}
	return n;
}

TEST(an_event_after_the_last_destructor_gives_no_other_thread_its_ring)
{
	struct peer peer;

	peer_start(&peer, "late_events", 4096, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	unsigned n = 0;
	for (unsigned i = 0; i < peer.n_rings; i++)
		n += check_tids(&peer.rings[i]);
	const unsigned n_late = peer_count_marks(&peer, "test", "late");
	CHECK(n_late > 10);
	CHECK_EQ(peer_count_marks(&peer, "test", "ending"), n_late + 1);
	CHECK_EQ(peer_count_marks(&peer, "test", "next"), 4 * n_late);
	CHECK_EQ(peer_count_marks(&peer, "test", "other"), 2 * n_late);
	CHECK_EQ(n, 8 * n_late + 1);
	peer_free(&peer);
}

/* ---------------------------------------------- a child of such a thread */

static void *emit_around_main(void *barrier)
{
	n_inherited += pthread_equal(pthread_self(), ended) != 0;
	emit_own_tid("child's thread");
	pthread_barrier_wait(barrier);
	pthread_barrier_wait(barrier);
	emit_own_tid("child's thread");
	CHECK_EQ(syc_state_of(syc_self)->tid, gettid());
	return NULL;
}

static void be_a_child(void)
{
	pthread_barrier_t barrier;
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, emit_around_main, &barrier);
	pthread_barrier_wait(&barrier);
	emit_own_tid("child");
	CHECK_EQ(syc_state_of(syc_self)->tid, gettid());
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	CHECK_EQ(n_inherited, 1);
}

/* The main thread takes the state of the late event, and forks: the child's
 * first new thread gets the dead thread's stack, where the key still points to
 * the state of the late event. */
CHILD(late_event_and_fork)
{
	int status;

	prepare(emit_late);
	end_a_thread(emit_and_end, end_a_thread(emit_and_end, 0));
	emit_own_tid("main");
	CHECK_EQ(syc_block->states_ever, 1);
	const pid_t pid = fork();
	if (pid == 0) {
		be_a_child();
		return;
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}

TEST(a_new_thread_of_a_forked_child_gets_its_own_state)
{
	struct peer peer;

	peer_start(&peer, "late_event_and_fork", 4096, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	for (unsigned i = 0; i < peer.n_rings; i++)
		check_tids(&peer.rings[i]);
	CHECK_EQ(peer_count_marks(&peer, "test", "child"), 1);
	CHECK_EQ(peer_count_marks(&peer, "test", "child's thread"), 2);
	peer_free(&peer);
}

/* ------------------------------------------------------------ the tick */

static struct syc_target *find_target(int32_t tid)
{
	for (uint32_t i = 0; i < syc_target_count(); i++) {
		struct syc_target *const t = syc_target_at(i);

		if (__atomic_load_n(&t->cookie, __ATOMIC_ACQUIRE) != 0 &&
		    __atomic_load_n(&t->tid, __ATOMIC_RELAXED) == tid)
			return t;
	}
	return NULL;
}

/* Sends a tick like the thread's own timer. */
static void tick(void)
{
	const struct syc_target *const t = find_target(gettid());
	siginfo_t info = { .si_signo = syc_sampler->signal,
		           .si_code = SI_TIMER };

	CHECK(t != NULL);
	info.si_value.sival_ptr = (void *)(uintptr_t)t->cookie;
	CHECK_EQ(syscall(SYS_rt_tgsigqueueinfo, getpid(), gettid(),
	                 info.si_signo, &info),
	         0);
}

static void *be_sampled_and_end(void *unused)
{
	while (find_target(gettid()) == NULL)
		usleep(1000);
	return emit_and_end(unused);
}

static uint64_t count_refused(void)
{
	struct syscap_sampler_stats stats = { .size = sizeof(stats) };

	syscap_sampler_get_stats(&stats);
	return stats.n_refused;
}

CHILD(late_ticks)
{
	/* so slow that nearly all ticks come from tick() */
	struct syscap_sampler_options options = { .size = sizeof(options),
		                                  .clock = SYSCAP_SAMPLER_CPU,
		                                  .hz = 1 };
	uint64_t n_late = 0;

	prepare(tick);
	CHECK_EQ(syscap_sampler_start(&options), 0);
	const long n = end_a_thread(be_sampled_and_end, 0);
	const unsigned n_rings = get_stats().n_rings;
	for (long at = n; at > 0; at = before(at, n)) {
		end_a_thread(be_sampled_and_end, at);
		CHECK_EQ(get_stats().n_rings, n_rings);
		CHECK(count_refused() >= ++n_late);
	}
	CHECK(n_late > 10);
	CHECK_EQ(syscap_sampler_stop(), 0);
	CHECK_EQ(get_stats().n_dropped, count_refused());
	syscap_mark_printf("test", "refused", 1, 0, "%llu",
	                   (unsigned long long)count_refused());
}

TEST(a_tick_after_the_last_destructor_makes_no_ring_and_is_counted)
{
	struct peer peer;
	struct peer_frame f;
	uint64_t n_told = 0, n_refused = 0;

	peer_start(&peer, "late_ticks", 4096, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	for (unsigned i = 0; i < peer.n_rings; i++) {
		size_t at = 0;

		n_told += peer_lost_told(&peer.rings[i]);
		while (peer_next(&peer.rings[i], &at, &f))
			if (f.type == 10 &&
			    strcmp(peer_mark_name(&f), "refused") == 0)
				n_refused = strtoull(peer_mark_message(&f),
				                     NULL, 10);
	}
	CHECK(n_refused > 10);
	CHECK_EQ(n_told, n_refused);
	peer_free(&peer);
}
