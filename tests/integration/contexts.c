/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * contexts.c - events in unusual contexts: `contexts WHAT`, for each row of
 * docs/contexts.md without another test.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#include <syscap.h>

#include "harness/forbid.h"

static const char *program;

static void emit(const char *name)
{
	syscap_mark("contexts", name, syscap_clock(), 0, "");
}

static void say_number(const char *name, unsigned long long number)
{
	syscap_mark_printf("contexts", name, syscap_clock(), 0, "%llu", number);
}

static struct syscap_stats get_stats(void)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	syscap_get_stats(&stats);
	return stats;
}

/* ---------------------------------------------------------------- handlers */

static void handle(int signo)
{
	(void)signo;
	emit("in a handler");
}

static void *raise_first(void *unused)
{
	pthread_kill(pthread_self(), SIGUSR1);
	emit("behind it");
	return unused;
}

/* The first event of the main thread, and of another thread. */
static void first_in_handler(void)
{
	pthread_t thread;

	signal(SIGUSR1, handle);
	raise_first(NULL);
	pthread_create(&thread, NULL, raise_first, NULL);
	pthread_join(thread, NULL);
}

static jmp_buf out;

static void leave_scope(void)
{
	SYSCAP_SCOPE("contexts", "left");
	emit("inside");
	longjmp(out, 1);
}

/* Events after a scope that longjmp() left. */
static void jump(void)
{
	for (volatile int i = 0; i < 100; i++) {
		if (setjmp(out) == 0)
			leave_scope();
		SYSCAP_SCOPE("contexts", "ended");
	}
}

/* ---------------------------------------------------------------- processes */

/* Children that run none of the library's code before exec. */
static void spawn(void)
{
	char *const argv[] = { (char *)(uintptr_t)program, (char *)"one",
		               NULL };
	char line[512];
	pid_t pid;

	emit("first");
	if (posix_spawn(&pid, program, NULL, NULL, argv, environ) != 0)
		abort();
	waitpid(pid, NULL, 0);
	snprintf(line, sizeof(line), "exec '%s' one", program);
	if (system(line) != 0)
		abort();
	FILE *const pipe = popen(line, "r");
	if (pipe == NULL || pclose(pipe) != 0)
		abort();
	emit("last");
}

static void one(void)
{
	emit("of a program");
}

/* Runs a child without environment, like `env -i`: the child finds no
 * recorder. */
static void clear_environment(void)
{
	pid_t pid = fork();

	emit("kept");
	if (pid == 0) {
		execle(program, program, "one", (char *)NULL,
		       (char *const[]){ NULL });
		_exit(99);
	}
	waitpid(pid, NULL, 0);
}

static void *emit_once(void *unused)
{
	emit("of a thread");
	return unused;
}

/* Changes the root to an empty directory, without /proc. */
static void change_root(void)
{
	char dir[] = "/tmp/syscap-contexts.XXXXXX";

	if (mkdtemp(dir) == NULL)
		abort();
	/* chroot() also accepts a removed directory */
	if (chdir(dir) != 0 || rmdir(dir) != 0)
		abort();
	if (chroot(".") != 0)
		exit(77);
	for (unsigned i = 0; i < 4; i++) {
		pthread_t thread;

		emit("without /proc");
		pthread_create(&thread, NULL, emit_once, NULL);
		pthread_join(thread, NULL);
		if (fork() == 0) {
			emit("of a child");
			_exit(0);
		}
		wait(NULL);
	}
}

static void in_namespace(void)
{
	int status;

	if (unshare(CLONE_NEWPID) != 0 &&
	    unshare(CLONE_NEWUSER | CLONE_NEWPID) != 0)
		exit(77);
	if (fork() == 0) {
		emit("inside");
		if (fork() == 0) {
			emit("inside");
			_exit(0);
		}
		wait(NULL);
		exit(getpid() == 1 ? 0 : 99);
	}
	wait(&status);
	exit(WEXITSTATUS(status));
}

/* Changes variables after the library has read them. */
static void set_environment(void)
{
	setenv("SYSPROF_CONTROL_FD", "77", 1);
	unsetenv("SYSCAP_ARENA");
	emit("still");
}

/* ------------------------------------------------------------------- rights */

#define NOBODY 65534

static void wait_well(void)
{
	int status;

	if (wait(&status) < 0 || status != 0)
		exit(99);
}

static void give_up_rights(void)
{
	if (setgid(NOBODY) != 0 || setuid(NOBODY) != 0)
		exit(98);
}

/* Emits in the first thread, another thread, and a forked child. */
static void emit_as_nobody(void)
{
	pthread_t thread;

	emit("of nobody");
	if (pthread_create(&thread, NULL, emit_once, NULL) != 0)
		abort();
	pthread_join(thread, NULL);
	if (fork() == 0) {
		emit("of a child");
		_exit(0);
	}
	wait_well();
}

/* Drops its rights after its first event, before its first event, and without
 * the inherited socket. */
static void drop_rights(void)
{
	if (geteuid() != 0)
		exit(77);
	for (int i = 0; i < 3; i++) {
		if (fork() == 0) {
			if (i == 0)
				emit("of root");
			if (i == 2)
				close(atoi(getenv("SYSPROF_CONTROL_FD")));
			give_up_rights();
			emit_as_nobody();
			exit(i == 2 && (get_stats().n_rings != 0 ||
			                get_stats().n_dropped != 2));
		}
		wait_well();
	}
}

/* -------------------------------------------------------------------- a box */

/* A filter kills the thread that would make the arena; other threads request
 * rings. */
static void be_boxed(void)
{
	static const int calls[] = { SYS_memfd_create, SYS_ftruncate,
		                     SYS_mremap, SYS_sendmsg };

	for (unsigned i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		pthread_t victim;

		if (fork() != 0) {
			wait_well();
			continue;
		}
		if (!test_forbid(calls[i]))
			exit(77);
		if (pthread_create(&victim, NULL, emit_once, NULL) != 0)
			abort();
		pthread_join(victim, NULL);
		for (unsigned k = 0; k < 5; k++)
			emit("behind a victim");
		exit(0);
	}
}

/* ------------------------------------------------------- another C library */

static void (*plugin_emit)(const char *name, int n);

static void *emit_in_plugin(void *unused)
{
	plugin_emit("of a thread", 5);
	return unused;
}

/* Loads a plug-in with its own C library, whose destructors no thread runs. */
static void load_elsewhere(void)
{
	char path[4096];
	pthread_t thread;

	snprintf(path, sizeof(path), "%s/dlclose_plugin.so",
	         getenv("SYSCAP_TEST_BIN"));
	void *const plugin = dlmopen(LM_ID_NEWLM, path, RTLD_NOW);
	if (plugin == NULL)
		exit(77);
	*(void **)&plugin_emit = dlsym(plugin, "plugin_emit");
	emit("here");
	plugin_emit("there", 5);
	if (pthread_create(&thread, NULL, emit_in_plugin, NULL) != 0)
		abort();
	pthread_join(thread, NULL);
	if (fork() == 0) {
		plugin_emit("of a child", 5);
		_exit(0);
	}
	wait_well();
}

/* ------------------------------------------------------------------ fibres */

static ucontext_t fibres[3];

static void run_fibre(int i)
{
	for (unsigned k = 0; k < 50; k++) {
		emit("of a fibre");
		swapcontext(&fibres[i], &fibres[i == 1 ? 2 : 0]);
	}
}

static void make_fibre(int i)
{
	static char stacks[2][65536];

	getcontext(&fibres[i]);
	fibres[i].uc_stack.ss_sp = stacks[i - 1];
	fibres[i].uc_stack.ss_size = sizeof(stacks[0]);
	fibres[i].uc_link = &fibres[0];
	makecontext(&fibres[i], (void (*)(void))run_fibre, 1, i);
}

static void switch_fibres(void)
{
	make_fibre(1);
	make_fibre(2);
	for (unsigned k = 0; k < 50; k++)
		swapcontext(&fibres[0], &fibres[1]);
	emit("of the thread");
}

/* ------------------------------------------------------------------ threads */

/* Number of threads in addition to the first: in all, ten more than the maximum
 * of 8,192. */
#define MANY 8201u

static pthread_barrier_t barrier;

static void *emit_together(void *unused)
{
	emit("of many");
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return unused;
}

static void have_many_threads(void)
{
	pthread_attr_t attr;
	pthread_t *const threads = calloc(MANY, sizeof(*threads));

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 65536);
	pthread_barrier_init(&barrier, NULL, MANY + 1);
	emit("of the first");
	for (unsigned i = 0; i < MANY; i++)
		if (pthread_create(&threads[i], &attr, emit_together, NULL) !=
		    0)
			exit(77);
	pthread_barrier_wait(&barrier);
	say_number("dropped", get_stats().n_dropped);
	pthread_barrier_wait(&barrier);
	for (unsigned i = 0; i < MANY; i++)
		pthread_join(threads[i], NULL);
	free(threads);
}

static const struct {
	const char *name;
	void (*run)(void);
} all[] = {
	{ "handler", first_in_handler },
	{ "jump", jump },
	{ "spawn", spawn },
	{ "one", one },
	{ "clear", clear_environment },
	{ "chroot", change_root },
	{ "namespace", in_namespace },
	{ "setenv", set_environment },
	{ "rights", drop_rights },
	{ "box", be_boxed },
	{ "elsewhere", load_elsewhere },
	{ "fibres", switch_fibres },
	{ "many", have_many_threads },
};

int main(int argc, char **argv)
{
	program = argv[0];
	for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (argc == 2 && strcmp(argv[1], all[i].name) == 0) {
			all[i].run();
			return 0;
		}
	return 2;
}
