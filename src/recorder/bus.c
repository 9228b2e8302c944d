/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bus.c - client of programs that record at a profiler's request on D-Bus.
 * GNOME's compositors and shells have the interface
 * org.gnome.Sysprof3.Profiler.
 *
 * Such a program gets a file by its method Start, writes a capture into the
 * file, and completes the file before it answers to Stop.  The program should end
 * the recording itself if the recorder's connection ends, but Mutter 43 does not.
 *
 * The messages go through libsystemd, if that library is there.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/now.h"
#include "recorder/recording.h"

#define INTERFACE "org.gnome.Sysprof3.Profiler"
#define OBJECT    "/org/gnome/Sysprof3/Profiler"
#define SYSTEM    "system:"

/* Parts of <systemd/sd-bus.h> that do not change (libsystemd.so.0). */
struct bus_error {
	const char *name, *message;
	int need_free;
};

static struct {
	int (*open_user)(void **bus);
	int (*open_system)(void **bus);
	int (*call_method)(void *bus, const char *destination, const char *path,
	                   const char *interface, const char *member,
	                   struct bus_error *error, void **reply,
	                   const char *types, ...);
	int (*get_name_creds)(void *bus, const char *name, uint64_t mask,
	                      void **creds);
	int (*creds_get_pid)(void *creds, pid_t *pid);
	void *(*creds_unref)(void *creds);
	void *(*flush_close_unref)(void *bus);
	void (*error_free)(struct bus_error *error);
} sd;

static bool load_function(void *library, const char *name, void *function)
{
	void *const found = dlsym(library, name);

	memcpy(function, &found, sizeof(found));
	return found != NULL;
}

/* The library stays loaded. */
static bool load_library(void)
{
	void *const library = dlopen("libsystemd.so.0", RTLD_NOW | RTLD_LOCAL);

	return library != NULL &&
	       load_function(library, "sd_bus_open_user", &sd.open_user) &&
	       load_function(library, "sd_bus_open_system", &sd.open_system) &&
	       load_function(library, "sd_bus_call_method", &sd.call_method) &&
	       load_function(library, "sd_bus_get_name_creds",
	                     &sd.get_name_creds) &&
	       load_function(library, "sd_bus_creds_get_pid",
	                     &sd.creds_get_pid) &&
	       load_function(library, "sd_bus_creds_unref", &sd.creds_unref) &&
	       load_function(library, "sd_bus_flush_close_unref",
	                     &sd.flush_close_unref) &&
	       load_function(library, "sd_bus_error_free", &sd.error_free);
}

/* A program on a bus. */
struct program {
	char *name;         /* on the bus */
	const char *object; /* path */
	void *bus;          /* NULL: not recording */
	pid_t pid;          /* 0: unknown */
	struct syc_traced_file file;
};

struct syc_bus {
	unsigned n;
	struct program programs[SYC_BUS_NAMES_MAX];
};

static void print_error(const struct program *program, const char *what,
                        int code, const struct bus_error *error)
{
	fprintf(stderr, "syscap record: --bus-name=%s: %s: %s\n", program->name,
	        what,
	        error->message != NULL ? error->message : strerror(-code));
}

/* Some programs continue a recording whose recorder was killed. */
static void print_remedy(const struct program *program, bool is_system,
                         const struct bus_error *error)
{
	const char *const prefix = "org.freedesktop.DBus.Error.";

	if (error->name != NULL &&
	    (strncmp(error->name, prefix, strlen(prefix)) != 0 ||
	     strcmp(error->name + strlen(prefix), "Failed") == 0))
		fprintf(stderr,
		        "syscap record: if its recorder was killed, end that "
		        "recording by: busctl --%s call %s %s " INTERFACE
		        " Stop\n",
		        is_system ? "system" : "user", program->name,
		        program->object);
}

/* Write the program's PROCESS and MAP frames, which its capture may lack. */
static void describe_process(struct program *program,
                             struct syc_processes *processes)
{
	const uint64_t mask = 1; /* SD_BUS_CREDS_PID */
	void *creds = NULL;

	if (sd.get_name_creds(program->bus, program->name, mask, &creds) < 0)
		return;
	if (sd.creds_get_pid(creds, &program->pid) < 0)
		program->pid = 0;
	sd.creds_unref(creds);
	if (program->pid == 0)
		return;
	(void)syc_processes_see(processes, program->pid);
	syc_processes_meet(processes, program->pid, syc_now(), NULL);
}

static bool begin_program(struct program *program, const char *text,
                          const char *output, struct syc_processes *processes)
{
	const bool is_system = strncmp(text, SYSTEM, strlen(SYSTEM)) == 0;
	struct bus_error error = { 0 };
	void *bus = NULL;

	program->name = strdup(text + (is_system ? strlen(SYSTEM) : 0));
	if (program->name == NULL)
		return false;
	char *const comma = strchr(program->name, ',');
	program->object = OBJECT;
	if (comma != NULL) {
		*comma = 0;
		program->object = comma + 1;
	}
	program->file = (struct syc_traced_file){
		.variable = "syscap-bus",
		.option = "--bus-name",
		.who = program->name,
		.fd = -1,
	};
	int r = syc_traced_file_make(&program->file, output);
	if (r < 0) {
		print_error(program, "cannot make a file", r, &error);
		return false;
	}
	r = is_system ? sd.open_system(&bus) : sd.open_user(&bus);
	if (r < 0) {
		print_error(program,
		            is_system ? "cannot reach the system bus"
		                      : "cannot reach the session bus",
		            r, &error);
		syc_traced_file_close(&program->file);
		return false;
	}
	r = sd.call_method(bus, program->name, program->object, INTERFACE,
	                   "Start", &error, NULL, "a{sv}h", 0,
	                   program->file.fd);
	if (r < 0) {
		print_error(program, "the program does not begin to record", r,
		            &error);
		print_remedy(program, is_system, &error);
		sd.error_free(&error);
		sd.flush_close_unref(bus);
		syc_traced_file_close(&program->file);
		return false;
	}
	program->bus = bus;
	describe_process(program, processes);
	return true;
}

int syc_bus_begin(const struct syc_record_options *options,
                  struct syc_processes *processes, struct syc_bus **ret_bus)
{
	struct syc_bus *const bus = calloc(1, sizeof(*bus));
	unsigned n_begun = 0;

	*ret_bus = bus;
	if (bus == NULL)
		return -ENOMEM;
	if (!load_library()) {
		fputs("syscap record: --bus-name: libsystemd.so.0 is missing\n",
		      stderr);
		return 0;
	}
	for (; bus->n < options->n_bus_names; bus->n++)
		n_begun += begin_program(&bus->programs[bus->n],
		                         options->bus_names[bus->n],
		                         options->output, processes);
	return (int)n_begun;
}

void syc_bus_end(struct syc_bus *bus)
{
	for (unsigned i = 0; bus != NULL && i < bus->n; i++) {
		struct program *const program = &bus->programs[i];
		struct bus_error error = { 0 };

		if (program->bus == NULL)
			continue;
		const int r = sd.call_method(program->bus, program->name,
		                             program->object, INTERFACE, "Stop",
		                             &error, NULL, "");
		if (r < 0)
			print_error(program,
			            "the program does not end its recording, "
			            "whose last events may be missing",
			            r, &error);
		sd.error_free(&error);
		sd.flush_close_unref(program->bus);
		program->bus = NULL;
	}
}

unsigned syc_bus_count_alive(const struct syc_bus *bus,
                             const struct syc_processes *processes)
{
	unsigned n = 0;

	for (unsigned i = 0; bus != NULL && i < bus->n; i++)
		n += bus->programs[i].pid != 0 &&
		     syc_processes_alive(processes, bus->programs[i].pid);
	return n;
}

const struct syc_traced_file *syc_bus_file(const struct syc_bus *bus,
                                           unsigned n)
{
	return bus != NULL && n < bus->n ? &bus->programs[n].file : NULL;
}

void syc_bus_free(struct syc_bus *bus)
{
	syc_bus_end(bus);
	for (unsigned i = 0; bus != NULL && i < bus->n; i++) {
		syc_traced_file_close(&bus->programs[i].file);
		free(bus->programs[i].name);
	}
	free(bus);
}
