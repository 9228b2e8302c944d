/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_step.c - a handler that emits through one copy, at every instruction
 * of every emitting call of another.
 *
 * The peer checks every frame byte by byte; what the child did stands in a
 * file, one record an attempt.  tests/stress/test_step.c does it within one
 * copy.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "copies/parts.h"
#include <syscap/format.h>

#include "harness/peer.h"
#include "harness/stepper.h"
#include "harness/test.h"

#define RING (1u << 26)

struct attempt {
	int32_t call;
	int32_t n_inner;
	int64_t sequence;
};

static const struct part *parts[PARTS_ALL];
static const struct part *outer, *inner;

static void emit_inner(void)
{
	errno = 5;
	inner->inner();
	CHECK_EQ(errno, 5);
}

static void emit_every_kind(void)
{
	inner->inner_every();
}

/* The argument: the outer copy, the inner one, 'e' for every kind of event,
 * and the file. */
CHILD(steps)
{
	const char *const arg = peer_arg();
	const int fd = open(arg + 3, O_WRONLY | O_TRUNC | O_CLOEXEC);
	struct stepper stepper;
	int64_t sequence = 0;

	CHECK(fd >= 0);
	parts_load_all(parts);
	outer = parts[arg[0] - '0'];
	inner = parts[arg[1] - '0'];
	stepper_install(false);
	for (unsigned i = 0; i < outer->n_calls; i++)
		outer->calls[i].call();
	inner->inner_every();
	for (unsigned i = 0; i < outer->n_calls; i++) {
		const long stride = stepper_stride(11) * outer->calls[i].stride;

		for (long k = stepper_first(stride);; k += stride) {
			*outer->sequence = *inner->sequence = ++sequence;
			const bool reached = stepper_run(
				&stepper, k, outer->calls[i].call,
				arg[2] == 'e' ? emit_every_kind : emit_inner);

			CHECK(outer->is_published() && inner->is_published());
			const struct attempt attempt = { (int32_t)i, reached,
				                         sequence };
			CHECK_EQ(write(fd, &attempt, sizeof(attempt)),
			         sizeof(attempt));
			if (!reached)
				break;
		}
	}
}

struct result {
	unsigned *outer, *inner; /* by sequence */
	unsigned n;
	unsigned n_other_kinds; /* counters, and logs of "inner" */
};

static void count(struct result *r, unsigned *counts, int64_t number)
{
	if (number > 0 && number <= r->n)
		counts[number]++;
}

static void count_frame(struct result *r, const struct peer_frame *f)
{
	const char *const domain = (const char *)f->bytes + 32;
	int64_t number;

	switch (f->type) {
	case SYSCAP_FRAME_MARK:
		if (strcmp(peer_mark_name(f), "outer") == 0)
			count(r, r->outer, f->time);
		else if (strcmp(peer_mark_name(f), "inner") == 0)
			count(r, r->inner, f->time);
		break;
	case SYSCAP_FRAME_CTRSET:
		memcpy(&number, f->bytes + 64, 8);
		if (number == -1)
			r->n_other_kinds++;
		else
			count(r, r->outer, number);
		break;
	case SYSCAP_FRAME_LOG:
		if (strcmp(domain, "step") == 0)
			count(r, r->outer, atoll((const char *)f->bytes + 64));
		else
			r->n_other_kinds++;
		break;
	default:
		break;
	}
}

static struct attempt *read_attempts(const char *path, size_t *ret_n)
{
	FILE *const file = fopen(path, "re");

	CHECK(file != NULL);
	CHECK_EQ(fseek(file, 0, SEEK_END), 0);
	const size_t size = (size_t)ftell(file);
	rewind(file);
	struct attempt *const all = malloc(size);
	CHECK(all != NULL);
	CHECK_EQ(fread(all, 1, size, file), size);
	fclose(file);
	*ret_n = size / sizeof(*all);
	return all;
}

static void check_attempts(const struct peer *peer, const char *path,
                           bool every_kind)
{
	const struct part *const calls = parts_program();
	size_t n;
	struct attempt *const all = read_attempts(path, &n);
	struct result r = { .n = (unsigned)n };
	struct peer_frame f;
	size_t at = 0;
	unsigned n_inner = 0;

	CHECK(n > (test_is_whole() && !test_is_sanitized() ? 500 : 50));
	r.outer = calloc(n + 1, sizeof(*r.outer));
	r.inner = calloc(n + 1, sizeof(*r.inner));
	CHECK(r.outer != NULL && r.inner != NULL);
	while (peer_next(&peer->rings[0], &at, &f))
		count_frame(&r, &f);
	for (size_t i = 0; i < n; i++) {
		CHECK_EQ(r.inner[all[i].sequence], all[i].n_inner);
		if (calls->calls[all[i].call].is_numbered)
			CHECK_EQ(r.outer[all[i].sequence], 1);
		n_inner += (unsigned)all[i].n_inner;
	}
	/* and the one of the warm-up */
	CHECK_EQ(r.n_other_kinds, every_kind ? 2 * (n_inner + 1) : 2);
	CHECK_EQ(peer_lost_total(&peer->rings[0]), 0);
	free(r.outer);
	free(r.inner);
	free(all);
}

static void check_steps(const char *which)
{
	char path[] = "/tmp/syscap-steps-XXXXXX";
	char arg[64];
	struct peer peer;
	const int fd = mkstemp(path);

	CHECK(fd >= 0);
	close(fd);
	snprintf(arg, sizeof(arg), "%s%s", which, path);
	peer_start_arg(&peer, "steps", arg, RING, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer.n_rings, 1);
	check_attempts(&peer, path, which[2] == 'e');
	peer_free(&peer);
	unlink(path);
}

TEST(a_handler_may_emit_through_another_copy_at_every_instruction)
{
	check_steps("01m");
	check_steps("12m");
	check_steps("21m");
}

TEST(the_copy_in_the_handler_may_be_of_another_version_and_the_outer_one_too)
{
	check_steps("13m");
	check_steps("31m");
}

TEST(a_handler_may_emit_every_kind_of_event_through_another_copy)
{
	check_steps("12e");
	check_steps("30e");
}
