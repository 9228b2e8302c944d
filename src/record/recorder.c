/* SPDX-License-Identifier: BSD-2-Clause */
/* recorder.c - record a command: one thread, one loop. */
#define _GNU_SOURCE
#include "record/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/in_use.h"
#include "record/about.h"
#include "record/callers.h"
#include "record/control_server.h"
#include "record/intake.h"
#include "record/keep_old.h"
#include "record/listener.h"
#include "record/logged.h"
#include "record/naming.h"
#include "record/now.h"
#include "record/preload.h"
#include "record/processes.h"
#include "record/renumber.h"
#include "record/report.h"
#include "record/rings.h"
#include "record/spawn.h"
#include "record/summary.h"
#include "record/system_counters.h"
#include "record/written.h"

#define MS     INT64_C(1000000)
#define SECOND (1000 * MS)

#define RINGS_MAX      8192u
#define SPARE_FILES    5
#define INTERVAL_MAX   50        /* ms between looks at silent rings */
#define INTERVAL_REPLY 2         /* ms, while a reply waits for room */
#define FLUSH_AFTER    (20 * MS) /* who reads along sees frames this soon */

/* epoll's data; what is less is a pid. */
#define IS_CONTROL (UINT64_C(1) << 32)
#define IS_SIGNAL  (UINT64_C(2) << 32)
#define IS_CALLER  (UINT64_C(4) << 32) /* with its number */
#define IS_LOGGED  (UINT64_C(8) << 32)

struct recorder {
	const struct syc_record_options *options;
	struct syc_record_report report;
	struct syc_writer *writer;
	struct syc_renumber *renumber;
	struct syc_processes *processes;
	struct syc_code_names *code; /* NULL: no names are wanted */
	struct syc_control_server *server;
	struct syc_listener listener;
	struct syc_callers *callers; /* NULL: we have no name */
	struct syc_intake intake;
	struct syc_rings rings;
	struct syc_system_counters counters;
	struct syc_logged logged;

	struct syc_spawn_saved saved;
	int signal_fd, epoll, control, child_end;
	struct syc_written trace, gjs;
	char *preload;      /* $LD_PRELOAD of the command; NULL: as it is */
	struct stat output; /* once it was begun */
	struct syc_spawned command;
	bool stop; /* asked to twice: finish, whatever the command does */
	unsigned asked;
	bool write_failed; /* and said so */
	struct syc_names_found names;
	int interval; /* ms */
	int64_t began, flushed, orphans_looked;
};

static int request(void *context, int32_t pid, bool may_retry)
{
	struct recorder *const recorder = context;
	const int fd = syc_rings_create(&recorder->rings, pid, may_retry);

	/* It may be fetched too late, or by a relative, and nothing written to
	 * it: that it was sent says nothing */
	if (fd >= 0)
		syc_processes_expect(recorder->processes, pid);
	return fd;
}

static void take(void *context, int32_t pid, int fd)
{
	struct recorder *const recorder = context;

	syc_rings_take(&recorder->rings, pid, fd);
}

static void miss(void *context, int32_t pid)
{
	struct recorder *const recorder = context;

	syc_arenas_miss(&recorder->rings.arenas, pid);
}

static void drain_rings(void *context)
{
	struct recorder *recorder = context;

	syc_rings_settle(&recorder->rings);
}

static int watch(struct recorder *recorder, int fd, uint64_t what)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u64 = what };

	return epoll_ctl(recorder->epoll, EPOLL_CTL_ADD, fd, &event) != 0
	               ? -errno
	               : 0;
}

static bool wants_names(const struct recorder *recorder)
{
	return recorder->options->symbols && recorder->options->maps;
}

/* Descriptors to spare for mapped files: rings and processes need some. */
static unsigned files_to_keep(const struct recorder *recorder)
{
	struct rlimit files;

	if (!wants_names(recorder) || getrlimit(RLIMIT_NOFILE, &files) != 0)
		return 0;
	return files.rlim_cur / 4 < SYC_MAPPED_FILES_KEPT
	               ? (unsigned)(files.rlim_cur / 4)
	               : SYC_MAPPED_FILES_KEPT;
}

/*
 * Bytes of a ring's body.  A memfd may be no larger than a file: rings get
 * smaller then, and the capture ends at the limit by itself.  0: no room.
 */
static uint32_t choose_body(struct recorder *recorder, uint32_t page)
{
	const uint64_t wanted = recorder->options->ring_kib * UINT64_C(1024);
	const uint64_t body = (wanted + page - 1) / page * page;
	struct rlimit size;

	if (getrlimit(RLIMIT_FSIZE, &size) != 0 ||
	    size.rlim_cur == RLIM_INFINITY || size.rlim_cur >= body + page)
		return (uint32_t)body;
	if (size.rlim_cur < 2 * page)
		return 0;
	const uint32_t less = (uint32_t)size.rlim_cur / page * page - page;
	syc_report_say(
		&recorder->report,
		"rings are of %u KiB, for the limit on the size of files",
		less / 1024);
	return less;
}

/* Rings on their way, processes, and looks into /proc need a few. */
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

static int set_up(struct recorder *recorder)
{
	const struct syc_control_hooks hooks = { .request = request,
		                                 .take = take,
		                                 .lost = miss,
		                                 .context = recorder };
	const uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);
	const uint32_t body = choose_body(recorder, page);
	int r;

	if (body == 0)
		return -EFBIG;

	r = syc_spawn_prepare(&recorder->saved, &recorder->signal_fd);
	if (r != 0)
		return r;
	recorder->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (recorder->epoll < 0)
		return -errno;
	r = syc_renumber_new(&recorder->renumber);
	if (r == 0 && wants_names(recorder))
		r = syc_code_names_new(&recorder->code);
	if (r == 0)
		r = syc_processes_new(
			&(struct syc_processes_options){
				.writer = recorder->writer,
				.renumber = recorder->renumber,
				.settle = drain_rings,
				.context = recorder,
				.epoll = recorder->epoll,
				.maps = recorder->options->maps,
				.keep_files = files_to_keep(recorder),
				.code = recorder->code,
			},
			&recorder->processes);
	recorder->intake = (struct syc_intake){
		.writer = recorder->writer,
		.processes = recorder->processes,
		.renumber = recorder->renumber,
		.report = &recorder->report,
	};
	if (r == 0)
		r = syc_rings_init(&recorder->rings, &recorder->intake, body,
		                   RINGS_MAX);
	if (r == 0)
		r = syc_control_server_new(recorder->control, &hooks,
		                           &recorder->report,
		                           &recorder->server);
	if (r == 0 && recorder->listener.fd >= 0)
		r = syc_callers_new(recorder->listener.fd, recorder->epoll,
		                    IS_CALLER, &hooks, &recorder->report,
		                    &recorder->callers);
	if (r == 0)
		r = watch(recorder, recorder->control, IS_CONTROL);
	if (r == 0)
		r = watch(recorder, recorder->signal_fd, IS_SIGNAL);
	if (r == 0 && recorder->logged.is_on)
		r = watch(recorder, recorder->logged.pump.socket, IS_LOGGED);
	return r == 0 ? check_files(recorder->epoll) : r;
}

static void close_fd(int fd)
{
	if (fd >= 0)
		close(fd);
}

static void tear_down(struct recorder *recorder)
{
	syc_rings_free(&recorder->rings);
	if (recorder->server == NULL) /* else it is the server's */
		close_fd(recorder->control);
	syc_control_server_free(recorder->server);
	syc_callers_free(recorder->callers);
	syc_listener_close(&recorder->listener);
	syc_system_counters_free(&recorder->counters);
	syc_logged_free(&recorder->logged);
	syc_processes_free(recorder->processes);
	syc_code_names_free(recorder->code);
	syc_renumber_free(recorder->renumber);
	syc_writer_close(recorder->writer);
	syc_written_close(&recorder->trace);
	syc_written_close(&recorder->gjs);
	close_fd(recorder->child_end);
	close_fd(recorder->signal_fd);
	close_fd(recorder->epoll);
	free(recorder->preload);
}

static void take_signals(struct recorder *recorder)
{
	struct signalfd_siginfo info;

	while (read(recorder->signal_fd, &info, sizeof(info)) ==
	       (ssize_t)sizeof(info)) {
		const int signo = (int)info.ssi_signo;

		if (signo == SIGCHLD) {
			syc_command_reap(&recorder->command);
			continue;
		}
		syc_command_forward(&recorder->command, &info);
		if (signo != SIGINT && signo != SIGTERM)
			continue;
		if (++recorder->asked > 1) {
			recorder->stop = true;
			recorder->command.status = 128 + signo;
		}
	}
}

static void drain(struct recorder *recorder, struct syc_rings_pass *pass)
{
	struct syc_writer_totals totals;

	syc_rings_drain(&recorder->rings, pass);
	syc_writer_totals(recorder->writer, &totals);
	if (totals.error != 0 && !recorder->write_failed) {
		recorder->write_failed = true;
		syc_report_say(&recorder->report,
		               "%s: %s; recording stops, the command goes on",
		               recorder->options->output,
		               strerror(-totals.error));
	}
}

/* Wait up to @timeout ms for something to happen, and deal with it. */
static void take_events(struct recorder *recorder, int timeout)
{
	struct epoll_event events[64];
	const int n = epoll_wait(recorder->epoll, events, 64, timeout);

	for (int i = 0; i < n; i++) {
		const uint64_t what = events[i].data.u64;

		if (what == IS_SIGNAL) {
			take_signals(recorder);
		} else if (what == IS_CONTROL) {
			/* Who gets a ring writes to it at once. */
			recorder->interval = 1;
			if (!syc_control_server_read(recorder->server))
				epoll_ctl(recorder->epoll, EPOLL_CTL_DEL,
				          recorder->control, NULL);
		} else if (what == IS_LOGGED) {
			if (!syc_logged_take(&recorder->logged))
				epoll_ctl(recorder->epoll, EPOLL_CTL_DEL,
				          recorder->logged.pump.socket, NULL);
		} else if ((what & IS_CALLER) != 0) {
			recorder->interval = 1;
			syc_callers_take(recorder->callers, what);
		} else {
			syc_processes_gone(recorder->processes, (int32_t)what);
		}
	}
}

static void flush(struct recorder *recorder, int64_t now)
{
	if (syc_writer_pending(recorder->writer) == 0) {
		recorder->flushed = now;
	} else if (now - recorder->flushed >= FLUSH_AFTER) {
		syc_writer_flush(recorder->writer);
		recorder->flushed = syc_now();
	}
}

static void show_progress(struct recorder *recorder, int64_t now)
{
	struct syc_writer_totals totals;
	struct syc_report_counts counts;

	if (now < recorder->report.next_line)
		return;
	syc_writer_totals(recorder->writer, &totals);
	counts = (struct syc_report_counts){
		.frames = totals.frames,
		.bytes = totals.bytes,
		.lost = recorder->intake.lost + totals.dropped,
	};
	syc_report_progress(&recorder->report, now, &counts);
}

/* How long to wait before the next look at the rings, ms. */
static int next_wait(struct recorder *recorder,
                     const struct syc_rings_pass *pass, bool replies_due)
{
	if (recorder->options->drain_ms > 0)
		return (int)recorder->options->drain_ms;
	if (pass->any)
		recorder->interval = 1;
	else if (recorder->interval < INTERVAL_MAX)
		recorder->interval = 2 * recorder->interval < INTERVAL_MAX
		                             ? 2 * recorder->interval
		                             : INTERVAL_MAX;
	if (pass->busy)
		return 0;
	if (replies_due && recorder->interval > INTERVAL_REPLY)
		return INTERVAL_REPLY;
	return recorder->interval;
}

/* With a fixed interval, events must not make draining more frequent. */
static void wait_for(struct recorder *recorder, int ms)
{
	const int64_t until = syc_now() + ms * MS;
	int64_t left = ms * MS;

	do {
		take_events(recorder, (int)((left + MS - 1) / MS));
		left = until - syc_now();
	} while (recorder->options->drain_ms > 0 && left > 0 &&
	         recorder->command.running && !recorder->stop);
}

/* True: something is still to be sent. */
static bool write_to_callers(struct recorder *recorder)
{
	return recorder->callers != NULL && syc_callers_look(recorder->callers);
}

static bool all_is_fetched(const struct recorder *recorder)
{
	return syc_control_server_fetched(recorder->server) &&
	       (recorder->callers == NULL ||
	        syc_callers_fetched(recorder->callers));
}

static void loop(struct recorder *recorder)
{
	while (recorder->command.running && !recorder->stop) {
		const bool due = syc_control_server_write(recorder->server) |
		                 write_to_callers(recorder);
		struct syc_rings_pass pass;
		int64_t now;

		drain(recorder, &pass);
		now = syc_now();
		syc_processes_look(recorder->processes, now);
		syc_system_counters_look(&recorder->counters, now);
		if (now - recorder->orphans_looked >= SECOND) {
			syc_rings_end_orphans(&recorder->rings,
			                      all_is_fetched(recorder));
			recorder->orphans_looked = syc_now();
		}
		flush(recorder, now);
		show_progress(recorder, now);
		wait_for(recorder, syc_system_counters_wait(
					   &recorder->counters, syc_now(),
					   next_wait(recorder, &pass, due)));
	}
}

/* What the command wrote by itself.  False: some of it is lost. */
static bool join_written(struct recorder *recorder)
{
	bool all_is_there = true, lost;

	const struct syc_written *const all[] = { &recorder->trace,
		                                  &recorder->gjs };
	uint32_t last_id = syc_renumber_last(recorder->renumber);

	for (unsigned i = 0; i < 2; i++) {
		if (all[i]->fd < 0)
			continue;
		const uint64_t n =
			syc_written_join(all[i], recorder->options->output,
		                         &last_id, recorder->writer, &lost);
		all_is_there &= !lost;
		if (n != 0 && !recorder->options->quiet)
			fprintf(stderr,
			        "syscap record: %s: %llu frames joined\n",
			        all[i]->option, (unsigned long long)n);
	}
	return all_is_there;
}

static void add_names(struct recorder *recorder, int64_t end)
{
	const struct syc_record_options *options = recorder->options;
	const struct syc_naming_options naming = {
		.output = options->output,
		.began = recorder->output,
		.files = syc_processes_files(recorder->processes),
		.code = recorder->code,
		.writer = recorder->writer,
		.report = &recorder->report,
		.end = end,
		.has_lines = options->lines,
	};

	if (!wants_names(recorder) || (recorder->intake.stacks == 0 &&
	                               !options->trace_fd && !options->gjs))
		return;
	syc_processes_finish_code(recorder->processes);
	syc_naming_write(&naming, &recorder->names);
}

static bool is_known(void *context, int32_t pid)
{
	const struct recorder *const recorder = context;

	return syc_processes_image(recorder->processes, pid) != 0;
}

/* Returns how many processes came in vain. */
static unsigned refuse_callers(struct recorder *recorder)
{
	if (recorder->callers == NULL)
		return 0;
	const unsigned n =
		syc_callers_end(recorder->callers, is_known, recorder);
	/* Names may take their time: nobody is to wait for us until then */
	syc_listener_close(&recorder->listener);
	return n;
}

/* The command is over, or we were told not to wait for it. */
static int finish_recording(struct recorder *recorder)
{
	struct syc_rings_pass pass;
	unsigned all, alive, missing;
	int64_t end;
	int r;

	syc_control_server_refuse(recorder->server);
	const unsigned without = refuse_callers(recorder);
	syc_rings_close(&recorder->rings);
	drain(recorder, &pass);
	if (!syc_logged_end(&recorder->logged))
		syc_report_say(&recorder->report,
		               "--stderr: some of it was not recorded");
	syc_system_counters_end(&recorder->counters, recorder->options,
	                        &recorder->report, syc_now());
	syc_rings_end_all(&recorder->rings);
	/* Those that died with the command get their EXIT frames. */
	if (!recorder->command.running)
		syc_processes_gone(recorder->processes,
		                   (int32_t)recorder->command.pid);
	take_events(recorder, 0);
	syc_processes_look_unwatched(recorder->processes);
	syc_processes_count(recorder->processes, &all, &alive);
	missing = without + syc_processes_unheard(recorder->processes) +
	          recorder->rings.arenas.missing;
	syc_intake_tell_missing(&recorder->intake, missing);
	const bool written_is_there = join_written(recorder);
	end = syc_now();
	add_names(recorder, end);
	r = syc_writer_finish(recorder->writer, end);
	syc_report_finish(&recorder->report);
	if (r != 0 && !recorder->write_failed)
		fprintf(stderr, "syscap record: %s: %s\n",
		        recorder->options->output, strerror(-r));
	if (alive > 0)
		fprintf(stderr,
		        "syscap record: %u process%s still recording when the capture ended\n",
		        alive, alive == 1 ? " was" : "es were");
	if (recorder->rings.refused > 0) {
		fprintf(stderr,
		        "syscap record: %llu request%s for a ring could not be "
		        "met: what those threads emitted is missing\n",
		        (unsigned long long)recorder->rings.refused,
		        recorder->rings.refused == 1 ? "" : "s");
		if (r == 0)
			r = -EMFILE;
	}
	syc_summary_without_ring(missing);
	if (!written_is_there && r == 0)
		r = -EIO; /* was told */
	syc_summary_without_sampler(
		syc_processes_without_sampler(recorder->processes),
		recorder->options->sample != NULL);
	if (recorder->options->memory != NULL)
		syc_summary_no_memory(recorder->options->argv[0],
		                      &recorder->intake);
	if (recorder->options->io != NULL)
		syc_summary_no_waits(recorder->options->argv[0],
		                     "calls that blocked");
	if (recorder->options->stalls != NULL)
		syc_summary_no_waits(recorder->options->argv[0], "stalls");
	if (recorder->options->sample != NULL)
		syc_summary_unsampled(recorder->options->argv[0],
		                      &recorder->intake);
	if (recorder->options->sample != NULL && !recorder->options->quiet)
		syc_delivered_print(&recorder->intake.delivered,
		                    recorder->options->sample,
		                    recorder->options->argv[0]);
	if (!recorder->options->quiet)
		syc_summary_print(recorder->options->output, recorder->writer,
		                  &recorder->intake, all, &recorder->names);
	return r;
}

static int cannot_run(const struct syc_record_options *options, int r)
{
	fprintf(stderr, "syscap record: cannot run '%s': %s\n",
	        options->argv[0], strerror(-r));
	return r == -ENOENT ? SYC_RECORD_NOT_FOUND : SYC_RECORD_CANNOT_RUN;
}

static uint32_t give_id(void *renumber)
{
	return syc_renumber_new_id(renumber);
}

static void begin_counters(struct recorder *recorder)
{
	const struct syc_counters_options sources = {
		.root = "",
		.pid = (int32_t)recorder->command.pid,
		.writer = recorder->writer,
		.new_id = give_id,
		.context = recorder->renumber,
	};
	const int r = syc_system_counters_begin(
		&recorder->counters, recorder->options, &sources, syc_now());

	if (r != 0)
		syc_report_say(&recorder->report, "no counters: %s",
		               strerror(-r));
}

/* Run the command and write the beginning of the capture. */
static int start_recording(struct recorder *recorder)
{
	const struct syc_record_options *options = recorder->options;
	struct syscap_error error;
	char *command;
	bool executing;
	int r;

	char socket[48], arena[16];
	struct stat st;

	if (fstat(recorder->child_end, &st) != 0)
		return SYC_RECORD_FAILED;
	snprintf(socket, sizeof(socket), "%d:%ju", recorder->child_end,
	         (uintmax_t)st.st_ino);
	snprintf(arena, sizeof(arena), "%u", recorder->rings.body);
	const struct syc_spawn_given given[] = {
		{ recorder->trace.variable, recorder->trace.fd, NULL },
		{ recorder->gjs.variable, recorder->gjs.fd, NULL },
		{ "SYSPROF_CONTROL_FD", recorder->child_end, NULL },
		{ "SYSCAP_CONTROL_INODE", -1, socket },
		{ "SYSCAP_ARENA", -1, arena },
		{ "SYSCAP_RECORDER", -1, recorder->listener.name.sun_path },
		{ "SYSCAP_SAMPLE", -1, options->sample },
		{ "SYSCAP_MEMORY", -1, options->memory },
		{ "SYSCAP_IO", -1, options->io },
		{ "SYSCAP_STALLS", -1, options->stalls },
		{ "LD_PRELOAD", -1, recorder->preload },
	};
	/* gjs asks for both */
	if (options->gjs && setenv("GJS_ENABLE_PROFILER", "1", 1) != 0)
		return SYC_RECORD_FAILED;
	recorder->saved.error_fd = recorder->logged.pump.given;
	r = syc_spawn(options->argv, given, sizeof(given) / sizeof(given[0]),
	              &recorder->saved, &recorder->command, &executing);
	close(recorder->child_end);
	recorder->child_end = -1;
	/* Its end is to be seen when all who have it are gone */
	if (recorder->logged.is_on)
		close(recorder->logged.pump.given);
	recorder->logged.pump.given = -1;
	if (r != 0 && executing)
		return cannot_run(options, r);
	if (r != 0) {
		fprintf(stderr, "syscap record: cannot start a process: %s\n",
		        strerror(-r));
		return SYC_RECORD_FAILED;
	}
	/* A failure is told and kept like one that comes later. */
	syc_writer_begin(recorder->writer, recorder->began, &error);
	if (stat(options->output, &recorder->output) != 0)
		memset(&recorder->output, 0, sizeof(recorder->output));
	recorder->intake.command = (int32_t)recorder->command.pid;
	recorder->logged.pid = (int32_t)recorder->command.pid;
	recorder->logged.writer = recorder->writer;
	syc_about_write(recorder->writer, &recorder->intake.frame,
	                recorder->began, options);
	command = syc_about_command(options->argv);
	syc_processes_command(recorder->processes,
	                      (int32_t)recorder->command.pid,
	                      command != NULL ? command : options->argv[0]);
	free(command);
	begin_counters(recorder);
	return 0;
}

static int open_output(struct recorder *recorder)
{
	const struct syc_record_options *options = recorder->options;
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
		                    &recorder->writer, &error);
	if (r < 0)
		fprintf(stderr, "syscap record: %s: %s%s\n", options->output,
		        error.message,
		        error.code == EEXIST ? "; --force overwrites it" : "");
	return r;
}

static void listen_by_name(struct recorder *recorder)
{
	const int r = syc_listener_open(&recorder->listener);

	if (r != 0)
		syc_report_say(
			&recorder->report,
			"no socket for processes that close what they inherit, "
			"they are not recorded: %s",
			strerror(-r));
}

/* One library for all that is asked for: two would not know of each other. */
static bool find_preload(struct recorder *recorder)
{
	const struct syc_record_options *const options = recorder->options;
	const char *name, *what;
	char why[512];

	if (options->memory != NULL) {
		name = SYC_PRELOAD_MEMORY;
		what = "record memory";
	} else if (options->io != NULL || options->stalls != NULL) {
		name = SYC_PRELOAD_IO;
		what = "record calls that block";
	} else if (options->sample != NULL) {
		name = SYC_PRELOAD_SAMPLER;
		what = "sample";
	} else {
		return true;
	}
	if (syc_preload_find(name, &recorder->preload, why, sizeof(why)) == 0)
		return true;
	fprintf(stderr, "syscap record: cannot %s: %s\n", what, why);
	return false;
}

int syc_record_run(const struct syc_record_options *options)
{
	struct recorder recorder = { .options = options,
		                     .signal_fd = -1,
		                     .epoll = -1,
		                     .control = -1,
		                     .child_end = -1,
		                     .listener = { .fd = -1 },
		                     .trace = { "SYSPROF_TRACE_FD",
		                                "--trace-fd", -1 },
		                     .gjs = { "GJS_TRACE_FD", "--gjs", -1 },
		                     .interval = 1,
		                     .began = syc_now() };
	int r, exit_status = SYC_RECORD_FAILED;

	syc_report_init(&recorder.report, options->quiet, recorder.began);
	if (!find_preload(&recorder))
		return exit_status;
	/* Before any other file, so that the command's are 3 and so on, in
	 * the order in which sysprof-cli gives them. */
	r = options->trace_fd
	            ? syc_written_make(&recorder.trace, options->output)
	            : 0;
	if (r == 0 && options->gjs)
		r = syc_written_make(&recorder.gjs, options->output);
	if (r == 0)
		r = syc_control_server_pair(&recorder.control,
		                            &recorder.child_end);
	if (r != 0)
		goto fail;
	r = options->error_lines ? syc_logged_begin(&recorder.logged) : 0;
	if (r != 0) {
		fprintf(stderr, "syscap record: --stderr: %s\n", strerror(-r));
		goto out;
	}
	if (open_output(&recorder) != 0)
		goto out;
	listen_by_name(&recorder);
	r = set_up(&recorder);
	if (r != 0)
		goto fail;
	exit_status = start_recording(&recorder);
	if (exit_status != 0)
		goto out;
	loop(&recorder);
	exit_status = finish_recording(&recorder) != 0
	                      ? SYC_RECORD_FAILED
	                      : recorder.command.status;
	goto out;
fail:
	fprintf(stderr, "syscap record: cannot record: %s\n", strerror(-r));
out:
	tear_down(&recorder);
	return exit_status;
}
