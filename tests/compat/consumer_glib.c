/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * consumer_glib.c - a GLib program with predictable marks and counters.
 *
 *	consumer_glib
 *	consumer_glib child
 *
 * The program needs a GLib built with -Dsysprof=enabled, and emits nothing
 * itself.  The program prints the minimum content of a recording, one item per
 * line:
 *
 *	mark GROUP NAME COUNT
 *	counter CATEGORY NAME COUNT
 *
 * The program spawns itself as "child": a GLib program whose environment names
 * a closed control socket.
 */
#include <gio/gio.h>
#include <stdio.h>

#define N_TICKS   500
#define N_TASKS   200
#define N_THREADS 20
#define N_ROUNDS  10
#define N_SPAWNS  5

static int n_ticks;
static int n_tasks;
static GMainLoop *loop;

static void leave_when_done(void)
{
	if (n_ticks == N_TICKS && n_tasks == N_TASKS)
		g_main_loop_quit(loop);
}

static gboolean tick(gpointer data)
{
	(void)data;
	if (++n_ticks < N_TICKS)
		return G_SOURCE_CONTINUE;
	leave_when_done();
	return G_SOURCE_REMOVE;
}

static void work(GTask *task, gpointer source, gpointer data,
                 GCancellable *cancellable)
{
	(void)source;
	(void)data;
	(void)cancellable;
	g_usleep(500);
	g_task_return_boolean(task, TRUE);
}

static void worked(GObject *source, GAsyncResult *result, gpointer data)
{
	(void)source;
	(void)data;
	g_assert_true(g_task_propagate_boolean(G_TASK(result), NULL));
	n_tasks++;
	leave_when_done();
}

static gboolean round_in_thread(gpointer data)
{
	int *n_rounds = data;

	return --*n_rounds > 0;
}

static gpointer iterate_in_thread(gpointer data)
{
	GMainContext *context = g_main_context_new();
	GSource *source = g_idle_source_new();
	int n_rounds = N_ROUNDS;

	(void)data;
	g_source_set_callback(source, round_in_thread, &n_rounds, NULL);
	g_source_attach(source, context);
	while (n_rounds > 0)
		g_main_context_iteration(context, TRUE);
	g_source_unref(source);
	g_main_context_unref(context);
	return NULL;
}

/* GLib forks to close fds, and uses posix_spawn() otherwise. */
static int spawn(const char *self, GSpawnFlags flags)
{
	char *arguments[] = { (char *)self, (char *)"child", NULL };
	GError *error = NULL;
	char *said = NULL;
	int status;

	if (!g_spawn_sync(NULL, arguments, NULL, flags, NULL, NULL, NULL, &said,
	                  &status, &error)) {
		fprintf(stderr, "%s: %s\n", self, error->message);
		return 1;
	}
	if (status != 0 || said[0] != '\0') {
		fprintf(stderr, "the child: status %d, output: %s\n", status,
		        said);
		return 1;
	}
	g_free(said);
	return 0;
}

static void iterate(void)
{
	GThread *threads[N_THREADS];
	int i;

	loop = g_main_loop_new(NULL, FALSE);
	g_timeout_add(1, tick, NULL);
	for (i = 0; i < N_TASKS; i++) {
		GTask *task = g_task_new(NULL, NULL, worked, NULL);

		g_task_run_in_thread(task, work);
		g_object_unref(task);
	}
	for (i = 0; i < N_THREADS; i++)
		threads[i] = g_thread_new("rounds", iterate_in_thread, NULL);
	g_main_loop_run(loop);
	for (i = 0; i < N_THREADS; i++)
		g_thread_join(threads[i]);
	g_main_loop_unref(loop);
}

int main(int argc, char **argv)
{
	int i;

	if (argc > 1) {
		while (g_main_context_iteration(NULL, FALSE))
			;
		return 0;
	}
	iterate();
	for (i = 0; i < N_SPAWNS; i++) {
		if (spawn(argv[0], G_SPAWN_DEFAULT) != 0 ||
		    spawn(argv[0], G_SPAWN_LEAVE_DESCRIPTORS_OPEN) != 0)
			return 1;
	}

	/* Main loops dispatch each task's result and each tick. */
	printf("mark GLib GSource.dispatch %d\n",
	       N_TICKS + N_TASKS + N_THREADS * N_ROUNDS);
	printf("mark GLib g_main_context_iterate %d\n", N_THREADS * N_ROUNDS);
	printf("mark GLib g_source_attach %d\n", 1 + N_TASKS + N_THREADS);
	printf("mark GLib GThread.created %d\n", N_THREADS);
	printf("mark GLib fork %d\n", N_SPAWNS);
	printf("mark GLib posix_spawn %d\n", N_SPAWNS);
	/* At a task's begin and end */
	printf("counter GIO tasks.running %d\n", 2 * N_TASKS);
	printf("counter GIO task.pool.max.size 0\n");
	return 0;
}
