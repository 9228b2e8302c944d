/* SPDX-License-Identifier: BSD-2-Clause */
/* counter.c - counters, which wrap counters of the core library. */
#include <math.h>

#include <syscap-glib/counter.h>
#include <syscap.h>

G_STATIC_ASSERT((int)SYSCAP_GLIB_COUNTER_TYPE_INT64 == (int)SYSCAP_INT64);
G_STATIC_ASSERT((int)SYSCAP_GLIB_COUNTER_TYPE_DOUBLE == (int)SYSCAP_DOUBLE);

struct _SyscapGlibCounter {
	struct syscap_counter core;
};

/* Shared by all counters without space in the table. */
static struct _SyscapGlibCounter nowhere;

G_DEFINE_BOXED_TYPE(SyscapGlibCounter, syscap_glib_counter,
                    syscap_glib_counter_copy, syscap_glib_counter_free)

SyscapGlibCounter *syscap_glib_counter_new(const char *category,
                                           const char *name,
                                           const char *description,
                                           SyscapGlibCounterType type)
{
	struct syscap_counter *core;

	g_return_val_if_fail(type == SYSCAP_GLIB_COUNTER_TYPE_INT64 ||
	                             type == SYSCAP_GLIB_COUNTER_TYPE_DOUBLE,
	                     &nowhere);
	core = syscap_counter_get(category, name, description, type);
	if (core != NULL)
		return (SyscapGlibCounter *)core;
	if (syscap_is_active())
		syscap_log_printf(SYSCAP_WARNING, "syscap",
		                  "there are too many counters for \"%s\" of "
		                  "category \"%s\"",
		                  name, category);
	return &nowhere;
}

gboolean syscap_glib_counter_is_valid(SyscapGlibCounter *counter)
{
	return counter != &nowhere;
}

static gint64 whole(gdouble value)
{
	if (isnan(value))
		return 0;
	if (value >= 9223372036854775808.0)
		return G_MAXINT64;
	if (value < -9223372036854775808.0)
		return G_MININT64;
	return (gint64)value;
}

/* True during a recording, if @counter has space in the table. */
static gboolean is_wanted(const struct _SyscapGlibCounter *counter)
{
	return syscap_is_active() && counter != &nowhere;
}

void syscap_glib_counter_set_int64(SyscapGlibCounter *counter, gint64 value)
{
	if (!is_wanted(counter))
		return;
	if (counter->core.type == SYSCAP_INT64)
		syscap_counter_set_int64(&counter->core, value);
	else
		syscap_counter_set_double(&counter->core, (gdouble)value);
}

void syscap_glib_counter_set_double(SyscapGlibCounter *counter, gdouble value)
{
	if (!is_wanted(counter))
		return;
	if (counter->core.type == SYSCAP_DOUBLE)
		syscap_counter_set_double(&counter->core, value);
	else
		syscap_counter_set_int64(&counter->core, whole(value));
}

void syscap_glib_counter_update_int64(SyscapGlibCounter *counter, gint64 value)
{
	if (!is_wanted(counter))
		return;
	if (counter->core.type == SYSCAP_INT64)
		syscap_counter_update_int64(&counter->core, value);
	else
		syscap_counter_update_double(&counter->core, (gdouble)value);
}

void syscap_glib_counter_update_double(SyscapGlibCounter *counter,
                                       gdouble value)
{
	if (!is_wanted(counter))
		return;
	if (counter->core.type == SYSCAP_DOUBLE)
		syscap_counter_update_double(&counter->core, value);
	else
		syscap_counter_update_int64(&counter->core, whole(value));
}

void syscap_glib_counter_add(SyscapGlibCounter *counter, gint64 n)
{
	if (counter != &nowhere)
		syscap_counter_add(&counter->core, n);
}

SyscapGlibCounter *syscap_glib_counter_copy(SyscapGlibCounter *counter)
{
	return counter;
}

void syscap_glib_counter_free(G_GNUC_UNUSED SyscapGlibCounter *counter)
{
}
