/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_logs.c - a program that logs: record_logs WHAT
 *
 *   syslog   by syslog(), and messages that its mask suppresses
 *   journal  by datagrams in the journal's format, like all clients
 *   systemd  by libsystemd, loaded by dlopen(); 77: no libsystemd
 *   wrong    by datagrams that no journal accepts
 *   glib     by GLib, if built with GLib (-DWITH_GLIB): "glib own" with its own
 *            writer, "glib twice" with a second writer
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <syslog.h>
#include <unistd.h>

static struct sockaddr_un to_journal = {
	.sun_family = AF_UNIX,
	.sun_path = "/run/systemd/journal/socket",
};

static int journal = -1;

static void send_parts(struct iovec *parts, size_t n)
{
	struct msghdr message = { .msg_name = &to_journal,
		                  .msg_namelen = sizeof(to_journal),
		                  .msg_iov = parts,
		                  .msg_iovlen = n };

	errno = 0;
	if (sendmsg(journal, &message, MSG_NOSIGNAL) < 0 && errno != ENOENT &&
	    errno != EFAULT && errno != EMSGSIZE)
		exit(3);
}

static struct iovec part(const void *bytes, size_t n)
{
	return (struct iovec){ (void *)(uintptr_t)bytes, n };
}

#define TEXT(text) part(text, sizeof(text) - 1)

static void speak_to_journal(void)
{
	const uint64_t length = 7;
	struct iovec plain[] = { TEXT("PRIORITY=3\n"), TEXT("MESSAGE="),
		                 TEXT("it broke"), TEXT("\n"),
		                 TEXT("SYSLOG_IDENTIFIER=worker\n") };
	struct iovec lines[] = { TEXT("MESSAGE\n"), part(&length, 8),
		                 TEXT("one\ntwo\n"), TEXT("PRIORITY=7\n") };
	struct iovec last[] = { TEXT("MESSAGE=no newline") };

	send_parts(plain, 5);
	send_parts(lines, 4);
	send_parts(last, 1);
}

static void speak_nonsense(void)
{
	const uint64_t much = UINT64_MAX, none = 0;
	struct iovec long_one[] = { TEXT("MESSAGE\n"), part(&much, 8),
		                    TEXT("more than is there") };
	struct iovec cut[] = { TEXT("MESSAGE\n"), part(&none, 3) };
	struct iovec other[] = { TEXT("\n\n==\n=\nPRIORITY=99\nMESSAGE\n") };
	struct iovec away[] = { TEXT("MESSAGE=half"), part((void *)16, 8) };
	char *const big = malloc(1 << 20);
	struct iovec large[] = { TEXT("MESSAGE="), part(big, 1 << 20) };

	memset(big, 'x', 1 << 20);
	send_parts(long_one, 3);
	send_parts(cut, 2);
	send_parts(other, 1);
	send_parts(away, 2);
	send_parts(large, 2);
	send_parts(NULL, 0);
	if (sendmsg(journal, NULL, 0) == 0 || errno != EFAULT)
		exit(4);
	if (sendmsg(-1, NULL, 0) == 0 || errno != EBADF)
		exit(5);
	free(big);
}

static int speak_by_systemd(void)
{
	void *const library = dlopen("libsystemd.so.0", RTLD_NOW);
	int (*const print)(int, const char *, ...) =
		library == NULL ? NULL
				: (int (*)(int, const char *, ...))dlsym(
					  library, "sd_journal_print");

	if (print == NULL)
		return 77;
	print(LOG_WARNING, "disk %d is full", 3);
	return 0;
}

#ifdef WITH_GLIB
#define G_LOG_DOMAIN "story"
#define G_LOG_USE_STRUCTURED
#include <glib.h>

static int n_written;

static GLogWriterOutput write_own(GLogLevelFlags level, const GLogField *fields,
                                  gsize n, gpointer data)
{
	n_written += *(int *)data;
	printf("own %d %s\n", (int)level, (const char *)fields[n - 1].value);
	return G_LOG_WRITER_HANDLED;
}

static int speak_by_glib(const char *how)
{
	static int one = 1;

	if (strcmp(how, "default") != 0)
		g_log_set_writer_func(write_own, &one, NULL);
	if (strcmp(how, "twice") == 0)
		g_log_set_writer_func(write_own, &one, NULL);
	g_message("a message of %d", 1);
	g_log("old", G_LOG_LEVEL_WARNING, "the old %s", "way");
	g_debug("not printed");
	g_log_structured("other", G_LOG_LEVEL_INFO, "KEY", "value", "MESSAGE",
	                 "has %s", "fields");
	g_log_variant("variant", G_LOG_LEVEL_MESSAGE,
	              g_variant_new_parsed("{'MESSAGE': <'of a variant'>}"));
	if (strcmp(how, "own") == 0 && n_written != 5)
		return 6;
	return 0;
}
#endif

int main(int argc, char **argv)
{
	const char *const what = argc > 1 ? argv[1] : "";

	journal = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (strcmp(what, "syslog") == 0) {
		openlog("record_logs", 0, LOG_USER);
		errno = ENOSPC;
		syslog(LOG_ERR, "cannot write: %m");
		syslog(LOG_MAIL | LOG_NOTICE, "%s", "a letter");
		setlogmask(LOG_UPTO(LOG_WARNING));
		syslog(LOG_INFO, "masked");
		syslog(LOG_EMERG, "the %d last", 1);
	} else if (strcmp(what, "journal") == 0) {
		speak_to_journal();
	} else if (strcmp(what, "wrong") == 0) {
		speak_nonsense();
	} else if (strcmp(what, "systemd") == 0) {
		return speak_by_systemd();
#ifdef WITH_GLIB
	} else if (strcmp(what, "glib") == 0) {
		return speak_by_glib(argc > 2 ? argv[2] : "default");
#endif
	} else {
		return 2;
	}
	return 0;
}
