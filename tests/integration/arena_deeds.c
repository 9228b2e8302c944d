/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * arena_deeds.c - clients that use a handed-over arena correctly: `arena_deeds
 * WHAT`, see `deeds`.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "integration/arena_client.h"

static const char *program;
static struct arena_client own;

static struct ring_client claim(const struct arena_client *client,
                                struct syc_slot *slot)
{
	struct ring_client ring;

	while (!arena_client_claim(client, &ring, slot))
		usleep(1000);
	return ring;
}

/* Emits @n marks in a new slot, which stays LIVE. */
static void emit(const char *name, unsigned n)
{
	struct syc_slot slot;
	struct ring_client ring = claim(&own, &slot);

	for (unsigned i = 0; i < n; i++)
		ring_client_mark(&ring, "test", name, "");
}

static void wait_for_all(void)
{
	int status;

	while (wait(&status) > 0)
		if (status != 0 && status != SIGKILL)
			exit(99);
}

static void *mark_and_leave(void *arg)
{
	const unsigned n = *(const unsigned *)arg;
	struct syc_slot slot;
	struct ring_client ring = claim(&own, &slot);

	for (unsigned i = 0; i < n; i++)
		ring_client_mark(&ring, "test", "of a thread", "");
	arena_client_leave(&ring, &slot);
	return NULL;
}

/* Runs @n threads; each leaves its slot to a later thread. */
static void run_threads(unsigned n, unsigned at_once, unsigned marks)
{
	pthread_t threads[64];

	for (unsigned done = 0; done < n; done += at_once) {
		for (unsigned i = 0; i < at_once; i++)
			pthread_create(&threads[i], NULL, mark_and_leave,
			               &marks);
		for (unsigned i = 0; i < at_once; i++)
			pthread_join(threads[i], NULL);
	}
}

static void threads(void)
{
	arena_client_open(&own);
	run_threads(200, 50, 100);
}

/* Writes 2 MiB through rings of 64 KiB. */
static void laps(void)
{
	arena_client_make(&own, 65536, 4, ARENA_CLIENT_SEALS, "");
	arena_client_hand_over(&own);
	run_threads(2, 2, 10000);
}

/* Hands over by name; emits before the recorder has read the arena. */
static void by_name(void)
{
	arena_client_make(&own, 65536, 64, ARENA_CLIENT_SEALS, "");
	emit("early", 10);
	if (!arena_client_send_by_name(SYC_CONTROL_TAKE, own.fd))
		exit(99);
	emit("late", 10);
}

/* 3,000 threads in 4 slots; afterwards the recorder has freed the memory. */
static void reuse(void)
{
	struct stat st;
	int fd;

	arena_client_make(&own, 65536, 5, ARENA_CLIENT_SEALS, "");
	fd = dup(own.fd);
	arena_client_hand_over(&own);
	run_threads(3000, 4, 100);
	for (unsigned i = 0; i < 2000; i++) {
		if (fstat(fd, &st) != 0)
			exit(99);
		if (st.st_blocks * 512 <= 8 * 4096)
			return;
		usleep(5000);
	}
	exit(3);
}

/* Dies with two LIVE slots. */
static void death(void)
{
	arena_client_open(&own);
	emit("before death", 500);
	emit("before death", 500);
	raise(SIGKILL);
}

/* 400 children share 8 slots, and end by SIGKILL or _exit(). */
static void children(void)
{
	arena_client_make(&own, 65536, 9, ARENA_CLIENT_SEALS, "");
	arena_client_hand_over(&own);
	emit("of the parent", 1);
	for (unsigned i = 0; i < 400; i++) {
		const pid_t pid = fork();

		if (pid != 0)
			continue;
		emit("of a child", 3);
		if (i % 2 == 0)
			raise(SIGKILL);
		_exit(0);
	}
	wait_for_all();
}

/* The children have ended before the recorder gets the arena. */
static void past(void)
{
	arena_client_make(&own, 65536, 64, ARENA_CLIENT_SEALS, "I was here");
	for (unsigned i = 0; i < 3; i++)
		if (fork() == 0) {
			emit("of a child", 3);
			_exit(0);
		}
	wait_for_all();
	if (fork() == 0) {
		/* This process emits in the arena of another process, which has
		 * ended */
		emit("of another", 3);
		_exit(0);
	}
	wait_for_all();
	arena_client_hand_over(&own);
	emit("of the parent", 1);
}

/* The maker of the arena has ended, too, so only the arena has its command
 * line. */
static void maker_past(void)
{
	const pid_t pid = fork();
	int status;

	if (pid == 0) {
		/* The recorder is stopped until this process has ended */
		arena_client_make(&own, 65536, 64, ARENA_CLIENT_SEALS,
		                  "I was here");
		emit("of a past", 3);
		kill(getppid() == 0 ? 0 : atoi(getenv("RECORDER")), SIGSTOP);
		arena_client_hand_over(&own);
		_exit(0);
	}
	waitpid(pid, &status, 0);
	kill(atoi(getenv("RECORDER")), SIGCONT);
}

/* A child emits seconds after its parent's end. */
static void outlive(void)
{
	int fds[2];
	char byte;

	if (pipe(fds) != 0)
		exit(99);
	if (fork() == 0) {
		arena_client_open(&own);
		emit("of the parent", 1);
		if (fork() != 0)
			_exit(0);
		usleep(3500000);
		emit("of the child", 1);
		_exit(0);
	}
	close(fds[1]);
	wait(NULL);
	if (read(fds[0], &byte, 1) != 0)
		exit(99);
}

static void wait_until_taken(void)
{
	while (syc_slot_state(
		       __atomic_load_n(&syc_arena_head(&own.arena)->reader,
	                               __ATOMIC_ACQUIRE)) != SYC_ARENA_DRAINED)
		usleep(1000);
}

/* Calls exec after the recorder has read its command line. */
static void other_program(void)
{
	arena_client_open(&own);
	if (fork() == 0) {
		emit("of a child", 2);
		execl(program, program, "nothing", NULL);
		exit(99);
	}
	wait_for_all();
	emit("before exec", 1);
	wait_until_taken();
	execl(program, program, "after-exec", NULL);
	exit(99);
}

static void nothing(void)
{
	usleep(300000);
}

static void after_exec(void)
{
	arena_client_open(&own);
	emit("after exec", 1);
	wait_until_taken();
}

/* Waits until the write end is closed everywhere, or written to. */
static void wait_for_pipe(const int *fds)
{
	char byte;

	close(fds[1]);
	(void)!read(fds[0], &byte, 1);
	close(fds[0]);
}

/* A child begins and calls exec while the recorder is stopped. */
static void replaced(void)
{
	int fds[2];

	arena_client_open(&own);
	emit("of the parent", 1);
	wait_until_taken();
	kill(getppid(), SIGSTOP);
	if (pipe2(fds, O_CLOEXEC) != 0)
		exit(99);
	if (fork() == 0) {
		emit("of a child", 2);
		execl(program, program, "nothing", NULL);
		exit(99);
	}
	wait_for_pipe(fds);
	kill(getppid(), SIGCONT);
	wait_for_all();
	nothing();
}

/* The slot's header counts 9 losses, of which a record reports 4; the arena's
 * head counts 7. */
static void losses(void)
{
	struct syc_slot slot;
	struct ring_client ring;
	struct syc_ring_losses *head;
	char text[64];

	arena_client_open(&own);
	ring = claim(&own, &slot);
	snprintf(text, sizeof(text), "frames=4 bytes=400 tid=%d mark=4",
	         ring.tid);
	ring_client_mark(&ring, "syscap", "lost", text);
	*ring_client_lost(&ring, SYSCAP_FRAME_MARK) = 6;
	*ring_client_lost(&ring, SYSCAP_FRAME_LOG) = 3;
	*ring_client_lost(&ring, 16) = 1000; /* bytes */
	ring_client_lost_range(&ring)[0] = 5000;
	ring_client_lost_range(&ring)[1] = 7000;
	head = &syc_arena_head(&own.arena)->lost;
	head->frames[SYSCAP_FRAME_MARK] = 7;
	head->bytes = 700;
	head->from = 8000;
	head->to = 9000;
	raise(SIGKILL);
}

/* A process whose getpid() is 1, with its own children. */
static void be_the_first(const char *name, int ready, int end)
{
	char byte = 0;

	if (unshare(CLONE_NEWPID) != 0 &&
	    unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0) {
		(void)!write(ready, &byte, 1);
		_exit(77); /* in a chroot only root can unshare */
	}
	const pid_t pid = fork();
	if (pid != 0) {
		int status;

		close(ready);
		waitpid(pid, &status, 0);
		_exit(WEXITSTATUS(status));
	}
	arena_client_open(&own);
	emit(name, 1);
	if (getpid() != 1 || write(ready, &byte, 1) != 1)
		_exit(99);
	(void)!read(end, &byte, 1);
	for (unsigned i = 0; i < 4; i++)
		if (fork() == 0) {
			emit(name, 1);
			usleep(i < 2 ? 400000 : 0);
			_exit(0);
		}
	wait_for_all();
	emit(name, 1);
	_exit(0);
}

static void namespaces(void)
{
	int ready[2], end[2], status, worst = 0;
	char byte;

	if (pipe(ready) != 0 || pipe(end) != 0)
		exit(99);
	for (unsigned i = 0; i < 2; i++) {
		if (fork() == 0) {
			close(end[1]);
			be_the_first(i == 0 ? "alpha" : "beta", ready[1],
			             end[0]);
		}
		if (i == 1)
			close(ready[1]);
		(void)!read(ready[0], &byte, 1);
	}
	close(end[1]);
	while (wait(&status) > 0)
		if (WEXITSTATUS(status) > worst)
			worst = WEXITSTATUS(status);
	exit(worst);
}

/* 200 processes make an arena, hand it over and end, without waiting for the
 * recorder. */
static void crowd(void)
{
	char told[32];

	for (unsigned i = 0; i < 200; i++)
		if (fork() == 0) {
			snprintf(told, sizeof(told), "one of the crowd %u", i);
			arena_client_make(&own, 65536, 16, ARENA_CLIENT_SEALS,
			                  told);
			emit("of a crowd", 20);
			arena_client_hand_over(&own);
			emit("of a crowd", 20);
			_exit(0);
		}
	wait_for_all();
}

/* 500 sleeping processes with an arena each, to measure the recorder. */
static void sleepers(void)
{
	for (unsigned i = 0; i < 500; i++)
		if (fork() == 0) {
			arena_client_open(&own);
			emit("asleep", 1);
			sleep(10);
			_exit(0);
		}
	wait_for_all();
}

static void lost(void)
{
	for (unsigned i = 0; i < 3; i++)
		if (fork() == 0) {
			if (!(i == 0 ? arena_client_send_by_name
			             : arena_client_send)(SYC_CONTROL_LOST, -1))
				_exit(99);
			_exit(0);
		}
	wait_for_all();
}

/* Two processes announce an arena and die; a third sends the arena before the
 * announcement. */
static void late(void)
{
	for (unsigned i = 0; i < 3; i++) {
		if (fork() != 0)
			continue;
		if (i == 2) {
			arena_client_make(&own, 65536, 16, ARENA_CLIENT_SEALS,
			                  "");
			emit("of a child", 3);
			if (!arena_client_send_by_name(SYC_CONTROL_GAVE,
			                               own.fd))
				_exit(99);
		}
		if (!(i == 0 ? arena_client_send_by_name
		             : arena_client_send)(SYC_CONTROL_HAVE, -1))
			_exit(99);
		_exit(0);
	}
	wait_for_all();
}

/* A daemon, which ends when the recorder has closed the arena. */
static void closed(void)
{
	arena_client_open(&own);
	emit("of a daemon", 1);
	if (fork() != 0) {
		usleep(300000);
		return;
	}
	for (unsigned i = 0; i < 2000; i++) {
		const uint32_t word = __atomic_load_n(
			&syc_arena_head(&own.arena)->reader, __ATOMIC_ACQUIRE);
		const int fd = syc_slot_state(word) == SYC_ARENA_CLOSED
		                       ? creat(getenv("FLAG"), 0600)
		                       : -1;

		if (fd >= 0)
			_exit(0);
		usleep(5000);
	}
	_exit(99);
}

static const struct {
	const char *name;
	void (*run)(void);
} deeds[] = {
	{ "threads", threads },
	{ "laps", laps },
	{ "by-name", by_name },
	{ "reuse", reuse },
	{ "death", death },
	{ "children", children },
	{ "past", past },
	{ "maker-past", maker_past },
	{ "outlive", outlive },
	{ "exec", other_program },
	{ "nothing", nothing },
	{ "after-exec", after_exec },
	{ "replaced", replaced },
	{ "losses", losses },
	{ "namespaces", namespaces },
	{ "crowd", crowd },
	{ "sleepers", sleepers },
	{ "lost", lost },
	{ "late", late },
	{ "closed", closed },
};

int main(int argc, char **argv)
{
	program = argv[0];
	for (unsigned i = 0; i < sizeof(deeds) / sizeof(deeds[0]); i++)
		if (argc == 2 && strcmp(argv[1], deeds[i].name) == 0) {
			deeds[i].run();
			return 0;
		}
	return 2;
}
