/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * logs_said.c - what the program says through syslog(), and what it or a
 * library of it sends to the journal.
 *
 * The C library sends what syslog() is given by calls of its own, so that
 * function is stood in front of.  All who speak to the journal send datagrams
 * by sendmsg(): libsystemd for sd_journal_print() and the like, GLib, and
 * languages that use either.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <syslog.h>

#include <syscap.h>

#include "preload/io_wrap.h"
#include "preload/logs.h"
#include "unwind/memory.h"

#define JOURNAL     "/run/systemd/journal/socket"
#define DATAGRAM    8192u /* bytes of it that are looked at */
#define NO_PRIORITY LOG_INFO

/* syslog has two above GLib's gravest. */
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

/* The program's mask leaves out what it does here, too. */
static void record_syslog(int priority, const char *format, va_list args)
{
	va_list copy;

	if (!syc_logs_is_on() || format == NULL ||
	    (setlogmask(0) & LOG_MASK(LOG_PRI(priority))) == 0)
		return;
	va_copy(copy, args);
	syscap_log_vprintf(severity_of_priority(priority), "syslog", format,
	                   copy);
	va_end(copy);
}

static void say(int priority, const char *format, va_list args)
{
	SYC_IO_CALL("vsyslog");
	void (*const next)(int, const char *, va_list) =
		(void (*)(int, const char *, va_list))syc_io_call_next(&call);

	record_syslog(priority, format, args);
	if (next != NULL)
		next(priority, format, args);
}

static void say_checked(int priority, int flag, const char *format,
                        va_list args)
{
	SYC_IO_CALL("__vsyslog_chk");
	void (*const next)(int, int, const char *, va_list) = (void (*)(
		int, int, const char *, va_list))syc_io_call_next(&call);

	record_syslog(priority, format, args);
	if (next != NULL)
		next(priority, flag, format, args);
}

SYC_IO_EXPORTED void take_vsyslog(int priority, const char *format,
                                  va_list args) __asm__("vsyslog");
SYC_IO_EXPORTED void take_vsyslog(int priority, const char *format,
                                  va_list args)
{
	say(priority, format, args);
}

SYC_IO_EXPORTED void take_syslog(int priority, const char *format,
                                 ...) __asm__("syslog");
SYC_IO_EXPORTED void take_syslog(int priority, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	say(priority, format, args);
	va_end(args);
}

SYC_IO_EXPORTED void take_vsyslog_chk(int priority, int flag,
                                      const char *format,
                                      va_list args) __asm__("__vsyslog_chk");
SYC_IO_EXPORTED void take_vsyslog_chk(int priority, int flag,
                                      const char *format, va_list args)
{
	say_checked(priority, flag, format, args);
}

SYC_IO_EXPORTED void take_syslog_chk(int priority, int flag, const char *format,
                                     ...) __asm__("__syslog_chk");
SYC_IO_EXPORTED void take_syslog_chk(int priority, int flag, const char *format,
                                     ...)
{
	va_list args;

	va_start(args, format);
	say_checked(priority, flag, format, args);
	va_end(args);
}

/* One field of a datagram: "KEY=VALUE\n", or where the value has several lines
 * "KEY\n", its length in eight bytes, the value and "\n". */
struct field {
	const char *key, *value;
	size_t n_key, n_value;
};

/* Where the next field begins; NULL: there is no more. */
static const char *next_field(const char *at, const char *end,
                              struct field *ret_field)
{
	const char *line_end = memchr(at, '\n', (size_t)(end - at));
	uint64_t n = 0;

	if (line_end == NULL)
		line_end = end; /* it was cut, or is the last */
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

/* Texts end with a NUL; what is behind each is known by then. */
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

/* The kernel has read its head by then, and where it goes to.  What it did
 * not take, for want of a journal or because it is too long, was said, too:
 * a program that sends it again does so as a file. */
static bool has_been_read(ssize_t r)
{
	return r >= 0 || errno == ENOENT || errno == ECONNREFUSED ||
	       errno == EMSGSIZE || errno == ENOBUFS || errno == EACCES;
}

void syc_logs_sent(ssize_t r, const void *message)
{
	const struct msghdr *const head = message;
	const int saved = errno;

	if (!syc_logs_are_wanted() || syc_logs_is_told() || !syc_logs_is_on() ||
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
