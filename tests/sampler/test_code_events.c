/* SPDX-License-Identifier: BSD-2-Clause */
/* test_code_events.c - events about machine code of runtimes. */
#define _GNU_SOURCE
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap.h>
#include <syscap/runtime.h>

#include "harness/peer.h"
#include "harness/test.h"

enum {
	METADATA = 11
};

CHILD(reports_code)
{
	static char longest[5000];

	syscap_code_add(0x7f12345678a0, 0x40, "name with spaces");
	syscap_code_add(UINTPTR_MAX, UINTPTR_MAX, NULL);
	syscap_code_move(0x10, 0xabcdef, 0);
	syscap_code_remove(0xabcdef, 16);
	memset(longest, 'n', sizeof(longest) - 1);
	memcpy(longest + 4094, "\xC3\xB6", 2);
	syscap_code_add(1, 2, longest);
}

static const char *nth_value(const struct peer *peer, unsigned n)
{
	struct peer_frame frame;
	size_t at = 0;

	while (peer_next(&peer->rings[0], &at, &frame))
		if (frame.type == METADATA &&
		    strcmp((const char *)frame.bytes + 24, "syscap.code") ==
		            0 &&
		    n-- == 0)
			return (const char *)frame.bytes + 64;
	return NULL;
}

TEST(added_moved_and_removed_code_is_in_metadata)
{
	struct peer peer;

	peer_start(&peer, "reports_code", 1 << 16, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_STR(nth_value(&peer, 0), "add 7f12345678a0 40 name with spaces");
	CHECK_STR(nth_value(&peer, 1),
	          "add ffffffffffffffff ffffffffffffffff ");
	CHECK_STR(nth_value(&peer, 2), "move 10 abcdef 0");
	CHECK_STR(nth_value(&peer, 3), "remove abcdef 10");
	CHECK_EQ(strlen(nth_value(&peer, 4)), strlen("add 1 2 ") + 4094);
	CHECK_STR(nth_value(&peer, 5), NULL);
	peer_free(&peer);
}

/* Adds code until a call is refused, and repeats the refused calls later. */
CHILD(reports_code_late)
{
	unsigned n = 0;

	while (syscap_code_add(0x1000, 16, "a name of some length"))
		CHECK(++n < 10000);
	CHECK(n > 10);
	CHECK(!syscap_code_move(0x1000, 0x2000, 16));
	CHECK(!syscap_code_remove(0x2000, 16));
	CHECK(!syscap_code_add_at(1001, 0x1000, 16, "refused again"));
	raise(SIGSTOP); /* the parent drains the ring */
	CHECK(syscap_code_add_at(1001, 0x1000, 16, "reported later"));
	CHECK(syscap_code_move_at(1002, 0x1000, 0x2000, 16));
	CHECK(syscap_code_remove_at(1003, 0x2000, 16));
}

TEST(refused_code_events_keep_their_time_when_repeated)
{
	static const char *const values[] = { "add 1000 10 reported later",
		                              "move 1000 2000 10",
		                              "remove 2000 10" };
	struct peer_frame frame;
	struct peer peer;
	unsigned n = 0;
	size_t at = 0;
	int status = 0;

	peer_start(&peer, "reports_code_late", 1 << 12, PEER_OURS);
	do {
		peer_serve(&peer);
		usleep(1000);
		CHECK(waitpid(peer.pid, &status, WNOHANG | WUNTRACED) >= 0);
	} while (!WIFSTOPPED(status));
	peer_drain(&peer);
	CHECK_EQ(kill(peer.pid, SIGCONT), 0);
	CHECK_EQ(peer_finish(&peer), 0);
	while (peer_next(&peer.rings[0], &at, &frame)) {
		if (frame.type != METADATA || frame.time > 1003)
			continue;
		CHECK(n < 3);
		CHECK_EQ(frame.time, 1001 + n);
		CHECK_STR((const char *)frame.bytes + 64, values[n]);
		n++;
	}
	CHECK_EQ(n, 3);
	peer_free(&peer);
}

TEST(code_events_without_a_recording_are_refused)
{
	CHECK_EQ(peer_run_alone("reports_code", "", NULL), 0);
}
