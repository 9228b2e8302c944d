/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ring_deeds.c - correct clients, which a recorder must record correctly:
 * `ring_deeds WHAT`, see `deeds`.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "integration/ring_client.h"

static const char *program;

static struct ring_client open_ring(void)
{
	struct ring_client client;

	if (!ring_client_open(&client)) {
		fputs("no ring\n", stderr);
		exit(99);
	}
	return client;
}

static void *count_as(void *name)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	struct ring_client client;

	/* Like copies of Sysprof's client, every thread begins at id 1. */
	pthread_mutex_lock(&lock);
	client = open_ring();
	pthread_mutex_unlock(&lock);
	ring_client_define(&client, 1, name);
	for (int i = 0; i < 100; i++)
		ring_client_set(&client, 1, strcmp(name, "apples") == 0);
	ring_client_end(&client);
	return NULL;
}

static void threads_that_share_an_id(void)
{
	pthread_t threads[2];

	pthread_create(&threads[0], NULL, count_as, (void *)"apples");
	pthread_create(&threads[1], NULL, count_as, (void *)"pears");
	pthread_join(threads[0], NULL);
	pthread_join(threads[1], NULL);
}

/* The client block counts 9 losses, of which a loss record reports only 4. */
static void losses_that_nobody_told(void)
{
	struct ring_client client = open_ring();
	char text[64];

	ring_client_introduce(&client);
	snprintf(text, sizeof(text), "frames=4 bytes=400 tid=%d mark=4",
	         client.tid);
	ring_client_mark(&client, "syscap", "lost", text);
	*ring_client_lost(&client, SYSCAP_FRAME_MARK) = 6;
	*ring_client_lost(&client, SYSCAP_FRAME_LOG) = 3;
	*ring_client_lost(&client, 16) = 1000; /* bytes */
	ring_client_lost_range(&client)[0] = 5000;
	ring_client_lost_range(&client)[1] = 7000;
	raise(SIGKILL);
}

static void death_in_the_middle(void)
{
	struct ring_client client = open_ring();

	for (unsigned i = 0; i < 1000; i++)
		ring_client_mark(&client, "test", "before death", "");
	raise(SIGKILL);
}

/* 50 processes that die with rings.  After them, the file $ALL_DEAD exists. */
static void many_deaths(void)
{
	for (unsigned i = 0; i < 50; i++)
		if (fork() == 0)
			death_in_the_middle();
	for (unsigned i = 0; i < 50; i++)
		wait(NULL);
	close(creat(getenv("ALL_DEAD"), 0600));
	pause();
}

/* A ring outlives its owner: stock clients use their parent's ring in a
 * child. */
static void a_child_that_goes_on(void)
{
	int fds[2];
	char byte;

	if (pipe(fds) != 0)
		exit(99);
	if (fork() == 0) {
		struct ring_client client = open_ring();

		ring_client_mark(&client, "test", "of the parent", "");
		if (fork() != 0)
			_exit(0);
		usleep(3500000);
		ring_client_mark(&client, "test", "of the child", "");
		_exit(0);
	}
	close(fds[1]);
	wait(NULL);
	if (read(fds[0], &byte, 1) != 0) /* until both processes have ended */
		exit(99);
}

static void another_program(void)
{
	struct ring_client client = open_ring();

	ring_client_define(&client, 1, "apples");
	ring_client_mark(&client, "test", "before exec", "");
	execl(program, program, "after-exec", NULL);
	exit(99);
}

static void after_exec(void)
{
	struct ring_client client = open_ring();

	ring_client_define(&client, 1, "apples");
	ring_client_mark(&client, "test", "after exec", "");
}

static void children(void)
{
	for (unsigned i = 0; i < 3; i++)
		if (fork() == 0) {
			struct ring_client client = open_ring();

			ring_client_mark(&client, "test", "of a child", "");
			/* This ring may be the answer to a sibling's
			 * request. */
			usleep(50000);
			_exit(0);
		}
	for (unsigned i = 0; i < 3; i++)
		wait(NULL);
}

/* A daemon that continues recording, and never ends its ring. */
static void leave_a_daemon(void)
{
	if (fork() == 0) {
		struct ring_client client = open_ring();

		ring_client_mark(&client, "test", "of a daemon", "");
		sleep(4);
		_exit(0);
	}
	usleep(300000);
}

static void *one_mark(void *arg)
{
	struct ring_client client = open_ring();

	ring_client_mark(&client, "test", "of a thread", "");
	ring_client_end(&client);
	return arg;
}

/* Runs as many threads one after the other as a busy machine can in a few
 * seconds. Then writes their number to the file FLAG. */
static void many_threads(void)
{
	const time_t end = time(NULL) + 5;
	const int flag = creat(getenv("FLAG"), 0600);
	unsigned n = 0;

	while (n < 2000 && (n < 100 || time(NULL) < end)) {
		pthread_t thread;

		pthread_create(&thread, NULL, one_mark, NULL);
		pthread_join(thread, NULL);
		n++;
	}
	dprintf(flag, "%u\n", n);
	pause();
}

/* A process whose getpid() is 1, and that keeps a ring until @end. */
static void be_the_first(const char *name, int ready, int end)
{
	struct ring_client client;
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
	client = open_ring();
	ring_client_mark(&client, "test", name, "");
	if (getpid() != 1 || write(ready, &byte, 1) != 1)
		_exit(99);
	(void)!read(end, &byte, 1);
	ring_client_mark(&client, "test", name, "");
	/* The two processes request rings at the same time, so each gets rings
	 * that the other requested */
	for (unsigned i = 0; i < 16; i++) {
		client = open_ring();
		ring_client_mark(&client, "test", name, "");
	}
	usleep(300000);
	_exit(0);
}

/* Runs two processes whose getpid() is 1 at the same time. */
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

/* 40 processes with a ring each, which live until the last has its ring. */
static void crowd(void)
{
	int fds[2], status;
	char byte;

	if (pipe(fds) != 0)
		exit(99);
	for (unsigned i = 0; i < 40; i++)
		if (fork() == 0) {
			struct ring_client client = open_ring();

			ring_client_mark(&client, "test", "of a crowd", "");
			ring_client_end(&client);
			close(fds[1]);
			(void)!read(fds[0], &byte, 1);
			_exit(0);
		}
	usleep(500000);
	close(fds[1]);
	while (wait(&status) > 0)
		if (status != 0)
			exit(99);
}

static void put_stacks(struct ring_client *client, int32_t tid)
{
	struct syscap_wire_sample sample = {
		.frame = { .len = sizeof(sample),
		           .cpu = -1,
		           .pid = client->pid,
		           .time = ring_client_now(),
		           .type = SYSCAP_FRAME_SAMPLE },
		.tid = tid,
	};
	struct syscap_wire_allocation allocation = {
		.frame = sample.frame,
		.addr = 4096,
		.size = 16,
		.tid = tid,
	};

	allocation.frame.len = sizeof(allocation);
	allocation.frame.type = SYSCAP_FRAME_ALLOCATION;
	ring_client_put(client, &sample, sizeof(sample));
	if (tid % 2 == 0)
		ring_client_put(client, &allocation, sizeof(allocation));
}

/* A sampler's thread writes the stacks of three other threads. */
static void stacks_of_others(void)
{
	struct ring_client client = open_ring();

	ring_client_introduce(&client);
	for (int i = 0; i < 8; i++)
		put_stacks(&client, client.tid + i % 4);
	ring_client_end(&client);
}

/* The invented threads and this thread are one thread more than the recorder
 * counts */
static void invented_threads(void)
{
	struct ring_client client = open_ring();

	ring_client_introduce(&client);
	for (int i = 1; i <= 262144; i++)
		put_stacks(&client, client.tid + 2 * i - client.tid % 2);
	ring_client_end(&client);
}

/* A client that only checks whether it is recorded. */
static void ask_and_be_silent(void)
{
	open_ring();
}

static const struct {
	const char *name;
	void (*run)(void);
} deeds[] = {
	{ "counters", threads_that_share_an_id },
	{ "losses", losses_that_nobody_told },
	{ "death", death_in_the_middle },
	{ "deaths", many_deaths },
	{ "inherit", a_child_that_goes_on },
	{ "exec", another_program },
	{ "after-exec", after_exec },
	{ "children", children },
	{ "crowd", crowd },
	{ "namespaces", namespaces },
	{ "daemon", leave_a_daemon },
	{ "threads", many_threads },
	{ "stacks", stacks_of_others },
	{ "invented", invented_threads },
	{ "ask", ask_and_be_silent },
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
