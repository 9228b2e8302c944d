/* SPDX-License-Identifier: BSD-2-Clause */
/* session.c - the part of recorder.h for measured processes. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench/fail.h"
#include "bench/recorder.h"

static struct bench_page *page;
static int command = -1;
static unsigned number; /* number of this child */
static uint64_t seen[BENCH_OWNERS][256];
static uint64_t n_arrived;

const char *bench_role(void)
{
	return getenv("BENCH_ROLE");
}

static int number_from(const char *variable)
{
	const char *const text = getenv(variable);

	if (text == NULL)
		bench_fail("%s is not set", variable);
	return atoi(text);
}

struct bench_page *bench_page(void)
{
	if (page != NULL)
		return page;
	page = mmap(NULL, sizeof(*page), PROT_READ | PROT_WRITE, MAP_SHARED,
	            number_from("BENCH_PAGE_FD"), 0);
	if (page == MAP_FAILED)
		bench_fail("can't map the page: %s", strerror(errno));
	command = number_from("BENCH_COMMAND_FD");
	number = (unsigned)number_from("BENCH_CHILD");
	return page;
}

void bench_drain(void)
{
	char byte = 'd';

	bench_page();
	if (write(command, &byte, 1) != 1 || read(command, &byte, 1) != 1)
		bench_fail("the recorder has ended");
}

void bench_expect(enum bench_owner owner, uint8_t type, uint64_t n)
{
	bench_drain();
	const uint64_t arrived = __atomic_load_n(
		&page->arrived[number][owner][type], __ATOMIC_RELAXED);
	const uint64_t came = arrived - seen[owner][type];
	if (came != n)
		bench_fail("%llu frames of type %u emitted, %llu arrived",
		           (unsigned long long)n, type,
		           (unsigned long long)came);
	seen[owner][type] = arrived;
	n_arrived += came;
}

uint64_t bench_arrived(void)
{
	return n_arrived;
}

void bench_meet(unsigned place)
{
	uint32_t *const waiting = &bench_page()->waiting[place];
	uint32_t *const sense = &bench_page()->sense[place];
	const uint32_t before = __atomic_load_n(sense, __ATOMIC_ACQUIRE);

	if (__atomic_add_fetch(waiting, 1, __ATOMIC_ACQ_REL) == 2) {
		__atomic_store_n(waiting, 0, __ATOMIC_RELAXED);
		__atomic_store_n(sense, before + 1, __ATOMIC_RELEASE);
		return;
	}
	for (unsigned i = 1; __atomic_load_n(sense, __ATOMIC_ACQUIRE) == before;
	     i++)
		if (i % 4096 == 0)
			sched_yield();
}

static void futex(uint32_t *word, int operation, uint32_t value)
{
	syscall(SYS_futex, word, operation, value, NULL, NULL, 0);
}

void bench_turn_wait(uint32_t whose)
{
	uint32_t *const turn = &bench_page()->turn;
	uint32_t now;

	while ((now = __atomic_load_n(turn, __ATOMIC_ACQUIRE)) != whose)
		futex(turn, FUTEX_WAIT, now);
}

void bench_turn_pass(uint32_t whose)
{
	uint32_t *const turn = &bench_page()->turn;

	__atomic_store_n(turn, whose, __ATOMIC_RELEASE);
	futex(turn, FUTEX_WAKE, INT_MAX);
}

bool bench_pin(unsigned nth)
{
	cpu_set_t allowed, one;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) != 0)
		return false;
	for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (!CPU_ISSET(cpu, &allowed) || nth-- != 0)
			continue;
		CPU_ZERO(&one);
		CPU_SET(cpu, &one);
		return sched_setaffinity(0, sizeof(one), &one) == 0;
	}
	return false;
}
