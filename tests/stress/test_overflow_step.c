/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_overflow_step.c - an event that begins an overflow, moves a part of it,
 * or all of it, interrupted by a handler at every instruction.
 *
 * The emitting program is also the reader, so the test chooses the times of
 * reads.  The library blocks signals while it moves frames.  Single steps can't
 * be blocked, so the test replaces the blocking: a handler that is due
 * meanwhile runs where the library unblocks.
 */
#define _GNU_SOURCE
#include <setjmp.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap.h>

#include "emit/loss.h"
#include "emit/overflow.h"
#include "emit/process.h"
#include "emit/thread.h"
#include "harness/peer.h"
#include "harness/stepper.h"
#include "harness/test.h"
#include "os/signals.h"

#define RING 8192u /* 70 marks */
#define MARK 104u  /* bytes of a mark without a message */

static uint64_t n_sent, n_kept, n_jumped;
static int64_t last_time; /* of the marks that were read */

/* --------------------------------------------------------- the blocking */

static int n_blocked;
static bool is_due;
static void (*action)(void);

void __wrap_syc_undisturbed_begin(struct syc_undisturbed *before);
void __wrap_syc_undisturbed_end(const struct syc_undisturbed *before);

void __wrap_syc_undisturbed_begin(struct syc_undisturbed *before)
{
	(void)before;
	n_blocked++;
}

void __wrap_syc_undisturbed_end(const struct syc_undisturbed *before)
{
	(void)before;
	if (--n_blocked == 0 && is_due) {
		is_due = false;
		action();
	}
}

static void act(void)
{
	if (n_blocked != 0)
		is_due = true;
	else
		action();
}

/* ----------------------------------------------------------- the reader */

static const struct syc_state *state(void)
{
	return syc_state_of(syc_self);
}

/* The thread's ring at the recorder. */
static struct syc_ring_header *ring(void)
{
	return syc_thread_mapped(state())->header;
}

static void read_some(unsigned n)
{
	const unsigned char *const body =
		(const unsigned char *)ring() + sysconf(_SC_PAGESIZE);
	const uint32_t tail = __atomic_load_n(&ring()->tail, __ATOMIC_ACQUIRE);
	uint32_t at = ring()->head;

	for (; at != tail && n != 0; n--) {
		const struct syscap_wire_mark *const mark =
			(const void *)(body + at);
		const struct syscap_wire_frame *const frame = &mark->frame;

		CHECK(frame->len >= 24 && frame->len % 8 == 0);
		if (frame->type == SYSCAP_FRAME_MARK &&
		    strcmp(mark->group, "test") == 0) {
			/* A handler's marks may come before the event's */
			CHECK(frame->time + 8 > last_time);
			last_time = frame->time;
			n_kept++;
		}
		at = (at + frame->len) % RING;
	}
	__atomic_store_n(&ring()->head, at, __ATOMIC_RELEASE);
}

static void read_all(void)
{
	read_some(UINT32_MAX);
}

/* -------------------------------------------------------------- events */

static void emit(void)
{
	SYSCAP_MARK("test", "mark",
	            (int64_t)__atomic_add_fetch(&n_sent, 1, __ATOMIC_RELAXED),
	            0, NULL);
}

static void emit_three(void)
{
	emit();
	emit();
	emit();
}

/* Moves the overflow, like the event of another thread */
static void move_others(void)
{
	syc_process->overflow_at = 0;
	syc_overflow_move_all();
}

static sigjmp_buf out;

static void jump_out(void)
{
	siglongjmp(out, 1);
}

static bool is_child;

/* The child emits on top of the interrupted event, which then continues in
 * both. */
static void fork_on_top(void)
{
	int status;
	const pid_t pid = fork();

	if (pid == 0) {
		is_child = true;
		SYSCAP_MARK("child", "mark", 1, 0, NULL);
		return;
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}

static uint64_t n_lost(void)
{
	return syc_loss_totals_sum(&state()->lost);
}

/* All is calm: frames are in the ring, and were read. */
static void settle(void)
{
	for (int i = 0; i < 1000 && (state()->overflow != NULL || i < 2); i++) {
		read_all();
		emit();
	}
	read_all();
	CHECK(state()->overflow == NULL);
	CHECK_EQ(syc_self->owner, 0);
	CHECK_EQ(syc_self->nested, 0);
	CHECK(!syc_loss_is_pending(state()));
}

/* The ring is full, and nothing overflows. */
static void fill_ring(void)
{
	settle();
	while ((ring()->tail - ring()->head + RING) % RING + MARK <=
	       RING - 8 - SYC_RING_ROOM)
		emit();
	CHECK(state()->overflow == NULL);
}

static void overflow(int n)
{
	settle();
	while (state()->overflow == NULL)
		emit();
	for (int i = 0; i < n; i++)
		emit();
}

static void overflow_and_read_some(void)
{
	overflow(20);
	read_some(5);
}

static void overflow_and_read_all(void)
{
	overflow(5);
	read_all();
}

static long stride_factor = 1;

static void step(void (*prepare)(void), void (*todo)(void), bool jumps)
{
	const long stride = stepper_stride(stride_factor *
	                                   (prepare == fill_ring ? 29 : 401));
	struct stepper stepper;
	volatile bool reached = true;

	action = todo;
	for (volatile long k = stepper_first(stride); reached; k += stride) {
		n_blocked = 0;
		prepare();
		const uint64_t n_before = n_lost();
		if (sigsetjmp(out, 1) == 0) {
			reached = stepper_run(&stepper, k, emit, act);
		} else {
			stepper_abandon(&stepper);
			n_jumped++;
		}
		if (is_child) {
			SYSCAP_MARK("child", "mark", 2, 0, NULL);
			_exit(0);
		}
		CHECK(!is_due);
		emit_three();
		settle();
		/* An abandoned event may be kept, lost, or neither */
		CHECK(n_kept + n_lost() <= n_sent);
		CHECK(jumps || n_kept + n_lost() == n_sent);
		CHECK(n_kept + n_lost() + n_jumped >= n_sent);
		CHECK(jumps || prepare == fill_ring || n_lost() == n_before);
	}
}

static void begin(void)
{
	stepper_install(false);
	emit();
	settle();
}

CHILD(emits_on_top)
{
	begin();
	step(fill_ring, emit_three, false);
	step(overflow_and_read_some, emit_three, false);
	step(overflow_and_read_all, emit_three, false);
}

CHILD(moves_on_top)
{
	begin();
	step(fill_ring, move_others, false);
	step(overflow_and_read_some, move_others, false);
	step(overflow_and_read_all, move_others, false);
}

CHILD(jumps_out)
{
	begin();
	step(fill_ring, jump_out, true);
	step(overflow_and_read_some, jump_out, true);
	step(overflow_and_read_all, jump_out, true);
}

/* A fork takes its time */
CHILD(forks_on_top)
{
	stride_factor = 3;
	begin();
	step(fill_ring, fork_on_top, false);
	step(overflow_and_read_some, fork_on_top, false);
	step(overflow_and_read_all, fork_on_top, false);
}

static void run(const char *child)
{
	struct peer peer;
	int status;

	peer_start(&peer, child, RING, PEER_STOCK);
	do {
		peer_serve(&peer);
		usleep(1000);
	} while (waitpid(peer.pid, &status, WNOHANG) != peer.pid);
	CHECK_EQ(status, 0);
	peer_free(&peer);
}

TEST(a_handler_emits_at_every_instruction_of_an_overflow)
{
	run("emits_on_top");
}

TEST(another_thread_moves_at_every_instruction_of_an_overflow)
{
	run("moves_on_top");
}

TEST(a_handler_forks_at_every_instruction_of_an_overflow)
{
	run("forks_on_top");
}

TEST(a_handler_leaves_at_every_instruction_of_an_overflow)
{
	run("jumps_out");
}
