/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * logs_glib.c - what the program says through GLib's log.
 *
 * All of it goes through one function, the writer, which a process may set
 * once.  We set ours, and keep the program's for it: the first that the
 * program sets is called by ours, the second is GLib's to refuse.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <syscap.h>

#include "os/fd.h"
#include "preload/io_wrap.h"
#include "preload/logs.h"

/* As GLib has them: no header of its is needed to build us */
struct glib_field {
	const char *key;
	const void *value;
	ssize_t length; /* -1: a text */
};

typedef int glib_writer(int level, const struct glib_field *fields, size_t n,
                        void *data);
typedef void glib_set_writer(glib_writer *writer, void *data,
                             void (*free_data)(void *));

#define NAME "g_log_set_writer_func"

/* There is no GLib in most programs; dlsym() allocates for what it does not
 * find */
extern glib_writer g_log_writer_default __attribute__((weak));

static glib_set_writer *set_ours; /* NULL: ours is not GLib's writer */
static bool has_writer;           /* the program has set one, or is about to */
static void *data_of_program;
static glib_writer *writer_of_program;

/* One bit at most, the gravest; levels of the program's own are messages. */
static unsigned severity_of_level(int level)
{
	const unsigned known = SYSCAP_ERROR | SYSCAP_CRITICAL | SYSCAP_WARNING |
	                       SYSCAP_MESSAGE | SYSCAP_INFO | SYSCAP_DEBUG;
	const unsigned told = (unsigned)level & known;

	return told != 0 ? told & -told : SYSCAP_MESSAGE;
}

static int length_of(const struct glib_field *field)
{
	const size_t n = field->length < 0 ? strlen(field->value)
	                                   : (size_t)field->length;

	return n < SYSCAP_FRAME_MAX ? (int)n : (int)SYSCAP_FRAME_MAX;
}

static void record_fields(int level, const struct glib_field *fields, size_t n)
{
	const struct glib_field *message = NULL, *domain = NULL;
	char name[32] = "";

	for (size_t i = 0; i < n; i++) {
		if (strcmp(fields[i].key, "MESSAGE") == 0)
			message = &fields[i];
		else if (strcmp(fields[i].key, "GLIB_DOMAIN") == 0)
			domain = &fields[i];
	}
	if (message == NULL)
		return;
	if (domain != NULL) {
		size_t length = (size_t)length_of(domain);

		if (length >= sizeof(name))
			length = sizeof(name) - 1;
		memcpy(name, domain->value, length);
		name[length] = '\0';
	}
	syscap_log_printf(severity_of_level(level), name, "%.*s",
	                  length_of(message), (const char *)message->value);
}

static int write_log(int level, const struct glib_field *fields, size_t n,
                     void *data)
{
	glib_writer *const writer =
		__atomic_load_n(&writer_of_program, __ATOMIC_ACQUIRE);
	int r;

	(void)data;
	if (syc_logs_is_on())
		record_fields(level, fields, n);
	syc_logs_begin_told();
	r = writer != NULL ? writer(level, fields, n, data_of_program)
	                   : g_log_writer_default(level, fields, n, NULL);
	syc_logs_end_told();
	return r;
}

__attribute__((constructor)) static void set_writer(void)
{
	if (!syc_logs_are_wanted() || g_log_writer_default == NULL)
		return;
	set_ours = (glib_set_writer *)dlsym(RTLD_NEXT, NAME);
	if (set_ours != NULL)
		set_ours(write_log, NULL, NULL);
}

/* The GLib of the caller, which need not be of those that the program was
 * started with. */
static glib_set_writer *find_of(const void *caller)
{
	glib_set_writer *found = NULL;
	Dl_info info;
	unsigned held;
	void *object;

	if (dladdr(caller, &info) == 0)
		return NULL;
	held = syc_fd_hold(); /* the loader opens the file */
	object = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	syc_fd_release(held, -1);
	if (object == NULL)
		return NULL;
	found = (glib_set_writer *)dlsym(object, NAME);
	dlclose(object);
	return found;
}

SYC_IO_EXPORTED void take_set_writer(glib_writer *writer, void *data,
                                     void (*free_data)(void *)) __asm__(NAME);
SYC_IO_EXPORTED void take_set_writer(glib_writer *writer, void *data,
                                     void (*free_data)(void *))
{
	glib_set_writer *set = set_ours;

	if (set != NULL && writer != NULL &&
	    !__atomic_exchange_n(&has_writer, true, __ATOMIC_RELAXED)) {
		data_of_program = data;
		__atomic_store_n(&writer_of_program, writer, __ATOMIC_RELEASE);
		return;
	}
	if (set == NULL && g_log_writer_default != NULL)
		set = (glib_set_writer *)dlsym(RTLD_NEXT, NAME);
	if (set == NULL)
		set = find_of(__builtin_return_address(0));
	if (set != NULL)
		set(writer, data, free_data);
}
