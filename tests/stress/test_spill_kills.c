/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_spill_kills.c - kills in a transfer, and in the repair by the next
 * process.
 *
 * A root process forks victims, which use its rings and its capture.  The root
 * steps a victim through a transfer, kills it, and lets another victim or
 * itself transfer.  Each mark of a dead process must be in the capture once,
 * and each counted loss must be reported once.  Kills are at the instructions
 * of a batch, while its journal is unfinished, and at the other system calls.
 *
 * A file size limit ends the batch of some victims inside a frame, so a kill
 * before the cut leaves a torn batch.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap.h>
#include <syscap/capture.h>

#include "capture/recover.h"
#include "emit/loss.h"
#include "emit/process.h"
#include "emit/thread.h"
#include "harness/peer.h"
#include "harness/test.h"
#include "harness/written.h"
#include "ring/clock.h"
#include "session/session.h"

/* Marks and losses of each victim after its first transfer */
#define N_MARKS 4u
/* Positions of the first kill before a kill of the repair */
#define N_FIRST   3u
#define MARKS_MAX (1u << 17)

/* --------------------------------------------------------------- the root */

static unsigned n_sent, n_lost, n_kills;
static unsigned short_at; /* bytes that a victim may write; 0: any */

/* Let the next batch end after @n bytes. */
static void limit_file(unsigned n)
{
	struct syscap_stats stats = { .size = sizeof(stats) };
	struct stat st;

	syscap_get_stats(&stats);
	if ((*stats.output != '\0' ? stat(stats.output, &st) : fstat(3, &st)) !=
	    0)
		_exit(10);
	const rlim_t most = (rlim_t)st.st_size + n;
	if (setrlimit(RLIMIT_FSIZE, &(struct rlimit){ most, RLIM_INFINITY }) !=
	    0)
		_exit(11);
}

static void emit(unsigned from, unsigned n)
{
	while (n-- != 0)
		written_mark(0, from++);
}

/* Transfers, between two stops. */
static void be_victim(unsigned from)
{
	emit(from, 1);
	syscap_drain();
	emit(from + 1, N_MARKS - 1);
	/* One loss of the ring, and one outside of rings */
	syc_loss_count(syc_state_of(syc_self), SYSCAP_FRAME_MARK, 24,
	               syc_clock_kernel());
	if (!syc_session_count_stray(SYSCAP_FRAME_MARK, 24, syc_clock_kernel()))
		_exit(1);
	if (short_at != 0)
		limit_file(short_at);
	ptrace(PTRACE_TRACEME, 0, NULL, NULL);
	raise(SIGSTOP);
	syscap_drain();
	raise(SIGSTOP);
	_exit(0);
}

/* Fork a victim, which has stopped before its transfer. */
static pid_t start_victim(void)
{
	int status;
	const pid_t pid = fork();

	if (pid == 0)
		be_victim(n_sent);
	n_sent += N_MARKS;
	n_lost += 2;
	if (waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
		_exit(2);
	return pid;
}

static bool is_in_batch(void)
{
	const struct syc_session *const s = syc_process->session;

	return __atomic_load_n(&s->journal->state, __ATOMIC_ACQUIRE) ==
	       SYC_JOURNAL_UNDER_WAY;
}

/*
 * Kill @pid at its @n-th step.  A step is an instruction within a batch, else
 * the begin or end of a system call.  If @of_batch, only steps within batches
 * count.
 * False: the transfer has fewer.  *ret_n: number of counted steps.
 */
static bool kill_after(pid_t pid, unsigned n, bool of_batch, unsigned *ret_n)
{
	unsigned made = 0;
	bool goes_on = true;
	int status;

	while (goes_on && made < n) {
		if (ptrace(is_in_batch() ? PTRACE_SINGLESTEP : PTRACE_SYSCALL,
		           pid, NULL, NULL) != 0 ||
		    waitpid(pid, &status, 0) != pid || !WIFSTOPPED(status))
			_exit(3);
		goes_on = WSTOPSIG(status) == SIGTRAP;
		made += goes_on && (!of_batch || is_in_batch());
	}
	kill(pid, SIGKILL);
	if (waitpid(pid, &status, 0) != pid)
		_exit(4);
	if (ret_n != NULL)
		*ret_n = made;
	n_kills++;
	return goes_on;
}

/* A child that runs as long as the root, and emits a mark for each byte. */
static int to_live, from_live;
static pid_t live;

static void start_live(void)
{
	int to[2], from[2];
	unsigned n;

	if (pipe2(to, O_CLOEXEC) != 0 || pipe2(from, O_CLOEXEC) != 0)
		_exit(5);
	live = fork();
	if (live == 0) {
		close(to[1]);
		close(from[0]);
		while (read(to[0], &n, sizeof(n)) == sizeof(n)) {
			written_mark(0, n);
			if (write(from[1], "", 1) != 1)
				_exit(6);
		}
		exit(0);
	}
	close(to[0]);
	close(from[1]);
	to_live = to[1];
	from_live = from[0];
}

static void end_live(void)
{
	int status;

	close(to_live);
	close(from_live);
	if (waitpid(live, &status, 0) != live || status != 0)
		_exit(7);
}

/* The next process transfers after a kill. */
static void transfer(void)
{
	const unsigned n = n_sent++;
	char byte;

	emit(n_sent++, 1);
	syscap_drain();
	if (write(to_live, &n, sizeof(n)) != sizeof(n) ||
	    read(from_live, &byte, 1) != 1)
		_exit(8);
}

static void note_sent(void)
{
	FILE *const file = fopen(peer_arg(), "w");

	if (file == NULL || fprintf(file, "%u %u", n_sent, n_lost) < 0 ||
	    fclose(file) != 0)
		_exit(9);
}

static void begin(void)
{
	emit(n_sent++, 1); /* makes the session that the children join */
	start_live();
	transfer();
	n_kills = 0;
}

static unsigned stride(unsigned n)
{
	if (test_is_sanitized())
		return 10 * n;
	return test_is_whole() ? 1 : n;
}

CHILD(victims)
{
	unsigned n_batch, n_all, by;

	begin();
	kill_after(start_victim(), UINT_MAX, true, &n_batch);
	transfer();
	kill_after(start_victim(), UINT_MAX, false, &n_all);
	transfer();
	by = stride(n_batch / 100 + 1);
	for (unsigned n = 1 + (unsigned)test_seed() % by;
	     kill_after(start_victim(), n, true, NULL); n += by)
		transfer();
	transfer();
	by = stride(n_all / 40 + 1);
	for (unsigned n = 1 + (unsigned)test_seed() % by;
	     kill_after(start_victim(), n, false, NULL); n += by)
		transfer();
	transfer();
	fprintf(stderr, "%u kills, %u steps, %u instructions in batches\n",
	        n_kills, n_all, n_batch);
	end_live();
	note_sent();
}

/* The first batch has N_MARKS - 1 frames of 128 bytes. */
#define FIRST_BATCH ((N_MARKS - 1) * 128u)

CHILD(short_victims)
{
	unsigned n_batch;

	begin();
	short_at = FIRST_BATCH - 1;
	kill_after(start_victim(), UINT_MAX, true, &n_batch);
	transfer();
	const unsigned by = stride(n_batch / 60 + 1);
	for (unsigned n = 1 + (unsigned)test_seed() % by; n <= n_batch;
	     n += by) {
		/* This batch has whole frames before the torn frame */
		short_at = 1 + n * 37 % (FIRST_BATCH - 1);
		kill_after(start_victim(), n, true, NULL);
		transfer();
	}
	fprintf(stderr, "%u kills, %u instructions in batches\n", n_kills,
	        n_batch);
	end_live();
	note_sent();
}

CHILD(repairing_victims)
{
	unsigned n_batch, n_all, by;
	pid_t next;

	begin();
	kill_after(start_victim(), UINT_MAX, true, &n_batch);
	for (unsigned i = test_is_sanitized(); i < N_FIRST;
	     i += test_is_sanitized() ? 3 : 1) {
		const unsigned at = 1 + (n_batch - 1) * i / (N_FIRST - 1);
		bool goes_on = true;

		next = start_victim();
		kill_after(start_victim(), at, true, NULL);
		kill_after(next, UINT_MAX, false, &n_all);
		transfer();
		by = n_all / (test_is_whole()       ? 200
		              : test_is_sanitized() ? 2
		                                    : 12) +
		     1;
		for (unsigned n = 1 + (unsigned)test_seed() % by; goes_on;
		     n += by) {
			next = start_victim();
			kill_after(start_victim(), at, true, NULL);
			goes_on = kill_after(next, n, false, NULL);
			transfer();
		}
	}
	fprintf(stderr, "%u kills\n", n_kills);
	end_live();
	note_sent();
}

/* No process remains that could repair. */
CHILD(last_victims)
{
	unsigned n_batch, n_all;

	emit(n_sent++, 1);
	syscap_drain();
	kill_after(start_victim(), UINT_MAX, true, &n_batch);
	kill_after(start_victim(), UINT_MAX, false, &n_all);
	srandom((unsigned)test_seed() + (unsigned)getppid() +
	        (unsigned)strlen(peer_arg()));
	const pid_t next = start_victim();
	kill_after(start_victim(), 1 + (unsigned)random() % n_batch, true,
	           NULL);
	kill_after(next, 1 + (unsigned)random() % n_all, false, NULL);
	note_sent();
	raise(SIGKILL);
}

/* ------------------------------------------------------------------ tests */

static void count(const struct syscap_frame *frame, unsigned char *received,
                  unsigned long long *lost)
{
	unsigned long long frames;
	unsigned emitter, n;

	if (frame->type != SYSCAP_FRAME_MARK)
		return;
	if (strcmp(frame->mark.name, "lost") == 0 &&
	    sscanf(frame->mark.message, "frames=%llu", &frames) == 1)
		*lost += frames;
	if (strcmp(frame->mark.group, "test") != 0 ||
	    sscanf(frame->mark.message, "%u %u", &emitter, &n) != 2)
		return;
	CHECK(n < MARKS_MAX);
	received[n]++;
}

/* Checks that each mark and each loss is in the capture once. */
static void check_capture(const char *path, const char *notes)
{
	static unsigned char received[MARKS_MAX];
	unsigned long long lost = 0;
	struct syscap_reader *reader;
	struct syscap_frame frame;
	unsigned sent, losses, n_wrong = 0;
	FILE *const file = fopen(notes, "r");
	int r;

	CHECK(file != NULL);
	CHECK_EQ(fscanf(file, "%u %u", &sent, &losses), 2);
	fclose(file);
	CHECK(sent < MARKS_MAX);
	memset(received, 0, sizeof(received));
	CHECK_EQ(syscap_reader_open(path, &reader, NULL), 0);
	while ((r = syscap_reader_next(reader, &frame, NULL)) > 0)
		count(&frame, received, &lost);
	syscap_reader_close(reader);
	CHECK_EQ(r, 0);
	for (unsigned n = 0; n < sent; n++) {
		if (received[n] != 1 && n_wrong++ < 5)
			fprintf(stderr, "mark %u came %u times\n", n,
			        received[n]);
	}
	CHECK_EQ(n_wrong, 0);
	CHECK_EQ(lost, losses);
}

static int run(const char *child, bool is_output, const char *dir)
{
	char variable[400], path[300], notes[300];
	const char *const env[] = { variable, "SYSCAP_RING_KIB=64", NULL };
	int fd = -1;

	snprintf(path, sizeof(path), "%s/out", dir);
	snprintf(notes, sizeof(notes), "%s/notes", dir);
	snprintf(variable, sizeof(variable), "SYSCAP_OUTPUT=%s", path);
	if (!is_output) {
		strcpy(variable, "SYSPROF_TRACE_FD=3");
		fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
		CHECK(fd >= 0);
	}
	const int status = written_wait(written_start(child, notes, env, fd));
	if (fd >= 0)
		close(fd);
	return status;
}

static void run_well(const char *child, bool is_output)
{
	char *const dir = written_make_dir();
	char path[300], notes[300];

	CHECK_EQ(run(child, is_output, dir), 0);
	snprintf(path, sizeof(path), "%s/out", dir);
	snprintf(notes, sizeof(notes), "%s/notes", dir);
	check_capture(path, notes);
	written_remove_dir(dir);
}

TEST(a_kill_in_a_transfer_into_an_output)
{
	run_well("victims", true);
}

TEST(a_kill_in_a_transfer_into_a_trace)
{
	run_well("victims", false);
}

TEST(a_kill_in_a_short_write_into_an_output)
{
	run_well("short_victims", true);
}

TEST(a_kill_in_a_short_write_into_a_trace)
{
	run_well("short_victims", false);
}

TEST(a_kill_in_the_repair_of_an_output)
{
	run_well("repairing_victims", true);
}

TEST(a_kill_in_the_repair_of_a_trace)
{
	run_well("repairing_victims", false);
}

TEST(a_recovery_after_kills_of_all_processes)
{
	struct syc_recovered recovered;
	struct syscap_error error;

	for (unsigned i = 0; i < (test_is_whole() ? 100 : 6); i++) {
		char *const dir = written_make_dir();
		char path[300], notes[300];

		CHECK_EQ(run("last_victims", true, dir), SIGKILL);
		snprintf(path, sizeof(path), "%s/out", dir);
		snprintf(notes, sizeof(notes), "%s/notes", dir);
		check_capture(path, notes);
		if (syc_recover(path, false, &recovered, &error) != 0)
			test_fail(__FILE__, __LINE__, "%s", error.message);
		check_capture(path, notes);
		written_remove_dir(dir);
	}
}
