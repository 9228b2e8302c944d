/* SPDX-License-Identifier: BSD-2-Clause */
/* arena_client.c - a client that hands its arena over, for tests. */
#define _GNU_SOURCE
#include "integration/arena_client.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "ring/ring_file.h"

static void fail(const char *what)
{
	perror(what);
	exit(99);
}

void arena_client_make(struct arena_client *client, uint32_t body,
                       uint32_t n_slots, int seals, const char *told)
{
	struct syc_arena *const arena = &client->arena;
	struct syc_ring_file *facts;
	int r;

	client->fd =
		memfd_create("syscap-rings", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (client->fd < 0)
		fail("memfd_create");
	r = syc_arena_create(arena, client->fd, body, (int32_t)getpid());
	if (r != 0) {
		errno = -r;
		fail("syc_arena_create");
	}
	if (n_slots < arena->n_slots) {
		arena->n_slots = n_slots;
		if (ftruncate(client->fd,
		              syc_ring_file_front(arena->page) +
		                      (off_t)n_slots *
		                              (arena->page + arena->body)) != 0)
			fail("ftruncate");
	}
	facts = (void *)arena->base;
	facts->version = SYC_RING_FILE_VERSION;
	facts->front = syc_ring_file_front(arena->page);
	facts->page_size = arena->page;
	facts->body_size = arena->body;
	facts->n_slots = arena->n_slots;
	facts->pid = (int32_t)getpid();
	facts->began = ring_client_now();
	snprintf(facts->capture, sizeof(facts->capture), "%s", told);
	memcpy(facts->magic, SYC_ARENA_FILE_MAGIC, sizeof(facts->magic));
	syc_arena_head(arena)->reader = 0;
	if (fcntl(client->fd, F_ADD_SEALS, seals) != 0)
		fail("F_ADD_SEALS");
}

static bool send_over(int sock, const char *word, int fd)
{
	char space[CMSG_SPACE(sizeof(int))] __attribute__((aligned(8))) = { 0 };
	struct iovec iov = { (void *)word, strlen(word) + 1 };
	struct msghdr message = { .msg_iov = &iov, .msg_iovlen = 1 };

	if (fd >= 0) {
		message.msg_control = space;
		message.msg_controllen = sizeof(space);
		struct cmsghdr *const cmsg = CMSG_FIRSTHDR(&message);
		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
	}
	return sendmsg(sock, &message, MSG_NOSIGNAL | MSG_DONTWAIT) > 0;
}

bool arena_client_send(const char *word, int fd)
{
	return send_over(ring_client_socket(), word, fd);
}

bool arena_client_send_by_name(const char *word, int fd)
{
	const int sock = socket(
		AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un name = { .sun_family = AF_UNIX };
	bool sent;

	snprintf(name.sun_path, sizeof(name.sun_path), "%s",
	         getenv("SYSCAP_RECORDER"));
	sent = sock >= 0 &&
	       connect(sock, (struct sockaddr *)&name, sizeof(name)) == 0 &&
	       send_over(sock, word, fd);
	close(sock);
	return sent;
}

void arena_client_hand_over(struct arena_client *client)
{
	while (!arena_client_send(SYC_CONTROL_TAKE, client->fd))
		usleep(1000);
	close(client->fd);
	client->fd = -1;
}

void arena_client_open(struct arena_client *client)
{
	char told[1024] = "";
	const int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	const ssize_t n = read(fd, told, sizeof(told) - 1);

	close(fd);
	for (ssize_t i = 0; i + 1 < n; i++)
		if (told[i] == 0)
			told[i] = ' ';
	arena_client_make(client, 1 << 20, SYC_RING_FILE_SLOTS,
	                  ARENA_CLIENT_SEALS, told);
	arena_client_hand_over(client);
}

bool arena_client_claim(const struct arena_client *client,
                        struct ring_client *ret_ring, struct syc_slot *ret_slot)
{
	const int32_t pid = (int32_t)getpid();

	if (syc_arena_claim(&client->arena, -1, pid, ret_slot) != 0)
		return false;
	*ret_ring = (struct ring_client){
		.sock = -1,
		.fd = -1,
		.map = (unsigned char *)ret_slot->ring,
		.page = client->arena.page,
		.size = client->arena.body,
		.pid = pid,
		.tid = (int32_t)gettid(),
	};
	ret_slot->ring->since = ring_client_now();
	ring_client_introduce(ret_ring);
	__atomic_store_n(ret_slot->word, syc_slot_word(pid, SYC_SLOT_LIVE),
	                 __ATOMIC_RELEASE);
	return true;
}

void arena_client_leave(struct ring_client *ring, struct syc_slot *slot)
{
	ring_client_end(ring);
	syc_ring_unmap(slot->ring, slot->size);
	__atomic_store_n(slot->word, syc_slot_word(ring->pid, SYC_SLOT_ENDED),
	                 __ATOMIC_RELEASE);
}
