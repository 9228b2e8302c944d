/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_hand_over.c - rings that a process makes and hands over in one message:
 * time, receiver, and messages that can't be sent.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap.h>

#include "emit/recorder.h"
#include "emit/thread.h"
#include "harness/peer.h"
#include "harness/test.h"
#include "ring/clock.h"
#include "ring/ring_file.h"

#define BODY (1u << 16)

static struct peer peer;

static void emit(void)
{
	SYSCAP_INSTANT("test", "mark", NULL);
}

static struct syscap_stats get_stats(void)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	syscap_get_stats(&stats);
	return stats;
}

static uint64_t next_random(uint64_t *random)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return *random;
}

static unsigned count_open(void)
{
	DIR *const dir = opendir("/proc/self/fd");
	unsigned n = 0;

	CHECK(dir != NULL);
	while (readdir(dir) != NULL)
		n++;
	closedir(dir);
	return n - 3;
}

static bool has_slot(void)
{
	return syc_self != NULL && syc_state_of(syc_self)->slot != NULL;
}

static void start(const char *child, const char *arg)
{
	peer_start_arena(&peer, child, arg, BODY, false);
}

/* Losses of all processes, in rings and in arena heads. */
static uint64_t all_lost(void)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < peer.n_rings; i++)
		n += peer_lost_total(&peer.rings[i]);
	for (unsigned i = 0; i < peer.n_arenas; i++) {
		const struct syc_arena_head *const head =
			(const void *)(peer.arenas[i].front +
		                       syc_ring_file_head(peer.arenas[i].page));

		for (int k = 0; k < SYC_LOSS_KINDS; k++)
			n += head->lost.frames[k];
	}
	return n;
}

static const struct syc_ring_file *facts_of(unsigned i)
{
	return (const void *)peer.arenas[i].front;
}

static unsigned all_marks(void)
{
	return peer_count_marks(&peer, "test", "mark");
}

static void wait_for_child(void)
{
	int status;

	CHECK_EQ(waitpid(peer.pid, &status, 0), peer.pid);
	CHECK_EQ(status, 0);
}

/* ------------------------------------------------------------------- at once */

CHILD(emits_and_dies)
{
	const unsigned before = count_open();

	emit();
	CHECK(has_slot());
	CHECK_EQ(count_open(), before);
	CHECK_EQ(get_stats().n_dropped, 0);
	kill(getpid(), SIGKILL);
}

TEST(the_first_event_is_recorded_without_an_answer)
{
	for (int by_name = 0; by_name < 2; by_name++) {
		int status;

		peer_start_arena(&peer, "emits_and_dies", "", BODY,
		                 by_name != 0);
		CHECK_EQ(waitpid(peer.pid, &status, 0), peer.pid);
		CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
		for (int i = 0; i < 3; i++) /* a call accepts one connection */
			peer_serve(&peer);
		CHECK_EQ(peer.n_arenas, 1);
		CHECK_EQ(peer.arenas[0].sender, peer.pid);
		CHECK_EQ(peer.arenas[0].body, BODY);
		CHECK_EQ(peer.n_requests, 0);
		peer_drain(&peer);
		CHECK_EQ(all_marks(), 1);
		peer_free(&peer);
	}
}

#define THREADS         200
#define WAITED_TOO_LONG 3 /* exit status */

static pthread_barrier_t barrier;

/* Nanoseconds that the longest first event took. */
static int64_t longest_first;

static void note_first(int64_t ns)
{
	int64_t longest = __atomic_load_n(&longest_first, __ATOMIC_RELAXED);

	while (ns > longest &&
	       !__atomic_compare_exchange_n(&longest_first, &longest, ns, false,
	                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static void *run_together(void *unused)
{
	(void)unused;
	pthread_barrier_wait(&barrier);
	const int64_t begin = syc_clock_kernel();
	emit();
	note_first(syc_clock_kernel() - begin);
	for (int i = 1; i < 20; i++)
		emit();
	return NULL;
}

static void run_threads(unsigned n, void *(*run)(void *))
{
	pthread_t threads[THREADS];

	pthread_barrier_init(&barrier, NULL, n);
	for (unsigned i = 0; i < n; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, run, NULL), 0);
	for (unsigned i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

CHILD(has_many_threads)
{
	run_threads(THREADS, run_together);
	/* On a loaded machine the thread that makes the arena may get no
	 * processor for so long that other threads no longer wait */
	if (get_stats().n_dropped != 0 &&
	    longest_first >= SYC_CONTROL_TIMEOUT_MS * INT64_C(1000000))
		_exit(WAITED_TOO_LONG);
	CHECK_EQ(get_stats().n_dropped, 0);
}

TEST(two_hundred_threads_lose_nothing_while_the_recorder_sleeps)
{
	int status = W_EXITCODE(WAITED_TOO_LONG, 0);

	for (int i = 0; i < 20 && WIFEXITED(status) &&
	                WEXITSTATUS(status) == WAITED_TOO_LONG;
	     i++) {
		if (i != 0)
			peer_free(&peer);
		start("has_many_threads", "");
		CHECK_EQ(waitpid(peer.pid, &status, 0), peer.pid);
	}
	CHECK_EQ(status, 0);
	peer_serve(&peer);
	CHECK_EQ(peer.n_arenas, 1);
	CHECK_EQ(peer.n_requests, 0);
	peer_drain(&peer);
	CHECK_EQ(peer.n_rings, THREADS);
	CHECK_EQ(all_marks(), THREADS * 20);
	for (unsigned i = 0; i < peer.n_rings; i++)
		CHECK(peer.rings[i].has_ended);
	peer_free(&peer);
}

static void *run_once(void *unused)
{
	(void)unused;
	emit();
	return NULL;
}

/* A file size for fifteen slots in each arena. */
static void limit_arenas(void)
{
	const struct rlimit limit = { 20 * (BODY + 4096), RLIM_INFINITY };

	CHECK_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

CHILD(has_threads_one_by_one)
{
	limit_arenas();
	emit();
	for (int i = 0; i < 3000; i++) {
		pthread_t thread;

		CHECK_EQ(pthread_create(&thread, NULL, run_once, NULL), 0);
		pthread_join(thread, NULL);
	}
}

TEST(slots_of_threads_that_have_ended_are_used_again)
{
	unsigned n_slots = 0;

	start("has_threads_one_by_one", "");
	CHECK_EQ(peer_finish(&peer), 0);
	/* If this peer was slow, threads requested rings, or lost events */
	CHECK_EQ(all_marks() + all_lost(), 3001);
	for (unsigned i = 0; i < peer.n_arenas; i++)
		n_slots += peer.arenas[i].n_slots;
	CHECK(peer.n_rings - peer.n_requests > n_slots);
	peer_free(&peer);
}

static void *run_for_a_while(void *unused)
{
	for (int i = 0; i < 20; i++)
		emit();
	return unused;
}

/* Starts @n threads one after the other: no thread waits for another that makes
 * an arena, and the slots of ended threads stay taken. */
static void take_slots(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		pthread_t thread;

		CHECK_EQ(pthread_create(&thread, NULL, run_for_a_while, NULL),
		         0);
		pthread_join(thread, NULL);
	}
}

CHILD(has_more_threads_than_slots)
{
	limit_arenas();
	take_slots((unsigned)atoi(peer_arg()));
	CHECK(*peer_arg() != '6' || get_stats().n_dropped == 0);
}

TEST(another_arena_is_handed_over_if_all_slots_are_used)
{
	start("has_more_threads_than_slots", "60");
	wait_for_child();
	peer.keeps_slots = true;
	peer_serve(&peer);
	CHECK(peer.arenas[0].n_slots < 20);
	CHECK_EQ(peer.n_requests, 0);
	CHECK(peer.n_arenas >= 60 / peer.arenas[0].n_slots);
	/* All arenas belong to one program */
	for (unsigned i = 0; i < peer.n_arenas; i++)
		CHECK_EQ(facts_of(i)->began, facts_of(0)->began);
	peer_drain(&peer);
	CHECK_EQ(all_marks(), 60 * 20);
	CHECK_EQ(all_lost(), 0);
	peer_free(&peer);
}

TEST(rings_are_requested_beyond_the_largest_number_of_arenas)
{
	start("has_more_threads_than_slots", "300");
	peer.keeps_slots = true;
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer.n_arenas, 16);
	CHECK(peer.n_requests >= 300 - 16 * peer.arenas[0].n_slots);
	CHECK_EQ(all_marks() + all_lost(), 300 * 20);
	peer_free(&peer);
}

/* ---------------------------------------------------------------- relatives */

static void wait_for_all(void)
{
	int status;

	while (wait(&status) > 0)
		CHECK_EQ(status, 0);
}

CHILD(forks)
{
	emit();
	for (int i = 0; i < 20; i++)
		if (fork() == 0) {
			emit();
			CHECK(has_slot());
			/* A grandchild, whose parent's thread has a ring */
			if (i % 2 == 0 && _Fork() == 0)
				emit();
			else
				wait_for_all();
			_exit(0);
		}
	emit();
	wait_for_all();
}

TEST(forked_children_claim_slots_without_a_message)
{
	start("forks", "");
	wait_for_child();
	peer_serve(&peer);
	CHECK_EQ(peer.n_arenas, 1);
	CHECK_EQ(peer.n_requests, 0);
	peer_drain(&peer);
	CHECK_EQ(peer.n_rings, 31);
	CHECK_EQ(all_marks(), 32);
	for (unsigned i = 0; i < peer.n_rings; i++) {
		struct peer_frame frame;
		size_t at = 0;

		while (peer_next(&peer.rings[i], &at, &frame))
			CHECK(frame.pid == -1 ||
			      frame.pid == peer.rings[i].header->pid);
	}
	peer_free(&peer);
}

/* While the peer does not read: a child that finds all slots taken, and a
 * grandchild, which finds a slot in the child's arena. */
CHILD(forks_without_a_slot)
{
	limit_arenas();
	take_slots(14);
	for (int i = 0; i < 3; i++)
		if (fork() == 0) {
			emit();
			CHECK(has_slot());
			if (fork() == 0) {
				emit();
				CHECK(has_slot());
				_exit(0);
			}
			wait_for_all();
			_exit(0);
		}
	wait_for_all();
}

TEST(a_child_that_finds_no_slot_makes_an_arena_of_its_own)
{
	start("forks_without_a_slot", "");
	wait_for_child();
	peer.keeps_slots = true;
	peer_serve(&peer);
	CHECK_EQ(peer.n_arenas, 1 + 3);
	CHECK_EQ(peer.n_requests, 0);
	for (unsigned i = 1; i < peer.n_arenas; i++) {
		CHECK(peer.arenas[i].sender != peer.arenas[0].sender);
		CHECK(facts_of(i)->began > facts_of(0)->began);
	}
	peer_drain(&peer);
	CHECK_EQ(all_marks(), 14 * 20 + 3 * 2);
	CHECK_EQ(all_lost(), 0);
	peer_free(&peer);
}

CHILD(executes)
{
	emit();
	if (*peer_arg() == '\0') {
		setenv("SYSCAP_TEST_ARG", "again", 1);
		execl("/proc/self/exe", "executes", NULL);
	}
}

TEST(an_executed_program_makes_an_arena_of_its_own)
{
	start("executes", "");
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer.n_arenas, 2);
	CHECK_EQ(all_marks(), 2);
	peer_free(&peer);
}

/* -------------------------------------------- the message can't be sent yet */

/* Fills the socket's buffer; returns the number of messages. */
static unsigned fill_socket(void)
{
	const int fd = atoi(getenv("SYSPROF_CONTROL_FD"));
	unsigned n = 0;

	while (send(fd, "CreatRing", 10, MSG_DONTWAIT) == 10)
		n++;
	return n;
}

static void emit_until_sent(unsigned n_open)
{
	while (count_open() != n_open) {
		usleep(1000);
		emit();
	}
}

/* Forks a child, and returns after its first event; the child could not send
 * its arena either.  The child sends when the returned word becomes false. */
static volatile bool *fork_one(unsigned n_open)
{
	volatile bool *const is_there = mmap(NULL, 4096, PROT_READ | PROT_WRITE,
	                                     MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	CHECK(is_there != MAP_FAILED);
	if (fork() == 0) {
		emit();
		CHECK(has_slot());
		CHECK_EQ(count_open(), n_open + 1); /* its own */
		*is_there = true;
		while (*is_there)
			usleep(1000);
		emit_until_sent(n_open);
		exit(0);
	}
	while (!*is_there)
		usleep(1000);
	return is_there;
}

CHILD(finds_the_socket_full)
{
	const unsigned before = count_open();
	volatile bool *is_there = NULL;

	fill_socket();
	emit();
	CHECK(has_slot());
	CHECK_EQ(count_open(), before + 1);
	if (*peer_arg() == 'f')
		is_there = fork_one(before);
	raise(SIGSTOP);
	if (is_there != NULL)
		*is_there = false;
	if (*peer_arg() == 'x')
		return;
	emit_until_sent(before);
	wait_for_all();
}

/* As peer_finish(), but receives nothing until the child has stopped. */
static void finish_late(void)
{
	int status;

	CHECK_EQ(waitpid(peer.pid, &status, WUNTRACED), peer.pid);
	CHECK(WIFSTOPPED(status));
	peer.holds_replies = true;
	peer_serve(&peer);
	CHECK_EQ(peer.n_arenas, 0);
	kill(peer.pid, SIGCONT);
	CHECK_EQ(peer_finish(&peer), 0);
}

TEST(an_unsent_arena_is_sent_with_a_later_event)
{
	start("finds_the_socket_full", "");
	finish_late();
	CHECK_EQ(peer.n_arenas, 1);
	CHECK_EQ(peer.n_lost_arenas, 0);
	CHECK(all_marks() >= 1);
	CHECK_EQ(all_lost(), 0);
	peer_free(&peer);
}

TEST(a_child_that_was_forked_before_it_was_sent_makes_its_own)
{
	start("finds_the_socket_full", "f");
	finish_late();
	CHECK_EQ(peer.n_arenas, 2);
	CHECK(peer.arenas[0].sender != peer.arenas[1].sender);
	CHECK_EQ(all_lost(), 0);
	peer_free(&peer);
}

TEST(it_is_sent_at_exit_at_the_latest)
{
	start("finds_the_socket_full", "x");
	finish_late();
	CHECK_EQ(peer.n_arenas, 1);
	CHECK_EQ(all_marks(), 1);
	peer_free(&peer);
}

static void close_all(void)
{
	const int control = atoi(getenv("SYSPROF_CONTROL_FD"));

	for (int fd = 3; fd < 1000; fd++)
		if (fd != control)
			close(fd);
}

static void *run_and_look(void *ret_has_asked)
{
	emit();
	*(bool *)ret_has_asked = !has_slot();
	return NULL;
}

CHILD(closes_it_before_it_is_sent)
{
	const unsigned before = count_open();

	fill_socket();
	emit();
	CHECK(has_slot());
	CHECK_EQ(count_open(), before + 1);
	close_all();
	raise(SIGSTOP);
	if (*peer_arg() == 'e')
		return;
	/* New threads request rings, as soon as the loss of the arena is
	 * known */
	for (bool has_asked = false; !has_asked;) {
		pthread_t thread;

		CHECK_EQ(
			pthread_create(&thread, NULL, run_and_look, &has_asked),
			0);
		pthread_join(thread, NULL);
		emit();
	}
}

TEST(an_arena_with_its_file_closed_early_is_reported_lost)
{
	for (int at_exit = 0; at_exit < 2; at_exit++) {
		start("closes_it_before_it_is_sent", at_exit ? "e" : "");
		finish_late();
		CHECK_EQ(peer.n_arenas, 0);
		CHECK_EQ(peer.n_lost_arenas, 1);
		peer_free(&peer);
	}
}

/* ------------------------------------------- other recorders get requests */

TEST(a_recorder_that_takes_no_arena_gets_ring_requests)
{
	/* SYSCAP_RECORDER is unset: the inherited socket may be another
	 * recorder's */
	setenv("SYSCAP_ARENA", "65536", 1);
	peer_start(&peer, "asks", BODY, PEER_OURS);
	unsetenv("SYSCAP_ARENA");
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer.n_requests, 1);
	CHECK_EQ(peer.n_arenas, 0);
	peer_free(&peer);
	/* SYSCAP_ARENA is empty or invalid */
	static const char *const nonsense[] = { "",      "0",           "4096",
		                                "65537", "99999999999", "1e6" };
	for (unsigned i = 0; i < sizeof(nonsense) / sizeof(*nonsense); i++) {
		setenv("SYSCAP_ARENA", nonsense[i], 1);
		peer_start_named(&peer, "asks", "", true);
		unsetenv("SYSCAP_ARENA");
		CHECK_EQ(peer_finish(&peer), 0);
		CHECK_EQ(peer.n_requests, 1);
		peer_free(&peer);
	}
}

CHILD(asks)
{
	emit();
	while (syc_state_of(syc_self)->ring == NULL) {
		usleep(1000);
		emit();
	}
	CHECK(!has_slot());
}

CHILD(is_limited)
{
	struct rlimit limit = { 100000, RLIM_INFINITY };

	CHECK_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
	child_asks();
}

TEST(a_process_that_cannot_make_an_arena_requests_rings)
{
	start("is_limited", "");
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer.n_arenas, 0);
	CHECK(peer.n_requests >= 1);
	CHECK_EQ(all_marks(), 1);
	peer_free(&peer);
}

/* -------------------------------------------------------------------- ends */

static struct syc_arena_head *head_of(unsigned i)
{
	return (struct syc_arena_head *)(void *)(peer.arenas[i].front +
	                                         syc_ring_file_head(
							 peer.arenas[i].page));
}

CHILD(goes_on_until_it_is_over)
{
	while (get_stats().is_active) {
		run_once(NULL);
		pthread_t thread;
		CHECK_EQ(pthread_create(&thread, NULL, run_once, NULL), 0);
		pthread_join(thread, NULL);
	}
	CHECK_STR(get_stats().reason, "the recording is over");
	const uint64_t n = get_stats().n_dropped;
	emit();
	CHECK_EQ(get_stats().n_dropped, n);
}

CHILD(fills_one_ring_until_it_is_over)
{
	while (get_stats().is_active)
		emit();
	CHECK_STR(get_stats().reason, "the recording is over");
}

TEST(a_process_stops_if_its_arena_is_closed)
{
	static const char *const children[] = {
		"goes_on_until_it_is_over", "fills_one_ring_until_it_is_over"
	};

	for (int i = 0; i < 2; i++) {
		start(children[i], "");
		while (peer.n_arenas == 0)
			peer_serve(&peer);
		__atomic_store_n(&head_of(0)->reader, SYC_ARENA_CLOSED,
		                 __ATOMIC_SEQ_CST);
		wait_for_child();
		peer_free(&peer);
	}
}

CHILD(finds_that_nobody_listens)
{
	emit();
	CHECK(!get_stats().is_active);
	CHECK_STR(get_stats().reason, "the recorder has ended");
}

/* Detects the end of its recorder when all slots are taken, or earlier. */
CHILD(outlives_its_recorder)
{
	emit();
	CHECK(has_slot());
	raise(SIGSTOP);
	for (unsigned i = 0; i < SYC_RING_FILE_SLOTS; i++)
		if (get_stats().is_active)
			run_threads(1, run_once);
	CHECK(!get_stats().is_active);
	CHECK_STR(get_stats().reason, "the recorder has ended");
}

/* A socket file of a killed recorder, without a listener.  A process that
 * expects an answer would wait at exit. */
TEST(a_process_stops_if_the_recorder_is_gone)
{
	int status;

	setenv("SYSCAP_ARENA", "65536", 1);
	peer_start_named(&peer, "finds_that_nobody_listens", "", false);
	unsetenv("SYSCAP_ARENA");
	wait_for_child();
	peer_free(&peer);

	peer_start_arena(&peer, "outlives_its_recorder", "", 1u << 20, true);
	while (peer.n_arenas == 0)
		peer_serve(&peer);
	CHECK_EQ(waitpid(peer.pid, &status, WUNTRACED), peer.pid);
	CHECK(WIFSTOPPED(status));
	close(peer.listener);
	CHECK_EQ(kill(peer.pid, SIGCONT), 0);
	wait_for_child();
	peer.listener = -1;
	peer_free(&peer);
}

/* Like a process with another root directory. */
CHILD(finds_no_such_name)
{
	CHECK_EQ(unlink(getenv("SYSCAP_RECORDER")), 0);
	emit();
	CHECK(!has_slot());
	CHECK_EQ(get_stats().n_untold, 1);
}

TEST(a_process_without_a_reachable_recorder_makes_no_rings)
{
	peer_start_arena(&peer, "finds_no_such_name", "", BODY, true);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer.n_arenas + peer.n_lost_arenas, 0);
	peer_free(&peer);
}

CHILD(emits_until_it_is_killed)
{
	for (;;) {
		if (_Fork() == 0) {
			emit();
			_exit(0);
		}
		emit();
		run_threads(3, run_together);
		wait_for_all();
	}
}

TEST(whoever_is_killed_whenever_leaves_slots_that_can_be_read)
{
	uint64_t random = test_seed() | 1;

	for (int i = 0; i < 40; i++) {
		start("emits_until_it_is_killed", "");
		usleep((unsigned)(next_random(&random) % 20000));
		kill(peer.pid, SIGKILL);
		waitpid(peer.pid, NULL, 0);
		peer_serve(&peer);
		peer_drain(&peer);
		all_marks(); /* checks each frame */
		peer_free(&peer);
	}
}

static void *run_for_long(void *unused)
{
	(void)unused;
	for (int i = 0; i < 20000; i++)
		emit();
	return NULL;
}

CHILD(emits_for_long)
{
	for (int i = 0; i < 10; i++) {
		run_threads(8, run_for_long);
		if (fork() == 0) {
			emit();
			_exit(0);
		}
		wait_for_all();
	}
}

TEST(a_recorder_that_writes_anything_anywhere_does_no_harm)
{
	uint64_t random = test_seed() | 1;
	int status;

	start("emits_for_long", "");
	while (peer.n_arenas == 0)
		peer_serve(&peer);
	struct peer_arena *const arena = &peer.arenas[0];
	unsigned char *const all =
		mmap(NULL, arena->size, PROT_READ | PROT_WRITE, MAP_SHARED,
	             arena->fd, 0);
	CHECK(all != MAP_FAILED);
	/* the front, and headers and parts of the bodies of the first slots */
	const size_t some = syc_ring_file_front(arena->page) +
	                    12 * (size_t)(arena->page + arena->body);
	while (waitpid(peer.pid, &status, WNOHANG) == 0) {
		uint64_t *const at =
			(uint64_t *)(void *)(all + next_random(&random) %
		                                           (some / 8) * 8);

		__atomic_store_n(at, next_random(&random), __ATOMIC_RELAXED);
		/* A process without a slot requests a ring; its number may be
		 * overwritten */
		peer.holds_replies = true;
		peer_serve(&peer);
	}
	CHECK_EQ(status, 0);
	munmap(all, arena->size);
	peer_free(&peer);
}

CHILD(has_another_thread_once_it_is_drained)
{
	emit();
	while (syc_slot_state(__atomic_load_n(&syc_slot_arena_head()->reader,
	                                      __ATOMIC_SEQ_CST)) !=
	       SYC_ARENA_DRAINED)
		usleep(1000);
	run_threads(1, run_once);
}

TEST(the_ring_offset_is_checked_before_use)
{
	static const uint32_t tails[] = { UINT32_MAX - 7, BODY, 12, BODY - 4,
		                          8 };

	for (unsigned i = 0; i < sizeof(tails) / sizeof(tails[0]); i++) {
		start("has_another_thread_once_it_is_drained", "");
		while (peer.n_arenas == 0)
			peer_serve(&peer);
		/* Slot 1 was the first thread's */
		const size_t size = peer.arenas[0].page + BODY;
		struct syc_ring_header *const ring =
			mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED,
		             peer.arenas[0].fd,
		             (off_t)(syc_ring_file_front(peer.arenas[0].page) +
		                     2 * size));
		CHECK(ring != MAP_FAILED);
		ring->tail = tails[i];
		ring->head = tails[i] == 8 ? 8 : 0;
		__atomic_store_n(&head_of(0)->reader, SYC_ARENA_DRAINED,
		                 __ATOMIC_SEQ_CST);
		wait_for_child();
		/* A valid tail is kept, with frames after it; else frames begin
		 * at the start */
		CHECK(ring->tail > (tails[i] == 8 ? 8u : 0u));
		CHECK(ring->tail < BODY && ring->tail % 8 == 0);
		munmap(ring, size);
		peer_free(&peer);
	}
}
