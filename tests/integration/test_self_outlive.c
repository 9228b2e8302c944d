/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_self_outlive.c - forked children of a process that records itself. The
 * parent ends first, is killed, or calls exec; a child overwrites all shared
 * memory, or may share none.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap.h>
#include <syscap/capture.h>

#include "emit/process.h"
#include "emit/thread.h"
#include "harness/peer.h"
#include "harness/test.h"
#include "harness/written.h"
#include "session/session.h"

/* More marks than a ring of 64 KiB holds, and fewer than two rings of 256
 * KiB. */
#define MANY 3000u

static void emit(unsigned emitter, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++)
		written_mark(emitter, i);
}

static void begin_recording(void)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	emit(0, 0, 10);
	do {
		syscap_drain();
		syscap_get_stats(&stats);
	} while (stats.n_written == 0);
}

/* Waits until @parent has ended. */
static void wait_for_parents_end(pid_t parent)
{
	while (getppid() == parent)
		test_sleep_ms(1);
}

/* Waits until @parent has called exec, or has even ended, as on a busy
 * machine. */
static void wait_for_parents_exec(pid_t parent)
{
	char path[64], name[32] = "";

	snprintf(path, sizeof(path), "/proc/%d/comm", (int)parent);
	while (getppid() == parent && strcmp(name, "sleep\n") != 0) {
		FILE *const file = fopen(path, "re");

		if (file != NULL && fgets(name, sizeof(name), file) == NULL)
			name[0] = '\0';
		if (file != NULL)
			fclose(file);
		test_sleep_ms(1);
	}
}

/* Ends this process, whose child continues. */
static void end(void)
{
	if (strcmp(peer_arg(), "exit") == 0)
		exit(0);
	if (strcmp(peer_arg(), "_exit") == 0)
		_exit(0);
	if (strcmp(peer_arg(), "exec") == 0)
		execl("/bin/sleep", "sleep", "1", (char *)NULL);
	kill(getpid(), SIGKILL);
}

CHILD(is_outlived)
{
	const pid_t parent = getpid();
	int ready[2];
	char one;

	begin_recording();
	CHECK_EQ(pipe(ready), 0);
	if (fork() == 0) {
		emit(1, 0, 100);
		CHECK_EQ(write(ready[1], "", 1), 1);
		if (strcmp(peer_arg(), "exec") == 0)
			wait_for_parents_exec(parent);
		else
			wait_for_parents_end(parent);
		emit(1, 100, MANY);
		exit(0);
	}
	CHECK_EQ(read(ready[0], &one, 1), 1);
	end();
}

static void run_outlived(const char *child, const char *how,
                         const char *variable, const char *runtime, int fd)
{
	const char *const env[] = { variable, runtime, NULL };
	int alive[2];
	char one;

	CHECK_EQ(pipe(alive), 0);
	const pid_t pid = written_start(child, how, env, fd);
	close(alive[1]);
	written_wait(pid);
	/* The child's end closes the last copy of the write end */
	CHECK_EQ(read(alive[0], &one, 1), 0);
	close(alive[0]);
}

/* Counts over all captures in @dir; each mark counts once. */
struct total {
	unsigned marks[2], doubles, files, damaged;
	uint64_t lost;
	unsigned char seen[2][MANY];
};

static void add_file(const char *path, struct total *total)
{
	struct syscap_reader *reader;
	struct syscap_frame frame;
	unsigned long long frames;
	unsigned emitter, n;
	int r;

	CHECK_EQ(syscap_reader_open(path, &reader, NULL), 0);
	while ((r = syscap_reader_next(reader, &frame, NULL)) != 0) {
		/* A child may overwrite the content of a frame */
		CHECK(r == 1 || r == -EILSEQ);
		if (r < 0)
			continue;
		total->damaged +=
			frame.type == SYSCAP_FRAME_METADATA &&
			strcmp(frame.metadata.id, "syscap.damaged") == 0;
		if (frame.type != SYSCAP_FRAME_MARK)
			continue;
		if (sscanf(frame.mark.message, "frames=%llu", &frames) == 1)
			total->lost += frames;
		else if (sscanf(frame.mark.message, "%u %u", &emitter, &n) ==
		                 2 &&
		         emitter < 2 && n < MANY) {
			total->marks[emitter]++;
			total->doubles += total->seen[emitter][n];
			total->seen[emitter][n] = 1;
		}
	}
	syscap_reader_close(reader);
}

static void add_dir(const char *dir, struct total *total)
{
	char path[1024];
	DIR *const d = opendir(dir);

	memset(total, 0, sizeof(*total));
	CHECK(d != NULL);
	for (struct dirent *e; (e = readdir(d)) != NULL;) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		add_file(path, total);
		total->files++;
	}
	closedir(d);
}

static void check_outlived(const char *how)
{
	char *const dir = written_make_dir();
	char runtime_dir[] = "/dev/shm/syscap-test-XXXXXX";
	char variable[400], runtime[400], rings[400];
	struct total total;

	if (mkdtemp(runtime_dir) == NULL)
		SKIP("there is no /dev/shm");
	snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s/out", dir);
	snprintf(runtime, sizeof(runtime), "XDG_RUNTIME_DIR=%s", runtime_dir);
	snprintf(rings, sizeof(rings), "%s/syscap", runtime_dir);
	run_outlived("is_outlived", how, variable, runtime, -1);
	add_dir(dir, &total);
	CHECK_EQ(total.marks[0], 10);
	CHECK_EQ(total.marks[1] + total.lost, MANY);
	CHECK_EQ(total.doubles, 0);
	CHECK_EQ(total.files, 1);
	CHECK_EQ(written_count_files(rings, ""), 0);
	written_remove_dir(dir);
	written_remove_dir(strdup(rings));
	rmdir(runtime_dir);
}

TEST(a_child_goes_on_in_the_file_of_its_parent_that_exits)
{
	check_outlived("exit");
}

TEST(a_child_writes_events_after_its_parents__exit)
{
	check_outlived("_exit");
}

TEST(a_child_writes_events_of_its_killed_parent)
{
	check_outlived("kill");
}

TEST(a_child_writes_events_after_its_parents_exec)
{
	check_outlived("exec");
}

TEST(a_child_goes_on_in_the_trace_when_its_parent_has_ended)
{
	static const char *const ways[] = { "exit", "_exit", "kill", "exec" };
	char link[64];
	struct total total;

	for (unsigned i = 0; i < 4; i++) {
		const int fd = memfd_create("trace", MFD_CLOEXEC);

		run_outlived("is_outlived", ways[i], "SYSPROF_TRACE_FD=3", NULL,
		             fd);
		memset(&total, 0, sizeof(total));
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		add_file(link, &total);
		CHECK_EQ(total.marks[1] + total.lost, MANY);
		CHECK_EQ(total.doubles, 0);
		close(fd);
	}
}

/* ------------------------------------------------------------------ free
 * slots */

static void wait_until_free(uint32_t slot)
{
	const struct syc_arena *const arena = &syc_process->session->arena;

	while (__atomic_load_n(syc_arena_word(arena, slot), __ATOMIC_ACQUIRE) !=
	       SYC_SLOT_FREE) {
		syscap_drain();
		test_sleep_ms(10);
	}
}

static pthread_barrier_t have_slots;

static void *emit_in_thread(void *from)
{
	const unsigned n = *(const unsigned *)from;

	emit(1, n, n + 25);
	pthread_barrier_wait(&have_slots);
	return NULL;
}

/* The two threads take the dead parent's slot, and a free slot. */
static void emit_in_two_threads(void)
{
	static const unsigned from[2] = { 150, 175 };
	pthread_t threads[2];

	pthread_barrier_init(&have_slots, NULL, 2);
	for (int i = 0; i < 2; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, emit_in_thread,
		                        (void *)&from[i]),
		         0);
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

/* Two children use slots 2 and 3 and end, before the third. */
CHILD(is_outlived_by_the_third)
{
	const pid_t parent = getpid();
	pid_t pids[2];
	int ready[2];
	char one;

	begin_recording();
	CHECK_EQ(pipe(ready), 0);
	for (unsigned i = 0; i < 2; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			emit(1, i * 50, i * 50 + 50);
			CHECK_EQ(write(ready[1], "", 1), 1);
			pause();
		}
		CHECK_EQ(read(ready[0], &one, 1), 1);
	}
	for (unsigned i = 0; i < 2; i++) {
		kill(pids[i], SIGKILL);
		written_wait(pids[i]);
	}
	wait_until_free(2);
	wait_until_free(3);
	if (fork() == 0) {
		emit(1, 100, 150);
		CHECK_EQ(write(ready[1], "", 1), 1);
		wait_for_parents_end(parent);
		syscap_drain();
		emit_in_two_threads();
		exit(0);
	}
	CHECK_EQ(read(ready[0], &one, 1), 1);
	syscap_drain(); /* an end during a write would prevent the take-over */
	_exit(0);
}

TEST(free_slots_are_used_again_after_the_end_of_the_parent)
{
	char *const dir = written_make_dir();
	char variable[400];
	struct total total;

	snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s/out", dir);
	run_outlived("is_outlived_by_the_third", NULL, variable, NULL, -1);
	add_dir(dir, &total);
	CHECK_EQ(total.doubles + total.lost + total.damaged, 0);
	CHECK_EQ(total.marks[0], 10);
	CHECK_EQ(total.marks[1], 200);
	written_remove_dir(dir);
}

/* ------------------------------------------------------------------ kills */

/* Counts of parent and child, in memory that outlives both processes. */
struct progress {
	volatile uint32_t published[2];
	volatile uint32_t pids[2];
};

/* Pauses after each mark, so that the ring never fills, even without a
 * drainer. */
static void emit_on(struct progress *p, unsigned emitter)
{
	p->pids[emitter] = (uint32_t)getpid();
	for (unsigned i = p->published[emitter]; i < 1500; i++) {
		written_mark(emitter, i);
		p->published[emitter] = i + 1;
		usleep(20);
	}
}

CHILD(emits_with_a_child)
{
	struct progress *const p = mmap(
		NULL, sizeof(*p), PROT_READ | PROT_WRITE, MAP_SHARED, 3, 0);

	CHECK(p != MAP_FAILED);
	begin_recording();
	p->published[0] = 10;
	if (fork() == 0) {
		emit_on(p, 1);
		exit(0);
	}
	emit_on(p, 0);
	exit(0);
}

static void wait_for_both(const struct progress *p)
{
	while (p->published[0] < 20 || p->published[1] < 10)
		test_sleep_ms(1);
}

/* Waits for the end of @pid, whose fds are closed earlier. */
static void wait_until_gone(pid_t pid)
{
	char path[64], line[512], state;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	for (;;) {
		FILE *const stat = fopen(path, "re");
		const bool is_there =
			stat != NULL && fgets(line, sizeof(line), stat) != NULL;

		if (stat != NULL)
			fclose(stat);
		if (!is_there ||
		    (sscanf(strrchr(line, ')'), ") %c", &state) == 1 &&
		     (state == 'Z' || state == 'X')))
			return;
		test_sleep_ms(1);
	}
}

/* Bit 0 of @who: kills the parent; bit 1: kills the child. */
static void check_kill(unsigned who, unsigned after_us, uint64_t *ret_left)
{
	char *const dir = written_make_dir();
	char *const runtime_dir = strdup("/dev/shm/syscap-test-XXXXXX");
	char variable[400], runtime[400];
	const char *const env[] = { variable, runtime, NULL };
	const int fd = memfd_create("progress", MFD_CLOEXEC);
	struct total total;
	int alive[2];
	char one;

	if (mkdtemp(runtime_dir) == NULL)
		SKIP("there is no /dev/shm");
	snprintf(runtime, sizeof(runtime), "XDG_RUNTIME_DIR=%s", runtime_dir);
	CHECK_EQ(ftruncate(fd, sizeof(struct progress)), 0);
	struct progress *const p = mmap(
		NULL, sizeof(*p), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(p != MAP_FAILED);
	snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s/out", dir);
	CHECK_EQ(pipe(alive), 0);
	const pid_t pid = written_start("emits_with_a_child", NULL, env, fd);
	close(alive[1]);
	wait_for_both(p);
	usleep(after_us);
	for (unsigned i = 0; i < 2; i++)
		if ((who & 1u << i) != 0)
			kill((pid_t)p->pids[i], SIGKILL);
	written_wait(pid);
	CHECK_EQ(read(alive[0], &one, 1), 0);
	close(alive[0]);
	wait_until_gone((pid_t)p->pids[1]);
	add_dir(dir, &total);
	for (unsigned i = 0; i < 2; i++)
		if (total.marks[i] < p->published[i] ||
		    total.marks[i] > p->published[i] + 1)
			test_fail(__FILE__, __LINE__,
			          "kill %u after %u us: %u of %u marks of %u",
			          who, after_us, total.marks[i],
			          p->published[i], i);
	CHECK_EQ(total.doubles + total.lost, 0);
	*ret_left += total.files;
	munmap(p, sizeof(*p));
	close(fd);
	written_remove_dir(dir);
	written_remove_dir(runtime_dir);
}

TEST(after_any_kill_each_event_is_in_one_capture_once)
{
	const unsigned n = test_is_whole() ? 600 : 24;
	uint64_t seed = test_seed();
	uint64_t files = 0;

	for (unsigned i = 0; i < n; i++) {
		seed = seed * 6364136223846793005u + 1442695040888963407u;
		check_kill(1 + i % 3, (unsigned)(seed >> 33) % 20000, &files);
	}
	CHECK(files >= n);
}

/* --------------------------------------------------------- a hostile child */

/* Overwrites all memory that parent and child share: with zeros, ones, or a
 * pattern. */
static void overwrite_shared(unsigned kind)
{
	FILE *const maps = fopen("/proc/self/maps", "re");
	char line[4096];
	unsigned long from, to;
	char perms[8];

	CHECK(maps != NULL);
	while (fgets(line, sizeof(line), maps) != NULL) {
		if (sscanf(line, "%lx-%lx %7s", &from, &to, perms) != 3 ||
		    strcmp(perms, "rw-s") != 0)
			continue;
		/* Writing to more unallocated pages would fill the memory */
		for (unsigned long at = from; at < to && at < from + (8u << 20);
		     at += 8) {
			const uint64_t word =
				kind == 0   ? 0
				: kind == 1 ? UINT64_MAX
					    : at * 0x9E3779B97F4A7C15u;

			*(volatile uint64_t *)at = word;
		}
	}
	fclose(maps);
}

#define ONE_WORD 3u /* the word of the parent's slot, with 0 */

CHILD(has_a_child_that_overwrites)
{
	const unsigned kind = (unsigned)strtoul(peer_arg(), NULL, 10);

	begin_recording();
	const pid_t pid = fork();
	if (pid == 0) {
		emit(1, 0, 10);
		if (kind == ONE_WORD)
			syc_state_of(syc_self)->slot[-1] = 0;
		else
			overwrite_shared(kind);
		_exit(0);
	}
	if (kind != ONE_WORD)
		emit(0, 10, 1000);
	CHECK_EQ(written_wait(pid), 0);
	/* After a few events, no process checks the slot before the end */
	emit(0, 1000, kind == ONE_WORD ? 1010 : 2000);
	test_sleep_ms(100);
	/* Another child emits as far as the overwritten memory allows */
	const pid_t other = fork();
	if (other == 0) {
		emit(1, 10, 20);
		exit(0);
	}
	CHECK_EQ(written_wait(other), 0);
	exit(0);
}

TEST(a_child_that_writes_over_all_that_is_shared_harms_no_process)
{
	char variable[400], number[20];
	const char *const env[] = { variable, NULL };
	struct total total;

	for (unsigned kind = 0; kind <= ONE_WORD; kind++) {
		char *const dir = written_make_dir();

		snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s/out",
		         dir);
		snprintf(number, sizeof(number), "%u", kind);
		written_run("has_a_child_that_overwrites", number, env, -1);
		add_dir(dir, &total);
		CHECK_EQ(total.doubles, 0);
		CHECK(total.damaged != 0);
		written_remove_dir(dir);
	}
}

/* ----------------------------------------------------------- private children */

static unsigned count_ring_mappings(void)
{
	FILE *const maps = fopen("/proc/self/maps", "re");
	char line[4096];
	unsigned n = 0;

	CHECK(maps != NULL);
	while (fgets(line, sizeof(line), maps) != NULL)
		n += strstr(line, ".rings") != NULL;
	fclose(maps);
	return n;
}

CHILD(keeps_its_children_private)
{
	struct syscap_options options = { .size = sizeof(options),
		                          .output = peer_arg(),
		                          .flags = SYSCAP_PRIVATE_CHILDREN };

	CHECK_EQ(syscap_start(&options), 0);
	emit(0, 0, 10);
	test_sleep_ms(20);
	const pid_t pid = fork();
	if (pid == 0) {
		CHECK_EQ(count_ring_mappings(), 0);
		emit(1, 0, 10);
		exit(0);
	}
	CHECK_EQ(written_wait(pid), 0);
	CHECK_EQ(syscap_stop(), 0);
}

TEST(private_children_share_no_memory_and_have_files_of_their_own)
{
	char *const dir = written_make_dir();
	char path[400];
	struct total total;

	snprintf(path, sizeof(path), "%s/out", dir);
	written_run("keeps_its_children_private", path, NULL, -1);
	add_dir(dir, &total);
	CHECK_EQ(total.files, 2);
	CHECK_EQ(total.marks[0], 10);
	CHECK_EQ(total.marks[1], 10);
	written_remove_dir(dir);
}
