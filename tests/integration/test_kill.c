/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_kill.c - programs killed while `syscap record` records them.  The
 * capture must have their published events exactly once.
 *
 * One recording has hundreds of killed programs, the victims.  Each victim
 * writes into a shared file the number of its next mark before the emit, and
 * after the emit.  The capture must hold all marks up to at least the second
 * number, and none beyond the first.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap.h>

#include "harness/have_a_ring.h"
#include "harness/peer.h"
#include "harness/test.h"
#include "integration/recording.h"

#define N_RANDOM  520 /* victims with two threads each */
#define N_STEPPED 420
#define N_SLOTS   (2 * N_RANDOM + N_STEPPED)
#define WARM_UP   5
#define MOST      50000 /* marks of one thread: a ring holds more */

struct slot {
	volatile int64_t begun;
	volatile int64_t published;
};

static struct slot *map_slots(const char *path)
{
	const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	CHECK(fd >= 0);
	CHECK_EQ(ftruncate(fd, N_SLOTS * sizeof(struct slot)), 0);
	struct slot *const slots =
		mmap(NULL, N_SLOTS * sizeof(struct slot),
	             PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(slots != MAP_FAILED);
	close(fd);
	return slots;
}

/* A mark's time is its number, its duration the slot. */
static inline void emit_next(struct slot *slot, int64_t index)
{
	const int64_t number = slot->begun + 1;

	slot->begun = number;
	SYSCAP_MARK("kill", "mark", number, index, "a message");
	slot->published = number;
}

/* ----------------------------------------------------------- the victims */

static struct slot *own_slots;
static long own_index;

static void find_own_slot(void)
{
	char path[96];

	CHECK_EQ(sscanf(peer_arg(), "%95[^:]:%ld", path, &own_index), 2);
	own_slots = map_slots(path);
}

static void *emit_for_ever(void *offset)
{
	const long index = own_index + (long)(intptr_t)offset;

	have_a_ring();
	for (int i = 0; i < MOST; i++)
		emit_next(&own_slots[index], index);
	pause();
	return NULL;
}

CHILD(random_victim)
{
	pthread_t thread;

	find_own_slot();
	pthread_create(&thread, NULL, emit_for_ever, (void *)1);
	emit_for_ever((void *)0);
}

CHILD(stepped_victim)
{
	find_own_slot();
	have_a_ring();
	for (int i = 0; i < WARM_UP; i++)
		emit_next(&own_slots[own_index], own_index);
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	__asm__ volatile("int3");
	for (;;)
		emit_next(&own_slots[own_index], own_index);
}

/* ------------------------------------------ starting and killing victims */

static pid_t start_victim(const char *child, const char *path, long index)
{
	const pid_t pid = fork();

	if (pid == 0) {
		char arg[128];

		snprintf(arg, sizeof(arg), "%s:%ld", path, index);
		setenv("SYSCAP_TEST_CHILD", child, 1);
		setenv("SYSCAP_TEST_ARG", arg, 1);
		execl("/proc/self/exe", child, NULL);
		_exit(98);
	}
	CHECK(pid > 0);
	return pid;
}

static void kill_and_wait(pid_t pid)
{
	int status;

	CHECK_EQ(kill(pid, SIGKILL), 0);
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* Number of cases of which the killers try one */
static long stride(void)
{
	const char *const text = getenv("KILL_STRIDE");

	return text != NULL ? atol(text) : test_is_whole() ? 1 : 3;
}

CHILD(random_killer)
{
	struct slot *const slots = map_slots(peer_arg());
	unsigned seed = (unsigned)getpid();

	for (long i = 0; i < N_RANDOM; i += stride()) {
		const pid_t pid =
			start_victim("random_victim", peer_arg(), 2 * i);

		for (int ms = 0; ms < 5000 && slots[2 * i].begun == 0; ms++)
			usleep(200);
		usleep((useconds_t)(rand_r(&seed) % 1500));
		kill_and_wait(pid);
	}
}

CHILD(stepping_killer)
{
	int status;

	for (long i = getpid() % stride(); i < N_STEPPED; i += stride()) {
		const pid_t pid = start_victim("stepped_victim", peer_arg(),
		                               2 * N_RANDOM + i);

		CHECK_EQ(waitpid(pid, &status, 0), pid);
		CHECK(WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP);
		for (long step = 0; step < i; step++) {
			CHECK_EQ(ptrace(PTRACE_SINGLESTEP, pid, NULL, NULL), 0);
			CHECK_EQ(waitpid(pid, &status, 0), pid);
			CHECK(WIFSTOPPED(status));
		}
		kill_and_wait(pid);
	}
}

/* ---------------------------------------------------------- the captures */

struct tally {
	int64_t last; /* number of the last mark; numbers come in order */
};

static void tally_marks(const char *path, struct tally *tallies)
{
	struct syscap_error error;
	struct syscap_reader *reader;
	struct syscap_frame f;
	int r;

	CHECK_EQ(syscap_reader_open(path, &reader, &error), 0);
	while ((r = syscap_reader_next(reader, &f, &error)) > 0) {
		if (f.type != SYSCAP_FRAME_MARK ||
		    strcmp(f.mark.group, "kill") != 0)
			continue;
		CHECK(f.mark.duration >= 0 && f.mark.duration < N_SLOTS);
		CHECK_STR(f.mark.name, "mark");
		CHECK_STR(f.mark.message, "a message");
		struct tally *const tally = &tallies[f.mark.duration];
		if (f.time != tally->last + 1)
			test_fail(__FILE__, __LINE__,
			          "slot %lld: %lld follows %lld",
			          (long long)f.mark.duration, (long long)f.time,
			          (long long)tally->last);
		tally->last = f.time;
	}
	if (r < 0)
		test_fail(__FILE__, __LINE__, "%s", error.message);
	syscap_reader_close(reader);
}

static void check_with(const char *command, const char *path)
{
	char line[512];

	snprintf(line, sizeof(line), "%s %s >&2", command, path);
	CHECK_EQ(system(line), 0);
}

static void record_killer(const char *killer, long first, long n)
{
	struct recording recording;
	struct tally *const tallies = calloc(N_SLOTS, sizeof(*tallies));
	char slots_path[128], child[64], arg[192], every[32], command[256];
	int64_t n_published = 0;

	recording_init(&recording);
	snprintf(slots_path, sizeof(slots_path), "%s/slots", recording.dir);
	struct slot *const slots = map_slots(slots_path);
	snprintf(child, sizeof(child), "SYSCAP_TEST_CHILD=%s", killer);
	snprintf(arg, sizeof(arg), "SYSCAP_TEST_ARG=%s", slots_path);
	snprintf(every, sizeof(every), "KILL_STRIDE=%ld", stride());
	char self[256] = { 0 };
	CHECK(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	CHECK_EQ(recording_run(&recording, "--ring-kib", "16384", "--no-maps",
	                       "--", "env", child, arg, every, self, NULL),
	         0);
	tally_marks(recording.path, tallies);
	for (long i = first; i < first + n; i++) {
		if (tallies[i].last < slots[i].published ||
		    tallies[i].last > slots[i].begun)
			test_fail(__FILE__, __LINE__,
			          "slot %ld: %lld arrived, %lld published, "
			          "%lld begun",
			          i, (long long)tallies[i].last,
			          (long long)slots[i].published,
			          (long long)slots[i].begun);
		n_published += slots[i].published;
	}
	CHECK(n_published >= n / stride() * WARM_UP);
	printf("%ld slots, %lld marks published\n", n, (long long)n_published);
	snprintf(command, sizeof(command), "%s check", getenv("SYSCAP"));
	check_with(command, recording.path);
	if (getenv("REF_COUNT") != NULL)
		check_with(getenv("REF_COUNT"), recording.path);
	unlink(slots_path);
	munmap(slots, N_SLOTS * sizeof(*slots));
	free(tallies);
	recording_free(&recording);
}

TEST(published_events_survive_sigkill_at_random_times)
{
	record_killer("random_killer", 0, 2 * N_RANDOM);
}

TEST(published_events_survive_sigkill_at_every_instruction)
{
	record_killer("stepping_killer", 2 * N_RANDOM, N_STEPPED);
}
