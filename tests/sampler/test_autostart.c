/* SPDX-License-Identifier: BSD-2-Clause */
/* test_autostart.c - sampling without a call from the program. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap.h>
#include <syscap/capture.h>

#include "harness/peer.h"
#include "harness/test.h"
#include "harness/tsan.h"
#include "harness/written.h"
#include "sampler/sampling.h"

static void count_in(const char *path, unsigned *ret_pids, unsigned *ret_n)
{
	struct syscap_reader *reader;
	struct syscap_error error;
	struct syscap_frame frame;
	unsigned n = 0;

	CHECK_EQ(syscap_reader_open(path, &reader, &error), 0);
	while (syscap_reader_next(reader, &frame, &error) > 0)
		if (frame.type == SYSCAP_FRAME_SAMPLE)
			n += frame.padding2 != 0
			             ? frame.padding2 & ~SYSCAP_WEIGHT_TAG_MASK
			             : 1;
	syscap_reader_close(reader);
	*ret_pids += n != 0;
	*ret_n += n;
}

/* Run @child with @sample and @toggle in its environment variables.  Returns
 * the number of ticks of all samples in its captures; *@ret_captures: number of
 * captures with samples. */
static unsigned samples_of(const char *child, const char *arg,
                           const char *sample, const char *toggle,
                           unsigned *ret_captures)
{
	char *dir;
	char output[300], sampling[100] = "X=", toggling[100] = "Y=";
	const char *const env[] = { output, sampling, toggling,
		                    "SYSCAP_RING_KIB=64", NULL };
	unsigned n = 0, captures = 0;
	struct dirent *e;

	/* TSan delays handlers. The library then does not detect the handler,
	 * and starts its drain thread */
	SKIP_UNDER_TSAN();
	dir = written_make_dir();
	snprintf(output, sizeof(output), "SYSCAP_OUTPUT=%s/capture", dir);
	if (sample != NULL)
		snprintf(sampling, sizeof(sampling), "SYSCAP_SAMPLE=%s",
		         sample);
	if (toggle != NULL)
		snprintf(toggling, sizeof(toggling), "SYSCAP_TOGGLE_SIGNAL=%s",
		         toggle);
	written_run(child, arg, env, -1);
	DIR *const d = opendir(dir);
	CHECK(d != NULL);
	while ((e = readdir(d)) != NULL) {
		char path[600];

		if (strncmp(e->d_name, "capture", 7) != 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		count_in(path, &captures, &n);
	}
	closedir(d);
	written_remove_dir(dir);
	if (ret_captures != NULL)
		*ret_captures = captures;
	return n;
}

CHILD(burns)
{
	sampling_burn(300);
}

TEST(SYSCAP_SAMPLE_starts_sampling_at_load)
{
	CHECK(samples_of("burns", NULL, "1000", NULL, NULL) > 10);
	CHECK(samples_of("burns", NULL, "1000,wall", NULL, NULL) > 10);
	CHECK(samples_of("burns", NULL, "1000,signal=prof,cpu", NULL, NULL) >
	      10);
}

/* Checks that the process's metadata agrees with the samples in its capture. */
static bool tells_what_it_has(const char *path)
{
	static const char id[] = "syscap.sampler.delivered";
	unsigned captures = 0, n = 0, told = 0, ticks = 0;
	struct syscap_reader *reader;
	struct syscap_error error;
	struct syscap_frame frame;

	CHECK_EQ(syscap_reader_open(path, &reader, &error), 0);
	while (syscap_reader_next(reader, &frame, &error) > 0) {
		n += frame.type == SYSCAP_FRAME_SAMPLE;
		if (frame.type == SYSCAP_FRAME_METADATA &&
		    strcmp(frame.metadata.id, id) == 0)
			CHECK_EQ(sscanf(frame.metadata.value,
			                "samples %u, ticks %u, skipped", &told,
			                &ticks),
			         2);
	}
	syscap_reader_close(reader);
	CHECK_EQ(told, n);
	n = 0;
	count_in(path, &captures, &n);
	return n == ticks && n != 0;
}

TEST(exit_metadata_counts_the_samples)
{
	char output[330], path[310];
	const char *const env[] = { output, "SYSCAP_SAMPLE=1000", NULL };
	char *const dir = written_make_dir();

	SKIP_UNDER_TSAN(); /* for the reason, see samples_of() */
	snprintf(path, sizeof(path), "%s/capture", dir);
	snprintf(output, sizeof(output), "SYSCAP_OUTPUT=%s", path);
	written_run("burns", NULL, env, -1);
	CHECK(tells_what_it_has(path));
	written_remove_dir(dir);
}

TEST(unset_variable_means_no_samples)
{
	CHECK_EQ(samples_of("burns", NULL, NULL, NULL, NULL), 0);
}

TEST(invalid_values_are_ignored)
{
	static const char *const bad[] = { "",
		                           "0",
		                           "-5",
		                           "1000x",
		                           "20001",
		                           "999999999999",
		                           "1000,",
		                           "1000,fast",
		                           "1000,signal=",
		                           "1000,signal=11",
		                           "cpu" };

	for (unsigned i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		CHECK_EQ(samples_of("burns", NULL, bad[i], NULL, NULL), 0);
}

static bool has_thread(const char *name)
{
	DIR *const d = opendir("/proc/self/task");
	bool found = false;
	struct dirent *e;

	CHECK(d != NULL);
	while ((e = readdir(d)) != NULL) {
		char path[300], comm[32] = "";

		snprintf(path, sizeof(path), "/proc/self/task/%s/comm",
		         e->d_name);
		FILE *const file = fopen(path, "re");
		if (file == NULL)
			continue;
		if (fgets(comm, sizeof(comm), file) != NULL)
			comm[strcspn(comm, "\n")] = '\0';
		fclose(file);
		found |= strcmp(comm, name) == 0;
	}
	closedir(d);
	return found;
}

CHILD(makes_no_events)
{
	sampling_burn(300);
	CHECK(has_thread("syscap-sampler"));
	CHECK(!has_thread("syscap")); /* ticks write the ring */
}

TEST(samples_alone_are_drained)
{
	CHECK(samples_of("makes_no_events", NULL, "1000", NULL, NULL) > 10);
}

CHILD(execs)
{
	sampling_burn(100);
	if (strcmp(peer_arg(), "vfork") == 0) {
		const pid_t pid = vfork();

		if (pid == 0) {
			execl("/bin/true", "true", (char *)NULL);
			_exit(1);
		}
		int status;
		waitpid(pid, &status, 0);
		CHECK_EQ(status, 0);
		sampling_burn(100);
		return;
	}
	CHECK_EQ(system("true"), 0);
	/* a pending tick must not kill the new image */
	for (int i = 0; i < 100; i++) {
		const pid_t pid = fork();
		int status;

		if (pid == 0) {
			execl("/bin/true", "true", (char *)NULL);
			_exit(1);
		}
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		CHECK_EQ(status, 0);
	}
}

TEST(executed_programs_start_unharmed)
{
	CHECK(samples_of("execs", "fork", "5000,wall", NULL, NULL) > 10);
	CHECK(samples_of("execs", "vfork", "5000,wall", NULL, NULL) > 10);
	CHECK(samples_of("execs", "fork", "5000,perf", NULL, NULL) < 100000);
}

static uint32_t may_end;

static void *burn_until_told(void *nothing)
{
	while (__atomic_load_n(&may_end, __ATOMIC_RELAXED) == 0)
		sampling_burn(1);
	return nothing;
}

static bool has_threads(int n)
{
	sampling_burn(2); /* the sampler finds new threads only in ticks */
	return sampling_stats().n_threads == (uint32_t)n;
}

CHILD(forks)
{
	pthread_t thread;
	int status;

	sampling_burn(100);
	const pid_t pid = fork();
	CHECK(pid >= 0);
	if (pid == 0) {
		sampling_burn(200);
		CHECK(sampling_stats().n_samples != 0);
		CHECK_EQ(sampling_stats().n_threads, 1);
		/* the ticks of the first thread find this thread */
		CHECK_EQ(pthread_create(&thread, NULL, burn_until_told, NULL),
		         0);
		CHECK(sampling_wait(has_threads, 2, 20000));
		__atomic_store_n(&may_end, 1, __ATOMIC_RELAXED);
		pthread_join(thread, NULL);
		CHECK_EQ(syscap_sampler_stop(), 0);
		CHECK_EQ(sampling_timers() > 0, 0);
		exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
}

TEST(forked_child_is_sampled_into_the_parent_capture)
{
	unsigned captures;

	SKIP_UNDER_TSAN();

	CHECK(samples_of("forks", NULL, "1000", NULL, &captures) > 20);
	CHECK_EQ(captures, 1);
}

/* Uses an alternate stack of twice the usual size, with an inaccessible page
 * below. */
static void use_alternate_stack(void)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t size = test_is_sanitized() ? 262144 : 16384;
	char *const memory = mmap(NULL, page + size, PROT_READ | PROT_WRITE,
	                          MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const stack_t stack = { .ss_sp = memory + page, .ss_size = size };

	CHECK(memory != MAP_FAILED);
	CHECK_EQ(mprotect(memory, page, PROT_NONE), 0);
	CHECK_EQ(sigaltstack(&stack, NULL), 0);
}

/* Samples of 60 frames and more: many times the size of a ring.  If the ring is
 * in the parent's arena, the parent's drain thread writes the samples. */
static bool has_done_enough(void)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	syscap_get_stats(&stats);
	return sampling_stats().n_samples >= 320 &&
	       (stats.n_written == 0 || stats.n_written >= 180 * 1024);
}

static int compute_deep(int depth)
{
	volatile int left = depth;

	if (left == 0) {
		const int64_t until = sampling_wall_ms() + 3000;

		/* A busy machine gives less processor time, and fewer
		 * samples */
		while (sampling_wall_ms() < until || !has_done_enough())
			sampling_burn(1);
		return 0;
	}
	left += compute_deep(depth - 1);
	return left;
}

/* Computes without an event, or any call that would start a thread.  The ring
 * is drained by this process's ticks, or by the parent's drain thread.  False:
 * the ring was full once, as on a machine that delays the drainer by 0.1 s. */
static bool compute(void)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	compute_deep(60);
	CHECK_EQ(syscap_sampler_stop(), 0);
	syscap_get_stats(&stats);
	CHECK_EQ(stats.n_untold, 0);
	CHECK(!has_thread("syscap"));
	return stats.n_dropped == 0;
}

CHILD(forks_to_compute)
{
	int status = 1, n = 0;

	if (strcmp(peer_arg(), "alternate") == 0)
		use_alternate_stack();
	for (; status != 0 && n < 4; n++) {
		const pid_t pid = fork();

		CHECK(pid >= 0);
		if (pid == 0)
			exit(compute() ? 0 : 77);
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		CHECK(status == 0 || WEXITSTATUS(status) == 77);
	}
	CHECK_EQ(status, 0);
}

TEST(computing_child_loses_nothing)
{
	CHECK(samples_of("forks_to_compute", NULL, "1000,wall", NULL, NULL) >=
	      1000);
	CHECK(samples_of("forks_to_compute", "alternate", "1000,wall", NULL,
	                 NULL) >= 1000);
}

static int raw_fork(void)
{
	return (int)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

CHILD(forks_in_odd_ways)
{
	int status;

	for (int i = 0; i < 20; i++) {
		const pid_t pid = raw_fork();

		if (pid == 0) {
			sampling_burn(5);
			_exit(sampling_stats().n_threads != 0);
		}
		CHECK_EQ(waitpid(pid, &status, 0), pid);
		CHECK_EQ(status, 0);
	}
	CHECK_EQ(daemon(1, 0), 0);
	sampling_burn(200);
	if (sampling_stats().n_samples != 0)
		CHECK_EQ(write(3, "y", 1), 1);
	exit(0);
}

TEST(daemons_are_sampled_and_raw_forks_are_not)
{
	char output[300];
	const char *const env[] = { output, "SYSCAP_SAMPLE=2000,wall", NULL };
	int ends[2];
	char said;

	SKIP_UNDER_TSAN();
	char *const dir = written_make_dir();
	snprintf(output, sizeof(output), "SYSCAP_OUTPUT=%s/capture", dir);
	CHECK_EQ(pipe2(ends, O_CLOEXEC), 0);
	written_run("forks_in_odd_ways", NULL, env, ends[1]);
	close(ends[1]);
	/* the daemon keeps the other end of the pipe until its exit */
	CHECK_EQ(read(ends[0], &said, 1), 1);
	CHECK_EQ(read(ends[0], &said, 1), 0);
	close(ends[0]);
	written_remove_dir(dir);
}

static bool is_on(int wanted)
{
	return (sampling_stats().n_threads != 0) == (wanted != 0);
}

CHILD(toggles)
{
	CHECK(is_on(0));
	for (int i = 0; i < 5; i++) {
		CHECK_EQ(kill(getpid(), SIGUSR2), 0);
		CHECK(sampling_wait(is_on, 1, 20000));
		sampling_burn(50);
		CHECK_EQ(kill(getpid(), SIGUSR2), 0);
		CHECK(sampling_wait(is_on, 0, 20000));
	}
	/* an even number of toggles changes nothing */
	for (int i = 0; i < 10; i++)
		kill(getpid(), SIGUSR2);
	sampling_sleep(200);
	CHECK(sampling_wait(is_on, 0, 20000));
}

TEST(toggle_signal_starts_and_stops_sampling)
{
	char number[8];

	snprintf(number, sizeof(number), "%d", SIGUSR2);
	CHECK(samples_of("toggles", NULL, "1000", number, NULL) > 10);
	CHECK(samples_of("toggles", NULL, NULL, number, NULL) > 10);
}

static void *burn_long(void *nothing)
{
	sampling_burn(200);
	return nothing;
}

CHILD(main_thread_leaves)
{
	pthread_t thread;

	CHECK_EQ(pthread_create(&thread, NULL, burn_long, NULL), 0);
	pthread_detach(thread);
	pthread_exit(NULL);
}

TEST(library_threads_alone_do_not_keep_the_process)
{
	char number[8];

	samples_of("main_thread_leaves", NULL, "1000", NULL, NULL);
	snprintf(number, sizeof(number), "%d", SIGUSR2);
	samples_of("main_thread_leaves", NULL, NULL, number, NULL);
}
