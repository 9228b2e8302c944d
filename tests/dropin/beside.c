/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * beside.c - a program that itself writes a capture into SYSPROF_TRACE_FD,
 * through the library it is built with.  The program also loads a library whose
 * events go to the same fd (beside_plugin.c, with syscap).  See
 * beside.sh.
 *
 *	beside PLUGIN first|last (the program makes its own writer first or
 *	last)
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <sysprof-capture.h>

#define ROUNDS 20

static SysprofCaptureWriter *writer;

static void begin(void)
{
	writer = sysprof_capture_writer_new_from_env(4096);
	if (writer == NULL)
		exit(3);
}

static void wait_until_some_are_written(void)
{
	struct stat st = { .st_size = 0 };

	for (int i = 0; i < 3000 && st.st_size <= 2000; i++) {
		usleep(10000);
		if (fstat(atoi(getenv("SYSPROF_TRACE_FD")), &st) != 0)
			exit(6);
	}
}

int main(int argc, char **argv)
{
	void (*emit)(unsigned n);
	void *plugin;

	if (argc != 3)
		return 2;
	if (strcmp(argv[2], "first") == 0)
		begin();
	plugin = dlopen(argv[1], RTLD_NOW);
	if (plugin == NULL) {
		fprintf(stderr, "%s\n", dlerror());
		return 4;
	}
	*(void **)&emit = dlsym(plugin, "emit");
	if (writer == NULL) {
		emit(50);
		wait_until_some_are_written();
		begin();
	}
	for (unsigned i = 0; i < ROUNDS; i++) {
		for (unsigned k = 0; k < 30; k++)
			if (!sysprof_capture_writer_add_mark(
				    writer, SYSPROF_CAPTURE_CURRENT_TIME, -1,
				    getpid(), 5, "theirs", "mark", NULL))
				return 5;
		emit(25);
		usleep(20000);
	}
	sysprof_capture_writer_unref(writer);
	return 0;
}
