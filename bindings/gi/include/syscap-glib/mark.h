/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mark.h - marks: something that happened, at a time or for a time.
 *
 * Times are nanoseconds of CLOCK_MONOTONIC, as g_get_monotonic_time() * 1000.
 * Texts are UTF-8 and copied; a group is cut to 23 bytes, a name to 39, a
 * message to 65,431.
 *
 * Each function may be called in any thread at any time.  None blocks or
 * allocates; while nothing is recorded none does anything.
 */
#ifndef SYSCAP_GLIB_MARK_H
#define SYSCAP_GLIB_MARK_H

#include <glib-object.h>

G_BEGIN_DECLS

/**
 * SyscapGlibLink:
 * @SYSCAP_GLIB_LINK_WHOLE: a whole operation
 * @SYSCAP_GLIB_LINK_BEGIN: an operation begins
 * @SYSCAP_GLIB_LINK_STEP: something happens within it
 * @SYSCAP_GLIB_LINK_END: it ends
 * @SYSCAP_GLIB_LINK_OUT: an arrow leaves
 * @SYSCAP_GLIB_LINK_IN: and arrives
 *
 * What a mark is to the others with its group and number.
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
 * Whether events may have somewhere to go.  All functions ask by themselves;
 * ask where preparing an event costs something.
 *
 * Returns: %TRUE while something is recorded
 */
gboolean syscap_glib_is_active(void);

/**
 * syscap_glib_now:
 *
 * The time on the clock of the capture.
 *
 * Returns: nanoseconds of CLOCK_MONOTONIC
 */
gint64 syscap_glib_now(void);

/**
 * syscap_glib_now_double:
 *
 * The same for languages whose numbers are doubles: in JavaScript this is
 * what `Syscap.now()` calls.  Exact for 104 days after boot, then to 2 ns.
 *
 * Returns: nanoseconds of CLOCK_MONOTONIC
 */
gdouble syscap_glib_now_double(void);

/**
 * syscap_glib_begin:
 *
 * The time at which something begins, for syscap_glib_mark_since().
 *
 * Returns: nanoseconds of CLOCK_MONOTONIC; 0 while nothing is recorded
 */
gint64 syscap_glib_begin(void);

/**
 * syscap_glib_mark:
 * @group: what it belongs to
 * @name: what it is
 * @begin: when it began
 * @duration: how many nanoseconds it took; 0: an instant
 * @message: (nullable): a text
 *
 * Records that something happened.
 */
void syscap_glib_mark(const char *group, const char *name, gint64 begin,
                      gint64 duration, const char *message);

/**
 * syscap_glib_mark_since:
 * @group: what it belongs to
 * @name: what it is
 * @begin: when it began, from syscap_glib_begin() or syscap_glib_now()
 * @message: (nullable): a text
 *
 * Records that something went on from @begin until now.  A @begin of 0
 * records nothing: then nothing was recorded when it began.
 */
void syscap_glib_mark_since(const char *group, const char *name, gint64 begin,
                            const char *message);

/**
 * syscap_glib_instant:
 * @group: what it belongs to
 * @name: what it is
 * @message: (nullable): a text
 *
 * Records that something happened now.
 */
void syscap_glib_instant(const char *group, const char *name,
                         const char *message);

/**
 * syscap_glib_intern:
 * @group: what marks belong to
 * @name: what they are
 *
 * A number for the two texts, the same for the same texts.  Keep it: marks by
 * number cost less than those by text, looking it up costs more.
 *
 * Returns: the number; 0 when the table (4,096 pairs) is full
 */
guint syscap_glib_intern(const char *group, const char *name);

/**
 * syscap_glib_mark_by_id:
 * @id: from syscap_glib_intern(); another number records nothing
 * @begin: when it began
 * @duration: how many nanoseconds it took; 0: an instant
 * @message: (nullable): a text
 *
 * As syscap_glib_mark().
 */
void syscap_glib_mark_by_id(guint id, gint64 begin, gint64 duration,
                            const char *message);

/**
 * syscap_glib_mark_since_by_id:
 * @id: from syscap_glib_intern(); another number records nothing
 * @begin: when it began; 0 records nothing
 * @message: (nullable): a text
 *
 * As syscap_glib_mark_since().
 */
void syscap_glib_mark_since_by_id(guint id, gint64 begin, const char *message);

/**
 * syscap_glib_linked:
 * @group: what it belongs to
 * @name: what it is
 * @link: what part of it this is
 * @id: the operation's or arrow's number within @group
 * @message: (nullable): a text
 *
 * Records an instant that belongs to others: an operation that goes on while
 * its thread does something else has a begin and an end, an arrow from a
 * cause to what it caused an out and an in.
 */
void syscap_glib_linked(const char *group, const char *name,
                        SyscapGlibLink link, guint64 id, const char *message);

/**
 * syscap_glib_metadata:
 * @id: what is told, such as a setting's name
 * @value: its value
 *
 * Records a fact about the run, such as a version.
 */
void syscap_glib_metadata(const char *id, const char *value);

/**
 * syscap_glib_share:
 * @n_calls: %FALSE for the word that tells whether something is recorded,
 *   %TRUE for one that counts the calls of this function
 *
 * For who binds a language: memory whose contents change, a guint32, so that
 * the language need not make a call to learn that nothing is recorded; and
 * one to find out whether the language really looks at the memory and not at
 * a copy.  The first is not 0 while syscap_glib_is_active().
 *
 * Returns: (transfer full): four bytes that stay where they are
 */
GBytes *syscap_glib_share(gboolean n_calls);

G_END_DECLS

#endif
