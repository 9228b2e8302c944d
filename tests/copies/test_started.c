/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_started.c - one of four copies starts a recording of the process, and
 * one stops it.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#include "copies/everywhere.h"
#include "harness/peer.h"
#include "harness/test.h"
#include "harness/written.h"

static const struct part *parts[PARTS_ALL];
static struct census census;

static char *dir_of_child;

static const char *new_file(const char *name)
{
	static char path[4096];

	if (dir_of_child == NULL)
		dir_of_child = written_make_dir();
	snprintf(path, sizeof(path), "%s/%s", dir_of_child, name);
	return path;
}

static void check_off(void)
{
	for (unsigned i = 0; i < PARTS_ALL; i++)
		CHECK(!parts[i]->is_active());
}

static void check_on(void)
{
	for (unsigned i = 0; i < PARTS_ALL; i++)
		CHECK(parts[i]->is_active());
}

/* Interns no names, as each copy would keep its own from then on. */
static void emit_nowhere(void)
{
	for (unsigned i = 0; i < PARTS_ALL; i++)
		parts_emit(parts[i], 9, 0, 10);
}

/* A name that one copy interned before the start stays valid, also while the
 * copies share new names. */
CHILD(started)
{
	const unsigned starter = (unsigned)(peer_arg()[0] - '0');
	const unsigned stopper = (unsigned)(peer_arg()[1] - '0');
	char file[1024], again[1024];

	everywhere_load(parts, "");
	check_off();
	emit_nowhere();
	const uint64_t early = parts[1]->intern("early");
	CHECK_EQ(parts[starter]->start(new_file("1"), 0, file), 0);
	check_on();
	CHECK_EQ(parts[stopper]->start(new_file("2"), 0, again), -EALREADY);
	everywhere_run_threads(0);
	parts_check_together(parts, PARTS_ALL, PARTS_ALL);
	parts[1]->stack(early);
	CHECK_EQ(parts[stopper]->stop(), 0);
	check_off();
	CHECK_EQ(parts[starter]->stop(), -ENOENT);
	everywhere_check(&census, file, 0, 1);

	emit_nowhere();
	CHECK_EQ(parts[stopper]->start(new_file("3"), 0, file), 0);
	check_on();
	everywhere_run_threads(20);
	CHECK_EQ(parts[starter]->stop(), 0);
	check_off();
	everywhere_check(&census, file, 20, 0);
	/* a detached thread may need a moment */
	for (int i = 0; i < 2000 && parts_count_threads("syscap") != 0; i++)
		usleep(1000);
	CHECK_EQ(parts_count_threads("syscap"), 0);
	written_remove_dir(dir_of_child);
}

static void check_started(const char *who)
{
	if (peer_run_alone("started", who, NULL) != 0)
		test_fail(__FILE__, __LINE__, "started by, and stopped by: %s",
		          who);
}

TEST(one_copy_starts_and_another_stops_and_all_follow)
{
	check_started("00");
	check_started("01");
	check_started("12");
	check_started("20");
	check_started("33");
}

CHILD(loaded_after_start)
{
	char file[1024];

	CHECK_EQ(parts_program()->start(new_file("x"), 0, file), 0);
	everywhere_load(parts, peer_arg());
	check_on();
	everywhere_run_threads(0);
	parts_check_together(parts, PARTS_ALL, PARTS_ALL);
	CHECK_EQ(parts[2]->stop(), 0);
	check_off();
	everywhere_check(&census, file, 0, 0);
	written_remove_dir(dir_of_child);
}

TEST(copies_that_are_loaded_while_one_records_follow_it)
{
	CHECK_EQ(peer_run_alone("loaded_after_start", "3", NULL), 0);
}

/* Another copy has switched parts[1] on, and parts[1] has no reason yet. */
CHILD(stopped_by_quiet_one)
{
	char file[1024];

	everywhere_load(parts, peer_arg());
	CHECK_EQ(parts[0]->start(new_file("x"), 0, file), 0);
	CHECK(parts[1]->is_active() && parts[2]->is_active());
	parts_check_together(&parts[2], 1, PARTS_ALL);
	CHECK_EQ(parts[1]->drain(), 0);
	CHECK_EQ(parts[1]->stop(), 0);
	check_off();
	written_remove_dir(dir_of_child);
}

TEST(a_copy_that_was_switched_on_and_emitted_nothing_can_stop_it)
{
	CHECK_EQ(peer_run_alone("stopped_by_quiet_one", "", NULL), 0);
}

/* Slows each search down, so that both threads make a block, and the loader's
 * lock decides. */
static bool is_slow;

/* A sanitizer calls this function before instrumented code can run. */
__attribute__((visibility("default"), no_sanitize("address"),
               no_sanitize("thread"))) int
dl_iterate_phdr(int (*call)(struct dl_phdr_info *, size_t, void *), void *data)
{
	/* The function is looked up once, before there are threads.  Later
	 * dlsym() would wait for a lock held by dlopen(), which waits for the
	 * outer call's lock. */
	static int (*real)(int (*)(struct dl_phdr_info *, size_t, void *),
	                   void *);

	if (real == NULL)
		*(void **)&real = dlsym(RTLD_NEXT, "dl_iterate_phdr");
	const int r = real(call, data);
	if (__atomic_load_n(&is_slow, __ATOMIC_RELAXED))
		usleep(1000);
	return r;
}

static int visit_nothing(struct dl_phdr_info *object, size_t size, void *data)
{
	(void)object;
	(void)size;
	(void)data;
	return 1;
}

static pthread_barrier_t at_once;
static int results[2];
static char files[2][1024];

static void *start_at_once(void *i)
{
	const unsigned n = (unsigned)(uintptr_t)i;

	pthread_barrier_wait(&at_once);
	results[n] = parts[n]->start(n == 0 ? "0.%p" : "1.%p", 0, files[n]);
	return NULL;
}

static void *load_at_once(void *ignored)
{
	pthread_barrier_wait(&at_once);
	parts[2] = parts_load("b");
	return ignored;
}

CHILD(started_at_once)
{
	void *(*const run[3])(void *) = { start_at_once, start_at_once,
		                          load_at_once };
	pthread_t threads[3];

	(void)new_file("");
	CHECK_EQ(chdir(dir_of_child), 0);
	parts[0] = parts_program();
	parts[1] = parts_load("a");
	dl_iterate_phdr(visit_nothing, NULL);
	pthread_barrier_init(&at_once, NULL, 3);
	is_slow = true;
	for (uintptr_t i = 0; i < 3; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, run[i], (void *)i),
		         0);
	for (unsigned i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	is_slow = false;
	const unsigned starter = results[0] == 0 ? 0 : 1;
	CHECK_EQ(results[starter], 0);
	CHECK_EQ(results[1 - starter], -EALREADY);
	parts[3] = parts_load("c");
	check_on();
	parts_check_together(parts, PARTS_ALL, PARTS_ALL);
	CHECK_EQ(parts[3]->stop(), 0);
	check_off();
	unlink(files[starter]);
	written_remove_dir(dir_of_child);
}

TEST(two_copies_that_start_at_once_while_a_third_is_loaded_share_a_block)
{
	for (int i = 0; i < 10; i++)
		CHECK_EQ(peer_run_alone("started_at_once", "", NULL), 0);
}
