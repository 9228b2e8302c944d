/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_hand_over_host.c - effects of a handed-over arena on the program: its
 * core, its addresses; and refused system calls.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap.h>

#include "copies/copies.h"
#include "emit/loss.h"
#include "emit/recorder.h"
#include "emit/thread.h"
#include "harness/peer.h"
#include "harness/test.h"
#include "harness/tsan.h"
#include "ring/clock.h"

/* The default of `syscap record`. */
#define BODY (1u << 20)

static struct peer peer;

static void emit(void)
{
	SYSCAP_INSTANT("test", "mark", NULL);
}

static bool has_slot(void)
{
	return syc_self != NULL && syc_state_of(syc_self)->slot != NULL;
}

static void start(const char *child, const char *arg, bool by_name)
{
	peer_start_arena(&peer, child, arg, BODY, by_name);
}

static unsigned all_marks(void)
{
	return peer_count_marks(&peer, "test", "mark");
}

/* ---------------------------------------------- visible traces of the arena */

/* Returns the number of the arena's mappings that a core would hold, and the
 * size of all its mappings. */
static unsigned count_dumped(unsigned long *ret_kilobytes)
{
	FILE *const file = fopen("/proc/self/smaps", "r");
	char line[512];
	bool is_arena = false;
	unsigned n = 0;

	CHECK(file != NULL);
	*ret_kilobytes = 0;
	while (fgets(line, sizeof(line), file) != NULL) {
		unsigned long size;

		if (strchr(line, '-') != NULL && strchr(line, ':') != NULL &&
		    strchr(line, '-') < strchr(line, ':'))
			is_arena = strstr(line, "syscap-rings") != NULL;
		else if (is_arena && sscanf(line, "Size: %lu", &size) == 1)
			*ret_kilobytes += size;
		else if (is_arena && strncmp(line, "VmFlags:", 8) == 0)
			n += strstr(line, " dd") == NULL;
	}
	fclose(file);
	return n;
}

CHILD(looks_at_its_memory)
{
	unsigned long kilobytes;

	emit();
	CHECK(has_slot());
	CHECK_EQ(count_dumped(&kilobytes), 0);
	/* A program that limits its address space later has some left */
	CHECK(kilobytes > 1024);
	CHECK(kilobytes <= 80ul * 1024);
}

TEST(a_core_has_no_rings_and_most_addresses_are_the_programs)
{
	start("looks_at_its_memory", "", false);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer.n_arenas, 1);
	peer_free(&peer);
}

/* -------------------------------------------------------------------- refused */

static void refuse_call(int number, int error)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS,
		         offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)number, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned)error),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {
		.len = sizeof(code) / sizeof(code[0]), .filter = code
	};

	CHECK_EQ(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
	CHECK_EQ(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program), 0);
}

/* The inherited socket takes nothing more until it is read. */
static void fill_socket(void)
{
	const int fd = atoi(getenv("SYSPROF_CONTROL_FD"));

	while (send(fd, "CreatRing", 10, MSG_DONTWAIT) == 10)
		;
}

/* Argument NUMBER:ERROR, the refused call; with an "l", the first message finds
 * the socket full. */
CHILD(is_refused_a_call)
{
	char *end;
	const int number = (int)strtol(peer_arg(), &end, 10);
	const int error = (int)strtol(end + 1, &end, 10);

	if (*end == 'l') {
		fill_socket();
		emit();
		CHECK(has_slot());
		raise(SIGSTOP);
	}
	refuse_call(number, error);
	emit();
	while (*end != 'l' && syc_state_of(syc_self)->ring == NULL) {
		usleep(1000);
		emit();
	}
	CHECK_EQ(has_slot(), *end == 'l');
}

static void start_refused(int number, int error, const char *late, bool by_name)
{
	char arg[32];

	snprintf(arg, sizeof(arg), "%d:%d%s", number, error, late);
	start("is_refused_a_call", arg, by_name);
}

TEST(rings_are_requested_if_a_filter_refuses_a_call)
{
	static const int calls[] = { SYS_memfd_create, SYS_ftruncate,
		                     SYS_mremap, SYS_sendmsg };
	static const int errors[] = { EPERM, ENOSYS };

	for (unsigned i = 0; i < 4 * 2 * 2; i++) {
		start_refused(calls[i / 4], errors[i % 2], "", i % 4 < 2);
		CHECK_EQ(peer_finish(&peer), 0);
		CHECK_EQ(peer.n_arenas, 0);
		CHECK(peer.n_requests >= 1);
		CHECK(all_marks() >= 1);
		peer_free(&peer);
	}
}

TEST(an_arena_that_may_not_be_sent_is_reported_lost)
{
	int status;

	start_refused(SYS_sendmsg, EPERM, "l", false);
	CHECK_EQ(waitpid(peer.pid, &status, WUNTRACED), peer.pid);
	CHECK(WIFSTOPPED(status));
	peer.holds_replies = true;
	peer_serve(&peer);
	kill(peer.pid, SIGCONT);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer.n_arenas, 0);
	CHECK_EQ(peer.n_lost_arenas, 1);
	peer_free(&peer);
}

/* ------------------------------------------------- bytes, but no
 * fds */

CHILD(may_send_words_only)
{
	refuse_call(SYS_sendmsg, ETOOMANYREFS);
	emit();
	CHECK(has_slot());
	if (*peer_arg() == 'k')
		raise(SIGKILL);
}

TEST(a_killed_process_has_announced_its_unsent_arena)
{
	int status;

	for (int by_name = 0; by_name < 2; by_name++) {
		start("may_send_words_only", "k", by_name != 0);
		CHECK_EQ(waitpid(peer.pid, &status, 0), peer.pid);
		CHECK(WIFSIGNALED(status));
		for (int i = 0; i < 3; i++)
			peer_serve(&peer);
		CHECK_EQ(peer.n_arenas, 0);
		CHECK_EQ(peer.n_late_arenas, 1);
		peer_free(&peer);
	}
}

TEST(an_arena_unsent_at_exit_is_reported_once)
{
	start("may_send_words_only", "", false);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer.n_late_arenas, 1);
	CHECK_EQ(peer.n_lost_arenas, 0);
	peer_free(&peer);
}

#define IN_FLIGHT 80

/* Leaves more fds in flight than this user may have open. */
static int fill_the_air(void)
{
	const struct rlimit few = { 64, 64 };
	char space[CMSG_SPACE(sizeof(int))] __attribute__((aligned(8))) = { 0 };
	struct cmsghdr *const c = (void *)space;
	struct iovec iov = { .iov_base = space, .iov_len = 1 };
	const struct msghdr msg = { .msg_iov = &iov,
		                    .msg_iovlen = 1,
		                    .msg_control = space,
		                    .msg_controllen = sizeof(space) };
	int sockets[2];

	CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, sockets),
	         0);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(c), &(int){ STDERR_FILENO }, sizeof(int));
	for (int i = 0; i < IN_FLIGHT; i++)
		CHECK_EQ(sendmsg(sockets[0], &msg, MSG_DONTWAIT), 1);
	CHECK_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
	close(sockets[0]);
	return sockets[1];
}

/* Root has no limit on fds in sockets, and those of the user's other
 * processes would count. */
static void be_nobody(void)
{
	const uid_t uid = 60000 + (uid_t)getpid() % 5000;

	if (geteuid() == 0)
		CHECK_EQ(setresuid(uid, uid, uid), 0);
}

CHILD(waits_until_its_descriptor_may_be_sent)
{
	be_nobody();
	const int sock = fill_the_air();
	emit();
	CHECK(has_slot());
	raise(SIGSTOP);
	/* Closes the last receiver of the fds in flight */
	close(sock);
	emit();
	raise(SIGSTOP);
	emit();
}

static void wait_for_stop(void)
{
	int status;

	CHECK_EQ(waitpid(peer.pid, &status, WUNTRACED), peer.pid);
	CHECK(WIFSTOPPED(status));
	peer_serve(&peer);
}

TEST(it_is_handed_over_when_others_were_received)
{
	start("waits_until_its_descriptor_may_be_sent", "", false);
	wait_for_stop();
	CHECK_EQ(peer.n_arenas, 0);
	CHECK_EQ(peer.n_late_arenas, 1);
	kill(peer.pid, SIGCONT);
	wait_for_stop();
	kill(peer.pid, SIGCONT);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer.n_arenas, 1);
	CHECK_EQ(peer.n_late_arenas, 0);
	CHECK_EQ(peer.n_lost_arenas, 0);
	CHECK_EQ(all_marks(), 3);
	peer_free(&peer);
}

/* -------------------------------------------------------------------- at exit */

CHILD(exits_while_the_socket_is_full)
{
	fill_socket();
	emit();
	CHECK(has_slot());
}

/* The number of the process's current system call; -1: none, or no process. */
static long call_of(pid_t pid)
{
	char path[48], text[16] = "";
	long number = -1;

	snprintf(path, sizeof(path), "/proc/%d/syscall", (int)pid);
	FILE *const file = fopen(path, "r");
	if (file == NULL)
		return -1;
	if (fgets(text, sizeof(text), file) != NULL)
		(void)sscanf(text, "%ld", &number);
	fclose(file);
	return number;
}

/* The child waits only for a moment, and this test may look too late: one
 * success in 20 is enough. */
TEST(an_exit_waits_for_room_to_send_the_arena)
{
	unsigned n_sent = 0;

	for (int i = 0; i < 20 && n_sent == 0; i++) {
		int status;
		pid_t gone = 0;

		start("exits_while_the_socket_is_full", "", false);
		while (gone == 0 && call_of(peer.pid) != SYS_futex)
			gone = waitpid(peer.pid, &status, WNOHANG);
		peer.holds_replies = true;
		peer_serve(&peer);
		if (gone == 0)
			CHECK_EQ(peer_finish(&peer), 0);
		n_sent += peer.n_arenas;
		peer_free(&peer);
	}
	CHECK_EQ(n_sent, 1);
}

/* ---------------------------------------------------------------------- vfork */

static void limit_files(rlim_t n)
{
	struct rlimit limit;

	CHECK_EQ(getrlimit(RLIMIT_NOFILE, &limit), 0);
	limit.rlim_cur = n;
	CHECK_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

/* At first the process has no free fd, and gets no answer. */
CHILD(borrows_its_memory)
{
	limit_files(3);
	emit();
	CHECK(!has_slot());
	limit_files(100);
	usleep(20000);
	const pid_t pid = vfork();
	if (pid == 0) {
		emit();
		_exit(0);
	}
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	CHECK(!has_slot());
	while (!has_slot()) {
		usleep(1000);
		emit();
	}
}

TEST(a_vfork_child_makes_no_arena)
{
	SKIP_UNDER_TSAN();
	start("borrows_its_memory", "", false);
	peer.holds_replies = true;
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer.n_arenas, 1);
	peer_free(&peer);
}

/* -------------------------------------- losses while an arena can't be sent */

static uint32_t bytes_left(void)
{
	const struct syc_state *const ts = syc_state_of(syc_self);
	const uint32_t used =
		(uint32_t)ts->hot.next -
		__atomic_load_n(&ts->ring->head, __ATOMIC_RELAXED);

	return ts->hot.size - 8 - SYC_RING_ROOM - used;
}

/* The ring has room for a mark, and not for a loss record.  The sending of the
 * arena fails for an hour. */
CHILD(cannot_report_losses)
{
	const struct syc_ring_losses lost = { .bytes = 10, .frames = { 1 } };
	struct rlimit limit = { 1u << 20, RLIM_INFINITY };

	setrlimit(RLIMIT_STACK, &limit);
	emit();
	CHECK(has_slot());
	while (bytes_left() >= 208)
		emit();
	struct syc_handed_arena *const h = syc_block->hand_over;
	h->try_at = syc_clock_kernel() + INT64_C(3600) * 1000000000;
	syc_handed_arena_set_phase(h, SYC_HANDED_UNSENT);
	syc_loss_add_stray(&lost, 1);
	syc_copies_set_look_due(1);
	emit();
	CHECK(syc_loss_is_stray_pending());
	syc_handed_arena_set_phase(h, SYC_HANDED_SENT);
}

TEST(losses_without_room_are_tried_once_while_an_arena_is_unsent)
{
	SKIP_UNDER_TSAN();
	start("cannot_report_losses", "", false);
	CHECK_EQ(peer_finish_without_draining(&peer), 0);
	peer_free(&peer);
}
