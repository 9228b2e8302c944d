/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_in_use_often.c - commands on a capture at random moments, while its
 * process writes it, or after its kill.  Each command is refused with the
 * process's pid, or succeeds; and no event is lost.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap.h>

#include "harness/peer.h"
#include "harness/test.h"
#include "harness/written.h"
#include "integration/commands.h"

#define TRIALS 1000u
#define FEW    12u

/* ------------------------------------------------------------- the child */

/* The number of published marks, in a file that outlives the child. */
static uint32_t *map_sent(const char *dir)
{
	char *const path = commands_name(dir, "sent");
	const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	CHECK(fd >= 0);
	CHECK_EQ(ftruncate(fd, 64), 0);
	uint32_t *const sent =
		mmap(NULL, 64, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(sent != MAP_FAILED);
	close(fd);
	free(path);
	return sent;
}

/* Emits in bursts until the file "go" exists. */
static void emit_until_told(const char *dir)
{
	char *const go = commands_name(dir, "go");
	uint32_t *const sent = map_sent(dir);
	unsigned n = 0;

	sent[1] = (uint32_t)getpid();
	while (access(go, F_OK) != 0) {
		for (unsigned i = 0; i < 50; i++) {
			written_mark(0, n++);
			__atomic_store_n(&sent[0], n, __ATOMIC_RELEASE);
		}
		/* a busy machine may delay the first batch */
		while (syscap_drain() == -EAGAIN && n == 50)
			test_sleep_ms(1);
		if (n == 50)
			commands_touch(dir, "ready");
		test_sleep_ms(2);
	}
	free(go);
}

static const char *begin(char *path, size_t size)
{
	struct syscap_options options = { .size = sizeof(options) };
	const char *const dir = peer_arg() + 1;

	snprintf(path, size, "%s/x", dir);
	options.output = path;
	if (peer_arg()[0] == 's')
		CHECK_EQ(syscap_start(&options), 0);
	return dir;
}

CHILD(goes_on)
{
	char path[300];

	emit_until_told(begin(path, sizeof(path)));
}

/* AddressSanitizer's allocator lock may be held by another thread at fork().
 * Then the search for leaks at the child's exit waits forever. */
const char *__asan_default_options(void);

__attribute__((visibility("default"))) const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}

/* The child writes after its parent's end. */
CHILD(goes_on_in_a_child)
{
	char path[300];
	const char *const dir = begin(path, sizeof(path));

	written_mark(1, 0);
	if (fork() == 0)
		emit_until_told(dir);
}

/* ----------------------------------------------------------------- trials */

enum mode {
	TRACE,
	TRACE_APPEND,
	TRACE_WRITE_ONLY,
	TRACE_NO_THREAD,
	OUTPUT,
	OUTPUT_NO_THREAD,
	START,
	MODES
};

enum state {
	ALIVE,
	IN_A_CHILD,
	KILLED,
	STATES
};

struct trial {
	enum mode mode;
	enum state state;
	char *dir, name[64]; /* name: name of the capture, in dir */
	uint32_t *sent;
	pid_t first, writer;
};

static const char *const writing[] = {
	"symbolize %s",
	"symbolize --force -q %s",
	"symbolize -o %s other",
	"cat -o %s other",
	"cat --force -o %s other",
	"record -o %s -- true",
	"record --force -qo %s -- true",
	"recover %s",
	"export -f folded -o %s other",
	"flamegraph -o %s other",
	"import -f folded -o %s stacks",
};
#define N_WRITING (sizeof(writing) / sizeof(*writing))

static const char *const reading[] = {
	"stat %s",        "dump %s >all",         "check %s",
	"cat -o copy %s", "symbolize -o copy %s",
};
#define N_READING (sizeof(reading) / sizeof(*reading))

static int open_trace(const struct trial *trial)
{
	static const int flags[] = { O_RDWR, O_WRONLY | O_APPEND, O_WRONLY,
		                     O_RDWR };
	char *const path = commands_name(trial->dir, "x");
	const int fd =
		open(path, flags[trial->mode] | O_CREAT | O_CLOEXEC, 0600);

	CHECK(fd >= 0);
	free(path);
	return fd;
}

/* Waits for the capture, which a child continues to write. */
static void await_capture(const struct trial *trial)
{
	char *const path = commands_name(trial->dir, trial->name);
	struct stat st;

	while (stat(path, &st) != 0 || st.st_size == 0)
		test_sleep_ms(1);
	free(path);
}

/* A child whose parent ended before the child's first event has a capture of its
 * own. */
static void choose_capture(struct trial *trial)
{
	snprintf(trial->name, sizeof(trial->name), "x.%d", (int)trial->writer);
	char *const own = commands_name(trial->dir, trial->name);
	if (access(own, F_OK) != 0)
		snprintf(trial->name, sizeof(trial->name), "x");
	free(own);
}

static void start(struct trial *trial)
{
	char variable[400], arg[300];
	const char *const env[] = {
		variable,
		trial->mode == TRACE_NO_THREAD ||
				trial->mode == OUTPUT_NO_THREAD
			? "SYSCAP_THREAD=0"
			: "SYSCAP_THREAD=1",
		NULL,
	};
	const bool is_trace = trial->mode < OUTPUT;
	const int fd = is_trace ? open_trace(trial) : -1;

	snprintf(variable, sizeof(variable),
	         is_trace               ? "SYSPROF_TRACE_FD=3"
	         : trial->mode == START ? "LC_ALL=C"
	                                : "SYSCAP_OUTPUT=%s/x",
	         trial->dir);
	snprintf(arg, sizeof(arg), "%c%s", trial->mode == START ? 's' : '-',
	         trial->dir);
	trial->first = written_start(
		trial->state == IN_A_CHILD ? "goes_on_in_a_child" : "goes_on",
		arg, env, fd);
	if (fd >= 0)
		close(fd);
	commands_await(trial->dir, "ready");
	/* The parent holds its lock until its end */
	if (trial->state == IN_A_CHILD)
		CHECK_EQ(written_wait(trial->first), 0);
	trial->sent = map_sent(trial->dir);
	trial->writer = (pid_t)trial->sent[1];
	choose_capture(trial);
	await_capture(trial);
}

static void choose_line(const struct trial *trial, const char *const *lines,
                        unsigned n, char *line, size_t size)
{
	const char *const form = lines[(unsigned)rand() % n];
	const char *const at = strstr(form, "%s");

	snprintf(line, size, "%.*s%s%s", (int)(at - form), form, trial->name,
	         at + 2);
}

static void use_live(const struct trial *trial)
{
	struct commands_said said;
	char line[200], who[32];

	snprintf(who, sizeof(who), "process %d (", (int)trial->writer);
	for (unsigned i = 0; i < 3; i++) {
		choose_line(trial, writing, N_WRITING, line, sizeof(line));
		commands_run(trial->dir, line, &said);
		if ((said.status != 1 && said.status != 125) ||
		    strstr(said.text, who) == NULL)
			test_fail(__FILE__, __LINE__,
			          "mode %d, state %d: syscap %s: %d: %s",
			          trial->mode, trial->state, line, said.status,
			          said.text);
		choose_line(trial, reading, N_READING, line, sizeof(line));
		commands_run_well(trial->dir, line);
	}
}

static void check_capture(const struct trial *trial)
{
	char *const path = commands_name(trial->dir, trial->name);
	const uint32_t sent =
		__atomic_load_n(&trial->sent[0], __ATOMIC_ACQUIRE);
	char *const before = commands_name(trial->dir, "x");
	struct tally t;

	/* The parent's capture may hold early marks of the child */
	if (strcmp(path, before) != 0) {
		written_tally(before, &t);
		written_tally_more(path, &t);
	} else {
		written_tally(path, &t);
	}
	free(before);
	if (t.gaps + t.doubles + t.unnamed != 0 || t.torn_at != 0 ||
	    (t.emitters[0] < sent &&
	     (trial->state != KILLED || trial->mode >= OUTPUT)))
		test_fail(__FILE__, __LINE__,
		          "mode %d, state %d: %u of %u, %u missing, %u twice, "
		          "%u before their process",
		          trial->mode, trial->state, t.emitters[0], sent,
		          t.gaps, t.doubles, t.unnamed);
	free(path);
}

/* `symbolize` writes into the capture, or requires `recover` first. */
static void use_killed(const struct trial *trial)
{
	struct commands_said said;

	for (unsigned i = 0; i < 2; i++) {
		commands_run(trial->dir, "symbolize x", &said);
		if (said.status != 0 &&
		    (said.status != 1 ||
		     (strstr(said.text, "run 'syscap recover' first") == NULL &&
		      strstr(said.text, "at byte") == NULL)))
			test_fail(__FILE__, __LINE__,
			          "mode %d: syscap symbolize: %d: %s",
			          trial->mode, said.status, said.text);
		commands_run_well(trial->dir, "recover x");
	}
	commands_run_well(trial->dir, "check x");
}

static void finish(const struct trial *trial)
{
	if (trial->state == KILLED) {
		test_sleep_ms(rand() % 20);
		kill(trial->first, SIGKILL);
		CHECK_EQ(written_wait(trial->first), SIGKILL);
		use_killed(trial);
		return;
	}
	commands_touch(trial->dir, "go");
	if (trial->state == ALIVE)
		CHECK_EQ(written_wait(trial->first), 0);
	/* the writer is no child of this test */
	while (trial->state == IN_A_CHILD && kill(trial->writer, 0) == 0)
		test_sleep_ms(2);
}

static void try(unsigned n)
{
	struct trial trial = { .mode = n % MODES, .state = n / MODES % STATES };

	trial.dir = written_make_dir();
	commands_make_other(trial.dir);
	start(&trial);
	test_sleep_ms(rand() % 10);
	if (trial.state != KILLED || rand() % 2 == 0)
		use_live(&trial);
	finish(&trial);
	check_capture(&trial);
	munmap(trial.sent, 64);
	written_remove_dir(trial.dir);
}

TEST(whatever_meets_a_capture_that_is_written_loses_nothing_of_it)
{
	const unsigned long long seed = test_seed();

	srand((unsigned)seed);
	if (test_is_whole())
		for (unsigned i = 0; i < TRIALS; i++)
			try(i);
	else
		for (unsigned i = 0; i < FEW; i++)
			try((unsigned)seed % TRIALS + i * 5);
}
