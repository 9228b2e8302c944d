/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mark.h - marks: events at a time or for a time.
 *
 * Times are nanoseconds of CLOCK_MONOTONIC, as g_get_monotonic_time() * 1000.
 * Texts are UTF-8 and copied.  A group is cut to 23 bytes, a name to 39, a
 * message to 65,431.
 *
 * Any thread may call each function at any time.  No function blocks or
 * allocates.  Without a recording, the functions record nothing.
 */
#ifndef SYSCAP_GLIB_MARK_H
#define SYSCAP_GLIB_MARK_H

#include <glib-object.h>

G_BEGIN_DECLS

/**
 * SyscapGlibLink:
 * @SYSCAP_GLIB_LINK_WHOLE: a whole operation
 * @SYSCAP_GLIB_LINK_BEGIN: an operation begins
 * @SYSCAP_GLIB_LINK_STEP: an event within the operation
 * @SYSCAP_GLIB_LINK_END: the operation ends
 * @SYSCAP_GLIB_LINK_OUT: an arrow leaves
 * @SYSCAP_GLIB_LINK_IN: an arrow arrives
 *
 * Relation of a mark to other marks with the same group and number.
 */
typedef enum {
	SYSCAP_GLIB_LINK_WHOLE,
	SYSCAP_GLIB_LINK_BEGIN,
	SYSCAP_GLIB_LINK_STEP,
	SYSCAP_GLIB_LINK_END,
	SYSCAP_GLIB_LINK_OUT,
	SYSCAP_GLIB_LINK_IN
} SyscapGlibLink;

/**
 * syscap_glib_is_active:
 *
 * Checks whether events may be recorded.  All functions make this check.  A
 * program may check before costly preparations of an event.
 *
 * Returns: %TRUE during a recording
 */
gboolean syscap_glib_is_active(void);

/**
 * syscap_glib_now:
 *
 * Gets the time on the clock of the capture.
 *
 * Returns: nanoseconds of CLOCK_MONOTONIC
 */
gint64 syscap_glib_now(void);

/**
 * syscap_glib_now_double:
 *
 * Gets the time for languages whose numbers are doubles, such as JavaScript's
 * `Syscap.now()`.  The time is exact for 104 days after boot, then to 2 ns.
 *
 * Returns: nanoseconds of CLOCK_MONOTONIC
 */
gdouble syscap_glib_now_double(void);

/**
 * syscap_glib_begin:
 *
 * Gets the start time for a later syscap_glib_mark_since().
 *
 * Returns: nanoseconds of CLOCK_MONOTONIC; 0 without a recording
 */
gint64 syscap_glib_begin(void);

/**
 * syscap_glib_mark:
 * @group: the mark's group
 * @name: the mark's name
 * @begin: start time
 * @duration: duration in nanoseconds; 0: an instant
 * @message: (nullable): a text
 *
 * Records a mark.
 */
void syscap_glib_mark(const char *group, const char *name, gint64 begin,
                      gint64 duration, const char *message);

/**
 * syscap_glib_mark_since:
 * @group: the mark's group
 * @name: the mark's name
 * @begin: start time, from syscap_glib_begin() or syscap_glib_now()
 * @message: (nullable): a text
 *
 * Records a mark from @begin until now.  A @begin of 0 means that there was no
 * recording at the start, and records nothing.
 */
void syscap_glib_mark_since(const char *group, const char *name, gint64 begin,
                            const char *message);

/**
 * syscap_glib_instant:
 * @group: the mark's group
 * @name: the mark's name
 * @message: (nullable): a text
 *
 * Records an instant now.
 */
void syscap_glib_instant(const char *group, const char *name,
                         const char *message);

/**
 * syscap_glib_intern:
 * @group: group of marks
 * @name: name of marks
 *
 * Gets a number for the two texts, the same for the same texts.  Keep the
 * number, since marks by number cost less than marks by text, but a look-up
 * costs more.
 *
 * Returns: the number; 0 when the table (4,096 pairs) is full
 */
guint syscap_glib_intern(const char *group, const char *name);

/**
 * syscap_glib_mark_by_id:
 * @id: from syscap_glib_intern(); another number records nothing
 * @begin: start time
 * @duration: duration in nanoseconds; 0: an instant
 * @message: (nullable): a text
 *
 * Records a mark as syscap_glib_mark() does.
 */
void syscap_glib_mark_by_id(guint id, gint64 begin, gint64 duration,
                            const char *message);

/**
 * syscap_glib_mark_since_by_id:
 * @id: from syscap_glib_intern(); another number records nothing
 * @begin: start time; 0 records nothing
 * @message: (nullable): a text
 *
 * Records a mark as syscap_glib_mark_since() does.
 */
void syscap_glib_mark_since_by_id(guint id, gint64 begin, const char *message);

/**
 * syscap_glib_linked:
 * @group: the mark's group
 * @name: the mark's name
 * @link: the mark's part in an operation or arrow
 * @id: the operation's or arrow's number within @group
 * @message: (nullable): a text
 *
 * Records an instant that belongs to other marks.  An operation that continues
 * while its thread does other work has a begin and an end.  An arrow from a
 * cause to its effect has an out and an in.
 */
void syscap_glib_linked(const char *group, const char *name,
                        SyscapGlibLink link, guint64 id, const char *message);

/**
 * syscap_glib_metadata:
 * @id: name of the fact, such as a setting's name
 * @value: its value
 *
 * Records a fact about the run, such as a version.
 */
void syscap_glib_metadata(const char *id, const char *value);

/**
 * syscap_glib_share:
 * @n_calls: %FALSE for the word that shows whether a recording runs, %TRUE for
 *   a word that counts the calls of this function
 *
 * Gets a word of memory, a guint32 whose value changes, for language bindings.
 * By the first word, which is not 0 while syscap_glib_is_active(), a binding
 * checks without a call whether events are recorded.  The second word shows
 * whether the language really reads the memory and not a copy.
 *
 * Returns: (transfer full): four bytes at a constant address
 */
GBytes *syscap_glib_share(gboolean n_calls);

G_END_DECLS

#endif
