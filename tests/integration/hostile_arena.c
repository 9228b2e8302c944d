/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * hostile_arena.c - a program that hands over invalid files, or writes false
 * data into its arena.
 *
 *	hostile_arena WHAT N	a child does WHAT (see `deeds`), and its parent
 *				sends N numbered marks by its own arena
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "integration/arena_client.h"
#include "ring/ring_file.h"

static struct arena_client own;

static uint32_t state_of(const struct arena_client *client)
{
	return syc_slot_state(__atomic_load_n(
		&syc_arena_head(&client->arena)->reader, __ATOMIC_ACQUIRE));
}

static uint32_t wait_for_answer(const struct arena_client *client)
{
	while (state_of(client) == 0)
		usleep(1000);
	return state_of(client);
}

static void be_good(unsigned n)
{
	struct ring_client ring;
	struct syc_slot slot;
	char message[32];

	arena_client_open(&own);
	if (!arena_client_claim(&own, &ring, &slot))
		exit(98);
	for (unsigned i = 0; i < n; i++) {
		snprintf(message, sizeof(message), "%u", i);
		ring_client_mark(&ring, "test", "good", message);
	}
	arena_client_leave(&ring, &slot);
}

/* ----------------------------------------------- the arena of the handover */

static void expect_refusal(struct arena_client *client)
{
	arena_client_hand_over(client);
	if (wait_for_answer(client) != SYC_ARENA_CLOSED)
		_exit(97);
}

static void make(struct arena_client *client, int seals)
{
	arena_client_make(client, 65536, 8, seals, "hostile");
}

static void leave_seals_out(void)
{
	static const int seals[] = { 0, F_SEAL_SHRINK,
		                     F_SEAL_SHRINK | F_SEAL_GROW,
		                     F_SEAL_GROW | F_SEAL_SEAL };
	struct arena_client client;

	for (unsigned i = 0; i < 4; i++) {
		make(&client, seals[i]);
		expect_refusal(&client);
	}
	make(&client, ARENA_CLIENT_SEALS | F_SEAL_FUTURE_WRITE);
	while (!arena_client_send(SYC_CONTROL_TAKE, client.fd))
		usleep(1000);
}

static void lie_in_facts(void)
{
	for (unsigned i = 0; i < 10; i++) {
		struct arena_client client;
		struct syc_ring_file *facts;

		make(&client, ARENA_CLIENT_SEALS);
		facts = (void *)client.arena.base;
		switch (i) {
		case 0:
			facts->n_slots++;
			break;
		case 1:
			facts->n_slots = 0x80000000;
			break;
		case 2:
			facts->body_size = 0;
			break;
		case 3:
			facts->body_size = 0xFFFFF000;
			break;
		case 4:
			facts->page_size *= 2;
			break;
		case 5:
			facts->front -= 4096;
			break;
		case 6:
			facts->n_slots = 0;
			break;
		case 7:
			facts->body_size += 1;
			break;
		case 8:
			facts->body_size -= 4096;
			break;
		default:
			facts->n_slots = 1;
			break;
		}
		expect_refusal(&client);
	}
}

static void send_other_files(void)
{
	int fds[8], pair[2], n = 0;
	void *page;

	if (pipe(pair) != 0)
		_exit(97);
	fds[n++] = pair[0];
	fds[n++] = open("/", O_RDONLY | O_CLOEXEC);
	fds[n++] = open("/dev/zero", O_RDWR | O_CLOEXEC);
	fds[n++] = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	fds[n++] = open("/tmp", O_PATH | O_CLOEXEC);
	fds[n++] = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	fds[n++] = memfd_create("syscap-rings",
	                        MFD_CLOEXEC | MFD_HUGETLB | MFD_ALLOW_SEALING);
	fds[n++] =
		memfd_create("syscap-rings", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	page = fds[6] < 0 ? MAP_FAILED
	                  : mmap(NULL, 4096, PROT_READ, MAP_SHARED, fds[6], 0);
	for (unsigned round = 0; round < 200; round++)
		for (int i = 0; i < n; i++)
			while (fds[i] >= 0 &&
			       !arena_client_send(SYC_CONTROL_TAKE, fds[i]))
				usleep(1000);
	if (page != MAP_FAILED)
		munmap(page, 4096);
}

/* Messages without fds, fds without messages, half messages,
 * and double messages. */
static void send_odd_messages(void)
{
	static const char *const words[] = {
		"TakeArena", "LostArena", "HaveArena", "GaveArena", "Take",
		"CreatRing", "Arena",     "T",         "CTakeAren"
	};

	for (unsigned i = 0; i < 3000; i++) {
		const int fd = i % 3 == 0 ? -1 : STDERR_FILENO;

		if (!arena_client_send(words[i % 9], fd))
			usleep(1000);
		if (i % 50 == 0)
			arena_client_send_by_name(words[i / 50 % 9], fd);
	}
	for (unsigned i = 0; i < 100; i++) {
		char space[CMSG_SPACE(7 * sizeof(int))]
			__attribute__((aligned(8))) = { 0 };
		struct iovec iov = { (void *)SYC_CONTROL_TAKE, 10 };
		struct msghdr message = { .msg_iov = &iov,
			                  .msg_iovlen = 1,
			                  .msg_control = space,
			                  .msg_controllen = sizeof(space) };
		struct cmsghdr *cmsg = CMSG_FIRSTHDR(&message);

		cmsg->cmsg_level = SOL_SOCKET;
		cmsg->cmsg_type = SCM_RIGHTS;
		cmsg->cmsg_len = CMSG_LEN((2 + i % 6) * sizeof(int));
		message.msg_controllen = CMSG_SPACE((2 + i % 6) * sizeof(int));
		for (unsigned k = 0; k < 2 + i % 6; k++)
			memcpy(CMSG_DATA(cmsg) + k * sizeof(int),
			       &(int){ STDERR_FILENO }, sizeof(int));
		(void)!sendmsg(ring_client_socket(), &message,
		               MSG_NOSIGNAL | MSG_DONTWAIT);
	}
}

static void hand_over_a_thousand(void)
{
	unsigned n_closed = 0;

	for (unsigned i = 0; i < 1000; i++) {
		struct arena_client client;

		arena_client_make(&client, 1 << 26, 1024, ARENA_CLIENT_SEALS,
		                  "hostile");
		arena_client_hand_over(&client);
		n_closed += wait_for_answer(&client) == SYC_ARENA_CLOSED;
		munmap(client.arena.base, client.arena.size);
	}
	if (n_closed < 500)
		_exit(97);
}

/* ------------------------------------------------ the contents of the arena */

static int64_t seconds(int64_t n)
{
	return ring_client_now() + n * 1000000000;
}

static uint32_t any(void)
{
	static uint32_t state = 12345;

	state ^= state << 13;
	state ^= state >> 17;
	state ^= state << 5;
	return state;
}

static void write_whole_frame(struct syc_ring_header *ring, uint32_t page)
{
	struct syscap_wire_mark mark = {
		.frame = { .len = 104,
		           .pid = (int32_t)getpid(),
		           .type = SYSCAP_FRAME_MARK },
	};

	memcpy((char *)ring + page, &mark, sizeof(mark));
	__atomic_store_n(&ring->tail, 104, __ATOMIC_RELEASE);
}

/* Overwrites slot words, ring heads and tails, client blocks, the arena's head
 * and facts with random values, at random times. */
static void scribble(void)
{
	struct arena_client client;
	const int64_t end = seconds(3);

	make(&client, ARENA_CLIENT_SEALS);
	arena_client_hand_over(&client);
	if (syc_arena_open(&client.arena, 8) != 0)
		_exit(97);
	/* the size that syc_arena_open() has opened */
	const size_t size = syc_ring_file_front(client.arena.page) +
	                    8 * (size_t)(client.arena.page + client.arena.body);
	while (ring_client_now() < end) {
		uint32_t *const word = syc_arena_word(&client.arena, any() % 8);
		struct syc_ring_header *const ring =
			syc_arena_ring(&client.arena, 1 + any() % 7);
		uint32_t *const at = (uint32_t *)(void *)(client.arena.base +
		                                          any() % size / 4 * 4);

		switch (any() % 8) {
		case 0:
			*word = syc_slot_word((int32_t)getpid(), any() % 6);
			break;
		case 1:
			*word = any();
			break;
		case 2:
			write_whole_frame(ring, client.arena.page);
			break;
		case 3:
			ring->tail = any() % 65536;
			break;
		case 4:
			ring->head = any();
			break;
		case 5:
			syc_arena_head(&client.arena)->n_used = any();
			break;
		case 6:
			*at = any() % 3 != 0 ? any() : 104;
			break;
		default:
			memset(ring, (int)any(), 1024);
			break;
		}
	}
}

/* Slots with the pids of init, this process, the recorder, and all other
 * pids. */
static void name_others(void)
{
	struct arena_client client;

	arena_client_make(&client, 65536, 1024, ARENA_CLIENT_SEALS, "hostile");
	if (syc_arena_open(&client.arena, 1024) != 0)
		_exit(97);
	for (uint32_t i = 1; i < 1024; i++) {
		struct syc_ring_header *const ring =
			syc_arena_ring(&client.arena, i);
		const int32_t pid = i == 1   ? 1
		                    : i == 2 ? (int32_t)getppid()
		                             : (int32_t)i * 40;
		struct syscap_wire_mark mark = {
			.frame = { .len = 104,
			           .pid = pid,
			           .type = SYSCAP_FRAME_MARK },
			.group = "test",
			.name = "of another",
		};

		memcpy((char *)ring + client.arena.page, &mark, sizeof(mark));
		ring->tail = 104;
		*syc_arena_word(&client.arena, i) =
			syc_slot_word(pid, SYC_SLOT_LIVE);
	}
	syc_arena_head(&client.arena)->n_used = 1024;
	arena_client_hand_over(&client);
	if (wait_for_answer(&client) != SYC_ARENA_DRAINED)
		_exit(97);
	usleep(500000);
}

/* A child that overwrites every byte of the inherited arena. */
static void let_a_child_write_over_it(void)
{
	struct arena_client client;
	int status;

	make(&client, ARENA_CLIENT_SEALS);
	arena_client_hand_over(&client);
	if (wait_for_answer(&client) != SYC_ARENA_DRAINED)
		_exit(97);
	const pid_t pid = fork();
	if (pid == 0) {
		const uint32_t head = syc_ring_file_head(client.arena.page);

		if (syc_arena_open(&client.arena, 8) != 0)
			_exit(97);
		for (unsigned round = 0; round < 50; round++)
			for (size_t i = head; i < client.arena.size; i++)
				client.arena.base[i] = (unsigned char)any();
		_exit(0);
	}
	for (unsigned i = 0; i < 200; i++) {
		struct ring_client ring;
		struct syc_slot slot;

		if (arena_client_claim(&client, &ring, &slot))
			syc_arena_unclaim(&slot);
		usleep(1000);
	}
	waitpid(pid, &status, 0);
}

/* Makes the recorder read unallocated pages, which costs little memory. */
static void have_tails_everywhere(void)
{
	struct arena_client client;

	for (unsigned k = 0; k < 20; k++) {
		arena_client_make(&client, 1 << 22, 1024, ARENA_CLIENT_SEALS,
		                  "hostile");
		if (syc_arena_open(&client.arena, 1024) != 0)
			_exit(97);
		for (uint32_t i = 1; i < 1024; i++) {
			syc_arena_ring(&client.arena, i)->tail = (1 << 22) - 8;
			*syc_arena_word(&client.arena, i) =
				syc_slot_word((int32_t)getpid(), SYC_SLOT_LIVE);
		}
		syc_arena_head(&client.arena)->n_used = 1024;
		arena_client_hand_over(&client);
		if (wait_for_answer(&client) != SYC_ARENA_DRAINED)
			_exit(97);
		usleep(20000);
		munmap(client.arena.base, client.arena.size);
	}
}

static const struct {
	const char *name;
	void (*run)(void);
} deeds[] = {
	{ "seals", leave_seals_out },
	{ "facts", lie_in_facts },
	{ "files", send_other_files },
	{ "messages", send_odd_messages },
	{ "thousand", hand_over_a_thousand },
	{ "scribble", scribble },
	{ "others", name_others },
	{ "child", let_a_child_write_over_it },
	{ "tails", have_tails_everywhere },
};

int main(int argc, char **argv)
{
	int status;
	pid_t pid;

	for (unsigned i = 0; i < sizeof(deeds) / sizeof(deeds[0]); i++) {
		if (argc != 3 || strcmp(argv[1], deeds[i].name) != 0)
			continue;
		pid = fork();
		if (pid == 0) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			deeds[i].run();
			_exit(0);
		}
		be_good((unsigned)atoi(argv[2]));
		waitpid(pid, &status, 0);
		return WIFEXITED(status) ? WEXITSTATUS(status) : 96;
	}
	fputs("hostile_arena WHAT N\n", stderr);
	return 2;
}
