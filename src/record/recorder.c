/* SPDX-License-Identifier: BSD-2-Clause */
/* recorder.c - record a command: set up, from start to end, torn down. */
#define _GNU_SOURCE
#include "record/recorder.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "capture/in_use.h"
#include "record/finish.h"
#include "record/keep_old.h"
#include "record/launch.h"
#include "record/limits.h"
#include "record/loop.h"
#include "record/now.h"
#include "record/preload.h"
#include "record/recording.h"

#define RINGS_MAX 8192u

static int create_ring(void *context, int32_t pid, bool may_retry)
{
	struct syc_recording *const recording = context;
	const int fd = syc_rings_create(&recording->rings, pid, may_retry);

	/* It may be fetched too late, or by a relative, and nothing written to
	 * it: that it was sent says nothing */
	if (fd >= 0)
		syc_processes_expect(recording->processes, pid);
	return fd;
}

static void take_arena(void *context, int32_t pid, int fd, bool is_late)
{
	struct syc_recording *const recording = context;

	if (is_late)
		syc_missing_arenas_note_late(&recording->rings.arenas.missing,
		                             pid, -1);
	syc_rings_take(&recording->rings, pid, fd);
}

static void wait_for_arena(void *context, int32_t pid)
{
	struct syc_recording *const recording = context;

	syc_missing_arenas_note_late(&recording->rings.arenas.missing, pid, 1);
}

static void miss_arena(void *context, int32_t pid)
{
	struct syc_recording *const recording = context;

	syc_missing_arenas_note_lost(&recording->rings.arenas.missing, pid);
}

static void settle_rings(void *context)
{
	struct syc_recording *const recording = context;

	syc_rings_settle(&recording->rings);
}

static int watch_fd(struct syc_recording *recording, int fd, uint64_t what)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u64 = what };

	return epoll_ctl(recording->epoll, EPOLL_CTL_ADD, fd, &event) != 0
	               ? -errno
	               : 0;
}

/* What the loop waits for, besides the processes. */
static int set_up_descriptors(struct syc_recording *recording)
{
	const struct syc_control_hooks hooks = { .request = create_ring,
		                                 .take = take_arena,
		                                 .late = wait_for_arena,
		                                 .lost = miss_arena,
		                                 .context = recording };
	int r = syc_control_server_new(recording->control, &hooks,
	                               &recording->report, &recording->server);

	if (r == 0 && recording->listener.fd >= 0)
		r = syc_callers_new(recording->listener.fd, recording->epoll,
		                    SYC_EPOLL_CALLER, &hooks,
		                    &recording->report, &recording->callers);
	if (r == 0)
		r = watch_fd(recording, recording->control, SYC_EPOLL_CONTROL);
	if (r == 0)
		r = watch_fd(recording, recording->signal_fd, SYC_EPOLL_SIGNAL);
	if (r == 0 && recording->logged.is_on)
		r = watch_fd(recording, recording->logged.pump.socket,
		             SYC_EPOLL_LOGGED);
	return r;
}

static int set_up_recording(struct syc_recording *recording)
{
	const uint32_t body = syc_limits_ring_body(
		recording->options->ring_kib * UINT64_C(1024),
		&recording->report);
	int r;

	if (body == 0)
		return -EFBIG;

	r = syc_spawn_prepare(&recording->saved, &recording->signal_fd);
	if (r != 0)
		return r;
	recording->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (recording->epoll < 0)
		return -errno;
	r = syc_renumber_new(&recording->renumber);
	if (r == 0 && syc_recording_wants_names(recording))
		r = syc_code_names_new(&recording->code);
	if (r == 0)
		r = syc_processes_new(
			&(struct syc_processes_options){
				.writer = recording->writer,
				.renumber = recording->renumber,
				.settle = settle_rings,
				.context = recording,
				.epoll = recording->epoll,
				.maps = recording->options->maps,
				.keep_files =
					syc_recording_wants_names(recording)
						? syc_limits_files_to_keep()
						: 0,
				.code = recording->code,
			},
			&recording->processes);
	recording->intake = (struct syc_intake){
		.writer = recording->writer,
		.processes = recording->processes,
		.renumber = recording->renumber,
		.report = &recording->report,
	};
	if (r == 0)
		r = syc_rings_init(&recording->rings, &recording->intake, body,
		                   RINGS_MAX);
	if (r == 0)
		r = set_up_descriptors(recording);
	return r == 0 ? syc_limits_check_files(recording->epoll) : r;
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

static void tear_down_recording(struct syc_recording *recording)
{
	syc_rings_free(&recording->rings);
	if (recording->server == NULL) /* else it is the server's */
		close_fd(recording->control);
	syc_control_server_free(recording->server);
	syc_callers_free(recording->callers);
	syc_listener_close(&recording->listener);
	syc_system_counters_free(&recording->counters);
	syc_logged_free(&recording->logged);
	syc_processes_free(recording->processes);
	syc_code_names_free(recording->code);
	syc_renumber_free(recording->renumber);
	syc_writer_close(recording->writer);
	syc_written_close(&recording->trace);
	syc_written_close(&recording->gjs);
	close_fd(recording->child_end);
	close_fd(recording->signal_fd);
	close_fd(recording->epoll);
	free(recording->preload);
}

static int open_output(struct syc_recording *recording)
{
	const struct syc_record_options *options = recording->options;
	struct syscap_error error;
	int r = syc_in_use_may_replace(options->output, options->force, &error);

	if (r == 0 && !options->force)
		r = syc_keep_old(options->output, &error);
	if (r > 0 && !options->quiet)
		fprintf(stderr,
		        "syscap record: the %s that was there is %s.old now\n",
		        options->output, options->output);
	if (r >= 0)
		r = syc_writer_open(options->output, options->force,
		                    &recording->writer, &error);
	if (r < 0)
		fprintf(stderr, "syscap record: %s: %s%s\n", options->output,
		        error.message,
		        error.code == EEXIST ? "; --force overwrites it" : "");
	return r;
}

static void listen_by_name(struct syc_recording *recording)
{
	const int r = syc_listener_open(&recording->listener);

	if (r != 0)
		syc_report_say(
			&recording->report,
			"no socket for processes that close what they inherit, "
			"they are not recorded: %s",
			strerror(-r));
}

/* One library for all that is asked for: two would not know of each other. */
static bool find_preload(struct syc_recording *recording)
{
	const struct syc_record_options *const options = recording->options;
	const char *name, *what;
	char why[512];

	if (options->memory != NULL) {
		name = SYC_PRELOAD_MEMORY;
		what = "record memory";
	} else if (options->io != NULL || options->stalls != NULL) {
		name = SYC_PRELOAD_IO;
		what = "record calls that block";
	} else if (options->logs != NULL) {
		name = SYC_PRELOAD_IO;
		what = "record logs";
	} else if (options->sample != NULL) {
		/* Whose ticks come in waits, too: which are made again there */
		name = strstr(options->sample, ",wall") != NULL
		               ? SYC_PRELOAD_IO
		               : SYC_PRELOAD_SAMPLER;
		what = "sample";
	} else {
		return true;
	}
	if (syc_preload_find(name, &recording->preload, why, sizeof(why)) == 0)
		return true;
	fprintf(stderr, "syscap record: cannot %s: %s\n", what, why);
	return false;
}

int syc_record_run(const struct syc_record_options *options)
{
	struct syc_recording recording = {
		.options = options,
		.signal_fd = -1,
		.epoll = -1,
		.control = -1,
		.child_end = -1,
		.listener = { .fd = -1 },
		.trace = { "SYSPROF_TRACE_FD", "--trace-fd", -1 },
		.gjs = { "GJS_TRACE_FD", "--gjs", -1 },
		.interval = 1,
		.began = syc_now()
	};
	int r, exit_status = SYC_RECORD_FAILED;

	syc_report_init(&recording.report, options->quiet, recording.began);
	if (!find_preload(&recording))
		return exit_status;
	/* Before any other file, so that the command's are 3 and so on, in
	 * the order in which sysprof-cli gives them. */
	r = options->trace_fd
	            ? syc_written_make(&recording.trace, options->output)
	            : 0;
	if (r == 0 && options->gjs)
		r = syc_written_make(&recording.gjs, options->output);
	if (r == 0)
		r = syc_control_server_pair(&recording.control,
		                            &recording.child_end);
	if (r != 0)
		goto fail;
	r = options->error_lines ? syc_logged_begin(&recording.logged) : 0;
	if (r != 0) {
		fprintf(stderr, "syscap record: --stderr: %s\n", strerror(-r));
		goto out;
	}
	if (open_output(&recording) != 0)
		goto out;
	listen_by_name(&recording);
	r = set_up_recording(&recording);
	if (r != 0)
		goto fail;
	exit_status = syc_launch_command(&recording);
	if (exit_status != 0)
		goto out;
	syc_loop_run(&recording);
	exit_status = syc_finish_recording(&recording) != 0
	                      ? SYC_RECORD_FAILED
	                      : recording.command.status;
	goto out;
fail:
	fprintf(stderr, "syscap record: cannot record: %s\n", strerror(-r));
out:
	tear_down_recording(&recording);
	return exit_status;
}
