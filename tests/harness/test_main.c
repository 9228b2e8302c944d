/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_main.c - runner of the tests, each in a child process.
 *
 * A shared page holds data for which the exit status of the child is too small.
 * The data are the reason of a skip, and a failed check in a process whose exit
 * status was not read.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "harness/test.h"

#define EXIT_SKIP 77
#define MAX_FDS   4096

/* peer.c defines this function, which runs a CHILD and exits if this process
 * was started for a CHILD. */
void peer_become_child(void) __attribute__((weak));

extern const struct test *const __start_syscap_tests[];
extern const struct test *const __stop_syscap_tests[];

struct verdict {
	int failed; /* atomic; set by the process of the check */
	char skip_reason[200];
};

struct fd_set_seen {
	unsigned char is_open[MAX_FDS];
};

static struct verdict *verdict;   /* shared with all children */
static const struct test **tests; /* the selected tests, in source order */
static bool forking = true;
static long timeout_s = 60;

/* Environment variables, for programs that a test starts. */
#define SEED  "SYSCAP_TEST_SEED"
#define WHOLE "SYSCAP_TEST_WHOLE"
#define UNTIL "SYSCAP_TEST_UNTIL" /* test_has_time() */

static long long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

/* A signal handler may call this function, since vsnprintf is for plain
 * conversions. */
void test_fail(const char *file, int line, const char *format, ...)
{
	char text[1024];
	va_list args;
	size_t len;

	__atomic_store_n(&verdict->failed, 1, __ATOMIC_SEQ_CST);
	snprintf(text, sizeof(text) - 1, "%s:%d: failed: ", file, line);
	len = strlen(text);
	va_start(args, format);
	vsnprintf(text + len, sizeof(text) - 1 - len, format, args);
	va_end(args);
	strcat(text, "\n");
	if (write(STDERR_FILENO, text, strlen(text)) < 0 || !forking)
		abort(); /* --no-fork, for a debugger */
	_exit(1);
}

void test_check_eq(const char *file, int line, const char *what, long long a,
                   long long b)
{
	if (a != b)
		test_fail(file, line,
		          "CHECK_EQ(%s): %lld (%#llx), %lld (%#llx)", what, a,
		          (unsigned long long)a, b, (unsigned long long)b);
}

void test_check_str(const char *file, int line, const char *what, const char *a,
                    const char *b)
{
	if (a == b || (a && b && strcmp(a, b) == 0))
		return;
	test_fail(file, line, "CHECK_STR(%s):\n\t\"%s\"\n\t\"%s\"", what,
	          a ? a : "(null)", b ? b : "(null)");
}

void test_skip(const char *reason)
{
	snprintf(verdict->skip_reason, sizeof(verdict->skip_reason), "%s",
	         reason);
	if (!forking)
		printf("skip: %s\n", reason);
	exit(EXIT_SKIP);
}

unsigned long long test_seed(void)
{
	static bool told;
	const char *const text = getenv(SEED);
	const unsigned long long seed =
		text != NULL ? strtoull(text, NULL, 10) : 1;

	if (!told)
		fprintf(stderr, "seed %llu; repeat with --seed\n", seed);
	told = true;
	return seed;
}

bool test_is_whole(void)
{
	return getenv(WHOLE) != NULL;
}

bool test_has_time(void)
{
	const char *const until = getenv(UNTIL);

	return until == NULL || now_ms() < strtoll(until, NULL, 10);
}

void test_execute_itself(const char *name)
{
	const char *const runner = getenv("SYSCAP_TEST_RUNNER");
	char self[4096];
	const ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (runner == NULL || n < 0) {
		execl("/proc/self/exe", name, (char *)NULL);
		return;
	}
	self[n] = 0;
	execlp(runner, runner, "-0", name, self, (char *)NULL);
}

void test_sleep_ms(long ms)
{
	const struct timespec time = { ms / 1000, ms % 1000 * 1000000 };

	nanosleep(&time, NULL);
}

bool test_is_sanitized(void)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	return true;
#elif defined(__has_feature)
	return __has_feature(address_sanitizer) ||
	       __has_feature(thread_sanitizer);
#else
	return false;
#endif
}

static void list_fds(struct fd_set_seen *seen)
{
	DIR *dir = opendir("/proc/self/fd");
	struct dirent *entry;

	memset(seen, 0, sizeof(*seen));
	while (dir && (entry = readdir(dir))) {
		const long fd = strtol(entry->d_name, NULL, 10);

		if (entry->d_name[0] != '.' && fd < MAX_FDS && fd != dirfd(dir))
			seen->is_open[fd] = 1;
	}
	if (dir)
		closedir(dir);
}

static void fail_on_new_fds(const struct test *test,
                            const struct fd_set_seen *before)
{
	static struct fd_set_seen after;
	char link[64], target[200];
	int fd;

	list_fds(&after);
	for (fd = 0; fd < MAX_FDS; fd++) {
		if (!after.is_open[fd] || before->is_open[fd])
			continue;
		snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		const ssize_t n = readlink(link, target, sizeof(target) - 1);

		target[n > 0 ? n : 0] = '\0';
		test_fail(test->file, test->line,
		          "descriptor %d (%s) is still open", fd, target);
	}
}

/* Use exit(), not _exit(), so that LeakSanitizer and the library's exit run,
 * too. */
static void run_here(const struct test *test)
{
	static struct fd_set_seen before;
	const pid_t pid = getpid();

	list_fds(&before);
	test->run();
	if (getpid() != pid)
		test_fail(test->file, test->line,
		          "a forked child returned from the test");
	fail_on_new_fds(test, &before);
}

static void run_in_child(const struct test *test, const sigset_t *mask)
{
	const struct rlimit no_core = { 0, 0 };
	char text[24];

	snprintf(text, sizeof(text), "%lld", now_ms() + timeout_s * 1000 / 5);
	if (!test_is_whole())
		setenv(UNTIL, text, 1);
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	if (test->must_fail) {
		setrlimit(RLIMIT_CORE, &no_core);
		if (!freopen("/dev/null", "w", stderr))
			_exit(0);
	}
	run_here(test);
	exit(0);
}

#define MOST_LOAD 20 /* limit of the time of a test that hangs */

/* Number of runnable threads per processor now; at least 1. */
static double load_now(void)
{
	FILE *const file = fopen("/proc/loadavg", "r");
	double n_running = 1;

	if (file == NULL)
		return 1;
	if (fscanf(file, "%*f %*f %*f %lf", &n_running) != 1)
		n_running = 1;
	fclose(file);
	/* One of the runnable threads is this process */
	n_running = (n_running - 1) / (double)sysconf(_SC_NPROCESSORS_ONLN);
	if (n_running > MOST_LOAD)
		return MOST_LOAD;
	return n_running > 1 ? n_running : 1;
}

/*
 * Returns the wait status, or -1 at the time limit, which is longer on a busy
 * machine.  A zombie keeps its pid, and so the id of the process group, until
 * waitpid().  So this function first kills the group, with any process that the
 * test left running.
 */
static int wait_for_child(pid_t pid, const sigset_t *sigchld)
{
	double left_ms = (double)timeout_s * 1000;
	long long then = now_ms();
	siginfo_t info = { 0 };
	int status;

	for (;;) {
		const long ms = left_ms < 1000 ? (long)left_ms : 1000;
		const struct timespec ts = { ms / 1000, ms % 1000 * 1000000 };

		waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT);
		if (info.si_pid == pid || left_ms < 1)
			break;
		sigtimedwait(sigchld, NULL, &ts);
		const long long now = now_ms();
		left_ms -= (double)(now - then) / load_now();
		then = now;
	}
	kill(-pid, SIGKILL);
	kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return info.si_pid == pid ? status : -1;
}

/* Returns a description of the failure, or NULL. */
static const char *judge(int status, char *text, size_t size)
{
	if (status == -1)
		snprintf(text, size, "not done after %ld s", timeout_s);
	else if (WIFSIGNALED(status))
		snprintf(text, size, "killed by signal %d (%s)",
		         WTERMSIG(status), strsignal(WTERMSIG(status)));
	else if (WEXITSTATUS(status) != 0)
		snprintf(text, size, "exit status %d", WEXITSTATUS(status));
	else if (__atomic_load_n(&verdict->failed, __ATOMIC_SEQ_CST))
		snprintf(text, size, "a check failed in another process");
	else
		return NULL;
	return text;
}

enum outcome {
	PASSED,
	FAILED,
	SKIPPED
};

static enum outcome run_test(const struct test *test, const sigset_t *sigchld,
                             const sigset_t *mask)
{
	const long long start = now_ms();
	const char *why;
	char text[100];
	int status;
	pid_t pid;

	memset(verdict, 0, sizeof(*verdict));
	fflush(NULL);
	pid = fork();
	if (pid < 0) {
		printf("FAIL %s: fork: %s\n", test->name, strerror(errno));
		return FAILED;
	}
	if (pid == 0)
		run_in_child(test, mask);
	status = wait_for_child(pid, sigchld);

	if (status != -1 && WIFEXITED(status) &&
	    WEXITSTATUS(status) == EXIT_SKIP && !verdict->failed) {
		printf("skip %s: %s\n", test->name, verdict->skip_reason);
		return SKIPPED;
	}
	why = judge(status, text, sizeof(text));
	if (test->must_fail)
		why = why ? NULL : "the test passed, but must fail";
	if (why) {
		printf("FAIL %s: %s\n", test->name, why);
		return FAILED;
	}
	printf("ok   %s (%lld ms)\n", test->name, now_ms() - start);
	return PASSED;
}

static int by_place(const void *a, const void *b)
{
	const struct test *x = *(const struct test *const *)a;
	const struct test *y = *(const struct test *const *)b;
	const int order = strcmp(x->file, y->file);

	return order ? order : x->line - y->line;
}

/* Fill `tests` with the named tests, or all tests.  Returns the number of
 * tests. */
static size_t select_tests(char **names)
{
	const struct test *const *p;
	size_t n = 0;

	for (p = __start_syscap_tests; p < __stop_syscap_tests; p++) {
		char **name = names;

		while (*name && strcmp(*name, (*p)->name) != 0)
			name++;
		if (!*names || *name)
			tests[n++] = *p;
	}
	qsort(tests, n, sizeof(*tests), by_place);
	return n;
}

static int run_all(size_t n)
{
	size_t counts[3] = { 0 };
	sigset_t sigchld, mask;
	size_t i;

	sigemptyset(&sigchld);
	sigaddset(&sigchld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &sigchld, &mask);
	for (i = 0; i < n; i++)
		counts[run_test(tests[i], &sigchld, &mask)]++;
	printf("%zu passed, %zu failed, %zu skipped\n", counts[PASSED],
	       counts[FAILED], counts[SKIPPED]);
	if (counts[FAILED])
		return 1;
	return counts[PASSED] ? 0 : EXIT_SKIP;
}

static void begin_seed(void)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu",
	         (unsigned long long)time(NULL) * 1000003 + (unsigned)getpid());
	setenv(SEED, text, 1);
}

static char **parse_options(char **argv, bool *list)
{
	for (argv++; *argv && strncmp(*argv, "--", 2) == 0; argv++) {
		if (strcmp(*argv, "--list") == 0)
			*list = true;
		else if (strcmp(*argv, "--no-fork") == 0)
			forking = false;
		else if (strcmp(*argv, "--timeout") == 0 && argv[1])
			timeout_s = strtol(*++argv, NULL, 10);
		else if (strcmp(*argv, "--seed") == 0 && argv[1])
			setenv(SEED, *++argv, 1);
		else if (strcmp(*argv, "--whole") == 0)
			setenv(WHOLE, "1", 1);
		else
			return NULL;
	}
	return argv;
}

int main(int argc, char **argv)
{
	const size_t all = (size_t)(__stop_syscap_tests - __start_syscap_tests);
	bool list = false;
	size_t n, i, names;

	(void)argc;
	verdict = mmap(NULL, sizeof(*verdict), PROT_READ | PROT_WRITE,
	               MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (peer_become_child && verdict != MAP_FAILED)
		peer_become_child();
	/* Close fds that ctest or a shell left open, since tests rely on low
	 * numbers.
	 */
	syscall(SYS_close_range, 3U, ~0U, 0U);
	tests = calloc(all, sizeof(*tests));
	begin_seed();
	argv = parse_options(argv, &list);
	if (!argv || !tests || verdict == MAP_FAILED || timeout_s <= 0) {
		fprintf(stderr, "usage: [--list] [--timeout SECONDS] [--seed N]"
		                " [--whole] [--no-fork] [TEST]...\n");
		return 2;
	}
	n = select_tests(argv);
	for (names = 0; argv[names]; names++)
		;
	if (names && n != names) {
		fprintf(stderr, "%zu of the %zu tests named exist\n", n, names);
		return 2;
	}
	for (i = 0; i < n && (list || !forking); i++) {
		printf("%s\n", tests[i]->name);
		if (!list)
			run_here(tests[i]);
	}
	n = list || !forking ? 0 : (size_t)run_all(n);
	return (int)n;
}
