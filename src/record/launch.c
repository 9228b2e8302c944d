/* SPDX-License-Identifier: BSD-2-Clause */
/* launch.c - the command is started, and the capture begun. */
#define _GNU_SOURCE
#include "record/launch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/about.h"
#include "record/exit_status.h"
#include "record/limits.h"
#include "record/now.h"

static int tell_cannot_run(const struct syc_record_options *options, int r)
{
	fprintf(stderr, "syscap record: cannot run '%s': %s\n",
	        options->argv[0], strerror(-r));
	return r == -ENOENT ? SYC_RECORD_NOT_FOUND : SYC_RECORD_CANNOT_RUN;
}

static uint32_t give_counter_id(void *context)
{
	const struct syc_recording *const recording = context;

	return syc_renumber_new_id(recording->renumber);
}

static bool write_counters(void *context, const void *frame, uint32_t len)
{
	const struct syc_recording *const recording = context;

	(void)len;
	syc_writer_add(recording->writer, frame);
	return true;
}

static void begin_counters(struct syc_recording *recording)
{
	struct syc_counters_options sources = {
		.root = "",
		.keeps_files = true,
		.pid = (int32_t)recording->command.pid,
		.emit = write_counters,
		.new_id = give_counter_id,
		.context = recording,
	};

	snprintf(sources.process, sizeof(sources.process), "%d", sources.pid);
	if (!syc_system_counters_begin(&recording->counters, recording->options,
	                               &sources, syc_now()))
		syc_report_say(&recording->report, "no counters: %s",
		               strerror(ENOMEM));
}

/* Run the command and write the beginning of the capture. */
int syc_launch_command(struct syc_recording *recording)
{
	const struct syc_record_options *options = recording->options;
	struct syscap_error error;
	char *command;
	bool executing;
	int r;

	char socket[48], arena[16];
	struct stat st;

	if (fstat(recording->child_end, &st) != 0)
		return SYC_RECORD_FAILED;
	snprintf(socket, sizeof(socket), "%d:%ju", recording->child_end,
	         (uintmax_t)st.st_ino);
	snprintf(arena, sizeof(arena), "%u",
	         syc_limits_has_addresses() ? recording->rings.body : 0);
	const struct syc_spawn_given given[] = {
		{ recording->trace.variable, recording->trace.fd, NULL },
		{ recording->gjs.variable, recording->gjs.fd, NULL },
		{ "SYSPROF_CONTROL_FD", recording->child_end, NULL },
		{ "SYSCAP_CONTROL_INODE", -1, socket },
		{ "SYSCAP_ARENA", -1, arena },
		{ "SYSCAP_RECORDER", -1, recording->listener.name.sun_path },
		{ "SYSCAP_SAMPLE", -1, options->sample },
		{ "SYSCAP_MEMORY", -1, options->memory },
		{ "SYSCAP_IO", -1, options->io },
		{ "SYSCAP_STALLS", -1, options->stalls },
		{ "SYSCAP_LOGS", -1, options->logs },
		{ "LD_PRELOAD", -1, recording->preload },
	};
	/* gjs asks for both */
	if (options->gjs && setenv("GJS_ENABLE_PROFILER", "1", 1) != 0)
		return SYC_RECORD_FAILED;
	recording->saved.error_fd = recording->logged.pump.given;
	r = syc_spawn(options->argv, given, sizeof(given) / sizeof(given[0]),
	              &recording->saved, &recording->command, &executing);
	close(recording->child_end);
	recording->child_end = -1;
	/* Its end is to be seen when all who have it are gone */
	if (recording->logged.is_on)
		close(recording->logged.pump.given);
	recording->logged.pump.given = -1;
	if (r != 0 && executing)
		return tell_cannot_run(options, r);
	if (r != 0) {
		fprintf(stderr, "syscap record: cannot start a process: %s\n",
		        strerror(-r));
		return SYC_RECORD_FAILED;
	}
	/* A failure is told and kept like one that comes later. */
	syc_writer_begin(recording->writer, recording->began, &error);
	if (stat(options->output, &recording->output) != 0)
		memset(&recording->output, 0, sizeof(recording->output));
	recording->intake.command = (int32_t)recording->command.pid;
	recording->logged.pid = (int32_t)recording->command.pid;
	recording->logged.writer = recording->writer;
	syc_about_write(recording->writer, &recording->intake.frame,
	                recording->began, options);
	command = syc_about_command(options->argv);
	syc_processes_command(recording->processes,
	                      (int32_t)recording->command.pid,
	                      command != NULL ? command : options->argv[0]);
	free(command);
	begin_counters(recording);
	return 0;
}
