/* SPDX-License-Identifier: BSD-2-Clause */
/* log.c - log lines of the program, and of all users of GLib's log. */
#include <string.h>

#include <syscap-glib/log.h>
#include <syscap.h>

G_STATIC_ASSERT((int)G_LOG_LEVEL_ERROR == (int)SYSCAP_ERROR);
G_STATIC_ASSERT((int)G_LOG_LEVEL_CRITICAL == (int)SYSCAP_CRITICAL);
G_STATIC_ASSERT((int)G_LOG_LEVEL_WARNING == (int)SYSCAP_WARNING);
G_STATIC_ASSERT((int)G_LOG_LEVEL_MESSAGE == (int)SYSCAP_MESSAGE);
G_STATIC_ASSERT((int)G_LOG_LEVEL_INFO == (int)SYSCAP_INFO);
G_STATIC_ASSERT((int)G_LOG_LEVEL_DEBUG == (int)SYSCAP_DEBUG);

/* The most severe level in @flags, or the level of a message without a
 * level. */
static unsigned level_of(GLogLevelFlags flags)
{
	const unsigned known = SYSCAP_ERROR | SYSCAP_CRITICAL | SYSCAP_WARNING |
	                       SYSCAP_MESSAGE | SYSCAP_INFO | SYSCAP_DEBUG;
	const unsigned told = (unsigned)flags & known;

	return told != 0 ? told & -told : SYSCAP_MESSAGE;
}

void syscap_glib_log(const char *log_domain, GLogLevelFlags log_level,
                     const char *message)
{
	if (syscap_is_active())
		syscap_log(level_of(log_level), log_domain, message);
}

/* Returns a field's text.  For a text without a NUL, stores a copy in
 * @ret_copy, which the caller frees. */
static const char *text_of(const GLogField *field, char **ret_copy)
{
	if (field->length < 0)
		return field->value;
	g_free(*ret_copy);
	*ret_copy = g_strndup(field->value, (gsize)field->length);
	return *ret_copy;
}

static void record(GLogLevelFlags log_level, const GLogField *fields,
                   gsize n_fields)
{
	const char *message = NULL, *domain = NULL;
	char *message_copy = NULL, *domain_copy = NULL;

	for (gsize i = 0; i < n_fields; i++) {
		if (strcmp(fields[i].key, "MESSAGE") == 0)
			message = text_of(&fields[i], &message_copy);
		else if (strcmp(fields[i].key, "GLIB_DOMAIN") == 0)
			domain = text_of(&fields[i], &domain_copy);
	}
	syscap_log(level_of(log_level), domain, message);
	g_free(message_copy);
	g_free(domain_copy);
}

GLogWriterOutput syscap_glib_log_writer(GLogLevelFlags log_level,
                                        const GLogField *fields, gsize n_fields,
                                        gpointer user_data)
{
	if (syscap_is_active())
		record(log_level, fields, n_fields);
	return g_log_writer_default(log_level, fields, n_fields, user_data);
}

void syscap_glib_log_install(void)
{
	static gsize is_installed;

	if (!g_once_init_enter(&is_installed))
		return;
	g_log_set_writer_func(syscap_glib_log_writer, NULL, NULL);
	g_once_init_leave(&is_installed, 1);
}
