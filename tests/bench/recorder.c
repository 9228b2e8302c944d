/* SPDX-License-Identifier: BSD-2-Clause */
/* recorder.c - a recorder that gives out rings, and drains and counts on
 * demand. */
#define _GNU_SOURCE
#include "bench/recorder.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/fail.h"
#include "ring/ring.h"

#define MAX_RINGS 128
#define RING_END  255

struct ring {
	struct syc_ring_header *header; /* NULL: free */
	uint32_t size;
	uint32_t head;
	unsigned child;
};

struct child {
	pid_t pid;
	int control; /* the library's socket */
	int command; /* one byte requests a drain, one byte replies */
};

static struct bench_page *page;
static struct ring rings[MAX_RINGS];
static struct child children[BENCH_CHILDREN_MAX];
static unsigned n_children;
static unsigned char *copy; /* buffer for drained bytes, of ring_size */

/* ---------------------------------------------------------------- starting */

static void become(const char *role, unsigned n, int page_fd, int control,
                   int command)
{
	char number[16];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	snprintf(number, sizeof(number), "%d", dup(control));
	setenv("SYSPROF_CONTROL_FD", number, 1);
	snprintf(number, sizeof(number), "%d", dup(command));
	setenv("BENCH_COMMAND_FD", number, 1);
	snprintf(number, sizeof(number), "%d", dup(page_fd));
	setenv("BENCH_PAGE_FD", number, 1);
	snprintf(number, sizeof(number), "%u", n);
	setenv("BENCH_CHILD", number, 1);
	setenv("BENCH_ROLE", role, 1);
	execl("/proc/self/exe", role, NULL);
	_exit(98);
}

static void start(const char *role, int page_fd)
{
	struct child *const child = &children[n_children];
	int control[2], command[2];

	if (n_children == BENCH_CHILDREN_MAX)
		bench_fail("more than %d roles", BENCH_CHILDREN_MAX);
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, control) != 0 ||
	    socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, command) != 0)
		bench_fail("socketpair: %s", strerror(errno));
	fflush(NULL);
	child->pid = fork();
	if (child->pid < 0)
		bench_fail("fork: %s", strerror(errno));
	if (child->pid == 0)
		become(role, n_children, page_fd, control[1], command[1]);
	close(control[1]);
	close(command[1]);
	child->control = control[0];
	child->command = command[0];
	n_children++;
}

/* ------------------------------------------------------------------- rings */

static int make_ring(unsigned child, uint32_t ring_size)
{
	const uint32_t header = (uint32_t)sysconf(_SC_PAGESIZE);
	struct ring *ring = rings;

	while (ring->header != NULL)
		if (++ring == rings + MAX_RINGS)
			bench_fail("more than %d rings at a time", MAX_RINGS);
	const int fd = memfd_create("bench-ring", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, (off_t)header + ring_size) != 0 ||
	    syc_ring_map(fd, &ring->header, &ring->size) != 0)
		bench_fail("can't make a ring of %u bytes", ring_size);
	ring->child = child;
	ring->head = 0;
	ring->header->offset = header;
	ring->header->size = ring->size;
	ring->header->recorder_version = 1;
	ring->header->recorder_magic = SYC_RING_RECORDER_MAGIC;
	return fd;
}

static void answer(unsigned child, uint32_t ring_size)
{
	const int fd = make_ring(child, ring_size);
	char byte = 0;
	union {
		char bytes[CMSG_SPACE(sizeof(int))];
		struct cmsghdr align;
	} control;
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr msg = { .msg_iov = &iov,
		              .msg_iovlen = 1,
		              .msg_control = &control,
		              .msg_controllen = sizeof(control) };

	memset(&control, 0, sizeof(control));
	struct cmsghdr *const c = CMSG_FIRSTHDR(&msg);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	if (sendmsg(children[child].control, &msg, MSG_NOSIGNAL) != 1)
		bench_fail("can't send a ring: %s", strerror(errno));
	close(fd);
}

/* True: the ring has ended. */
static bool count_frames(const struct ring *ring, const unsigned char *bytes,
                         uint32_t n)
{
	const enum bench_owner owner =
		ring->header->client_magic == SYC_RING_CLIENT_MAGIC
			? BENCH_OURS
			: BENCH_REFERENCE;
	bool has_ended = false;

	for (uint32_t at = 0; at < n;) {
		uint16_t len;

		memcpy(&len, bytes + at, sizeof(len));
		if (len < 24 || len % 8 != 0 || len > n - at)
			bench_fail("no frame where one must be: len %u", len);
		page->arrived[ring->child][owner][bytes[at + 16]]++;
		has_ended |= bytes[at + 16] == RING_END;
		at += len;
	}
	return has_ended;
}

static void drain_ring(struct ring *ring)
{
	struct syc_ring_header *const header = ring->header;
	/* R1, pairs with W2 */
	const uint32_t tail = __atomic_load_n(&header->tail, __ATOMIC_ACQUIRE);
	const uint32_t n = tail >= ring->head ? tail - ring->head
	                                      : tail + ring->size - ring->head;

	if (tail >= ring->size)
		bench_fail("a tail outside of its ring");
	memcpy(copy, (unsigned char *)header + header->offset + ring->head, n);
	const bool has_ended = count_frames(ring, copy, n);
	ring->head = tail;
	/* R2, pairs with W1 */
	__atomic_store_n(&header->head, tail, __ATOMIC_RELEASE);
	if (has_ended) {
		syc_ring_unmap(header, ring->size);
		ring->header = NULL;
	}
}

static void drain(unsigned child)
{
	for (struct ring *ring = rings; ring < rings + MAX_RINGS; ring++)
		if (ring->header != NULL && ring->child == child)
			drain_ring(ring);
}

/* --------------------------------------------------------------- recording */

static void serve_control(unsigned child, uint32_t ring_size)
{
	char request[SYC_CONTROL_REQUEST_LEN];
	const ssize_t n = recv(children[child].control, request,
	                       sizeof(request), MSG_DONTWAIT);

	if (n == (ssize_t)sizeof(request))
		answer(child, ring_size);
}

/* False: the child has ended. */
static bool serve_command(unsigned child)
{
	char byte;

	if (read(children[child].command, &byte, 1) != 1)
		return false;
	drain(child);
	return write(children[child].command, &byte, 1) == 1;
}

static void serve(uint32_t ring_size)
{
	struct pollfd fds[2 * BENCH_CHILDREN_MAX];
	unsigned n_left = n_children;

	for (unsigned i = 0; i < n_children; i++) {
		fds[2 * i].fd = children[i].control;
		fds[2 * i + 1].fd = children[i].command;
		fds[2 * i].events = fds[2 * i + 1].events = POLLIN;
	}
	while (n_left != 0) {
		if (poll(fds, 2 * n_children, -1) < 0 && errno != EINTR)
			bench_fail("poll: %s", strerror(errno));
		for (unsigned i = 0; i < n_children; i++) {
			if (fds[2 * i].revents != 0)
				serve_control(i, ring_size);
			if (fds[2 * i + 1].revents == 0 || serve_command(i))
				continue;
			fds[2 * i].fd = fds[2 * i + 1].fd = -1;
			n_left--;
		}
	}
}

static void clean_up(void)
{
	for (struct ring *ring = rings; ring < rings + MAX_RINGS; ring++)
		if (ring->header != NULL) {
			syc_ring_unmap(ring->header, ring->size);
			ring->header = NULL;
		}
	for (unsigned i = 0; i < n_children; i++) {
		close(children[i].control);
		close(children[i].command);
	}
	n_children = 0;
	munmap(page, sizeof(*page));
	free(copy);
}

int bench_record(uint32_t ring_size, const char *const *roles, int nth)
{
	const int fd = memfd_create("bench-page", MFD_CLOEXEC);
	int failed = 0;

	if (fd < 0 || ftruncate(fd, sizeof(*page)) != 0)
		bench_fail("memfd_create: %s", strerror(errno));
	page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED, fd,
	            0);
	copy = malloc(ring_size);
	if (page == MAP_FAILED || copy == NULL)
		bench_fail("no memory");
	for (; *roles != NULL; roles++)
		start(*roles, fd);
	close(fd);
	cpu_set_t allowed;
	sched_getaffinity(0, sizeof(allowed), &allowed);
	if (nth >= 0)
		bench_pin((unsigned)nth);
	serve(ring_size);
	sched_setaffinity(0, sizeof(allowed), &allowed);
	for (unsigned i = 0; i < n_children; i++) {
		int status;

		if (waitpid(children[i].pid, &status, 0) < 0 || status != 0)
			failed = 1;
	}
	clean_up();
	return failed;
}
