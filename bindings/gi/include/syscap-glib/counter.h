/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counter.h - numbers that change.
 *
 * Any thread may set any counter.  Texts are cut: category and name to 31
 * bytes, description to 51.
 */
#ifndef SYSCAP_GLIB_COUNTER_H
#define SYSCAP_GLIB_COUNTER_H

#include <glib-object.h>

G_BEGIN_DECLS

#define SYSCAP_GLIB_TYPE_COUNTER (syscap_glib_counter_get_type())

/**
 * SyscapGlibCounterType:
 * @SYSCAP_GLIB_COUNTER_TYPE_INT64: whole numbers
 * @SYSCAP_GLIB_COUNTER_TYPE_DOUBLE: others
 *
 * What a counter counts in.
 */
typedef enum {
	SYSCAP_GLIB_COUNTER_TYPE_INT64,
	SYSCAP_GLIB_COUNTER_TYPE_DOUBLE
} SyscapGlibCounterType;

/**
 * SyscapGlibCounter:
 *
 * A number that changes.  There is one for the same texts and type in a
 * process, and it stays until the process ends.
 */
typedef struct _SyscapGlibCounter SyscapGlibCounter;

GType syscap_glib_counter_get_type(void) G_GNUC_CONST;

/**
 * syscap_glib_counter_new: (constructor)
 * @category: what it belongs to
 * @name: what it is
 * @description: what it counts, for people
 * @type: what it counts in
 *
 * Makes a counter, or finds it.  When the table (4,096) is full there is a
 * warning in the capture, and the counter records nothing.
 *
 * Returns: (transfer full): the counter
 */
SyscapGlibCounter *syscap_glib_counter_new(const char *category,
                                           const char *name,
                                           const char *description,
                                           SyscapGlibCounterType type);

/**
 * syscap_glib_counter_is_valid:
 * @counter: a counter
 *
 * Whether there was room for it.
 *
 * Returns: %FALSE if it records nothing
 */
gboolean syscap_glib_counter_is_valid(SyscapGlibCounter *counter);

/**
 * syscap_glib_counter_set_int64:
 * @counter: a counter
 * @value: what it is now
 *
 * Records the value now; as a double if the counter is one of those.
 */
void syscap_glib_counter_set_int64(SyscapGlibCounter *counter, gint64 value);

/**
 * syscap_glib_counter_set_double:
 * @counter: a counter
 * @value: what it is now
 *
 * Records the value now; without its fraction if the counter is of whole
 * numbers (the nearest that there is; 0 for what is no number).
 */
void syscap_glib_counter_set_double(SyscapGlibCounter *counter, gdouble value);

/**
 * syscap_glib_counter_update_int64:
 * @counter: a counter
 * @value: what it is now
 *
 * As syscap_glib_counter_set_int64(), when it differs from the last one that
 * an update recorded.
 */
void syscap_glib_counter_update_int64(SyscapGlibCounter *counter, gint64 value);

/**
 * syscap_glib_counter_update_double:
 * @counter: a counter
 * @value: what it is now
 *
 * As syscap_glib_counter_set_double(), when it differs from the last one that
 * an update recorded.
 */
void syscap_glib_counter_update_double(SyscapGlibCounter *counter,
                                       gdouble value);

/**
 * syscap_glib_counter_copy:
 * @counter: a counter
 *
 * Counters are never copied.
 *
 * Returns: (transfer full): the same counter
 */
SyscapGlibCounter *syscap_glib_counter_copy(SyscapGlibCounter *counter);

/**
 * syscap_glib_counter_free:
 * @counter: (transfer full): a counter
 *
 * Does nothing: counters live as long as the process.
 */
void syscap_glib_counter_free(SyscapGlibCounter *counter);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SyscapGlibCounter, syscap_glib_counter_free)

G_END_DECLS

#endif
