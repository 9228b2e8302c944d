/* SPDX-License-Identifier: BSD-2-Clause */
/* recorder.c - set-up and tear-down of a recording. */
#define _GNU_SOURCE
#include "recorder/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <syscap/capture.h>

#include "capture/files.h"
#include "common/now.h"
#include "recorder/processes.h"
#include "recorder/recording.h"

#define SPARE_FILES 5

/*
 * Return the number of mapped files that may stay open until the end, for
 * names.  Rings and processes need the other fds.
 */
static unsigned count_files_to_keep(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) != 0)
		return 0;
	return files.rlim_cur / 4 < SYC_MAPPED_FILES_KEPT
	               ? (unsigned)(files.rlim_cur / 4)
	               : SYC_MAPPED_FILES_KEPT;
}

/*
 * Choose the size of a ring's body, @wanted bytes if possible.  The limit on
 * file sizes also limits a memfd, and may make rings smaller, which is printed.
 * Returns 0 if the limit is less than a page.
 */
static uint32_t choose_ring_body(uint64_t wanted, struct syc_console *console)
{
	const uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);
	const uint64_t body = (wanted + page - 1) / page * page;
	struct rlimit size;

	if (getrlimit(RLIMIT_FSIZE, &size) != 0 ||
	    size.rlim_cur == RLIM_INFINITY || size.rlim_cur >= body + page)
		return (uint32_t)body;
	if (size.rlim_cur < 2 * page)
		return 0;
	const uint32_t less = (uint32_t)size.rlim_cur / page * page - page;
	syc_console_print(
		console,
		"rings have only %u KiB; a higher ulimit -f allows larger "
		"rings",
		less / 1024);
	return less;
}

/*
 * Check whether enough fds can be opened, for rings that are being sent, for
 * processes, and for /proc.  @fd is any open fd.  Returns 0 or -EMFILE.
 */
static int check_files(int fd)
{
	int fds[SPARE_FILES], n = 0, r = 0;

	while (r == 0 && n < SPARE_FILES) {
		fds[n] = fcntl(fd, F_DUPFD_CLOEXEC, 0);
		if (fds[n] >= 0)
			n++;
		else
			r = -errno;
	}
	while (n > 0)
		close(fds[--n]);
	return r == -EMFILE ? r : 0;
}

static bool is_capture(const char *path)
{
	const int fd = syc_plain_file_open(path, O_RDONLY, NULL);
	unsigned char magic[4];
	bool is = false;

	if (fd < 0)
		return false;
	is = pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
	     memcmp(magic, "\x5e\x97\xca\xfd", sizeof(magic)) == 0;
	close(fd);
	return is;
}

static int make_room(const char *old, struct syscap_error *error)
{
	struct syscap_error why;

	if (access(old, F_OK) != 0)
		return 0;
	if (!is_capture(old))
		return syc_error_set(
			error, EEXIST, 0,
			"cannot rename the existing file to %s, which is not "
			"a capture",
			old);
	if (syc_in_use_check(old, &why) < 0)
		return syc_error_set(
			error, EBUSY, 0,
			"cannot rename the existing file to %s: %s", old,
			why.message);
	return 0;
}

/*
 * If @output is a capture, append ".old" to its name, and replace an earlier
 * ".old".  Other files stay unchanged.
 *
 * Returns 1 after a rename, 0 without a rename, or -errno, with the reason in
 * @error.
 */
static int keep_old(const char *output, struct syscap_error *error)
{
	char path[PATH_MAX], old[PATH_MAX + 4];
	int r;

	/*
	 * Rename the target of a link, and keep the link.  But links in /dev
	 * and /proc are fds, which keep their file
	 */
	if (strncmp(output, "/dev/", 5) == 0 ||
	    strncmp(output, "/proc/", 6) == 0 ||
	    realpath(output, path) == NULL || !is_capture(path))
		return 0;
	snprintf(old, sizeof(old), "%s.old", path);
	r = make_room(old, error);
	if (r < 0)
		return r;
	if (rename(path, old) != 0)
		return syc_error_set(error, EEXIST, 0,
		                     "cannot keep the existing file as %s: %s",
		                     old, strerror(errno));
	return 1;
}

#define RINGS_MAX 8192u

static int create_ring(void *context, int32_t pid, bool may_retry)
{
	struct syc_recording *const recording = context;
	const int fd = syc_rings_create(&recording->rings, pid, may_retry);

	/*
	 * The process need not use a sent ring, which may be fetched too late,
	 * or by a child
	 */
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

/* Set up the fds of the loop, besides pidfds. */
static int set_up_descriptors(struct syc_recording *recording)
{
	const struct syc_control_hooks hooks = { .request = create_ring,
		                                 .take = take_arena,
		                                 .late = wait_for_arena,
		                                 .lost = miss_arena,
		                                 .context = recording };
	int r = syc_control_server_new(recording->control, &hooks,
	                               &recording->console, &recording->server);

	if (r == 0 && recording->listener.fd >= 0)
		r = syc_callers_new(recording->listener.fd, recording->epoll,
		                    SYC_EPOLL_CALLER, &hooks,
		                    &recording->console, &recording->callers);
	if (r == 0)
		r = watch_fd(recording, recording->control, SYC_EPOLL_CONTROL);
	if (r == 0)
		r = watch_fd(recording, recording->signal_fd, SYC_EPOLL_SIGNAL);
	if (r == 0 && recording->stderr_log.is_on)
		r = watch_fd(recording, recording->stderr_log.tee.socket,
		             SYC_EPOLL_STDERR);
	return r;
}

static int set_up_recording(struct syc_recording *recording)
{
	const uint32_t body =
		choose_ring_body(recording->options->ring_kib * UINT64_C(1024),
	                         &recording->console);
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
						? count_files_to_keep()
						: 0,
				.code = recording->code,
			},
			&recording->processes);
	recording->intake = (struct syc_intake){
		.writer = recording->writer,
		.processes = recording->processes,
		.renumber = recording->renumber,
		.console = &recording->console,
	};
	if (r == 0)
		r = syc_rings_init(&recording->rings, &recording->intake, body,
		                   RINGS_MAX);
	if (r == 0)
		r = set_up_descriptors(recording);
	return r == 0 ? check_files(recording->epoll) : r;
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

static void tear_down_recording(struct syc_recording *recording)
{
	syc_rings_free(&recording->rings);
	syc_intake_fini(&recording->intake);
	if (recording->server == NULL) /* a server would own the socket */
		close_fd(recording->control);
	syc_control_server_free(recording->server);
	syc_callers_free(recording->callers);
	syc_listener_close(&recording->listener);
	syc_system_counters_free(&recording->counters);
	syc_stderr_log_free(&recording->stderr_log);
	syc_processes_free(recording->processes);
	syc_code_names_free(recording->code);
	syc_renumber_free(recording->renumber);
	syc_writer_close(recording->writer);
	syc_traced_file_close(&recording->trace);
	syc_traced_file_close(&recording->gjs);
	syc_bus_free(recording->bus);
	syc_attach_free(recording->attached);
	close_fd(recording->child_end);
	close_fd(recording->signal_fd);
	close_fd(recording->epoll);
	free(recording->preload);
	syc_unloaded_free(&recording->unloaded);
}

static int open_output(struct syc_recording *recording)
{
	const struct syc_record_options *options = recording->options;
	struct syscap_error error;
	int r = syc_in_use_may_replace(options->output, options->force, &error);

	if (r == 0 && !options->force)
		r = keep_old(options->output, &error);
	if (r > 0 && !options->quiet)
		fprintf(stderr,
		        "syscap record: renamed the existing %s to %s.old\n",
		        options->output, options->output);
	if (r >= 0)
		r = syc_writer_open(options->output, options->force,
		                    &recording->writer, &error);
	if (r < 0)
		fprintf(stderr, "syscap record: %s: %s%s\n", options->output,
		        error.message,
		        error.code == EEXIST &&
		                        access(options->output, W_OK) == 0
		                ? "; --force overwrites it"
		                : "");
	return r;
}

static void listen_by_name(struct syc_recording *recording)
{
	const int r = syc_listener_open(&recording->listener);

	if (r != 0)
		syc_console_print(
			&recording->console,
			"cannot record processes that close inherited fds, "
			"because no socket listens: %s",
			strerror(-r));
}

/*
 * Choose one library for all roles, because two libraries would not share
 * state.
 */
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
		/* Ticks of wall time interrupt waits, which only the io library
		 * restarts */
		name = strstr(options->sample, ",wall") != NULL
		               ? SYC_PRELOAD_IO
		               : SYC_PRELOAD_SAMPLER;
		what = "sample";
	} else if (options->crashes != NULL) {
		name = SYC_PRELOAD_SAMPLER;
		what = "record crashes";
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
		.trace = { "SYSPROF_TRACE_FD", "--trace-fd", "the command",
		           -1 },
		.gjs = { "GJS_TRACE_FD", "--gjs", "the command", -1 },
		.interval = 1,
		.began = syc_now()
	};
	int r, exit_status = SYC_RECORD_FAILED;

	syc_console_init(&recording.console, options->quiet, recording.began);
	if (!find_preload(&recording))
		return exit_status;
	/*
	 * Create the command's files before any other file, so that their fds
	 * begin with 3, in the order of sysprof-cli.
	 */
	r = options->trace_fd
	            ? syc_traced_file_make(&recording.trace, options->output)
	            : 0;
	if (r == 0 && options->gjs)
		r = syc_traced_file_make(&recording.gjs, options->output);
	if (r == 0)
		r = syc_control_server_pair(&recording.control,
		                            &recording.child_end);
	if (r != 0)
		goto fail;
	r = options->error_lines ? syc_stderr_log_begin(&recording.stderr_log)
	                         : 0;
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
	if (options->n_bus_names != 0) {
		r = syc_bus_begin(options, recording.processes, &recording.bus);
		if (r < 0)
			goto fail;
		if (r == 0 && options->is_waiting)
			goto out; /* the failure was printed */
	}
	if (options->n_pids != 0) {
		r = syc_attach_begin(options, recording.processes,
		                     &recording.attached);
		if (r < 0)
			goto fail;
		if (r == 0 && options->is_waiting && recording.bus == NULL)
			goto out; /* the failure was printed */
	}
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
