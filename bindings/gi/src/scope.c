/* SPDX-License-Identifier: BSD-2-Clause */
/* scope.c - scopes, which are counted references to an activity. */
#include <syscap-glib/scope.h>
#include <syscap.h>

struct _SyscapGlibScope {
	gatomicrefcount references;
	guint id;     /* number of the texts; 0: @site has the texts */
	gint64 begin; /* start time; 0: the scope has ended */
	struct syscap_mark_site site;
};

G_DEFINE_BOXED_TYPE(SyscapGlibScope, syscap_glib_scope, syscap_glib_scope_ref,
                    syscap_glib_scope_unref)

/* Shared by all scopes that began without a recording. */
static struct _SyscapGlibScope nowhere;

/* Copies @from, cut between characters to fit with a NUL. */
static void cut(char *to, gsize size, const char *from)
{
	gsize n = from != NULL ? strlen(from) : 0;

	if (n >= size)
		for (n = size - 1; n > 0 && (from[n] & 0xC0) == 0x80;)
			n--;
	if (n != 0)
		memcpy(to, from, n);
}

static struct _SyscapGlibScope *begin_scope(guint id)
{
	SyscapGlibScope *const scope = g_new0(SyscapGlibScope, 1);

	g_atomic_ref_count_init(&scope->references);
	scope->id = id;
	return scope;
}

SyscapGlibScope *syscap_glib_scope_new(const char *group, const char *name)
{
	SyscapGlibScope *scope;

	if (!syscap_is_active())
		return &nowhere;
	scope = begin_scope(0);
	cut(scope->site.group, sizeof(scope->site.group), group);
	cut(scope->site.name, sizeof(scope->site.name), name);
	scope->begin = syscap_clock();
	return scope;
}

SyscapGlibScope *syscap_glib_scope_new_by_id(guint id)
{
	SyscapGlibScope *scope;

	if (!syscap_is_active() || id == 0)
		return &nowhere;
	scope = begin_scope(id);
	scope->begin = syscap_clock();
	return scope;
}

void syscap_glib_scope_end(SyscapGlibScope *scope, const char *message)
{
	/* If several threads end the scope, the thread that gets the time
	 * records the scope. */
	const gint64 begin = scope == &nowhere
	                             ? 0
	                             : __atomic_exchange_n(&scope->begin, 0,
	                                                   __ATOMIC_RELAXED);

	if (begin == 0 || !syscap_is_active())
		return;
	if (scope->id != 0)
		syscap_mark_by_id(scope->id, begin, syscap_clock() - begin,
		                  message);
	else
		syscap_mark_at(&scope->site, begin, syscap_clock() - begin,
		               message);
}

SyscapGlibScope *syscap_glib_scope_ref(SyscapGlibScope *scope)
{
	if (scope != &nowhere)
		g_atomic_ref_count_inc(&scope->references);
	return scope;
}

/* This thread has the last reference, so plain loads are enough. */
static void tell_that_it_was_not_ended(const struct _SyscapGlibScope *scope)
{
	if (!syscap_is_active())
		return;
	if (scope->id != 0)
		syscap_log_printf(SYSCAP_WARNING, "syscap",
		                  "the scope with id %u was never ended",
		                  scope->id);
	else
		syscap_log_printf(SYSCAP_WARNING, "syscap",
		                  "the scope \"%s\" of group \"%s\" was never "
		                  "ended",
		                  scope->site.name, scope->site.group);
}

void syscap_glib_scope_unref(SyscapGlibScope *scope)
{
	if (scope == &nowhere || !g_atomic_ref_count_dec(&scope->references))
		return;
	if (scope->begin != 0)
		tell_that_it_was_not_ended(scope);
	g_free(scope);
}

void syscap_glib_scope_close(SyscapGlibScope *scope)
{
	if (scope == &nowhere || !g_atomic_ref_count_dec(&scope->references))
		return;
	syscap_glib_scope_end(scope, NULL);
	g_free(scope);
}
