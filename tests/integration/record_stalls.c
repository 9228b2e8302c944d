/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_stalls.c - loops that wait in all ways, and sometimes stall.
 * No call may report an interruption.
 *
 *	record_stalls KIND [SIGNAL]	one stall of 200 ms, in 100 iterations
 *	record_stalls busy	one of 200 ms, in a loop that always has work
 *	record_stalls odd	stalls in unusual calls, children and threads
 *	record_stalls sleeps	sleeps that other timers cut
 *	record_stalls KIND masked	with a mask, in a thread that blocks signals
 *	record_stalls KIND many		many waits that signals end
 *
 * KIND: poll, ppoll, select, pselect, epoll_wait, epoll_pwait, epoll_pwait2.
 * SIGNAL: first or second, of the sampler.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sampler/tick_signal.h"

#define MS INT64_C(1000000)

static int ends[2], many;
static volatile unsigned sum;
static volatile int n_urgent;

static void need_at(int line, bool is_true, const char *what)
{
	if (is_true)
		return;
	fprintf(stderr, "record_stalls: line %d: %s: %s, %d of its own\n", line,
	        what, strerror(errno), n_urgent);
	exit(1);
}

#define need(is_true, what) need_at(__LINE__, is_true, what)

static int64_t now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 * MS + ts.tv_nsec;
}

/* Inlined, so that each waiting place has its own address. */
static inline __attribute__((always_inline)) int
wait_with(const char *kind, int ms, const sigset_t *mask)
{
	struct pollfd one = { .fd = ends[0], .events = POLLIN };
	struct timespec time = { .tv_sec = ms / 1000,
		                 .tv_nsec = ms % 1000 * MS };
	struct timeval tv = { .tv_sec = ms / 1000,
		              .tv_usec = ms % 1000 * 1000 };
	struct epoll_event event;
	fd_set set;

	FD_ZERO(&set);
	FD_SET(ends[0], &set);
	if (strcmp(kind, "poll") == 0)
		return poll(&one, 1, ms);
	if (strcmp(kind, "ppoll") == 0)
		return ppoll(&one, 1, &time, mask);
	if (strcmp(kind, "select") == 0)
		return select(ends[0] + 1, &set, NULL, NULL, &tv);
	if (strcmp(kind, "pselect") == 0)
		return pselect(ends[0] + 1, &set, NULL, NULL, &time, mask);
	if (strcmp(kind, "epoll_wait") == 0)
		return epoll_wait(many, &event, 1, ms);
	if (strcmp(kind, "epoll_pwait") == 0)
		return epoll_pwait(many, &event, 1, ms, mask);
	if (strcmp(kind, "epoll_pwait2") == 0)
		return epoll_pwait2(many, &event, 1, &time, mask);
	exit(2);
}

static int wait_a_while(const char *kind, int ms)
{
	return wait_with(kind, ms, NULL);
}

__attribute__((noinline)) static void stand_still(int ms)
{
	const int64_t end = now() + ms * MS;

	while (now() < end)
		for (unsigned i = 0; i < 10000; i++)
			sum += i;
	__asm__ volatile("");
}

/* This function is called from another place, and deeper, so its wait ends no
 * iteration. */
__attribute__((noinline)) static int wait_for_a_reply(int ms)
{
	struct pollfd one = { .fd = ends[0], .events = POLLIN };
	const int r = poll(&one, 1, ms);

	__asm__ volatile("");
	return r;
}

__attribute__((noinline)) static void ask_and_wait(int ms)
{
	const int64_t begin = now();

	need(wait_for_a_reply(ms) == 0, "a reply that does not come");
	need(now() - begin >= ms * MS, "a reply that was waited for");
	__asm__ volatile("");
}

__attribute__((noinline)) static void sleep_in_between(int ms)
{
	const struct timespec time = { .tv_nsec = ms * MS };
	const int64_t begin = now();

	need(nanosleep(&time, NULL) == 0, "nanosleep");
	need(usleep((useconds_t)ms * 1000) == 0, "usleep");
	need(clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL) == 0,
	     "clock_nanosleep");
	need(now() - begin >= 3 * ms * MS, "sleeps");
	__asm__ volatile("");
}

static void loop(const char *kind)
{
	for (int i = 0; i < 100; i++) {
		need(wait_a_while(kind, i % 10 == 9 ? 60 : 1) == 0, kind);
		if (i == 50)
			stand_still(200);
		else
			stand_still(1);
	}
	need(wait_a_while(kind, 1) == 0, kind);
}

__attribute__((noinline)) static void ask_much_deeper(void)
{
	char room[4096];

	/* clang removes unused arrays */
	__asm__ volatile("" : : "r"(room) : "memory");
	ask_and_wait(1);
	__asm__ volatile("" : : "r"(room) : "memory");
}

/* The only wait is deeper.  The loop polls without waiting. */
static void look_in_iterations(void)
{
	ask_much_deeper();
	need(wait_a_while("poll", 0) == 0, "poll");
	stand_still(200);
	need(wait_a_while("poll", 0) == 0, "poll");
}

static void sleep_in_iterations(void)
{
	for (int i = 0; i < 20; i++) {
		need(wait_a_while("poll", 1) == 0, "poll");
		if (i == 10)
			sleep_in_between(100);
	}
}

static void on_urgent(int number)
{
	(void)number;
	n_urgent++;
}

/* A program that handles the sampler's signal gets all its own signals, and no
 * others. */
static void want_signal(int number)
{
	struct sigaction action = { .sa_handler = on_urgent }, before;

	loop("poll");
	need(sigaction(number, &action, &before) == 0, "sigaction");
	stand_still(150);
	loop("poll");
	need(n_urgent == 0, "a signal that was not sent");
	raise(number);
	need(n_urgent == 1, "a signal that was sent");
}

static volatile int n_alarms;

/* This handler takes longer than a timer that was set before the signal. */
static void on_alarm(int number)
{
	const int saved = errno;

	(void)number;
	stand_still(150);
	n_alarms++;
	errno = saved;
}

/* Requests repeated signals, as the first signal may come before the wait
 * begins. */
static void ask_for_alarms(void)
{
	const struct itimerval when = { .it_value.tv_usec = 30000,
		                        .it_interval.tv_usec = 400000 };

	n_alarms = 0;
	need(setitimer(ITIMER_REAL, &when, NULL) == 0, "setitimer");
}

static void need_alarm(int r, const char *what)
{
	const struct itimerval never = { .it_value.tv_sec = 0 };

	need(r == -1 && errno == EINTR && n_alarms > 0, what);
	need(setitimer(ITIMER_REAL, &never, NULL) == 0, "setitimer");
}

/* Waits end by the program's own signals, and by no others. */
static void be_interrupted(void)
{
	const struct timespec time = { .tv_sec = 10 }, bad = { .tv_nsec = -1 };
	struct sigaction action = { .sa_handler = on_alarm };
	sigset_t none;

	sigemptyset(&none);
	need(sigaction(SIGALRM, &action, NULL) == 0, "sigaction");
	ask_for_alarms();
	need_alarm(nanosleep(&time, NULL), "a sleep");
	ask_for_alarms();
	stand_still(60);
	n_alarms = 0;
	need_alarm(pause(), "pause");
	ask_for_alarms();
	stand_still(60);
	n_alarms = 0;
	need_alarm(sigsuspend(&none), "sigsuspend");
	need(ppoll(NULL, 0, &bad, NULL) == -1 && errno == EINVAL,
	     "a time that is none");
	need(wait_a_while("select", 200) == 0, "select in an iteration");
	need(wait_a_while("pselect", 200) == 0, "pselect in an iteration");
}

static int queue, semaphores;

/* Ends waits after a time that is longer than the sampler's timer. */
static void *be_late(void *semaphore)
{
	struct sembuf up = { 0, 1, 0 };
	struct {
		long type;
		char text[1];
	} message = { 1, "x" };

	usleep(200000);
	if (semaphore != NULL)
		need(sem_post(semaphore) == 0, "sem_post");
	need(semop(semaphores, &up, 1) == 0, "semop, up");
	need(msgsnd(queue, &message, 1, 0) == 0, "msgsnd");
	return NULL;
}

static struct timespec in_ms(clockid_t clock, int64_t ms)
{
	struct timespec time;

	clock_gettime(clock, &time);
	time.tv_sec += (time.tv_nsec + ms * MS) / (1000 * MS);
	time.tv_nsec = (time.tv_nsec + ms * MS) % (1000 * MS);
	return time;
}

/* Waits for semaphores and messages within an iteration are not cut short. */
static void wait_for_others(void)
{
	const struct timespec short_time = { .tv_nsec = 200 * MS },
			      long_time = { .tv_sec = 60 };
	struct timespec until = in_ms(CLOCK_REALTIME, 60000);
	struct sembuf down = { 0, -1, 0 };
	struct {
		long type;
		char text[1];
	} message;
	pthread_t other;
	int64_t begin;
	sem_t one;

	queue = msgget(IPC_PRIVATE, 0600);
	semaphores = semget(IPC_PRIVATE, 1, 0600);
	need(queue >= 0 && semaphores >= 0 && sem_init(&one, 0, 0) == 0,
	     "semaphores and queues");
	need(pthread_create(&other, NULL, be_late, &one) == 0, "a thread");
	need(sem_timedwait(&one, &until) == 0, "sem_timedwait");
	pthread_join(other, NULL);
	need(semop(semaphores, &down, 1) == 0, "semop, at once");
	need(msgrcv(queue, &message, 1, 0, 0) == 1, "msgrcv, at once");

	need(pthread_create(&other, NULL, be_late, NULL) == 0, "a thread");
	need(semop(semaphores, &down, 1) == 0, "semop");
	pthread_join(other, NULL);
	need(msgrcv(queue, &message, 1, 0, 0) == 1, "msgrcv, at once");

	need(wait_a_while("poll", 1) == 0, "poll");
	need(pthread_create(&other, NULL, be_late, NULL) == 0, "a thread");
	need(msgrcv(queue, &message, 1, 0, 0) == 1, "msgrcv");
	pthread_join(other, NULL);
	need(semtimedop(semaphores, &down, 1, &long_time) == 0,
	     "semtimedop, at once");

	/* Waits in vain take the full requested time */
	need(wait_a_while("poll", 1) == 0, "poll");
	begin = now();
	need(semtimedop(semaphores, &down, 1, &short_time) == -1 &&
	             errno == EAGAIN,
	     "semtimedop");
	need(now() - begin >= 200 * MS, "the time of semtimedop");
	need(wait_a_while("poll", 1) == 0, "poll");
	until = in_ms(CLOCK_REALTIME, 200);
	need(sem_timedwait(&one, &until) == -1 && errno == ETIMEDOUT,
	     "the time of sem_timedwait");
	msgctl(queue, IPC_RMID, NULL);
	semctl(semaphores, 0, IPC_RMID);
}

/*
 * The stacks of a child that ends before the recorder has read its maps have no
 * names, and a busy recorder may need half a second.  So the child stays until
 * record_stalls.sh has seen its maps in the capture.
 */
static void stay_until_met(void)
{
	const char *const folder = getenv("STALLS_MEET");
	char path[256];

	if (folder == NULL)
		return;
	snprintf(path, sizeof(path), "%s/%d", folder, (int)getpid());
	const int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
	need(fd >= 0 && close(fd) == 0, "a file");
	for (int i = 0; i < 10000 && access(path, F_OK) == 0; i++)
		need(wait_a_while("poll", 10) == 0, "poll");
}

__attribute__((noinline)) static void stand_in_child(void)
{
	stand_still(200);
	__asm__ volatile("");
}

/* The child's only thread counts as its first, even if another thread forked
 * the child. */
static void *fork_beside(void *nothing)
{
	int status;

	need(wait_a_while("poll", 5) == 0, "poll");
	const pid_t child = fork();
	if (child == 0) {
		need(wait_a_while("poll", 5) == 0, "poll");
		stand_in_child();
		need(wait_a_while("poll", 5) == 0, "poll");
		stay_until_met();
		_exit(0);
	}
	need(waitpid(child, &status, 0) == child && status == 0,
	     "a child of a thread");
	return nothing;
}

/* Calls that the kernel does not restart */
static void wait_for_socket(void)
{
	const struct timeval time = { .tv_usec = 300000 };
	struct iovec part = { .iov_len = 1 };
	struct msghdr message = { .msg_iov = &part, .msg_iovlen = 1 };
	int pair[2];
	char byte;

	part.iov_base = &byte;
	need(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0 &&
	             setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &time,
	                        sizeof(time)) == 0,
	     "socketpair");
	need(recv(pair[0], &byte, 1, 0) == -1 && errno == EAGAIN, "recv");
	need(wait_a_while("poll", 5) == 0, "poll");
	need(read(pair[0], &byte, 1) == -1 && errno == EAGAIN, "read");
	need(wait_a_while("poll", 5) == 0, "poll");
	need(recvmsg(pair[0], &message, 0) == -1 && errno == EAGAIN, "recvmsg");
	need(wait_a_while("poll", 5) == 0, "poll");
}

static void be_odd(void)
{
	pthread_t thread;
	int status;

	for (int i = 0; i < 5; i++)
		need(wait_a_while("poll", 5) == 0, "poll");
	ask_and_wait(200);
	need(wait_a_while("poll", 5) == 0, "poll");
	sleep_in_between(100);
	need(wait_a_while("poll", 5) == 0, "poll");
	/* A child inherits no timer, and makes its own timer */
	const pid_t child = fork();
	if (child == 0) {
		for (int i = 0; i < 5; i++)
			need(wait_a_while("poll", 60) == 0, "poll");
		stand_still(200);
		need(wait_a_while("poll", 5) == 0, "poll");
		stay_until_met();
		_exit(0);
	}
	need(waitpid(child, &status, 0) == child && status == 0, "a child");
	need(pthread_create(&thread, NULL, fork_beside, NULL) == 0 &&
	             pthread_join(thread, NULL) == 0,
	     "a thread");
	wait_for_socket();
	wait_for_others();
	be_interrupted();
}

/* This handler blocks all signals, including the sampler's, for longer than the
 * timer. */
static void on_user_signal(int number)
{
	(void)number;
	stand_still(80);
	n_urgent++;
}

__attribute__((noinline)) static int wait_deeper(const char *kind, int ms,
                                                 const sigset_t *mask)
{
	const int r = wait_with(kind, ms, mask);

	__asm__ volatile("");
	return r;
}

__attribute__((noinline)) static int go_deeper(const char *kind, int ms,
                                               const sigset_t *mask)
{
	const int r = wait_deeper(kind, ms, mask);

	__asm__ volatile("");
	return r;
}

static int wait_masked(const char *kind, int ms, const sigset_t *mask,
                       bool is_deeper)
{
	return is_deeper ? go_deeper(kind, ms, mask)
	                 : wait_with(kind, ms, mask);
}

static void need_signal_at(int line, int r, const char *kind)
{
	need_at(line, r == -1 && errno == EINTR && n_urgent == 1, kind);
	n_urgent = 0;
}

#define need_signal(r, kind) need_signal_at(__LINE__, r, kind)

/* The program's own signal comes in the wait, and the sampler's signal while
 * its handler runs. */
static void wait_for_user_signal(const char *kind, bool is_deeper)
{
	const struct itimerval soon = { .it_value.tv_usec = 20000 };
	sigset_t user, open;

	sigemptyset(&user);
	sigaddset(&user, SIGALRM);
	need(wait_a_while(kind, 5) == 0, kind);
	sigprocmask(SIG_BLOCK, &user, &open);
	need(setitimer(ITIMER_REAL, &soon, NULL) == 0, "setitimer");
	need_signal(wait_masked(kind, 60000, &open, is_deeper), kind);
	/* without a wait, epoll calls return 0 although a signal was pending */
	if (kind[0] == 'p') {
		raise(SIGALRM);
		need_signal(wait_masked(kind, 0, &open, is_deeper), "a look");
	}
	sigprocmask(SIG_SETMASK, &open, NULL);
}

/* All signals are blocked outside of the wait, and the sampler's signal is
 * pending when the wait begins.  The timer of a blocked signal is not armed
 * again for a second. */
static void wait_for_pending(const char *kind, bool is_deeper)
{
	sigset_t all, open;

	sigfillset(&all);
	for (int i = 0; i < 2; i++) {
		if (i != 0)
			usleep(1100000);
		need(wait_a_while(kind, 5) == 0, kind);
		sigprocmask(SIG_SETMASK, &all, &open);
		stand_still(80);
		if (i == 0) {
			need(wait_masked(kind, 0, &open, is_deeper) == 0,
			     "a look");
			need(wait_masked(kind, 80, &open, is_deeper) == 0,
			     kind);
		} else {
			raise(SIGALRM);
			need_signal(wait_masked(kind, 60000, &open, is_deeper),
			            "a signal that came before");
		}
		sigprocmask(SIG_SETMASK, &open, NULL);
	}
}

static void wait_with_all_blocked(const char *kind, bool is_deeper)
{
	sigset_t all;

	sigfillset(&all);
	need(wait_a_while(kind, 5) == 0, kind);
	stand_still(2);
	need(wait_masked(kind, 80, &all, is_deeper) == 0, "all blocked");
}

/* A program that waits for all signals does not get a timer's signal. */
static void wait_for_any_signal(void)
{
	const struct timespec time = { .tv_nsec = 100 * MS };
	struct signalfd_siginfo info;
	sigset_t all, open;

	sigfillset(&all);
	need(wait_a_while("poll", 5) == 0, "poll");
	sigprocmask(SIG_SETMASK, &all, &open);
	stand_still(80);
	need(sigtimedwait(&all, NULL, &time) == -1 && errno == EAGAIN,
	     "a signal that was not sent");
	const int fd = signalfd(-1, &all, SFD_NONBLOCK | SFD_CLOEXEC);
	need(fd >= 0 && read(fd, &info, sizeof(info)) == -1 && errno == EAGAIN,
	     "a signal of a signalfd that was not sent");
	close(fd);
	sigprocmask(SIG_SETMASK, &open, NULL);
}

static void on_usual_signal(int number)
{
	(void)number;
	n_urgent++;
}

/* A tick may be due when a signal ends the wait.  The handler of that signal
 * runs before the wait returns. */
static void wait_for_many(const char *kind)
{
	sigset_t usual, open;

	need(signal(SIGUSR1, on_usual_signal) != SIG_ERR, "signal");
	sigemptyset(&usual);
	sigaddset(&usual, SIGUSR1);
	sigprocmask(SIG_BLOCK, &usual, &open);
	for (int i = 0; i < 100000; i++) {
		kill(getpid(), SIGUSR1); /* the tick comes first */
		need_signal(wait_with(kind, 60000, &open), "one of many");
	}
	sigprocmask(SIG_SETMASK, &open, NULL);
}

/* sigsuspend() ends by the program's signal, not by a tick. */
static void suspend_with_pending(void)
{
	const struct itimerval soon = { .it_value.tv_usec = 20000 };
	sigset_t all, open;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, &open);
	stand_still(80);
	need(setitimer(ITIMER_REAL, &soon, NULL) == 0, "setitimer");
	need_signal(sigsuspend(&open), "sigsuspend");
	sigprocmask(SIG_SETMASK, &open, NULL);
}

static void be_masked(const char *kind)
{
	struct sigaction action = { .sa_handler = on_user_signal };

	sigfillset(&action.sa_mask);
	need(sigaction(SIGALRM, &action, NULL) == 0, "sigaction");
	for (int i = 0; i < 2; i++) {
		wait_with_all_blocked(kind, i != 0);
		wait_for_user_signal(kind, i != 0);
		wait_for_pending(kind, i != 0);
		usleep(1100000);
	}
	suspend_with_pending();
	wait_for_any_signal();
}

int main(int argc, char **argv)
{
	struct epoll_event event = { .events = EPOLLIN };

	many = epoll_create1(0);
	need(argc > 1 && pipe(ends) == 0 &&
	             epoll_ctl(many, EPOLL_CTL_ADD, ends[0], &event) == 0,
	     "pipe");
	if (strcmp(argv[1], "odd") == 0)
		be_odd();
	else if (strcmp(argv[1], "busy") == 0)
		look_in_iterations();
	else if (strcmp(argv[1], "sleeps") == 0)
		sleep_in_iterations();
	else if (argc > 2 && strcmp(argv[2], "masked") == 0)
		be_masked(argv[1]);
	else if (argc > 2 && strcmp(argv[2], "many") == 0)
		wait_for_many(argv[1]);
	else if (argc > 2)
		want_signal(strcmp(argv[2], "first") == 0
		                    ? SYC_TICK_SIGNAL
		                    : SYC_TICK_SIGNAL_SECOND);
	else
		loop(argv[1]);
	return 0;
}
