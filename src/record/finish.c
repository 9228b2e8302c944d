/* SPDX-License-Identifier: BSD-2-Clause */
/* finish.c - the command is over: what is left is taken, and all is told. */
#define _GNU_SOURCE
#include "record/finish.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "record/loop.h"
#include "record/now.h"
#include "record/summary.h"

/* Batches of events at the end: all that there can be, many times over */
#define BATCHES_MAX 16384

/* What the command wrote by itself.  False: some of it is lost. */
static bool join_written(struct syc_recording *recording)
{
	bool all_is_there = true, lost;

	const struct syc_written *const all[] = { &recording->trace,
		                                  &recording->gjs };
	uint32_t last_id = syc_renumber_last(recording->renumber);

	for (unsigned i = 0; i < 2; i++) {
		if (all[i]->fd < 0)
			continue;
		const uint64_t n =
			syc_written_join(all[i], recording->options->output,
		                         &last_id, recording->writer, &lost);
		all_is_there &= !lost;
		if (n != 0 && !recording->options->quiet)
			fprintf(stderr,
			        "syscap record: %s: %llu frames joined\n",
			        all[i]->option, (unsigned long long)n);
	}
	return all_is_there;
}

static void add_names(struct syc_recording *recording, int64_t end)
{
	const struct syc_record_options *options = recording->options;
	const struct syc_naming_options naming = {
		.output = options->output,
		.began = recording->output,
		.files = syc_processes_files(recording->processes),
		.code = recording->code,
		.writer = recording->writer,
		.report = &recording->report,
		.end = end,
		.has_lines = options->lines,
	};

	if (!syc_recording_wants_names(recording) ||
	    (recording->intake.stacks == 0 && !options->trace_fd &&
	     !options->gjs))
		return;
	syc_processes_finish_code(recording->processes);
	syc_naming_write(&naming, &recording->names);
}

/* Or counted already. */
static bool is_known(void *context, int32_t pid)
{
	const struct syc_recording *const recording = context;

	return syc_processes_image(recording->processes, pid) != 0 ||
	       syc_missing_arenas_has(&recording->rings.arenas.missing, pid);
}

/* Returns how many processes came in vain. */
static unsigned refuse_callers(struct syc_recording *recording)
{
	if (recording->callers == NULL)
		return 0;
	const unsigned n =
		syc_callers_end(recording->callers, is_known, recording);
	/* Names may take their time: nobody is to wait for us until then */
	syc_listener_close(&recording->listener);
	return n;
}

/* Take what the command, its processes and their rings still hold. */
static void take_the_rest(struct syc_recording *recording)
{
	struct syc_rings_pass pass;

	syc_loop_drain(recording, &pass);
	if (!syc_logged_end(&recording->logged))
		syc_report_say(&recording->report,
		               "--stderr: some of it was not recorded");
	syc_system_counters_end(&recording->counters, recording->options,
	                        &recording->report, syc_now());
	syc_rings_end_all(&recording->rings);
	/* Those that died with the command get their EXIT frames. */
	if (!recording->command.running)
		syc_processes_gone(recording->processes,
		                   (int32_t)recording->command.pid);
	/* Bounded for those that never fall silent */
	for (unsigned i = 0; i < BATCHES_MAX; i++)
		if (!syc_loop_take_events(recording, 0))
			break;
	syc_processes_look_unwatched(recording->processes);
}

/* False: the capture lacks what was emitted. */
static bool tell_refused_rings(const struct syc_recording *recording)
{
	const uint64_t n = recording->rings.refused;

	if (n > 0)
		fprintf(stderr,
		        "syscap record: %llu request%s for a ring could not be "
		        "met: what those threads emitted is missing\n",
		        (unsigned long long)n, n == 1 ? "" : "s");
	return n == 0;
}

/* What the user asked for and the command did not give, with the reason. */
static void tell_not_given(const struct syc_recording *recording)
{
	const struct syc_record_options *const options = recording->options;
	const char *const command = options->argv[0];

	syc_summary_without_sampler(
		syc_processes_without_sampler(recording->processes),
		options->sample != NULL);
	if (options->memory != NULL)
		syc_summary_no_memory(command, &recording->intake);
	if (options->io != NULL)
		syc_summary_no_waits(command, "calls that blocked");
	if (options->stalls != NULL)
		syc_summary_no_waits(command, "stalls");
	if (options->logs != NULL)
		syc_summary_no_waits(command, "logs");
	if (options->sample != NULL)
		syc_summary_unsampled(command, &recording->intake);
}

static void print_summary(const struct syc_recording *recording,
                          unsigned processes)
{
	const struct syc_record_options *const options = recording->options;

	if (options->quiet)
		return;
	if (options->sample != NULL)
		syc_delivered_print(&recording->intake.delivered,
		                    options->sample, options->argv[0]);
	syc_summary_print(options->output, recording->writer,
	                  &recording->intake, processes, &recording->names);
}

int syc_finish_recording(struct syc_recording *recording)
{
	unsigned all, alive, missing;
	int64_t end;
	int r;

	syc_control_server_refuse(recording->server);
	missing = refuse_callers(recording);
	syc_rings_close(&recording->rings);
	take_the_rest(recording);
	syc_processes_count(recording->processes, &all, &alive);
	missing += syc_processes_unheard(recording->processes) +
	           syc_missing_arenas_count(&recording->rings.arenas.missing);
	syc_intake_tell_missing(&recording->intake, missing);
	const bool written_is_there = join_written(recording);
	end = syc_now();
	add_names(recording, end);
	r = syc_writer_finish(recording->writer, end);
	syc_report_finish(&recording->report);
	if (r != 0 && !recording->write_failed)
		fprintf(stderr, "syscap record: %s: %s\n",
		        recording->options->output, strerror(-r));
	if (alive > 0)
		fprintf(stderr,
		        "syscap record: %u process%s still recording when the capture ended\n",
		        alive, alive == 1 ? " was" : "es were");
	if (!tell_refused_rings(recording) && r == 0)
		r = -EMFILE;
	syc_summary_without_ring(missing);
	if (!written_is_there && r == 0)
		r = -EIO; /* was told */
	tell_not_given(recording);
	print_summary(recording, all);
	return r;
}
