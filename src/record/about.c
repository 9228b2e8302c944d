/* SPDX-License-Identifier: BSD-2-Clause */
/* about.c - what a capture says about how it was made. */
#define _GNU_SOURCE
#include "record/about.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "collect/asked.h"

static const char clocksource[] =
	"/sys/devices/system/clocksource/clocksource0/current_clocksource";

char *syc_about_command(char *const argv[])
{
	size_t size = 1;
	char *text, *to;

	for (unsigned i = 0; argv[i] != NULL; i++)
		size += strlen(argv[i]) + 1;
	text = malloc(size);
	if (text == NULL)
		return NULL;
	to = text;
	for (unsigned i = 0; argv[i] != NULL; i++) {
		if (i > 0)
			*to++ = ' ';
		to = stpcpy(to, argv[i]);
	}
	*to = 0;
	return text;
}

/* "cpu,memory,hz=10", as the option has it */
static void write_counters(struct syc_writer *writer,
                           union syc_frame_buffer *frame, int64_t time,
                           const struct syc_record_options *options)
{
	char text[SYC_ASKED_TEXT];

	syc_asked_write(&options->counters, text);
	syc_compose_metadata(frame, time, "syscap.counters", text);
	syc_writer_add(writer, frame);
}

void syc_about_write(struct syc_writer *writer, union syc_frame_buffer *frame,
                     int64_t time, const struct syc_record_options *options)
{
	char *command = syc_about_command(options->argv);
	char text[256];
	struct utsname name;
	FILE *file;

	syc_compose_metadata(frame, time, "syscap.version", options->version);
	syc_writer_add(writer, frame);
	if (command != NULL) {
		syc_compose_metadata(frame, time, "syscap.command", command);
		syc_writer_add(writer, frame);
		free(command);
	}
	if (options->sample != NULL) {
		syc_compose_metadata(frame, time, "syscap.sample",
		                     options->sample);
		syc_writer_add(writer, frame);
	}
	if (options->memory != NULL) {
		syc_compose_metadata(frame, time, "syscap.memory",
		                     options->memory);
		syc_writer_add(writer, frame);
	}
	if (options->counters.groups != 0)
		write_counters(writer, frame, time, options);
	snprintf(text, sizeof(text), "%u", options->ring_kib);
	syc_compose_metadata(frame, time, "syscap.ring-kib", text);
	syc_writer_add(writer, frame);
	if (uname(&name) == 0) {
		snprintf(text, sizeof(text), "%s %s %s", name.sysname,
		         name.release, name.machine);
		syc_compose_metadata(frame, time, "syscap.kernel", text);
		syc_writer_add(writer, frame);
	}
	file = fopen(clocksource, "re");
	if (file == NULL) /* no /sys: a container may hide it */
		return;
	if (fgets(text, sizeof(text), file) != NULL) {
		text[strcspn(text, "\n")] = 0;
		syc_compose_metadata(frame, time, "syscap.clocksource", text);
		syc_writer_add(writer, frame);
	}
	fclose(file);
}
