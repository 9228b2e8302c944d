/* SPDX-License-Identifier: BSD-2-Clause */
/* mark.c - marks, and the word that shows whether a recording runs. */
#include <syscap-glib/mark.h>
#include <syscap.h>

G_STATIC_ASSERT((int)SYSCAP_GLIB_LINK_WHOLE == (int)SYSCAP_LINK_WHOLE);
G_STATIC_ASSERT((int)SYSCAP_GLIB_LINK_END == (int)SYSCAP_LINK_END);
G_STATIC_ASSERT((int)SYSCAP_GLIB_LINK_IN == (int)SYSCAP_LINK_IN);
G_STATIC_ASSERT(sizeof(syc_active) == sizeof(guint32));

gboolean syscap_glib_is_active(void)
{
	return syscap_is_active();
}

gint64 syscap_glib_now(void)
{
	return syscap_clock();
}

gdouble syscap_glib_now_double(void)
{
	return (gdouble)syscap_clock();
}

gint64 syscap_glib_begin(void)
{
	return syscap_begin();
}

void syscap_glib_mark(const char *group, const char *name, gint64 begin,
                      gint64 duration, const char *message)
{
	if (syscap_is_active())
		syscap_mark(group, name, begin, duration, message);
}

void syscap_glib_mark_since(const char *group, const char *name, gint64 begin,
                            const char *message)
{
	if (syscap_is_active() && begin != 0)
		syscap_mark(group, name, begin, syscap_clock() - begin,
		            message);
}

void syscap_glib_instant(const char *group, const char *name,
                         const char *message)
{
	if (syscap_is_active())
		syscap_mark(group, name, syscap_clock(), 0, message);
}

guint syscap_glib_intern(const char *group, const char *name)
{
	return syscap_mark_id(group, name);
}

void syscap_glib_mark_by_id(guint id, gint64 begin, gint64 duration,
                            const char *message)
{
	if (syscap_is_active())
		syscap_mark_by_id(id, begin, duration, message);
}

void syscap_glib_mark_since_by_id(guint id, gint64 begin, const char *message)
{
	if (syscap_is_active() && begin != 0)
		syscap_mark_by_id(id, begin, syscap_clock() - begin, message);
}

void syscap_glib_linked(const char *group, const char *name,
                        SyscapGlibLink link, guint64 id, const char *message)
{
	if (syscap_is_active())
		syscap_linked(group, name, link, id, message);
}

void syscap_glib_metadata(const char *id, const char *value)
{
	if (syscap_is_active())
		syscap_metadata(id, value);
}

GBytes *syscap_glib_share(gboolean n_calls)
{
	static guint32 calls;

	if (!n_calls)
		return g_bytes_new_static(&syc_active, sizeof(syc_active));
	__atomic_fetch_add(&calls, 1, __ATOMIC_RELAXED);
	return g_bytes_new_static(&calls, sizeof(calls));
}
