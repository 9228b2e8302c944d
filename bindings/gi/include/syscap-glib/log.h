/* SPDX-License-Identifier: BSD-2-Clause */
/* log.h - log lines with a severity, and GLib's log into the capture. */
#ifndef SYSCAP_GLIB_LOG_H
#define SYSCAP_GLIB_LOG_H

#include <glib-object.h>

G_BEGIN_DECLS

/**
 * syscap_glib_log:
 * @log_domain: (nullable): the log domain; cut to 31 bytes
 * @log_level: one of the levels
 * @message: the line of text
 *
 * Records a line of text, without printing.  The arguments have the order of
 * g_log().  Any thread may call this function.
 */
void syscap_glib_log(const char *log_domain, GLogLevelFlags log_level,
                     const char *message);

/**
 * syscap_glib_log_writer:
 * @log_level: level of the message
 * @fields: (array length=n_fields): fields of the message
 * @n_fields: number of fields
 * @user_data: (nullable): not used
 *
 * A #GLogWriterFunc for g_log_set_writer_func(): records the message, of any
 * level, then calls g_log_writer_default().
 *
 * Returns: the result of g_log_writer_default()
 */
GLogWriterOutput syscap_glib_log_writer(GLogLevelFlags log_level,
                                        const GLogField *fields, gsize n_fields,
                                        gpointer user_data);

/**
 * syscap_glib_log_install:
 *
 * Records this process's GLib log messages from here on, such as g_message()
 * and `console.log()` of GJS.  The messages are printed as before.
 *
 * Libraries must not call this function, since it calls
 * g_log_set_writer_func().  GLib allows only one call of
 * g_log_set_writer_func(), and ends the process at a second call.  Further
 * calls of syscap_glib_log_install() do nothing.
 */
void syscap_glib_log_install(void);

G_END_DECLS

#endif
