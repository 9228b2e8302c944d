/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * interface_caller.c - a program that a profiler controls by D-Bus, like
 * Mutter, and the profiler in another process. gdbus-codegen made the D-Bus
 * code from the installed interface, with Mutter's names.
 *
 * Exits with 0 if the profiler's file has a mark of the program.
 */
#include <gio/gio.h>
#include <gio/gunixfdlist.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sysprof-capture-writer.h>
#include <sysprof-capture.h>

#include "profiler.h"

#define PATH "/org/gnome/Sysprof3/Profiler"

#define CHECK(cond) ((cond) ? (void)0 : fail(__LINE__, #cond))

static void fail(int line, const char *what)
{
	fprintf(stderr, "interface_caller.c:%d: %s\n", line, what);
	exit(1);
}

/* --- the program */

struct program {
	SysprofCaptureWriter *writer;
	GMainLoop *loop;
};

static gboolean on_start(MetaDBusSysprof3Profiler *profiler,
                         GDBusMethodInvocation *invocation,
                         GUnixFDList *fd_list, GVariant *options,
                         GVariant *fd_variant, struct program *program)
{
	const int fd = g_unix_fd_list_get(
		fd_list, g_variant_get_handle(fd_variant), NULL);

	(void)options;
	CHECK(fd >= 0);
	program->writer = sysprof_capture_writer_new_from_fd(fd, 4096 * 4);
	CHECK(program->writer != NULL);
	meta_dbus_sysprof3_profiler_complete_start(profiler, invocation, NULL);
	return TRUE;
}

static gboolean on_stop(MetaDBusSysprof3Profiler *profiler,
                        GDBusMethodInvocation *invocation,
                        struct program *program)
{
	CHECK(sysprof_capture_writer_add_mark(program->writer, 1, -1, getpid(),
	                                      5, "Compositor", "Layout", NULL));
	sysprof_capture_writer_unref(program->writer);
	meta_dbus_sysprof3_profiler_complete_stop(profiler, invocation);
	g_main_loop_quit(program->loop);
	return TRUE;
}

static GDBusConnection *connect_to(int fd, GDBusConnectionFlags flags)
{
	char *const guid = g_dbus_generate_guid();
	GSocket *const socket = g_socket_new_from_fd(fd, NULL);
	GSocketConnection *stream;
	GDBusConnection *connection;

	CHECK(socket != NULL);
	stream = g_socket_connection_factory_create_connection(socket);
	connection = g_dbus_connection_new_sync(
		G_IO_STREAM(stream),
		flags & G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_SERVER ? guid
								      : NULL,
		flags, NULL, NULL, NULL);
	CHECK(connection != NULL);
	g_free(guid);
	return connection;
}

static int be_profiled(int fd)
{
	struct program program = { NULL, g_main_loop_new(NULL, FALSE) };
	MetaDBusSysprof3Profiler *const profiler =
		meta_dbus_sysprof3_profiler_skeleton_new();
	GDBusConnection *const connection = connect_to(
		fd, G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_SERVER |
			    G_DBUS_CONNECTION_FLAGS_DELAY_MESSAGE_PROCESSING);

	g_signal_connect(profiler, "handle-start", G_CALLBACK(on_start),
	                 &program);
	g_signal_connect(profiler, "handle-stop", G_CALLBACK(on_stop),
	                 &program);
	CHECK(g_dbus_interface_skeleton_export(
		G_DBUS_INTERFACE_SKELETON(profiler), connection, PATH, NULL));
	g_dbus_connection_set_exit_on_close(connection, TRUE);
	g_dbus_connection_start_message_processing(connection);
	g_main_loop_run(program.loop);
	g_dbus_connection_set_exit_on_close(connection, FALSE);
	CHECK(g_dbus_connection_flush_sync(connection, NULL, NULL));
	return 0;
}

/* --- the profiler */

static void check_capture(const char *name)
{
	SysprofCaptureReader *const reader = sysprof_capture_reader_new(name);
	const SysprofCaptureMark *mark;

	CHECK(reader != NULL);
	mark = sysprof_capture_reader_read_mark(reader);
	CHECK(mark != NULL && g_str_equal(mark->name, "Layout"));
	sysprof_capture_reader_unref(reader);
}

static void profile(int fd, const char *name)
{
	GDBusConnection *const connection =
		connect_to(fd, G_DBUS_CONNECTION_FLAGS_AUTHENTICATION_CLIENT);
	GVariantDict options;
	GError *error = NULL;
	MetaDBusSysprof3Profiler *const profiler =
		meta_dbus_sysprof3_profiler_proxy_new_sync(
			connection, G_DBUS_PROXY_FLAGS_NONE, NULL, PATH, NULL,
			&error);
	GUnixFDList *const fds = g_unix_fd_list_new();
	FILE *const file = fopen(name, "w");

	CHECK(profiler != NULL && file != NULL);
	CHECK(g_unix_fd_list_append(fds, fileno(file), NULL) == 0);
	g_variant_dict_init(&options, NULL);
	CHECK(meta_dbus_sysprof3_profiler_call_start_sync(
		profiler, g_variant_dict_end(&options), g_variant_new_handle(0),
		fds, NULL, NULL, &error));
	CHECK(meta_dbus_sysprof3_profiler_call_stop_sync(profiler, NULL,
	                                                 &error));
	fclose(file);
}

int main(int argc, char **argv)
{
	int ends[2], status;
	pid_t pid;

	CHECK(argc == 2);
	CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
	pid = fork();
	if (pid == 0) {
		close(ends[1]);
		return be_profiled(ends[0]);
	}
	close(ends[0]);
	profile(ends[1], argv[1]);
	CHECK(waitpid(pid, &status, 0) == pid && status == 0);
	check_capture(argv[1]);
	return 0;
}
