/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_ask_late_look.c - a thread that requests a ring and is then not
 * scheduled for longer than its time limit. The answer came in time.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <syscap.h>

#include "emit/recorder.h"
#include "harness/peer.h"
#include "harness/syscalls.h"
#include "harness/test.h"

/* The first recvmsg() fails with EAGAIN; when the thread continues, the answer
 * is there and the time limit is over. */
static bool be_late_for_answer(int fd, long *ret_r)
{
	static bool is_late;
	struct pollfd pfd = { .fd = fd, .events = POLLIN };

	if (is_late)
		return false;
	is_late = true;
	CHECK_EQ(poll(&pfd, 1, -1), 1);
	usleep((SYC_CONTROL_TIMEOUT_MS + 50) * 1000);
	*ret_r = -EAGAIN;
	return true;
}

/* Likewise, delays a thread before it sends its request. */
static void be_late_to_ask(void)
{
	static bool is_late;

	if (!is_late)
		usleep((SYC_CONTROL_TIMEOUT_MS + 50) * 1000);
	is_late = true;
}

static bool is_client; /* false in the peer's process */

static bool take_syscall(long number, long *args, long *ret_r)
{
	const bool is_to_ask = peer_arg()[0] == 's';

	if (!is_client)
		return false;
	if (number == SYS_recvmsg && !is_to_ask)
		return be_late_for_answer((int)args[0], ret_r);
	/* Not for a socket found by name */
	if (number == SYS_sendto && is_to_ask && args[4] == 0)
		be_late_to_ask();
	return false;
}

CHILD(looks_late)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	is_client = true;
	SYSCAP_INSTANT("test", "mark", NULL);
	syscap_get_stats(&stats);
	CHECK_EQ(stats.n_dropped, 0);
	CHECK_EQ(stats.n_rings, 1);
}

static void check(const char *arg)
{
	struct peer peer;

	peer_start_arg(&peer, "looks_late", arg, 1u << 16, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer_count_marks(&peer, "test", "mark"), 1);
	peer_free(&peer);
}

TEST(an_answer_in_time_is_used_even_if_the_thread_is_late)
{
	check("receives");
}

TEST(the_recorders_time_begins_at_the_request)
{
	check("sends");
}
