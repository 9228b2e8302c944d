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
 * @SYSCAP_GLIB_COUNTER_TYPE_DOUBLE: floating-point numbers
 *
 * Type of a counter's values.
 */
typedef enum {
	SYSCAP_GLIB_COUNTER_TYPE_INT64,
	SYSCAP_GLIB_COUNTER_TYPE_DOUBLE
} SyscapGlibCounterType;

/**
 * SyscapGlibCounter:
 *
 * A number that changes.  A process has one counter for the same texts and
 * type, until the process ends.
 */
typedef struct _SyscapGlibCounter SyscapGlibCounter;

GType syscap_glib_counter_get_type(void) G_GNUC_CONST;

/**
 * syscap_glib_counter_new: (constructor)
 * @category: the counter's category
 * @name: the counter's name
 * @description: a description for readers
 * @type: type of the values
 *
 * Makes or finds a counter.  If the table (4,096 counters) is full, the capture
 * has a warning, and the counter records nothing.
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
 * Checks that the table had space for the counter.
 *
 * Returns: %FALSE if the counter records nothing
 */
gboolean syscap_glib_counter_is_valid(SyscapGlibCounter *counter);

/**
 * syscap_glib_counter_set_int64:
 * @counter: a counter
 * @value: the new value
 *
 * Records the value now.  If the counter's type is double, records the value as
 * a double.
 */
void syscap_glib_counter_set_int64(SyscapGlibCounter *counter, gint64 value);

/**
 * syscap_glib_counter_set_double:
 * @counter: a counter
 * @value: the new value
 *
 * Records the value now.  If the counter has whole numbers, drops the fraction,
 * takes the nearest possible number, and takes 0 for NaN.
 */
void syscap_glib_counter_set_double(SyscapGlibCounter *counter, gdouble value);

/**
 * syscap_glib_counter_update_int64:
 * @counter: a counter
 * @value: the new value
 *
 * Records the value like syscap_glib_counter_set_int64(), if it differs from
 * the value of the last recorded update.
 */
void syscap_glib_counter_update_int64(SyscapGlibCounter *counter, gint64 value);

/**
 * syscap_glib_counter_update_double:
 * @counter: a counter
 * @value: the new value
 *
 * Records the value like syscap_glib_counter_set_double(), if it differs from
 * the value of the last recorded update.
 */
void syscap_glib_counter_update_double(SyscapGlibCounter *counter,
                                       gdouble value);

/**
 * syscap_glib_counter_add:
 * @counter: a counter
 * @n: a whole number, which may be less than 0
 *
 * Adds @n, also without a recording, and records the sum.  Threads may add at
 * the same time: after the last addition the newest recorded value is the sum.
 * Set and update no counter to which you add.
 */
void syscap_glib_counter_add(SyscapGlibCounter *counter, gint64 n);

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
 * Does nothing: counters exist as long as the process.
 */
void syscap_glib_counter_free(SyscapGlibCounter *counter);

G_DEFINE_AUTOPTR_CLEANUP_FUNC(SyscapGlibCounter, syscap_glib_counter_free)

G_END_DECLS

#endif
