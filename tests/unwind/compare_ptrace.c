/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * compare_ptrace.c - tracer of a program with compare_preload.so in it.  At
 * each trap, the tracer compares the program's stack with libunwind's stack
 * from the same registers.
 *
 *	compare_ptrace PRELOAD N COMMAND...
 *
 * Kills the program after N stacks or a minute.  Finally prints the figures
 * and, for each place of a difference, the module and offset of the frame whose
 * callers differ.  If libunwind found no tables for the code of this frame, or
 * of a frame further in, libunwind has guessed.  Then the stack is not
 * comparable.  Exits 0 if there was a stack.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <libunwind-ptrace.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap/format.h>

#include "unwind/compare.h"

enum {
	THEIRS_MAX = 4096,
	PLACES_MAX = 64
};

struct target {
	pid_t pid;
	void *upt;
	volatile struct compare_stack *shared;
};

struct place { /* place of a difference */
	char from[300], ours[300], theirs[300];
	char guess[300]; /* place of code without tables further in, or empty */
	unsigned n;
};

static struct target target;
static struct place places[PLACES_MAX];
static unsigned n_places;
static unsigned n_stacks, n_others, n_equal, n_reached, n_cut, n_stopped,
	n_frames;
static unsigned n_theirs_short, n_ours_short, n_parted, n_incomparable,
	n_too_many;

static void die(const char *what)
{
	perror(what);
	if (target.pid > 0)
		kill(target.pid, SIGKILL);
	exit(2);
}

/* --- libunwind's view: its own functions, except for registers */

static int get_dyn_info_list(unw_addr_space_t as, unw_word_t *list, void *data)
{
	(void)as;
	(void)list;
	(void)data;
	return -UNW_ENOINFO;
}

static int access_reg(unw_addr_space_t as, unw_regnum_t reg, unw_word_t *value,
                      int write, void *data)
{
	(void)as;
	(void)data;
	if (write || reg < 0 || reg >= COMPARE_REGS)
		return -UNW_EBADREG;
	*value = target.shared->regs[reg];
	return 0;
}

static int access_fpreg(unw_addr_space_t as, unw_regnum_t reg,
                        unw_fpreg_t *value, int write, void *data)
{
	(void)as;
	(void)reg;
	(void)value;
	(void)write;
	(void)data;
	return -UNW_EBADREG;
}

static int resume(unw_addr_space_t as, unw_cursor_t *cursor, void *data)
{
	(void)as;
	(void)cursor;
	(void)data;
	return -UNW_EINVAL;
}

static int get_proc_name(unw_addr_space_t as, unw_word_t at, char *name,
                         size_t size, unw_word_t *offset, void *data)
{
	(void)as;
	(void)at;
	(void)name;
	(void)size;
	(void)offset;
	(void)data;
	return -UNW_ENOINFO;
}

static unw_accessors_t accessors = {
	.find_proc_info = _UPT_find_proc_info,
	.put_unwind_info = _UPT_put_unwind_info,
	.get_dyn_info_list_addr = get_dyn_info_list,
	.access_mem = _UPT_access_mem,
	.access_reg = access_reg,
	.access_fpreg = access_fpreg,
	.resume = resume,
	.get_proc_name = get_proc_name,
};

/* libunwind's stack, in syscap's form: addresses inside the call. */
static unsigned theirs(uint64_t *addrs, unw_addr_space_t as)
{
	unw_cursor_t cursor;
	unsigned n = 0;
	bool is_exact = true;

	/* Libraries may have been loaded or unloaded. */
	unw_flush_cache(as, 0, 0);
	if (unw_init_remote(&cursor, as, target.upt) != 0)
		return 0;
	do {
		unw_word_t ip;

		if (unw_get_reg(&cursor, UNW_REG_IP, &ip) != 0 || ip == 0)
			break;
		addrs[n++] = is_exact ? ip : ip - 1;
		is_exact = unw_is_signal_frame(&cursor) > 0;
	} while (n < THEIRS_MAX && unw_step(&cursor) > 0);
	return n;
}

/* --- the first different frame */

static void describe(uint64_t addr, char *text, size_t size)
{
	unsigned long long low, high, offset;
	char path[64], line[512], name[300];
	FILE *maps;

	snprintf(text, size, addr == 0 ? "nothing" : "unmapped %#llx",
	         (unsigned long long)addr);
	snprintf(path, sizeof(path), "/proc/%d/maps", (int)target.pid);
	maps = fopen(path, "r");
	while (maps != NULL && fgets(line, sizeof(line), maps) != NULL) {
		name[0] = '\0';
		if (sscanf(line, "%llx-%llx %*s %llx %*s %*s %299s", &low,
		           &high, &offset, name) < 3 ||
		    addr < low || addr >= high)
			continue;
		snprintf(text, size, "%s+%#llx",
		         name[0] ? name : "anonymous memory",
		         (unsigned long long)(addr - low + offset));
		break;
	}
	if (maps != NULL)
		fclose(maps);
}

/* Print a syscap stack that ended without the outermost frame. */
static void tell_stopped(const volatile struct compare_stack *stack)
{
	char at[300], before[300];

	describe(stack->addrs[stack->n - 1], at, sizeof(at));
	describe(stack->n > 1 ? stack->addrs[stack->n - 2] : 0, before,
	         sizeof(before));
	printf("\tsyscap stopped after %u frames at %s, the caller by "
	       "libunwind is %s\n",
	       stack->n, at, before);
}

static bool has_tables(unw_addr_space_t as, uint64_t at)
{
	unw_proc_info_t info;

	memset(&info, 0, sizeof(info));
	if (_UPT_find_proc_info(as, at, &info, 1, target.upt) != 0)
		return false;
	_UPT_put_unwind_info(as, &info, target.upt);
	return true;
}

/*
 * The first of the @n innermost frames without tables known to libunwind; 0:
 * none.  From there on libunwind guesses registers, though the next few frames
 * may not need them.
 */
static uint64_t first_guess(unw_addr_space_t as, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		if (!has_tables(as, target.shared->addrs[i]))
			return target.shared->addrs[i];
	return 0;
}

/* Frame @at is the first that differs. */
static void part(unw_addr_space_t as, unsigned at, uint64_t ours,
                 uint64_t others)
{
	const uint64_t from = at > 0 ? target.shared->addrs[at - 1] : 0;
	const uint64_t guess = first_guess(as, at);
	const bool is_guess = guess != 0;
	struct place place;

	memset(&place, 0, sizeof(place));
	describe(from, place.from, sizeof(place.from));
	if (is_guess)
		describe(guess, place.guess, sizeof(place.guess));
	describe(ours, place.ours, sizeof(place.ours));
	describe(others, place.theirs, sizeof(place.theirs));
	n_incomparable += is_guess;
	n_parted += !is_guess && ours != 0 && others != 0;
	n_ours_short += !is_guess && ours == 0;
	n_theirs_short += !is_guess && others == 0;
	for (unsigned i = 0; i < n_places; i++)
		if (strcmp(places[i].from, place.from) == 0) {
			places[i].n++;
			return;
		}
	if (n_places == PLACES_MAX) {
		n_too_many++;
		return;
	}
	place.n = 1;
	places[n_places++] = place;
}

static void compare(unw_addr_space_t as)
{
	static uint64_t others[THEIRS_MAX];
	const volatile struct compare_stack *const stack = target.shared;
	const unsigned n = theirs(others, as);
	const bool is_cut = (stack->flags & SYSCAP_STACK_CUT) != 0;
	/* Frames that were cut out are not compared. */
	const unsigned n_first = is_cut ? stack->n - 16 : stack->n;

	n_stacks++;
	n_others += stack->tid != (uint32_t)target.pid;
	n_frames += stack->n;
	n_cut += is_cut;
	n_stopped += (stack->flags & SYSCAP_STACK_STOPPED) != 0;
	n_reached += stack->flags == 0;
	if (stack->flags & SYSCAP_STACK_STOPPED)
		tell_stopped(stack);
	for (unsigned i = 0; i < n_first || (i < n && !is_cut); i++) {
		const uint64_t a = i < n_first ? stack->addrs[i] : 0;
		const uint64_t b = i < n ? others[i] : 0;

		if (a != b) {
			part(as, i, a, b);
			return;
		}
	}
	for (unsigned i = 1; is_cut && i <= 16; i++)
		if (stack->addrs[stack->n - i] != others[n - i]) {
			part(as, 0, stack->addrs[stack->n - i], others[n - i]);
			return;
		}
	n_equal++;
}

/* --- the program */

static pid_t start(const char *preload, char **command)
{
	const int fd = memfd_create("compare", 0);
	char number[16];
	pid_t pid;

	if (fd < 0 || ftruncate(fd, sizeof(struct compare_stack)) != 0)
		die("memfd_create");
	target.shared = mmap(NULL, sizeof(struct compare_stack),
	                     PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (target.shared == MAP_FAILED)
		die("mmap");
	fflush(stdout);
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0) {
		snprintf(number, sizeof(number), "%d", fd);
		setenv("COMPARE_FD", number, 1);
		setenv("LD_PRELOAD", preload, 1);
		if (freopen("/dev/null", "w", stdout) == NULL)
			_exit(127);
		raise(SIGSTOP);
		execvp(command[0], command);
		perror(command[0]);
		_exit(127);
	}
	close(fd);
	return pid;
}

/* Returns the signal with which to continue thread @tid after a stop with
 * @status. */
static int on_stop(pid_t tid, int status, unw_addr_space_t as)
{
	const int event = status >> 16, signal = WSTOPSIG(status);

	if (event != 0)
		return 0;
	if (signal == SIGTRAP && target.shared->is_there &&
	    target.shared->tid == (uint32_t)tid) {
		target.upt = _UPT_create(tid);
		compare(as);
		_UPT_destroy(target.upt);
		target.shared->is_there = 0;
		return 0;
	}
	return signal == SIGSTOP || signal == SIGTRAP ? 0 : signal;
}

/* Ends a sleeping program, which may give no new stacks. */
static void on_alarm(int signal)
{
	(void)signal;
	kill(target.pid, SIGKILL);
}

static void run(unsigned n_wanted)
{
	const unw_addr_space_t as = unw_create_addr_space(&accessors, 0);
	int status;
	pid_t tid;

	unw_set_caching_policy(as, UNW_CACHE_GLOBAL);
	if (waitpid(target.pid, &status, WUNTRACED) < 0 ||
	    ptrace(PTRACE_SEIZE, target.pid, NULL,
	           PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL) != 0)
		die("ptrace");
	kill(target.pid, SIGCONT);
	signal(SIGALRM, on_alarm);
	alarm(60);
	while ((tid = waitpid(-1, &status, __WALL)) > 0) {
		if (WIFEXITED(status) || WIFSIGNALED(status)) {
			if (tid == target.pid && WIFSIGNALED(status) &&
			    WTERMSIG(status) != SIGKILL)
				printf("ended by signal %d\n",
				       WTERMSIG(status));
			if (tid == target.pid)
				break;
			continue;
		}
		const int signal = on_stop(tid, status, as);

		if (n_stacks >= n_wanted) {
			kill(target.pid, SIGKILL);
			break;
		}
		if (ptrace(PTRACE_CONT, tid, NULL, (void *)(long)signal) != 0 &&
		    errno != ESRCH)
			die("PTRACE_CONT");
	}
	unw_destroy_addr_space(as);
}

static void report(void)
{
	printf("%u stacks, %.1f frames each: %u reached the outermost, "
	       "%u stopped, %u cut\n",
	       n_stacks, n_stacks ? (double)n_frames / n_stacks : 0, n_reached,
	       n_stopped, n_cut);
	printf("%u of other threads than the first\n", n_others);
	printf("libunwind: %u equal, %u part, syscap goes further in %u, "
	       "libunwind in %u\n",
	       n_equal, n_parted, n_theirs_short, n_ours_short);
	printf("%u not comparable: they part in code without tables\n",
	       n_incomparable);
	for (unsigned i = 0; i < n_places; i++)
		printf("\t%u times, from %s%s%s:\n\t\tours %s\n"
		       "\t\ttheirs %s\n",
		       places[i].n, places[i].from,
		       places[i].guess[0] != '\0' ? ", behind " : "",
		       places[i].guess, places[i].ours, places[i].theirs);
	if (n_too_many > 0)
		printf("\tand %u more\n", n_too_many);
}

int main(int argc, char **argv)
{
	if (argc < 4) {
		fprintf(stderr, "compare_ptrace PRELOAD N COMMAND...\n");
		return 2;
	}
	target.pid = start(argv[1], argv + 3);
	run((unsigned)strtoul(argv[2], NULL, 10));
	report();
	return n_stacks > 0 ? 0 : 1;
}
