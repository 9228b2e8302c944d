/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_dlclose.c - a library that holds a copy of syscap is unloaded while
 * threads that emitted through it live on.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap.h>

#include "harness/peer.h"
#include "harness/test.h"
#include "harness/tsan.h"

#define RING (1u << 16)

struct plugin {
	void *handle;
	void (*emit)(const char *name, int n);
	const char *(*reason)(void);
};

/* The plug-in is in this program's directory. */
static void plugin_path(char *path, size_t size)
{
	const ssize_t n = readlink("/proc/self/exe", path, size - 40);

	CHECK(n > 0);
	path[n] = '\0';
	strcpy(strrchr(path, '/') + 1, "dlclose_plugin.so");
}

static void load(struct plugin *plugin)
{
	char path[4096];

	plugin_path(path, sizeof(path));
	plugin->handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (plugin->handle == NULL)
		test_fail(__FILE__, __LINE__, "%s", dlerror());
	*(void **)&plugin->emit = dlsym(plugin->handle, "plugin_emit");
	*(void **)&plugin->reason = dlsym(plugin->handle, "plugin_reason");
	CHECK(plugin->emit != NULL && plugin->reason != NULL);
}

static bool is_mapped(void)
{
	FILE *const maps = fopen("/proc/self/maps", "re");
	char line[512];
	bool found = false;

	while (fgets(line, sizeof(line), maps) != NULL)
		found |= strstr(line, "dlclose_plugin.so") != NULL;
	fclose(maps);
	return found;
}

static struct plugin plugin;
static pthread_barrier_t barrier;

static void *emit_through_both(void *unused)
{
	plugin.emit("thread", 10);
	syscap_mark("own", "thread", 1, 0, NULL);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return unused; /* after this return, the copy's destructors run */
}

CHILD(unloads)
{
	pthread_t threads[3];
	pid_t pid;
	int status;

	pthread_barrier_init(&barrier, NULL, 4);
	syscap_mark("own", "main", 1, 0, NULL);
	load(&plugin);
	plugin.emit("main", 10);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, emit_through_both, NULL);
	pthread_barrier_wait(&barrier);
	dlclose(plugin.handle);
	CHECK(is_mapped());
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	/* fork() calls the copy's atfork handler, which still exists */
	pid = fork();
	if (pid == 0) {
		syscap_mark("own", "child", 1, 0, NULL);
		_exit(0);
	}
	CHECK_EQ(waitpid(pid, &status, 0), pid);
	CHECK_EQ(status, 0);
	/* a second load finds the same copy, which continues recording */
	load(&plugin);
	plugin.emit("again", 10);
	CHECK_STR(plugin.reason(), "SYSPROF_CONTROL_FD leads to a recorder");
	dlclose(plugin.handle);
}

TEST(a_copy_in_an_unloaded_library_stays_mapped_and_ends_its_threads_rings)
{
	struct peer peer;

	peer_start(&peer, "unloads", RING, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	/* one ring for each thread, and one for the child */
	CHECK_EQ(peer.n_rings, 4 + 1);
	CHECK_EQ(peer_count_marks(&peer, "plugin", "main"), 10);
	CHECK_EQ(peer_count_marks(&peer, "plugin", "thread"), 30);
	CHECK_EQ(peer_count_marks(&peer, "plugin", "again"), 10);
	CHECK_EQ(peer_count_marks(&peer, "own", "main"), 1);
	CHECK_EQ(peer_count_marks(&peer, "own", "thread"), 3);
	CHECK_EQ(peer_count_marks(&peer, "own", "child"), 1);
	CHECK_EQ(peer_count(&peer, 255), 3);
	peer_free(&peer);
}

/* Without a recorder, the library's code is unloaded. */
CHILD(unloads_without_a_recorder)
{
	load(&plugin);
	plugin.emit("main", 10);
	CHECK_STR(plugin.reason(),
	          "none of SYSPROF_CONTROL_FD, SYSPROF_TRACE_FD "
	          "and SYSCAP_OUTPUT is set");
	dlclose(plugin.handle);
	CHECK(!is_mapped());
}

TEST(without_a_recorder_the_library_is_unloaded_for_real)
{
	CHECK_EQ(peer_run_alone("unloads_without_a_recorder", "", NULL), 0);
}

/* Sets variables after this program's own copy has read them. */
static void make_own_pair(int pair[2])
{
	char number[16];

	CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
	snprintf(number, sizeof(number), "%d", pair[1]);
	setenv("SYSPROF_CONTROL_FD", number, 1);
}

CHILD(makes_a_pair_and_loads)
{
	int pair[2];
	char byte;

	make_own_pair(pair);
	load(&plugin);
	plugin.emit("main", 1);
	CHECK_STR(plugin.reason(),
	          "SYSPROF_CONTROL_FD is a socket pair of this process");
	CHECK_EQ(recv(pair[0], &byte, 1, MSG_DONTWAIT), -1);
}

TEST(a_library_loaded_late_refuses_a_pair_of_its_process)
{
	CHECK_EQ(peer_run_alone("makes_a_pair_and_loads", "", NULL), 0);
}

/* A sanitizer's libraries must come before preloaded libraries. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

/*
 * The program has no copy of the library, but its preloaded library has a copy.
 */
CHILD(makes_a_pair_and_execs)
{
	char path[4096];
	int pair[2];

	make_own_pair(pair);
	plugin_path(path, sizeof(path));
	setenv("LD_PRELOAD", path, 1);
	setenv("SYSCAP_DEBUG", "1", 1);
	dup2(atoi(peer_arg()), 2);
	execl("/bin/true", "true", NULL);
	_exit(98);
}

TEST(a_library_loaded_at_start_accepts_a_pair_made_before_exec)
{
	const int said = memfd_create("stderr", 0);
	char number[16], text[4096];

	snprintf(number, sizeof(number), "%d", said);
	CHECK_EQ(peer_run_alone("makes_a_pair_and_execs", number, NULL), 0);
	const ssize_t n = pread(said, text, sizeof(text) - 1, 0);
	CHECK(n > 0);
	text[n] = '\0';
	if (strstr(text, "SYSPROF_CONTROL_FD leads to a recorder") == NULL)
		test_fail(__FILE__, __LINE__, "%s", text);
	close(said);
}

#endif

/* A thread that loads the library again, and ends after its events. */
static void *load_and_end(void *unused)
{
	struct plugin mine;

	load(&mine);
	mine.emit("thread", 10);
	dlclose(mine.handle);
	return unused;
}

CHILD(threads_load_and_unload)
{
	pthread_t threads[8];

	for (int round = 0; round < 10; round++) {
		for (int i = 0; i < 8; i++)
			pthread_create(&threads[i], NULL, load_and_end, NULL);
		for (int i = 0; i < 8; i++)
			pthread_join(threads[i], NULL);
	}
}

TEST(threads_may_load_use_and_unload_the_library_at_the_same_time)
{
	struct peer peer;

	SKIP_UNDER_TSAN(); /* TSan does not see the loader's lock */
	peer_start(&peer, "threads_load_and_unload", RING, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer.n_rings, 80);
	CHECK_EQ(peer_count_marks(&peer, "plugin", "thread"), 800);
	CHECK_EQ(peer_count(&peer, 255), 80);
	peer_free(&peer);
}
