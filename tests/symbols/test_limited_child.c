/* SPDX-License-Identifier: BSD-2-Clause */
/* test_limited_child.c - limits of the child, and its end. */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "harness/test.h"
#include "symbols/limited_child.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define IS_SANITIZED true
#else
#define IS_SANITIZED false
#endif

/* The child receives an order and returns it. */
static void serve(void *data, int fd)
{
	char order;

	while (recv(fd, &order, 1, 0) == 1) {
		volatile char *memory;

		syc_limited_child_give(1);
		switch (order) {
		case 'c':
			raise(SIGSEGV);
			break;
		case 'l':
			for (volatile unsigned long n = 0;; n++)
				continue;
		case 'm':
			memory = malloc(64ul << 20);
			order = memory != NULL ? 'm' : 'n';
			for (size_t i = 0; memory != NULL && i < 64ul << 20;
			     i += 4096)
				memory[i] = 1;
			break;
		case 'o':
			syc_limited_child_close_files();
			order = open("/dev/null", O_RDONLY) >= 0 ? 'o' : 'n';
			break;
		case 'd':
			order = *(char *)data;
			break;
		}
		if (send(fd, &order, 1, MSG_NOSIGNAL) != 1)
			return;
	}
}

static char word = 'w';

static char ask(struct syc_limited_child *child, char order)
{
	char answer = 0;

	return syc_limited_child_ask(child, &order, 1, &answer, 1) == 1 ? answer
	                                                                : 0;
}

static void start(struct syc_limited_child *child, unsigned long memory)
{
	const struct syc_limited_child_work work = { .memory = memory,
		                                     .serve = serve,
		                                     .data = &word };

	memset(child, 0, sizeof(*child));
	CHECK(syc_limited_child_start(child, &work));
}

TEST(child_replies_and_inherits_memory)
{
	struct syc_limited_child child;

	start(&child, 256ul << 20);
	CHECK_EQ(ask(&child, 'x'), 'x');
	CHECK_EQ(ask(&child, 'd'), 'w');
	CHECK_EQ(ask(&child, 'm'), 'm');
	syc_limited_child_stop(&child);
	CHECK_EQ(child.pid, 0);
	syc_limited_child_stop(&child);
}

TEST(crash_of_the_child_is_no_result)
{
	struct syc_limited_child child;

	start(&child, 256ul << 20);
	CHECK_EQ(ask(&child, 'c'), 0);
	CHECK_EQ(ask(&child, 'x'), 0);
	syc_limited_child_stop(&child);
}

TEST(child_has_a_time_limit)
{
	struct syc_limited_child child;

	start(&child, 256ul << 20);
	CHECK_EQ(ask(&child, 'l'), 0);
	syc_limited_child_stop(&child);
}

TEST(resource_use_of_children_is_summed)
{
	struct syc_limited_child child;
	const struct syc_limited_child_work work = { .memory = 256ul << 20,
		                                     .serve = serve,
		                                     .data = &word };

	start(&child, 256ul << 20);
	CHECK_EQ(ask(&child, 'l'), 0);
	syc_limited_child_stop(&child);
	const double used = child.seconds_used;
	/* this time may include time taken by the hypervisor */
	CHECK(used > 0);
	CHECK(syc_limited_child_start(&child, &work));
	CHECK_EQ(ask(&child, 'l'), 0);
	syc_limited_child_stop(&child);
	CHECK(child.seconds_used > used);
}

TEST(child_cannot_open_files_after_the_filter)
{
	struct syc_limited_child child;

	start(&child, 256ul << 20);
	CHECK_EQ(ask(&child, 'o'), 'n');
	CHECK_EQ(ask(&child, 'x'), 'x');
	syc_limited_child_stop(&child);
}

TEST(child_has_a_memory_limit)
{
	struct syc_limited_child child;

	if (IS_SANITIZED)
		SKIP("a sanitizer ends a child whose allocation fails");
	start(&child, 16ul << 20);
	CHECK_EQ(ask(&child, 'm'), 'n');
	syc_limited_child_stop(&child);
}
