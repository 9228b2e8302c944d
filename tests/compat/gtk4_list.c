/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * gtk4_list.c - a GTK 4 program that scrolls through a list of messages by
 * itself, and ends.
 *
 * For the first line of a message, the program formats the whole message, and
 * frees the text at once.
 */
#define _GNU_SOURCE
#include <gtk/gtk.h>
#include <string.h>

#define N_ROWS  2000u
#define N_LINES 400
#define N_STEPS 40u

static guint step;
static GtkScrolledWindow *scrolled;

__attribute__((noinline)) static gchar *format_message(guint row)
{
	static char line[] = "This row has no other text.\n";
	static char body[N_LINES * (sizeof(line) - 1) + 1];

	for (size_t i = 0; i < N_LINES; i++)
		memcpy(body + i * (sizeof(line) - 1), line, sizeof(line) - 1);
	return g_strdup_printf("Message %u\n%s", row, body);
}

__attribute__((noinline)) void show_first_line(GtkListItem *item)
{
	gchar *const message = format_message(gtk_list_item_get_position(item));
	char first[64];

	*strchrnul(message, '\n') = '\0';
	g_strlcpy(first, message, sizeof(first));
	g_free(message);
	gtk_label_set_text(GTK_LABEL(gtk_list_item_get_child(item)), first);
}

static void set_up(GtkListItemFactory *factory, GtkListItem *item)
{
	(void)factory;
	gtk_list_item_set_child(item, gtk_label_new(NULL));
}

static void bind(GtkListItemFactory *factory, GtkListItem *item)
{
	(void)factory;
	show_first_line(item);
}

static gboolean scroll(gpointer window)
{
	GtkAdjustment *const at = gtk_scrolled_window_get_vadjustment(scrolled);

	if (step++ == N_STEPS) {
		gtk_window_destroy(window);
		return G_SOURCE_REMOVE;
	}
	gtk_adjustment_set_value(at, gtk_adjustment_get_upper(at) * step /
	                                     (N_STEPS + 1));
	return G_SOURCE_CONTINUE;
}

static void activate(GtkApplication *app)
{
	GtkWidget *const window = gtk_application_window_new(app);
	GtkListItemFactory *const factory = gtk_signal_list_item_factory_new();
	GtkStringList *const rows = gtk_string_list_new(NULL);

	for (guint i = 0; i < N_ROWS; i++)
		gtk_string_list_append(rows, "");
	g_signal_connect(factory, "setup", G_CALLBACK(set_up), NULL);
	g_signal_connect(factory, "bind", G_CALLBACK(bind), NULL);
	scrolled = GTK_SCROLLED_WINDOW(gtk_scrolled_window_new());
	gtk_scrolled_window_set_child(
		scrolled,
		gtk_list_view_new(GTK_SELECTION_MODEL(gtk_no_selection_new(
					  G_LIST_MODEL(rows))),
	                          factory));
	gtk_window_set_child(GTK_WINDOW(window), GTK_WIDGET(scrolled));
	gtk_window_set_default_size(GTK_WINDOW(window), 300, 400);
	gtk_window_present(GTK_WINDOW(window));
	g_timeout_add(20, scroll, window);
}

int main(int argc, char **argv)
{
	GtkApplication *const app =
		gtk_application_new(NULL, G_APPLICATION_NON_UNIQUE);

	g_signal_connect(app, "activate", G_CALLBACK(activate), NULL);
	return g_application_run(G_APPLICATION(app), argc, argv);
}
