/* SPDX-License-Identifier: BSD-2-Clause */
/* ring_client.c - a client of the control socket, for tests. */
#define _GNU_SOURCE
#include "integration/ring_client.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static void fail(const char *what)
{
	perror(what);
	exit(99);
}

int64_t ring_client_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

int ring_client_socket(void)
{
	const char *number = getenv("SYSPROF_CONTROL_FD");

	if (number == NULL)
		fail("SYSPROF_CONTROL_FD");
	return atoi(number);
}

static int receive(int sock)
{
	struct pollfd ready = { .fd = sock, .events = POLLIN };
	char byte, space[CMSG_SPACE(sizeof(int))] __attribute__((aligned(8)));
	struct iovec iov = { &byte, 1 };
	struct msghdr message = { .msg_iov = &iov,
		                  .msg_iovlen = 1,
		                  .msg_control = space,
		                  .msg_controllen = sizeof(space) };
	const struct cmsghdr *cmsg;
	int fd = -1;
	ssize_t n;

	/* Another process may take the reply that woke this process. */
	do {
		if (poll(&ready, 1, 10000) != 1)
			return -1;
		n = recvmsg(sock, &message, MSG_CMSG_CLOEXEC | MSG_DONTWAIT);
	} while (n < 0 && (errno == EAGAIN || errno == EINTR));
	if (n != 1)
		return -1;
	cmsg = CMSG_FIRSTHDR(&message);
	if (cmsg != NULL && cmsg->cmsg_type == SCM_RIGHTS)
		memcpy(&fd, CMSG_DATA(cmsg), sizeof(fd));
	return fd;
}

bool ring_client_open(struct ring_client *client)
{
	struct stat st;
	size_t body;

	memset(client, 0, sizeof(*client));
	client->sock = ring_client_socket();
	client->pid = (int32_t)getpid();
	client->tid = (int32_t)gettid();
	client->page = (uint32_t)sysconf(_SC_PAGESIZE);
	if (send(client->sock, "CreatRing", 10, MSG_NOSIGNAL) != 10)
		return false;
	client->fd = receive(client->sock);
	if (client->fd < 0)
		return false;
	if (fstat(client->fd, &st) != 0 ||
	    st.st_size < (off_t)(2 * client->page))
		fail("the ring");
	body = (size_t)st.st_size - client->page;
	client->size = (uint32_t)body;
	client->map = mmap(NULL, client->page + 2 * body, PROT_NONE,
	                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (client->map == MAP_FAILED ||
	    mmap(client->map, client->page + body, PROT_READ | PROT_WRITE,
	         MAP_SHARED | MAP_FIXED, client->fd, 0) == MAP_FAILED ||
	    mmap(client->map + client->page + body, body,
	         PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, client->fd,
	         client->page) == MAP_FAILED)
		fail("mmap");
	return true;
}

static uint32_t *word(struct ring_client *client, size_t offset)
{
	return (uint32_t *)(void *)(client->map + offset);
}

void ring_client_introduce(struct ring_client *client)
{
	*word(client, 136) = (uint32_t)client->pid;
	*word(client, 140) = (uint32_t)client->tid;
	*word(client, 132) = 1;
	__atomic_store_n(word(client, 128), UINT32_C(0x31434353),
	                 __ATOMIC_RELEASE);
}

uint64_t *ring_client_lost(struct ring_client *client, unsigned type)
{
	return (uint64_t *)(void *)(client->map + 144) + type;
}

int64_t *ring_client_lost_range(struct ring_client *client)
{
	return (int64_t *)(void *)(client->map + 144 + 17 * 8);
}

void ring_client_put(struct ring_client *client, const void *bytes, size_t size)
{
	const uint32_t tail = *word(client, 4);
	uint32_t head, used;

	for (;;) {
		head = __atomic_load_n(word(client, 0), __ATOMIC_ACQUIRE);
		used = tail >= head ? tail - head : tail + client->size - head;
		if (used + size < client->size)
			break;
		if (client->never_waits)
			return;
		usleep(200);
	}
	memcpy(client->map + client->page + tail, bytes, size);
	__atomic_store_n(word(client, 4),
	                 (uint32_t)((tail + size) % client->size),
	                 __ATOMIC_RELEASE);
}

static void begin(struct ring_client *client, struct syscap_wire_frame *frame,
                  uint8_t type, size_t len)
{
	frame->len = (uint16_t)((len + 7) & ~(size_t)7);
	frame->cpu = -1;
	frame->pid = client->pid;
	frame->time = ring_client_now();
	frame->type = type;
	if (*word(client, 128) != 0)
		frame->padding2 = SYSCAP_TID_TAG | (uint32_t)client->tid;
}

void ring_client_mark(struct ring_client *client, const char *group,
                      const char *name, const char *message)
{
	struct {
		struct syscap_wire_mark mark;
		char message[200];
	} frame;
	const size_t len = strlen(message);

	memset(&frame, 0, sizeof(frame));
	begin(client, &frame.mark.frame, SYSCAP_FRAME_MARK,
	      sizeof(frame.mark) + len + 1);
	strcpy(frame.mark.group, group);
	strcpy(frame.mark.name, name);
	strcpy(frame.message, message);
	ring_client_put(client, &frame, frame.mark.frame.len);
}

void ring_client_define(struct ring_client *client, uint32_t id,
                        const char *name)
{
	struct {
		struct syscap_wire_ctrdef def;
		struct syscap_wire_counter counter;
	} frame;

	memset(&frame, 0, sizeof(frame));
	begin(client, &frame.def.frame, SYSCAP_FRAME_CTRDEF, sizeof(frame));
	frame.def.n_counters = 1;
	strcpy(frame.counter.category, "test");
	strcpy(frame.counter.name, name);
	memcpy(frame.counter.id, &id, 3);
	ring_client_put(client, &frame, sizeof(frame));
}

void ring_client_set(struct ring_client *client, uint32_t id, int64_t value)
{
	struct {
		struct syscap_wire_ctrset set;
		struct syscap_wire_values values;
	} frame;

	memset(&frame, 0, sizeof(frame));
	begin(client, &frame.set.frame, SYSCAP_FRAME_CTRSET, sizeof(frame));
	frame.set.n_groups = 1;
	frame.values.ids[0] = id;
	frame.values.values[0] = (uint64_t)value;
	ring_client_put(client, &frame, sizeof(frame));
}

void ring_client_end(struct ring_client *client)
{
	struct syscap_wire_frame frame = { 0 };

	begin(client, &frame, SYSCAP_FRAME_RING_END, sizeof(frame));
	frame.pid = -1;
	frame.padding2 = 0;
	ring_client_put(client, &frame, sizeof(frame));
}
