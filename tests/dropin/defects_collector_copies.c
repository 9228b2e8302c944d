/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * defects_collector_copies.c - a second copy of the collector, in a library
 * that is loaded late and unloaded.
 *
 * The library is defects_collector_plugin.c; its file has this program's name
 * with _plugin.so appended.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <sysprof-capture.h>

#include "dropin/defects_collector.h"

static void *plugin;
static void (*plugin_mark)(const char *name);
static unsigned int (*plugin_request)(unsigned int n, const char *name);
static void (*plugin_set)(unsigned int id, int64_t value);

static void load(void)
{
	char path[4096];
	const ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 16);

	NEED(n > 0);
	strcpy(path + n, "_plugin.so");
	plugin = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (plugin == NULL)
		defect_broken(dlerror());
	*(void **)&plugin_mark = dlsym(plugin, "plugin_mark");
	*(void **)&plugin_request = dlsym(plugin, "plugin_request");
	*(void **)&plugin_set = dlsym(plugin, "plugin_set");
	NEED(plugin_mark != NULL && plugin_request != NULL &&
	     plugin_set != NULL);
}

/* ------------------------------------------------------------------ C-11 */

#define EACH 100

static void emit_in_both_copies(void)
{
	const SysprofCaptureCounterValue value = { .v64 = 1 };

	load();
	const unsigned int own = sysprof_collector_request_counters(8);
	const unsigned int others = plugin_request(8, "other");
	MUST(own != 0 && others != 0);
	if (own < others + 8 && others < own + 8)
		defect_shows("both copies give number %#x to a counter", own);
	for (int i = 0; i < EACH; i++) {
		mark("own", NULL);
		plugin_mark("other");
		sysprof_collector_set_counters(&own, &value, 1);
		plugin_set(others, 2);
	}
}

static void copies_keep_out_of_each_others_way(uint32_t pages)
{
	struct ring_peer peer;

	record(&peer, pages, "in both copies", "");
	MUST(marks_count(&peer, "own") == EACH);
	MUST(marks_count(&peer, "other") == EACH);
	MUST(frames_count(&peer, CTRSET) == 2 * EACH);
	MUST(frames_lost(&peer) == 0);
	ring_peer_free(&peer);
}

/* ------------------------------------------------------------------ C-15 */

/* Loads the library after the program has used up all thread-specific keys. */
static void load_without_keys(void)
{
	pthread_key_t key;
	int n = 0;

	while (n < 100000 && pthread_key_create(&key, NULL) == 0)
		n++;
	NEED(n < 100000);
	load();
	for (int i = 0; i < EACH; i++)
		plugin_mark("without keys");
}

/* A lack of resources must not end the program. */
static void shortage_is_no_reason_to_abort(uint32_t pages)
{
	struct ring_peer peer;

	record(&peer, pages, "load without keys", "");
	MUST(marks_count(&peer, "without keys") == EACH);
	ring_peer_free(&peer);
}

/* ------------------------------------------------------------------ C-16 */

static pthread_barrier_t barrier;

static void *emit_and_outlive(void *unused)
{
	plugin_mark("thread");
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return unused; /* the copy's work at a thread's end is due */
}

static void unload(void)
{
	pthread_t threads[3];

	load();
	pthread_barrier_init(&barrier, NULL, 4);
	for (int i = 0; i < 3; i++)
		NEED(pthread_create(&threads[i], NULL, emit_and_outlive,
		                    NULL) == 0);
	pthread_barrier_wait(&barrier);
	NEED(dlclose(plugin) == 0);
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 3; i++)
		NEED(pthread_join(threads[i], NULL) == 0);
	load();
	plugin_mark("again");
}

static void threads_outlive_a_library(uint32_t pages)
{
	struct ring_peer peer;

	record(&peer, pages, "unload", "");
	MUST(marks_count(&peer, "thread") == 3);
	MUST(marks_count(&peer, "again") == 1);
	MUST(frames_count(&peer, END) == 3);
	ring_peer_free(&peer);
}

const struct defect defects_of_copies[] = {
	{ "C-11", copies_keep_out_of_each_others_way },
	{ "C-15", shortage_is_no_reason_to_abort },
	{ "C-16", threads_outlive_a_library },
	{ NULL, NULL }
};

const struct deed deeds_of_copies[] = {
	{ "in both copies", emit_in_both_copies },
	{ "load without keys", load_without_keys },
	{ "unload", unload },
	{ NULL, NULL }
};
