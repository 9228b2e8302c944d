/* SPDX-License-Identifier: BSD-2-Clause */
/* bench.c - costs of libsyscap-glib-1.so and of the core, in C. */
#include <stdlib.h>

#include <syscap-glib.h>
#include <syscap.h>

#include "nop.h"

#define N_CALLS  500
#define N_ROUNDS 201

static guint id;
static SyscapGlibCounter *counter;
SYSCAP_COUNTER(core_counter, "bench", "core", "", SYSCAP_INT64);

static void call_nop(void)
{
	syscap_bench_nop();
}

static void core_mark(void)
{
	if (syscap_is_active())
		syscap_mark("bench", "mark", 1, 2, "a message");
}

static void core_scope(void)
{
	SYSCAP_SCOPE("bench", "scope");
}

static void core_count(void)
{
	SYSCAP_COUNTER_SET(core_counter, 5);
}

static void mark(void)
{
	syscap_glib_mark("bench", "mark", 1, 2, "a message");
}

static void mark_by_id(void)
{
	syscap_glib_mark_by_id(id, 1, 2, "a message");
}

static void scope(void)
{
	g_autoptr(SyscapGlibScope) it = syscap_glib_scope_new("bench", "scope");

	(void)it;
}

static void begin_since(void)
{
	syscap_glib_mark_since_by_id(id, syscap_glib_begin(), NULL);
}

static void count(void)
{
	syscap_glib_counter_set_int64(counter, 5);
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "no-op call", call_nop },
	{ "<syscap.h> mark, texts", core_mark },
	{ "<syscap.h> scope", core_scope },
	{ "<syscap.h> counter", core_count },
	{ "mark, texts", mark },
	{ "mark_by_id", mark_by_id },
	{ "Scope", scope },
	{ "begin, mark_since_by_id", begin_since },
	{ "Counter.set_int64", count },
};

static int compare(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

int main(void)
{
	static double ns[G_N_ELEMENTS(cases)][N_ROUNDS];

	id = syscap_glib_intern("bench", "by id");
	counter = syscap_glib_counter_new("bench", "c", "",
	                                  SYSCAP_GLIB_COUNTER_TYPE_INT64);
	for (gsize round = 0; round < N_ROUNDS; round++) {
		for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
			gint64 before;

			for (int k = 0; k < N_CALLS / 10; k++)
				cases[i].run();
			before = syscap_glib_now();
			for (int k = 0; k < N_CALLS; k++)
				cases[i].run();
			ns[i][round] =
				(double)(syscap_glib_now() - before) / N_CALLS;
			/* this pause lets the recorder empty the ring */
			g_usleep(2000);
		}
	}
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		qsort(ns[i], N_ROUNDS, sizeof(double), compare);
		g_print("%-34s %9.1f ns %7.1f x\n", cases[i].name,
		        ns[i][N_ROUNDS / 2],
		        ns[i][N_ROUNDS / 2] / ns[0][N_ROUNDS / 2]);
	}
	g_print("dropped: %" G_GUINT64_FORMAT "\n",
	        syscap_glib_get_n_dropped());
	return 0;
}
