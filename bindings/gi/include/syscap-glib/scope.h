/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scope.h - marks that begin where a scope is made and end where it ends.
 *
 * Several threads may hold references; one scope is ended by one of them.
 */
#ifndef SYSCAP_GLIB_SCOPE_H
#define SYSCAP_GLIB_SCOPE_H

#include <glib-object.h>

G_BEGIN_DECLS

#define SYSCAP_GLIB_TYPE_SCOPE (syscap_glib_scope_get_type())

/**
 * SyscapGlibScope:
 *
 * Something that is going on.  It becomes a mark when syscap_glib_scope_end()
 * is called.
 *
 * A scope that a garbage collector takes before it was ended makes no mark:
 * when the collector ran says nothing about when the work was done.  The
 * capture has a warning in its place, which names the scope.  Where lifetimes
 * are exact (Vala, g_autoptr in C) the end of the last one ends the scope.
 */
typedef struct _SyscapGlibScope SyscapGlibScope;

GType syscap_glib_scope_get_type(void) G_GNUC_CONST;

/**
 * syscap_glib_scope_new: (constructor)
 * @group: what it belongs to
 * @name: what it is
 *
 * Begins a scope, now.
 *
 * Returns: (transfer full): the scope
 */
SyscapGlibScope *syscap_glib_scope_new(const char *group, const char *name);

/**
 * syscap_glib_scope_new_by_id: (constructor)
 * @id: from syscap_glib_intern()
 *
 * Begins a scope, now, whose texts have a number.
 *
 * Returns: (transfer full): the scope
 */
SyscapGlibScope *syscap_glib_scope_new_by_id(guint id);

/**
 * syscap_glib_scope_end:
 * @scope: what ends now
 * @message: (nullable): a text
 *
 * Records the scope as a mark.  Further calls do nothing, as does one for a
 * scope that began while nothing was recorded.
 */
void syscap_glib_scope_end(SyscapGlibScope *scope, const char *message);

/**
 * syscap_glib_scope_ref:
 * @scope: a scope
 *
 * Adds a reference.
 *
 * Returns: (transfer full): the same scope
 */
SyscapGlibScope *syscap_glib_scope_ref(SyscapGlibScope *scope);

/**
 * syscap_glib_scope_unref:
 * @scope: (transfer full): a scope
 *
 * Drops a reference.  The last one frees the scope, which makes no mark if it
 * was not ended.
 */
void syscap_glib_scope_unref(SyscapGlibScope *scope);

/**
 * syscap_glib_scope_close: (skip)
 * @scope: (transfer full): a scope
 *
 * Drops a reference.  The last one ends the scope.
 */
void syscap_glib_scope_close(SyscapGlibScope *scope);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SyscapGlibScope, syscap_glib_scope_close)

G_END_DECLS

#endif
