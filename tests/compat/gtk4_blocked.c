/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gtk4_blocked.c - a GTK 4 program with a button that blocks: gtk4_blocked read
 * FIFO, which gets data 700 ms later, or fsync FILE.
 *
 * The program clicks the button itself, and ends.
 */
#include <fcntl.h>
#include <gtk/gtk.h>
#include <string.h>
#include <unistd.h>

static const char *path;
static gboolean has_clicked;
static gint is_reading;

static gpointer feed(gpointer data)
{
	const int fd = open(path, O_WRONLY);

	while (!g_atomic_int_get(&is_reading))
		g_usleep(1000);
	g_usleep(700000);
	if (write(fd, "x", 1) != 1)
		g_error("write");
	close(fd);
	return data;
}

__attribute__((noinline)) void read_in_a_button(GtkButton *button,
                                                gpointer data)
{
	GThread *const feeder = g_thread_new("feeder", feed, NULL);
	const int fd = open(path, O_RDONLY);
	char byte;

	(void)button;
	(void)data;
	g_atomic_int_set(&is_reading, 1);
	if (read(fd, &byte, 1) != 1)
		g_error("read");
	close(fd);
	g_thread_join(feeder);
	has_clicked = TRUE;
}

__attribute__((noinline)) void save_in_a_button(GtkButton *button,
                                                gpointer data)
{
	const int fd = open(path, O_WRONLY | O_CREAT, 0600);

	(void)button;
	(void)data;
	if (write(fd, "x", 1) != 1 || fsync(fd) != 0)
		g_error("fsync");
	close(fd);
	has_clicked = TRUE;
}

static gboolean click(gpointer button)
{
	if (has_clicked) {
		gtk_window_destroy(
			GTK_WINDOW(gtk_widget_get_root(GTK_WIDGET(button))));
		return G_SOURCE_REMOVE;
	}
	g_signal_emit_by_name(button, "clicked");
	return G_SOURCE_CONTINUE;
}

static void activate(GtkApplication *app, gpointer handler)
{
	GtkWidget *const window = gtk_application_window_new(app);
	GtkWidget *const button = gtk_button_new_with_label("Load");

	g_signal_connect(button, "clicked", G_CALLBACK(handler), NULL);
	gtk_window_set_child(GTK_WINDOW(window), button);
	gtk_window_present(GTK_WINDOW(window));
	g_timeout_add(300, click, button);
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	path = argv[2];
	GtkApplication *const app =
		gtk_application_new(NULL, G_APPLICATION_NON_UNIQUE);
	g_signal_connect(app, "activate", G_CALLBACK(activate),
	                 strcmp(argv[1], "read") == 0
	                         ? (gpointer)read_in_a_button
	                         : (gpointer)save_in_a_button);
	const int status = g_application_run(G_APPLICATION(app), 1, argv);
	return status == 0 && has_clicked ? 0 : 1;
}
