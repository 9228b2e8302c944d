/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_code_live.c - code of this machine's runtimes, while these run.
 *
 * The program counter of the main thread is sampled in compiled code.  Most
 * samples must have the name of the function in which the program spends its
 * time.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "code/code_names.h"
#include "harness/test.h"

#define MS       INT64_C(1000000)
#define MOST_PCS 400

static char folder[] = "/tmp/syscap-live-XXXXXX";
static char told[512];

struct run {
	struct syc_code_table *table;
	char *map; /* the runtime's output, or NULL */
	char *dump;
	size_t map_size, dump_size;
	unsigned n_pcs;
	uint64_t pcs[MOST_PCS];
	int64_t times[MOST_PCS];
};

static int64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000 * MS + now.tv_nsec;
}

static void tell(void *data, const char *text)
{
	(void)data;
	snprintf(told, sizeof(told), "%s", text);
}

static void write_file(const char *name, const char *text)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "we");
	CHECK(file != NULL && fputs(text, file) >= 0);
	fclose(file);
}

/* Run @command in the directory; returns the wait status. */
static int shell(const char *command)
{
	const pid_t pid = fork();
	int status;

	if (pid == 0) {
		if (chdir(folder) == 0)
			execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	return status;
}

static void begin(void)
{
	CHECK(mkdtemp(folder) != NULL);
}

static void remove_folder(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf %s", folder);
	CHECK_EQ(system(command), 0);
}

/* The first existing program of @programs; without one, cleans up for a
 * SKIP(). */
static const char *find_program(const char *const *programs)
{
	char command[256];

	for (; *programs; programs++) {
		snprintf(command, sizeof(command),
		         "%s --version >/dev/null 2>&1", *programs);
		if (shell(command) == 0)
			return *programs;
	}
	remove_folder();
	return NULL;
}

/* The program counter of the main thread of @pid, or 0. */
static uint64_t look_at_pc(pid_t pid)
{
#ifdef __x86_64__
	struct user_regs_struct regs = { 0 };
	siginfo_t info = { 0 };
	int status;

	if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) != 0)
		return 0;
	/* Leaves an earlier end of the process to its watcher. */
	if (ptrace(PTRACE_INTERRUPT, pid, NULL, NULL) != 0 ||
	    waitid(P_PID, (id_t)pid, &info,
	           WSTOPPED | WEXITED | WNOWAIT | __WALL) != 0 ||
	    info.si_code == CLD_EXITED || info.si_code == CLD_KILLED ||
	    info.si_code == CLD_DUMPED || waitpid(pid, &status, __WALL) != pid)
		return 0;
	ptrace(PTRACE_GETREGS, pid, NULL, &regs);
	ptrace(PTRACE_DETACH, pid, NULL,
	       status >> 16 == 0 ? (void *)(uintptr_t)WSTOPSIG(status) : NULL);
	return regs.rip;
#else
	(void)pid;
	return 0;
#endif
}

/* Reads and removes the whole file; the caller frees it.  NULL: no file. */
static char *take_file(const char *path, size_t *ret_size)
{
	FILE *file = fopen(path, "rbe");
	char *bytes = NULL;
	size_t room;

	if (file == NULL)
		return NULL;
	unlink(path);
	*ret_size = 0;
	do {
		room = *ret_size + (1 << 20);
		bytes = realloc(bytes, room + 1);
		CHECK(bytes != NULL);
		*ret_size +=
			fread(bytes + *ret_size, 1, room - *ret_size, file);
	} while (*ret_size == room);
	fclose(file);
	bytes[*ret_size] = 0;
	return bytes;
}

static void watch_child(struct run *run, pid_t pid, int64_t kill_after)
{
	const struct syc_code_watch_options options = { .tell = tell };
	const int64_t begun = now_ns();
	struct syc_code_watch *watch;
	int64_t next_look = 0;
	char path[64];
	siginfo_t info = { 0 };

	CHECK_EQ(syc_code_watch_new(pid, run->table, &options, &watch), 0);
	while (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) ==
	               0 &&
	       info.si_pid == 0) {
		const int64_t now = now_ns();

		if (now >= next_look) {
			CHECK_EQ(syc_code_watch_look(watch, now), 0);
			next_look = now + 20 * MS;
		}
		if (run->n_pcs < MOST_PCS) {
			run->times[run->n_pcs] = now_ns();
			run->pcs[run->n_pcs] = look_at_pc(pid);
			run->n_pcs += run->pcs[run->n_pcs] != 0;
		}
		if (kill_after > 0 && now - begun > kill_after)
			kill(pid, SIGKILL);
		nanosleep(&(struct timespec){ 0, 4 * MS }, NULL);
	}
	CHECK_EQ(waitpid(pid, NULL, 0), pid);
	CHECK_EQ(syc_code_watch_finish(watch, now_ns()), 0);
	syc_code_watch_free(watch);
	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)pid);
	run->map = take_file(path, &run->map_size);
	snprintf(path, sizeof(path), "/tmp/jit-%d.dump", (int)pid);
	run->dump = take_file(path, &run->dump_size);
	CHECK_STR(told, "");
	CHECK_EQ(syc_code_table_settle(run->table), 0);
}

/* @kill_after: time in ns, 0: the command ends by itself. */
static struct run *run(int64_t kill_after, const char *const *argv)
{
	struct run *run = calloc(1, sizeof(*run));
	const pid_t pid = fork();

	if (pid == 0) {
		const int null = open("/dev/null", O_RDWR | O_CLOEXEC);

		dup2(null, 0);
		dup2(null, 1);
		if (chdir(folder) == 0)
			execvp(argv[0], (char **)(uintptr_t)argv);
		_exit(127);
	}
	CHECK(run != NULL && pid > 0);
	CHECK_EQ(syc_code_table_new(&run->table), 0);
	watch_child(run, pid, kill_after);
	return run;
}

#define RUN(kill_after, ...) \
	run(kill_after, (const char *const[]){ __VA_ARGS__, NULL })

static bool is_called(const struct run *run, uint64_t addr, const char *part)
{
	struct syc_code_range range;

	return syc_code_table_find(run->table, addr, INT64_MAX, &range) &&
	       strstr(range.name, part) != NULL;
}

/* Checks that a line of the perf map has @part, and that the table has that
 * name at the line's address. */
static void check_map(const struct run *run, const char *part)
{
	CHECK(run->map != NULL);
	for (const char *at = run->map; (at = strstr(at, part)) != NULL; at++) {
		const char *line = at;

		while (line > run->map && line[-1] != '\n')
			line--;
		if (is_called(run, strtoull(line, NULL, 16), part))
			return;
	}
	test_fail(__FILE__, __LINE__, "no range is called %s", part);
}

/* Checks a record of the jitdump whose name begins with @part in the same
 * way. */
static void check_dump(const struct run *run, const char *part)
{
	const char *at = run->dump, *end = at + run->dump_size;

	CHECK(at != NULL);
	for (; (at = memmem(at, (size_t)(end - at), part, strlen(part)));
	     at++) {
		/* after this part come the length and a number */
		uint64_t addr;

		memcpy(&addr, at - 24, sizeof(addr));
		if (is_called(run, addr, part))
			return;
	}
	test_fail(__FILE__, __LINE__, "no range is called %s", part);
}

/* Checks that at least a third of the samples are in @part: the runtime also
 * starts and compiles. */
static void check_places(const struct run *run, const char *part)
{
	unsigned n = 0;

	for (unsigned i = 0; i < run->n_pcs; i++) {
		struct syc_code_range range;

		const bool found = syc_code_table_find(run->table, run->pcs[i],
		                                       run->times[i], &range);
		n += found && strstr(range.name, part) != NULL;
	}
	printf("%u of %u places are in %s\n", n, run->n_pcs, part);
	if (run->n_pcs >= 30)
		CHECK(3 * n >= run->n_pcs);
}

static void end(struct run *run)
{
	syc_code_table_free(run->table);
	free(run->map);
	free(run->dump);
	free(run);
	remove_folder();
}

static const char *begin_node(void)
{
	static const char *const programs[] = { "node", "nodejs", NULL };
	const char *node;

	begin();
	node = find_program(programs);
	if (node == NULL)
		SKIP("there is no node");
	write_file(
		"t.js",
		"function leafHash(x) { let h = x; for (let i = 0;\n"
		"i < 4000; i++) h = Math.imul(h ^ i, 16777619); return h; }\n"
		"function gr\xC3\xB6\xC3\x9F"
		"e(n) { return leafHash(n); }\n"
		"const end = Date.now() + 1500; let s = 0;\n"
		"while (Date.now() < end) for (let i = 0; i < 100; i++)\n"
		"s ^= gr\xC3\xB6\xC3\x9F"
		"e(i);\n");
	return node;
}

TEST(node_with_a_perf_map)
{
	struct run *of = RUN(0, begin_node(), "--perf-basic-prof", "t.js");

	check_map(of, "gr\xC3\xB6\xC3\x9F"
	              "e ");
	check_places(of, "/t.js:");
	end(of);
}

TEST(node_with_a_perf_map_and_native_frames_of_its_interpreter)
{
	struct run *of = RUN(0, begin_node(), "--perf-basic-prof",
	                     "--interpreted-frames-native-stack", "t.js");

	check_map(of, "~leafHash ");
	check_places(of, "/t.js:");
	end(of);
}

TEST(node_with_a_jitdump)
{
	struct run *of = RUN(0, begin_node(), "--perf-prof", "t.js");

	check_places(of, "/t.js:");
	end(of);
}

static const char *begin_python(const char *flag)
{
	static const char *const programs[] = { "python3.14", "python3.13",
		                                "python3.12", "python3", NULL };
	char command[512];

	begin();
	write_file("t.py", "def leaf_hash(x):\n"
	                   "    for i in range(60):\n"
	                   "        x = (x * 31 ^ i) & 0xffffffff\n"
	                   "    return x\n"
	                   "for i in range(20000):\n"
	                   "    leaf_hash(i)\n");
	for (unsigned i = 0; programs[i]; i++) {
		/* Older versions of Python ignore an unknown option -X. */
		snprintf(command, sizeof(command),
		         "%s -X %s -c 'import sys; "
		         "sys.exit(not sys.is_stack_trampoline_active())' "
		         "2>/dev/null & wait $!; r=$?; "
		         "rm -f /tmp/perf-$!.map /tmp/jit-$!.dump; exit $r",
		         programs[i], flag);
		if (shell(command) == 0)
			return programs[i];
	}
	remove_folder();
	return NULL;
}

TEST(python_with_a_perf_map)
{
	const char *python = begin_python("perf");
	struct run *of;

	if (python == NULL)
		SKIP("there is no Python 3.12 or newer with -X perf");
	of = RUN(0, python, "-X", "perf", "t.py");
	check_map(of, "py::leaf_hash:");
	end(of);
}

TEST(python_with_a_jitdump)
{
	const char *python = begin_python("perf_jit");
	struct run *of;

	if (python == NULL)
		SKIP("there is no Python 3.13 or newer with -X perf_jit");
	of = RUN(0, python, "-X", "perf_jit", "t.py");
	check_dump(of, "py::leaf_hash:");
	end(of);
}

TEST(java_with_a_perf_map_written_at_exit)
{
	struct run *of;

	begin();
	write_file("T.java",
	           "public class T { static int leafHash(int x) { int h = x;\n"
	           "for (int i = 0; i < 400; i++) h = h * 31 ^ i; return h; }\n"
	           "public static void main(String[] a) { int s = 0;\n"
	           "long t = System.nanoTime();\n"
	           "while (System.nanoTime() - t < 700000000L)\n"
	           "s += leafHash(s); System.out.println(s); } }\n");
	if (shell("javac T.java 2>/dev/null") != 0) {
		remove_folder();
		SKIP("there is no javac");
	}
	if (shell("java -XX:+UnlockDiagnosticVMOptions "
	          "-XX:+PrintFlagsFinal -version 2>/dev/null | "
	          "grep -q DumpPerfMapAtExit") != 0) {
		remove_folder();
		SKIP("this java has no DumpPerfMapAtExit");
	}
	of = RUN(0, "java", "-XX:+UnlockDiagnosticVMOptions",
	         "-XX:+DumpPerfMapAtExit", "T");
	check_map(of, "int T.leafHash(int)");
	end(of);
}

TEST(mono_with_a_perf_map)
{
	struct run *of;

	begin();
	write_file(
		"T.cs",
		"class T { static int LeafHash(int x) { int h = x;\n"
		"for (int i = 0; i < 4000; i++) h = h * 31 ^ i; return h; }\n"
		"static int Main() { int s = 0;\n"
		"var t = System.Diagnostics.Stopwatch.StartNew();\n"
		"while (t.ElapsedMilliseconds < 1000)\n"
		"for (int i = 0; i < 100; i++) s += LeafHash(s);\n"
		"return s == 1 ? 1 : 0; } }\n");
	if (shell("command -v mono >/dev/null && mcs T.cs 2>/dev/null") != 0) {
		remove_folder();
		SKIP("there is no mono with mcs");
	}
	CHECK_EQ(setenv("MONO_ENV_OPTIONS", "--jitmap", 1), 0);
	of = RUN(0, "mono", "T.exe");
	check_map(of, "T:LeafHash (int)");
	check_places(of, "T:");
	end(of);
}

TEST(llvm_with_a_list_for_debuggers)
{
	static const char *const programs[] = { "lli",    "lli-14", "lli-15",
		                                "lli-16", "lli-19", NULL };
	const char *lli;
	struct run *of;

	begin();
	lli = find_program(programs);
	if (lli == NULL)
		SKIP("there is no lli");
	write_file("t.ll",
	           "define i32 @leaf_hash(i32 %x) {\n"
	           "entry:\n  br label %loop\nloop:\n"
	           "  %h = phi i32 [ %x, %entry ], [ %h2, %loop ]\n"
	           "  %i = phi i32 [ 0, %entry ], [ %i2, %loop ]\n"
	           "  %m = mul i32 %h, 31\n  %h2 = xor i32 %m, %i\n"
	           "  %i2 = add i32 %i, 1\n"
	           "  %c = icmp ult i32 %i2, 1000000000\n"
	           "  br i1 %c, label %loop, label %done\n"
	           "done:\n  ret i32 %h2\n}\n"
	           "define i32 @main() {\nentry:\n  br label %loop\nloop:\n"
	           "  %r = call i32 @leaf_hash(i32 7)\n"
	           "  %c = icmp eq i32 %r, 1\n"
	           "  br i1 %c, label %done, label %loop\n"
	           "done:\n  ret i32 0\n}\n");
	of = RUN(2500 * MS, lli, "t.ll");
	check_places(of, "leaf_hash");
	end(of);
}
