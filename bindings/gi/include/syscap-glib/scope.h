/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scope.h - marks that begin when a scope is made and end when the scope ends.
 *
 * Several threads may hold references to a scope.  One of the holders ends the
 * scope.
 */
#ifndef SYSCAP_GLIB_SCOPE_H
#define SYSCAP_GLIB_SCOPE_H

#include <glib-object.h>

G_BEGIN_DECLS

#define SYSCAP_GLIB_TYPE_SCOPE (syscap_glib_scope_get_type())

/**
 * SyscapGlibScope:
 *
 * An activity, which becomes a mark at syscap_glib_scope_end().
 *
 * A scope that a garbage collector frees before its end makes no mark, since
 * the collection is not the end of the work.  Instead, the capture has a
 * warning that names the scope.  With exact lifetimes (Vala, g_autoptr in C),
 * the end of the last reference ends the scope.
 */
typedef struct _SyscapGlibScope SyscapGlibScope;

GType syscap_glib_scope_get_type(void) G_GNUC_CONST;

/**
 * syscap_glib_scope_new: (constructor)
 * @group: the mark's group
 * @name: the mark's name
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
 * Begins a scope, now, whose texts have the number @id.
 *
 * Returns: (transfer full): the scope
 */
SyscapGlibScope *syscap_glib_scope_new_by_id(guint id);

/**
 * syscap_glib_scope_end:
 * @scope: a scope, which ends now
 * @message: (nullable): a text
 *
 * Records the scope as a mark.  Further calls do nothing.  A call for a scope
 * that began without a recording does nothing, either.
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
 * Drops a reference.  Dropping the last reference frees the scope, without a
 * mark if the scope has not ended.
 */
void syscap_glib_scope_unref(SyscapGlibScope *scope);

/**
 * syscap_glib_scope_close: (skip)
 * @scope: (transfer full): a scope
 *
 * Drops a reference.  Dropping the last reference ends the scope.
 */
void syscap_glib_scope_close(SyscapGlibScope *scope);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SyscapGlibScope, syscap_glib_scope_close)

G_END_DECLS

#endif
