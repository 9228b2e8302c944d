/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * crowd.c - many threads, or many short-lived processes, which emit while the
 * drainer is stopped.
 *
 *	crowd DIR threads PROCESSES THREADS
 *	crowd DIR forks N
 *	crowd DIR three
 *
 * The forms `threads` and `forks` make DIR/ready, wait for DIR/go, and then
 * work until DIR/end exists.  Every process appends its pid and number of sent
 * events to DIR/said.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap.h>

#define EACH  3
#define BURST 10

static const char *dir;
static unsigned n_sent;
static bool is_over;

static void emit(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		SYSCAP_INSTANT("crowd", "sent", NULL);
	__atomic_add_fetch(&n_sent, n, __ATOMIC_RELAXED);
}

static int open_in_dir(const char *name, int flags)
{
	char path[512];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	return open(path, flags | O_CLOEXEC, 0600);
}

static void say(void)
{
	char line[64];
	const int n =
		snprintf(line, sizeof(line), "%d %u\n", (int)getpid(), n_sent);
	const int fd = open_in_dir("said", O_WRONLY | O_APPEND | O_CREAT);

	if (fd < 0 || write(fd, line, (size_t)n) != n)
		abort();
	close(fd);
}

static void wait_for(const char *name)
{
	int fd;

	while ((fd = open_in_dir(name, O_RDONLY)) < 0)
		usleep(2000);
	close(fd);
}

static void *run_thread(void *unused)
{
	emit(BURST);
	while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) {
		usleep(20000);
		emit(1);
	}
	emit(BURST);
	return unused;
}

/* A process that ends before its first ring can't report its losses:
 * docs/contexts.md. */
static void wait_for_a_ring(void)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	do {
		usleep(2000);
		syscap_get_stats(&stats);
	} while (stats.n_rings == 0 && stats.is_active);
}

/* A process that ends while the recorder does not answer can't report losses
 * either. */
static void emit_until_all_is_told(void)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	do {
		emit(1);
		usleep(2000);
		syscap_get_stats(&stats);
	} while ((stats.n_untold != 0 || stats.n_rings == 0) &&
	         stats.is_active);
}

static void run_threads(unsigned n)
{
	pthread_t *const threads = calloc(n, sizeof(*threads));
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	for (unsigned i = 0; i < n; i++)
		if (pthread_create(&threads[i], &attr, run_thread, NULL) != 0)
			abort();
	wait_for("end");
	wait_for_a_ring();
	__atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
	for (unsigned i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	emit_until_all_is_told();
	free(threads);
}

static void crowd_threads(unsigned n_processes, unsigned n_threads)
{
	for (unsigned i = 1; i < n_processes; i++)
		if (fork() == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			n_sent = 0;
			run_threads(n_threads);
			say();
			exit(0);
		}
	run_threads(n_threads);
	say();
}

static void be_short(void)
{
	n_sent = 0;
	emit(EACH);
	say();
}

static void make_short(unsigned kind)
{
	char *const argv[] = { (char *)"crowd", (char *)dir, (char *)"three",
		               NULL };
	pid_t pid;

	switch (kind % 4) {
	case 0:
		pid = fork();
		break;
	case 1:
		pid = _Fork();
		break;
	case 2:
		pid = (pid_t)syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, 0);
		break;
	default:
		if (posix_spawn(&pid, "/proc/self/exe", NULL, NULL, argv,
		                environ) != 0)
			abort();
	}
	if (pid == 0) {
		be_short();
		_exit(0);
	}
	if (pid < 0)
		abort();
}

static void crowd_forks(unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		make_short(i);
		while (i % 8 == 7 && wait(NULL) > 0)
			;
	}
	wait_for("end");
	say();
}

int main(int argc, char **argv)
{
	dir = argv[1];
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* no process outlives its test */
	if (argc == 3) {
		be_short();
	} else if (argc > 3) {
		emit(BURST);
		close(open_in_dir("ready", O_WRONLY | O_CREAT));
		wait_for("go");
		if (strcmp(argv[2], "forks") == 0)
			crowd_forks((unsigned)atoi(argv[3]));
		else
			crowd_threads((unsigned)atoi(argv[3]),
			              (unsigned)atoi(argv[4]));
	}
	while (wait(NULL) > 0)
		;
	return argc < 3;
}
