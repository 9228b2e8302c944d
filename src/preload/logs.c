/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * logs.c - messages that the program sends through GLib, through syslog() and
 * to the journal.  The library also passes each message on, with the same
 * result as without the library.
 *
 * All messages of GLib go through one function, the writer, which a process may
 * set once.  The library sets its own writer, which calls the first writer that
 * the program sets.  GLib refuses a second writer of the program.
 *
 * The C library sends the messages of syslog() by internal calls, so the
 * library replaces syslog().  All libraries, such as libsystemd and GLib, send
 * datagrams to the journal by sendmsg().
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <syslog.h>
#include <unistd.h>

#include <syscap.h>

#include "emit/process.h"
#include "os/env.h"
#include "os/fd.h"
#include "os/seccomp_state.h"
#include "preload/blocking_events.h"
#include "preload/real_call.h"
#include "unwind/memory.h"

#define LOGS_OFF 1u
#define LOGS_ON  2u

/* The role, or 0 until the environment can be read. */
static uint32_t logs_role;

static _Thread_local volatile int n_recorded
	__attribute__((tls_model("initial-exec")));

static void decide_role(void)
{
	/* The C library has not set its environment yet */
	if (environ == NULL)
		return;
	const char *const text = syc_env_get(SYC_ENV_LOGS);
	const int saved = errno;
	bool is_wanted = false;

	/* The calls below are not recorded */
	__atomic_store_n(&logs_role, LOGS_OFF, __ATOMIC_RELAXED);
	if (text != NULL && syc_libc_is_foreign())
		syc_diag_say("logs are not recorded",
		             "the C library is not glibc");
	else if (text != NULL && strcmp(text, "1") != 0)
		syc_diag_say("logs are not recorded", "SYSCAP_LOGS must be 1");
	else
		is_wanted = text != NULL;
	if (is_wanted) {
		syc_setup_run();
		__atomic_store_n(&logs_role, LOGS_ON, __ATOMIC_RELAXED);
	}
	errno = saved;
}

/* Return whether the environment can be read, and requests the role. */
static bool are_logs_wanted(void)
{
	uint32_t role = __atomic_load_n(&logs_role, __ATOMIC_RELAXED);

	if (__builtin_expect(role == 0, 0)) {
		decide_role();
		role = __atomic_load_n(&logs_role, __ATOMIC_RELAXED);
	}
	return __builtin_expect(role == LOGS_ON, 0);
}

/* Return whether the role is on, and a recording is in progress. */
static bool are_logs_recorded(void)
{
	return are_logs_wanted() && !syc_seccomp_is_closed() &&
	       syscap_is_active();
}

static void begin_recorded(void)
{
	n_recorded++;
}

static void end_recorded(void)
{
	n_recorded--;
}

static bool is_recorded(void)
{
	return n_recorded > 0;
}

/* GLib's types, declared here to need no header of GLib */
struct glib_field {
	const char *key;
	const void *value;
	ssize_t length; /* -1: a NUL-terminated text */
};

typedef int glib_writer(int level, const struct glib_field *fields, size_t n,
                        void *data);
typedef void glib_set_writer(glib_writer *writer, void *data,
                             void (*free_data)(void *));

#define NAME "g_log_set_writer_func"

/* Weak, because most programs have no GLib, and dlsym() allocates for missing
 * symbols */
extern glib_writer g_log_writer_default __attribute__((weak));

static glib_set_writer *set_ours; /* GLib's function; NULL: GLib does not use
                                   * the library's writer */
static bool has_writer;           /* the program has set a writer, or will */
static void *data_of_program;
static glib_writer *writer_of_program;

/* Return the severity of a level's most severe bit.  Levels that the program
 * defines are messages. */
static unsigned severity_of_level(int level)
{
	const unsigned known = SYSCAP_ERROR | SYSCAP_CRITICAL | SYSCAP_WARNING |
	                       SYSCAP_MESSAGE | SYSCAP_INFO | SYSCAP_DEBUG;
	const unsigned given = (unsigned)level & known;

	return given != 0 ? given & -given : SYSCAP_MESSAGE;
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
	if (are_logs_recorded())
		record_fields(level, fields, n);
	begin_recorded();
	r = writer != NULL ? writer(level, fields, n, data_of_program)
	                   : g_log_writer_default(level, fields, n, NULL);
	end_recorded();
	return r;
}

__attribute__((constructor)) static void set_writer(void)
{
	if (!are_logs_wanted() || g_log_writer_default == NULL)
		return;
	set_ours = (glib_set_writer *)dlsym(RTLD_NEXT, NAME);
	if (set_ours != NULL)
		set_ours(write_log, NULL, NULL);
}

/* Find the GLib of the caller, which may have been loaded after this
 * library. */
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

SYC_EXPORTED void take_set_writer(glib_writer *writer, void *data,
                                  void (*free_data)(void *)) __asm__(NAME);
SYC_EXPORTED void take_set_writer(glib_writer *writer, void *data,
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

#define JOURNAL     "/run/systemd/journal/socket"
#define DATAGRAM    8192u /* number of bytes of a datagram that are read */
#define NO_PRIORITY LOG_INFO

/* Convert a syslog priority.  Two syslog levels are more severe than GLib's
 * most severe level. */
static unsigned severity_of_priority(int priority)
{
	static const unsigned severities[] = {
		[LOG_EMERG] = SYSCAP_ERROR,     [LOG_ALERT] = SYSCAP_ERROR,
		[LOG_CRIT] = SYSCAP_ERROR,      [LOG_ERR] = SYSCAP_CRITICAL,
		[LOG_WARNING] = SYSCAP_WARNING, [LOG_NOTICE] = SYSCAP_MESSAGE,
		[LOG_INFO] = SYSCAP_INFO,       [LOG_DEBUG] = SYSCAP_DEBUG,
	};

	return severities[LOG_PRI(priority)];
}

/* Record a message, unless the program's mask excludes the message. */
__attribute__((format(printf, 2, 0))) static void
record_syslog(int priority, const char *format, va_list args)
{
	va_list copy;

	if (!are_logs_recorded() || format == NULL ||
	    (setlogmask(0) & LOG_MASK(LOG_PRI(priority))) == 0)
		return;
	va_copy(copy, args);
	syscap_log_vprintf(severity_of_priority(priority), "syslog", format,
	                   copy);
	va_end(copy);
}

__attribute__((format(printf, 2, 0))) static void
say(int priority, const char *format, va_list args)
{
	SYC_REAL_CALL("vsyslog");
	void (*const next)(int, const char *, va_list) =
		(void (*)(int, const char *, va_list))syc_real_call_get(&call);

	record_syslog(priority, format, args);
	if (next != NULL)
		next(priority, format, args);
}

__attribute__((format(printf, 3, 0))) static void
say_checked(int priority, int flag, const char *format, va_list args)
{
	SYC_REAL_CALL("__vsyslog_chk");
	void (*const next)(int, int, const char *, va_list) = (void (*)(
		int, int, const char *, va_list))syc_real_call_get(&call);

	record_syslog(priority, format, args);
	if (next != NULL)
		next(priority, flag, format, args);
}

__attribute__((format(printf, 2, 0))) SYC_EXPORTED void
take_vsyslog(int priority, const char *format, va_list args) __asm__("vsyslog");
SYC_EXPORTED void take_vsyslog(int priority, const char *format, va_list args)
{
	say(priority, format, args);
}

__attribute__((format(printf, 2, 3))) SYC_EXPORTED void
take_syslog(int priority, const char *format, ...) __asm__("syslog");
SYC_EXPORTED void take_syslog(int priority, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(priority, format, args);
	va_end(args);
}

__attribute__((format(printf, 3, 0))) SYC_EXPORTED void
take_vsyslog_chk(int priority, int flag, const char *format,
                 va_list args) __asm__("__vsyslog_chk");
SYC_EXPORTED void take_vsyslog_chk(int priority, int flag, const char *format,
                                   va_list args)
{
	say_checked(priority, flag, format, args);
}

__attribute__((format(printf, 3, 4))) SYC_EXPORTED void
take_syslog_chk(int priority, int flag, const char *format,
                ...) __asm__("__syslog_chk");
SYC_EXPORTED void take_syslog_chk(int priority, int flag, const char *format,
                                  ...)
{
	va_list args;

	va_start(args, format);
	say_checked(priority, flag, format, args);
	va_end(args);
}

/*
 * A field of a datagram, "KEY=VALUE\n".  A field whose value has several lines
 * is "KEY\n", the value's length in eight bytes, the value and "\n".
 */
struct field {
	const char *key, *value;
	size_t n_key, n_value;
};

/*
 * Parse the field at @at.  Returns the start of the next field, or NULL if no
 * field is left.
 */
static const char *next_field(const char *at, const char *end,
                              struct field *ret_field)
{
	const char *line_end = memchr(at, '\n', (size_t)(end - at));
	uint64_t n = 0;

	if (line_end == NULL)
		line_end = end; /* the field is cut, or is the last */
	const char *const sign = memchr(at, '=', (size_t)(line_end - at));
	ret_field->key = at;
	if (sign != NULL) {
		ret_field->n_key = (size_t)(sign - at);
		ret_field->value = sign + 1;
		ret_field->n_value = (size_t)(line_end - sign - 1);
		return line_end < end ? line_end + 1 : end;
	}
	if (end - line_end < 1 + (ptrdiff_t)sizeof(n))
		return NULL;
	memcpy(&n, line_end + 1, sizeof(n));
	ret_field->n_key = (size_t)(line_end - at);
	ret_field->value = line_end + 1 + sizeof(n);
	ret_field->n_value = (size_t)(end - ret_field->value);
	if (n >= ret_field->n_value)
		return end;
	ret_field->n_value = (size_t)n;
	return ret_field->value + n + 1;
}

static bool is_key(const struct field *field, const char *key)
{
	return field->n_key == strlen(key) &&
	       memcmp(field->key, key, field->n_key) == 0;
}

/* Record a datagram.  A text gets a NUL after the next data has been read. */
static void record_datagram(char *at, const char *end)
{
	char domain[32] = "journal";
	struct field field, message = { .value = NULL };
	int priority = NO_PRIORITY;

	for (const char *next = at; next != NULL && next < end;) {
		next = next_field(next, end, &field);
		if (next == NULL)
			break;
		if (is_key(&field, "MESSAGE")) {
			message = field;
		} else if (is_key(&field, "PRIORITY") && field.n_value == 1 &&
		           field.value[0] >= '0' && field.value[0] <= '7') {
			priority = field.value[0] - '0';
		} else if (is_key(&field, "SYSLOG_IDENTIFIER")) {
			const size_t n = field.n_value < sizeof(domain)
			                         ? field.n_value
			                         : sizeof(domain) - 1;

			memcpy(domain, field.value, n);
			domain[n] = '\0';
		}
	}
	if (message.value == NULL)
		return;
	at[message.value - at + (ptrdiff_t)message.n_value] = '\0';
	syscap_log(severity_of_priority(priority), domain, message.value);
}

static __attribute__((noinline)) void gather(const struct msghdr *message)
{
	char datagram[DATAGRAM + 1];
	size_t n = 0;

	for (size_t i = 0; i < message->msg_iovlen && n < DATAGRAM; i++) {
		const struct iovec *const part = &message->msg_iov[i];
		const size_t wanted = part->iov_len < DATAGRAM - n
		                              ? part->iov_len
		                              : DATAGRAM - n;
		const size_t copied = syc_memory_copy(
			datagram + n, (uintptr_t)part->iov_base, wanted);

		n += copied;
		if (copied < wanted)
			break;
	}
	record_datagram(datagram, datagram + n);
}

/*
 * Return whether the kernel has read the message's header and address.  The
 * kernel may refuse such a message, because no journal exists or the message is
 * too long.  A program that sends a refused message again sends a file.
 */
static bool has_been_read(ssize_t r)
{
	return r >= 0 || errno == ENOENT || errno == ECONNREFUSED ||
	       errno == EMSGSIZE || errno == ENOBUFS || errno == EACCES;
}

void syc_logs_sent(ssize_t r, const void *message)
{
	const struct msghdr *const head = message;
	const int saved = errno;

	if (!are_logs_wanted() || is_recorded() || !are_logs_recorded() ||
	    syc_seccomp_has_filter() || !has_been_read(r))
		return;
	const struct sockaddr_un *const to = head->msg_name;
	if (to != NULL &&
	    head->msg_namelen >= offsetof(struct sockaddr_un, sun_path) +
	                                 sizeof(JOURNAL) - 1 &&
	    to->sun_family == AF_UNIX &&
	    memcmp(to->sun_path, JOURNAL, sizeof(JOURNAL) - 1) == 0)
		gather(head);
	errno = saved;
}
