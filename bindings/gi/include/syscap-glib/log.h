/* SPDX-License-Identifier: BSD-2-Clause */
/* log.h - lines of text with a severity; and GLib's own into the capture. */
#ifndef SYSCAP_GLIB_LOG_H
#define SYSCAP_GLIB_LOG_H

#include <glib-object.h>

G_BEGIN_DECLS

/**
 * syscap_glib_log:
 * @severity: one of the levels
 * @domain: (nullable): who says it; cut to 31 bytes
 * @message: what
 *
 * Records a line of text, which is printed nowhere.  Any thread.
 */
void syscap_glib_log(GLogLevelFlags severity, const char *domain,
                     const char *message);

/**
 * syscap_glib_log_writer:
 * @log_level: level of the message
 * @fields: (array length=n_fields): what it consists of
 * @n_fields: how many there are
 * @user_data: (nullable): not used
 *
 * A #GLogWriterFunc for g_log_set_writer_func(): records the message, of any
 * level, then does as g_log_writer_default().
 *
 * Returns: what g_log_writer_default() returned
 */
GLogWriterOutput syscap_glib_log_writer(GLogLevelFlags log_level,
                                        const GLogField *fields, gsize n_fields,
                                        gpointer user_data);

/**
 * syscap_glib_log_install:
 *
 * Records from here on what this process says through GLib's logging:
 * g_message(), `console.log()` of GJS, and so on; it is printed as before.
 *
 * For the program, not for libraries: GLib lets a process call
 * g_log_set_writer_func() once, which this does, and ends the process at the
 * second time.  Further calls of this function do nothing.
 */
void syscap_glib_log_install(void);

G_END_DECLS

#endif
