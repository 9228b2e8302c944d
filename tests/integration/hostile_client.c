/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hostile_client.c - a program that abuses the recorder's protocol.
 *
 *	hostile_client good N		N marks, numbered, then the end marker
 *	hostile_client shut N		good, closing the socket half-way
 *	hostile_client beside WHAT N	good, while a child does WHAT
 *	hostile_client WHAT		see `deeds`
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "integration/ring_client.h"

/* @shut: close the socket for all processes after half of the marks. */
static void be_good(unsigned n, bool shut)
{
	struct ring_client client;
	char message[32];

	while (!ring_client_open(&client))
		usleep(1000);
	ring_client_introduce(&client);
	for (unsigned i = 0; i < n; i++) {
		if (shut && i == n / 2)
			shutdown(client.sock, SHUT_RDWR);
		snprintf(message, sizeof(message), "%u", i);
		ring_client_mark(&client, "test", "good", message);
	}
	ring_client_end(&client);
}

static struct ring_client open_or_leave(void)
{
	struct ring_client client;

	if (!ring_client_open(&client))
		_exit(0);
	return client;
}

/* Another process overwrites the whole ring while this process fills it. */
static void scribble(void)
{
	for (unsigned round = 0; round < 20; round++) {
		struct ring_client client = open_or_leave();
		const pid_t pid = fork();

		if (pid == 0) {
			uint32_t *words = (void *)client.map;
			const size_t n = (client.page + client.size) / 4;

			srand(round);
			for (;;) {
				const size_t i = (size_t)rand() % n;
				const uint32_t what = (uint32_t)rand();

				/* Rarely changes the header, so that some
				 * frames stay valid. */
				if (i > 4 || what % 64 == 0)
					words[i] = what % 3 ? what : 104;
			}
		}
		for (unsigned i = 0; i < 2000; i++) {
			struct syscap_wire_mark mark = {
				.frame = { .len = 104,
				           .pid = client.pid,
				           .type = SYSCAP_FRAME_MARK },
			};
			uint32_t *header = (void *)client.map;
			const uint32_t tail = (header[1] & ~7u) % client.size;

			memcpy(client.map + client.page + tail, &mark,
			       sizeof(mark));
			__atomic_store_n(&header[1], (tail + 104) % client.size,
			                 __ATOMIC_RELEASE);
			if (i % 100 == 0)
				usleep(500);
		}
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		munmap(client.map, client.page + 2 * (size_t)client.size);
		close(client.fd);
	}
}

/* Waits until the recorder has read all frames, as a changed tail loses unread
 * frames. */
static void wait_until_read(const struct ring_client *client)
{
	const uint32_t *const header = (const void *)client->map;

	while (__atomic_load_n(&header[0], __ATOMIC_ACQUIRE) != header[1])
		usleep(1000);
}

static void move_tail(void)
{
	static const uint32_t tails[] = { 4, 0xFFFFFFF8, 0x7FFFFFF8, 1 << 20,
		                          3 };

	for (unsigned i = 0; i < 5; i++) {
		struct ring_client client = open_or_leave();

		ring_client_mark(&client, "test", "before", "");
		wait_until_read(&client);
		__atomic_store_n((uint32_t *)(void *)(client.map + 4), tails[i],
		                 __ATOMIC_RELEASE);
		usleep(100000);
	}
}

static void take_the_memory_away(void)
{
	struct ring_client client = open_or_leave();

	/* The recorder may store its head after the header has become a hole.
	 * Then the ring seems full and is closed, and stays full. */
	client.never_waits = true;
	for (unsigned i = 0; i < 100; i++) {
		ring_client_mark(&client, "test", "before", "");
		if (ftruncate(client.fd, 0) == 0 ||
		    ftruncate(client.fd, 1 << 30) == 0)
			_exit(98);
		/* Removed pages come back as zeros. */
		fallocate(client.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		          0, client.page + client.size);
		usleep(1000);
	}
}

static void send_garbage(void)
{
	static const char *const words[] = { "Creat", "CreatRinG", "GET / ",
		                             "C",     "CCreatRin", "\1\2\3" };
	const int sock = ring_client_socket();

	for (unsigned i = 0; i < 20000; i++) {
		const char *word = words[i % 6];

		if (send(sock, word, strlen(word),
		         MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
			usleep(1000);
	}
}

/* Sends an unwanted fd with every message. */
static void send_descriptors(void)
{
	const int sock = ring_client_socket();

	for (unsigned i = 0; i < 5000; i++) {
		char space[CMSG_SPACE(sizeof(int))]
			__attribute__((aligned(8))) = { 0 };
		struct iovec iov = { (void *)"Creat", 5 };
		struct msghdr message = { .msg_iov = &iov,
			                  .msg_iovlen = 1,
			                  .msg_control = space,
			                  .msg_controllen = sizeof(space) };
		struct cmsghdr *cmsg = CMSG_FIRSTHDR(&message);
		const int fd = STDERR_FILENO;

		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(cmsg), &fd, sizeof(fd));
		if (sendmsg(sock, &message, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
			usleep(1000);
	}
}

static void never_read_replies(void)
{
	const int sock = ring_client_socket();
	unsigned sent = 0;

	for (unsigned i = 0; sent < 5000 && i < 20000; i++) {
		if (send(sock, "CreatRing", 10, MSG_NOSIGNAL | MSG_DONTWAIT) ==
		    10)
			sent++;
		else
			usleep(500);
	}
	usleep(300000);
}

static void forge_processes(void)
{
	struct ring_client client = open_or_leave();

	for (int32_t pid = 300000; pid < 301000; pid++) {
		client.pid = pid;
		ring_client_mark(&client, "test", "forged", "");
	}
}

static void write_malformed(const char *what)
{
	struct ring_client client = open_or_leave();
	union {
		struct syscap_wire_frame frame;
		struct syscap_wire_sample sample;
		char bytes[128];
	} bad = { .frame = { .len = 48, .pid = client.pid, .type = 1 } };
	size_t size = 48;

	if (strcmp(what, "zero-length") == 0)
		bad.frame.len = 0;
	else if (strcmp(what, "odd-length") == 0)
		bad.frame.len = 44;
	else if (strcmp(what, "long") == 0)
		bad.frame.len = 65528;
	else if (strcmp(what, "type-0") == 0)
		bad.frame.type = 0;
	else if (strcmp(what, "type-18") == 0)
		bad.frame.type = 18;
	else if (strcmp(what, "pid") == 0)
		bad.frame.pid = -7;
	else if (strcmp(what, "addresses") == 0) {
		bad.frame.type = SYSCAP_FRAME_SAMPLE;
		bad.sample.n_addrs = 3;
	} else if (strcmp(what, "torn") == 0)
		size = 16;
	else
		_exit(97);
	ring_client_introduce(&client);
	for (unsigned i = 0; i < 10; i++)
		ring_client_mark(&client, "test", "before", "");
	ring_client_put(&client, &bad, size);
	wait_until_read(&client);
	/* A valid frame after the bad frame. */
	ring_client_mark(&client, "test", "after", "");
	usleep(50000);
}

static const struct {
	const char *name;
	void (*run)(void);
} deeds[] = {
	{ "scribble", scribble },
	{ "tail", move_tail },
	{ "truncate", take_the_memory_away },
	{ "garbage", send_garbage },
	{ "descriptors", send_descriptors },
	{ "flood", never_read_replies },
	{ "forge", forge_processes },
};

static int do_it(const char *what)
{
	for (unsigned i = 0; i < sizeof(deeds) / sizeof(deeds[0]); i++)
		if (strcmp(what, deeds[i].name) == 0) {
			deeds[i].run();
			return 0;
		}
	write_malformed(what);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 3 &&
	    (strcmp(argv[1], "good") == 0 || strcmp(argv[1], "shut") == 0)) {
		be_good((unsigned)atoi(argv[2]), argv[1][0] == 's');
		return 0;
	}
	if (argc == 4 && strcmp(argv[1], "beside") == 0) {
		const pid_t pid = fork();
		int status;

		if (pid == 0)
			_exit(do_it(argv[2]));
		be_good((unsigned)atoi(argv[3]), false);
		waitpid(pid, &status, 0);
		return WIFEXITED(status) ? WEXITSTATUS(status) : 96;
	}
	if (argc == 2)
		return do_it(argv[1]);
	fputs("hostile_client good|shut N | beside WHAT N | WHAT\n", stderr);
	return 2;
}
