/* SPDX-License-Identifier: BSD-2-Clause */
/* ring_peer.c - a test recorder of one program, for any client library. */
#define _GNU_SOURCE
#include "dropin/ring_peer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "dropin/defects_collector.h"

#define TALK "RING_PEER_TALK"
#define ARG  "RING_PEER_ARG"

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * INT64_C(1000) + ts.tv_nsec / 1000000;
}

/* ----------------------------------------------------------------- rings */

static uint32_t *word(const struct ring *ring, int i)
{
	return (uint32_t *)(void *)ring->map + i;
}

/* The header has head, tail, offset and size of the body. */
static int make_ring(struct ring_peer *peer)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t body = peer->pages * page;
	const int fd = memfd_create("[ring]", 0);
	const int prot = PROT_READ | PROT_WRITE;

	NEED(peer->n_rings < RING_PEER_RINGS);
	struct ring *const ring = &peer->rings[peer->n_rings++];
	NEED(fd >= 0 && ftruncate(fd, (off_t)(page + body)) == 0);
	ring->size = (uint32_t)body;
	ring->map = mmap(NULL, page + 2 * body, PROT_NONE,
	                 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	NEED(ring->map != MAP_FAILED);
	NEED(mmap(ring->map, page + body, prot, MAP_SHARED | MAP_FIXED, fd,
	          0) != MAP_FAILED);
	NEED(mmap(ring->map + page + body, body, prot, MAP_SHARED | MAP_FIXED,
	          fd, (off_t)page) != MAP_FAILED);
	*word(ring, 2) = (uint32_t)page;
	*word(ring, 3) = ring->size;
	return fd;
}

/* Any object with that name: its content is checked later. */
static size_t drain_ring(struct ring *ring)
{
	const uint32_t head = *word(ring, 0);
	const uint32_t tail = __atomic_load_n(word(ring, 1), __ATOMIC_SEQ_CST);

	if (tail >= ring->size || tail % 8 != 0)
		defect_shows("a ring's tail is %u of %u", tail, ring->size);
	const size_t n = tail >= head ? tail - head : tail + ring->size - head;
	if (n == 0)
		return 0;
	if (ring->room < ring->n_bytes + n) {
		ring->room = 2 * (ring->n_bytes + n);
		ring->bytes = realloc(ring->bytes, ring->room);
		NEED(ring->bytes != NULL);
	}
	memcpy(ring->bytes + ring->n_bytes, ring->map + *word(ring, 2) + head,
	       n);
	ring->n_bytes += n;
	__atomic_store_n(word(ring, 0), tail, __ATOMIC_SEQ_CST);
	return n;
}

static size_t drain(struct ring_peer *peer)
{
	size_t n = 0;

	for (unsigned i = 0; i < peer->n_rings; i++)
		n += drain_ring(&peer->rings[i]);
	return n;
}

/* -------------------------------------------------------------- requests */

static void reply(struct ring_peer *peer)
{
	if (peer->n_failures != 0) {
		peer->n_failures--;
		NEED(send(peer->sock, "", 1, MSG_NOSIGNAL) == 1);
		return;
	}
	const int fd = make_ring(peer);
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control = { { 0 } };
	struct iovec iov = { .iov_base = "", .iov_len = 1 };
	struct msghdr msg = { .msg_iov = &iov,
		              .msg_iovlen = 1,
		              .msg_control = &control,
		              .msg_controllen = sizeof(control) };
	struct cmsghdr *const c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	NEED(sendmsg(peer->sock, &msg, MSG_NOSIGNAL) == 1);
	close(fd);
}

static bool serve(struct ring_peer *peer)
{
	char request[10];

	if (peer->sock < 0)
		return false;
	const ssize_t n = recv(peer->sock, request, 10, MSG_DONTWAIT);
	if (n <= 0)
		return false;
	if (n != 10 || memcmp(request, "CreatRing", 10) != 0)
		defect_shows("%zd bytes came that are no request", n);
	peer->n_requests++;
	if (!peer->is_silent)
		reply(peer);
	return true;
}

static bool answer(struct ring_peer *peer)
{
	char what;

	if (recv(peer->talk, &what, 1, MSG_DONTWAIT) != 1)
		return false;
	while (serve(peer))
		;
	if (what == ASK_DRAIN) {
		drain(peer);
	} else if (what == ASK_LEAVE && peer->sock >= 0) {
		close(peer->sock);
		peer->sock = -1;
	}
	const unsigned char n = (unsigned char)peer->n_requests;
	NEED(send(peer->talk, &n, 1, MSG_NOSIGNAL) == 1);
	return true;
}

/* -------------------------------------------------------------- programs */

static void become(const char *name, const char *control, const char *arg)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0);
	if (control != NULL)
		setenv("SYSPROF_CONTROL_FD", control, 1);
	else
		unsetenv("SYSPROF_CONTROL_FD");
	setenv(ARG, arg, 1);
	execl("/proc/self/exe", "deed", name, NULL);
	_exit(NOT_RUN);
}

static int end(pid_t pid, int status, bool hung)
{
	kill(-pid, SIGKILL); /* leftover processes */
	if (!hung)
		return status;
	NEED(waitpid(pid, &status, 0) == pid);
	return RING_PEER_HUNG;
}

static void start(struct ring_peer *peer, const char *name, const char *arg)
{
	int sock[2], talk[2];
	char number[16];

	NEED(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0,
	                sock) == 0);
	NEED(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, talk) == 0);
	fflush(NULL);
	peer->pid = fork();
	NEED(peer->pid >= 0);
	if (peer->pid == 0) {
		/* without close-on-exec */
		snprintf(number, sizeof(number), "%d", dup(talk[1]));
		setenv(TALK, number, 1);
		snprintf(number, sizeof(number), "%d", dup(sock[1]));
		become(name, number, arg);
	}
	close(talk[1]);
	peer->sock = sock[0];
	peer->client = sock[1];
	peer->talk = talk[0];
}

int ring_peer_run(struct ring_peer *peer, const char *name, const char *arg)
{
	const int64_t deadline = now_ms() + RING_PEER_MS;
	bool hung = false;
	int status = 0;
	pid_t pid = 0;

	start(peer, name, arg);
	while (pid == 0 && !hung) {
		struct pollfd fds[2] = {
			{ .fd = peer->sock, .events = POLLIN },
			{ .fd = peer->talk, .events = POLLIN },
		};

		pid = waitpid(peer->pid, &status, WNOHANG);
		hung = pid == 0 && now_ms() >= deadline;
		bool busy = serve(peer);
		if (!peer->is_lazy)
			busy |= drain(peer) != 0;
		busy |= answer(peer);
		if (!busy && pid == 0)
			poll(fds, 2, 1);
	}
	status = end(peer->pid, status, hung);
	drain(peer);
	return status;
}

int ring_peer_run_alone(const char *name, const char *control, int fd,
                        int number)
{
	const int64_t deadline = now_ms() + RING_PEER_MS;
	bool hung = false;
	int status = 0;

	fflush(NULL);
	const pid_t child = fork();
	NEED(child >= 0);
	if (child == 0) {
		if (fd >= 0 && fd != number)
			dup2(fd, number);
		become(name, control, "");
	}
	while (!hung && waitpid(child, &status, WNOHANG) == 0) {
		hung = now_ms() >= deadline;
		poll(NULL, 0, 1);
	}
	return end(child, status, hung);
}

void ring_peer_free(struct ring_peer *peer)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);

	for (unsigned i = 0; i < peer->n_rings; i++) {
		munmap(peer->rings[i].map, page + 2 * peer->rings[i].size);
		free(peer->rings[i].bytes);
	}
	if (peer->sock >= 0)
		close(peer->sock);
	close(peer->client);
	close(peer->talk);
	memset(peer, 0, sizeof(*peer));
}

const char *deed_arg(void)
{
	const char *const arg = getenv(ARG);

	return arg != NULL ? arg : "";
}

unsigned deed_ask(char what)
{
	const char *const number = getenv(TALK);
	unsigned char n;

	NEED(number != NULL);
	NEED(send(atoi(number), &what, 1, MSG_NOSIGNAL) == 1);
	NEED(recv(atoi(number), &n, 1, 0) == 1);
	return n;
}
