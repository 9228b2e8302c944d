/* SPDX-License-Identifier: BSD-2-Clause */
/* deeds.c - one event of each kind, in C.  deeds.vala, .js and .py emit the
 * same events, and test_deeds.py checks the capture. */
#include <syscap-glib.h>

static void make_marks(void)
{
	const guint id = syscap_glib_intern("deeds", "by id");
	const gint64 now = syscap_glib_now();

	syscap_glib_mark("deeds", "mark", now, 5000000, "größe");
	syscap_glib_mark_since("deeds", "since", now, NULL);
	syscap_glib_mark_since("deeds", "since nothing", 0, NULL);
	syscap_glib_instant("deeds", "instant", "a text");
	g_assert_true(id != 0);
	g_assert_cmpuint(syscap_glib_intern("deeds", "by id"), ==, id);
	syscap_glib_mark_by_id(id, now, 7, NULL);
	syscap_glib_mark_since_by_id(id, now, "until now");
	syscap_glib_mark_by_id(4000000, now, 7, "of nobody");
	syscap_glib_linked("deeds", "job", SYSCAP_GLIB_LINK_BEGIN, 42, "go");
	syscap_glib_linked("deeds", "job", SYSCAP_GLIB_LINK_END, 42, NULL);
	syscap_glib_metadata("deeds.version", "1.0");
}

static void make_scopes(void)
{
	g_autoptr(SyscapGlibScope) block =
		syscap_glib_scope_new("deeds", "block");
	SyscapGlibScope *scope;

	scope = syscap_glib_scope_new("deeds", "scope");
	syscap_glib_scope_end(scope, "done");
	syscap_glib_scope_end(scope, "again");
	syscap_glib_scope_unref(scope);
	scope = syscap_glib_scope_new_by_id(
		syscap_glib_intern("deeds", "scope by id"));
	syscap_glib_scope_end(scope, NULL);
	syscap_glib_scope_unref(scope);
	scope = syscap_glib_scope_new("ääääääääääääääää",
	                              "öööööööööööööööööööööööööööööööö");
	syscap_glib_scope_end(scope, NULL);
	syscap_glib_scope_unref(scope);
	g_assert_nonnull(block);
}

static void set_counters(void)
{
	SyscapGlibCounter *whole = syscap_glib_counter_new(
		"deeds", "whole", "An integer", SYSCAP_GLIB_COUNTER_TYPE_INT64);
	g_autoptr(SyscapGlibCounter) real = syscap_glib_counter_new(
		"deeds", "real", "A double", SYSCAP_GLIB_COUNTER_TYPE_DOUBLE);

	g_assert_true(syscap_glib_counter_is_valid(whole));
	syscap_glib_counter_set_int64(whole, -5);
	syscap_glib_counter_set_double(whole, 2.9);
	syscap_glib_counter_set_double(whole, 1e300);
	syscap_glib_counter_set_double(real, 0.5);
	syscap_glib_counter_set_int64(real, 3);
	syscap_glib_counter_update_int64(whole, 8);
	syscap_glib_counter_update_int64(whole, 8);
	syscap_glib_counter_update_double(real, 8.25);
	syscap_glib_counter_update_double(real, 8.25);
	SyscapGlibCounter *const sum = syscap_glib_counter_new(
		"deeds", "sum", "Added", SYSCAP_GLIB_COUNTER_TYPE_INT64);
	syscap_glib_counter_add(sum, 1);
	syscap_glib_counter_add(sum, 6);
	syscap_glib_counter_add(sum, -2);
}

int main(void)
{
	make_marks();
	make_scopes();
	set_counters();
	syscap_glib_log("deeds", G_LOG_LEVEL_INFO, "a line");
	g_print("%s\n", syscap_glib_is_active() ? "recorded" : "off");
	return 0;
}
