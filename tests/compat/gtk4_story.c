/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gtk4_story.c - a GTK 4 program that draws frames; every 50th frame takes 40
 * ms (or MS) longer: gtk4_story work|fsync FRAMES [MS].
 *
 * The program works in burn_in_a_frame(), or waits in fsync(), for that time,
 * so the frame's content does not depend on the machine's speed.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <gtk/gtk.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define EVERY 50

static gboolean does_wait;
static int frame, n_frames;
static int64_t planted_ns = 40000000;
static int fd;
volatile unsigned gtk4_story_sum;

static int64_t clock_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

/* Measured in processor time: a busy machine takes longer. */
__attribute__((noinline)) void burn_in_a_frame(void)
{
	const int64_t end = clock_ns(CLOCK_THREAD_CPUTIME_ID) + planted_ns;

	while (clock_ns(CLOCK_THREAD_CPUTIME_ID) < end)
		for (int i = 0; i < 100000; i++)
			gtk4_story_sum += (unsigned)i;
}

/* Replaces fsync() by a wait that signals do not end, since tests have no slow
 * disk. */
__attribute__((noinline)) int fsync(int file)
{
	const int64_t end = clock_ns(CLOCK_MONOTONIC) + planted_ns;
	const struct timespec until = { .tv_sec = end / 1000000000,
		                        .tv_nsec = end % 1000000000 };

	(void)file;
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) ==
	       EINTR)
		;
	return 0;
}

static void draw(GtkDrawingArea *area, cairo_t *cr, int width, int height,
                 gpointer data)
{
	(void)area;
	(void)data;
	cairo_set_source_rgb(cr, frame % 100 / 100.0, 0.5, 0.5);
	cairo_rectangle(cr, 0, 0, width, height);
	cairo_fill(cr);
	if (frame % EVERY != EVERY - 1)
		return;
	if (does_wait)
		fsync(fd);
	else
		burn_in_a_frame();
}

static gboolean tick(GtkWidget *widget, GdkFrameClock *clock, gpointer window)
{
	(void)clock;
	if (++frame >= n_frames) {
		gtk_window_destroy(GTK_WINDOW(window));
		return G_SOURCE_REMOVE;
	}
	gtk_widget_queue_draw(widget);
	return G_SOURCE_CONTINUE;
}

static void activate(GtkApplication *application, gpointer data)
{
	GtkWidget *window = gtk_application_window_new(application);
	GtkWidget *area = gtk_drawing_area_new();

	(void)data;
	gtk_drawing_area_set_draw_func(GTK_DRAWING_AREA(area), draw, NULL,
	                               NULL);
	gtk_window_set_child(GTK_WINDOW(window), area);
	gtk_widget_add_tick_callback(area, tick, window, NULL);
	gtk_window_present(GTK_WINDOW(window));
}

int main(int argc, char **argv)
{
	GtkApplication *application;
	int status;

	if (argc != 3 && argc != 4)
		return 2;
	does_wait = strcmp(argv[1], "fsync") == 0;
	n_frames = atoi(argv[2]);
	if (argc == 4)
		planted_ns = atoi(argv[3]) * INT64_C(1000000);
	fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	application = gtk_application_new(NULL, G_APPLICATION_NON_UNIQUE);
	g_signal_connect(application, "activate", G_CALLBACK(activate), NULL);
	status = g_application_run(G_APPLICATION(application), 1, argv);
	g_object_unref(application);
	return status;
}
