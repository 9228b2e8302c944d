/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * threads.c - eight threads that end the same scopes at the same time, set the
 * same counter, and log through GLib.  Finally, the program frees scopes
 * without an end.
 */
#include <string.h>

#include <syscap-glib.h>

#define N_THREADS 8
#define N_SCOPES  200

static SyscapGlibScope *scopes[N_SCOPES];
static gint n_ready;

static gpointer end_them_all(G_GNUC_UNUSED gpointer nothing)
{
	SyscapGlibCounter *const counter = syscap_glib_counter_new(
		"threads", "shared", "", SYSCAP_GLIB_COUNTER_TYPE_INT64);
	SyscapGlibCounter *const sum = syscap_glib_counter_new(
		"threads", "sum", "", SYSCAP_GLIB_COUNTER_TYPE_INT64);

	g_atomic_int_inc(&n_ready);
	while (g_atomic_int_get(&n_ready) < N_THREADS)
		g_thread_yield();
	for (int i = 0; i < N_SCOPES; i++) {
		syscap_glib_scope_end(scopes[i], NULL);
		syscap_glib_scope_unref(scopes[i]);
		syscap_glib_counter_set_int64(counter, i);
		syscap_glib_counter_add(sum, 3);
	}
	g_message("a thread is done");
	return NULL;
}

static void log_a_field_without_nul(void)
{
	const GLogField fields[] = {
		{ "PRIORITY", "4", -1 },
		{ "GLIB_DOMAIN", "threads!", 7 },
		{ "MESSAGE", "counted text, and more", 12 },
	};

	g_log_structured_array(G_LOG_LEVEL_DEBUG, fields, G_N_ELEMENTS(fields));
}

int main(void)
{
	GThread *threads[N_THREADS];

	syscap_glib_log_install();
	syscap_glib_log_install();
	for (int i = 0; i < N_SCOPES; i++) {
		scopes[i] = syscap_glib_scope_new("threads", "shared");
		for (int k = 1; k < N_THREADS; k++)
			syscap_glib_scope_ref(scopes[i]);
	}
	for (int i = 0; i < N_THREADS; i++)
		threads[i] = g_thread_new("ender", end_them_all, NULL);
	for (int i = 0; i < N_THREADS; i++)
		g_thread_join(threads[i]);

	log_a_field_without_nul();
	syscap_glib_scope_unref(syscap_glib_scope_new("threads", "forgotten"));
	syscap_glib_scope_unref(syscap_glib_scope_new_by_id(
		syscap_glib_intern("threads", "forgotten")));
	for (int i = 0; i < 5000; i++) {
		char name[16];

		g_snprintf(name, sizeof(name), "c%d", i);
		if (!syscap_glib_counter_is_valid(syscap_glib_counter_new(
			    "many", name, "",
			    SYSCAP_GLIB_COUNTER_TYPE_INT64))) {
			g_print("full at %d\n", i);
			break;
		}
	}
	return 0;
}
