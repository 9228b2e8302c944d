/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * drain_loop.c - the loop of a recording, which drains rings and reads the
 * kernel's counters, and the end of the recording.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/now.h"
#include "common/strings.h"
#include "recorder/recording.h"
#include "ring/ring.h"

#define MS     INT64_C(1000000)
#define SECOND (1000 * MS)

#define EVENTS_AT_ONCE 64
#define FLUSH_AFTER \
	(20 * MS) /* delay of frames for readers of the growing file */

/* Times at which a recording reads the kernel's counters. */

bool syc_system_counters_begin(struct syc_system_counters *system,
                               const struct syc_record_options *options,
                               const struct syc_counters_options *sources,
                               int64_t now)
{
	struct syc_counters_options wanted = *sources;

	if (options->counters.groups == 0)
		return true;
	wanted.groups = options->counters.groups;
	system->counters = syc_counters_new(&wanted);
	if (system->counters == NULL)
		return false;
	system->period = SECOND / options->counters.hz;
	system->due = now + system->period;
	syc_counters_embed(system->counters, now);
	syc_counters_read(system->counters, now);
	return true;
}

/* Read the counters again if a read is due. */
static void system_counters_look(struct syc_system_counters *system,
                                 int64_t now)
{
	if (system->counters == NULL || now < system->due)
		return;
	syc_counters_read(system->counters, now);
	/* Skip missed reads */
	system->due +=
		system->period * ((now - system->due) / system->period + 1);
}

/* Return the time until the next read, at most @ms. */
static int system_counters_wait(const struct syc_system_counters *system,
                                int64_t now, int ms)
{
	if (system->counters == NULL || now + ms * MS <= system->due)
		return ms;
	return system->due <= now ? 0
	                          : (int)((system->due - now + MS - 1) / MS);
}

static void say_empty(struct syc_console *console, unsigned empty)
{
	char names[SYC_ASKED_TEXT];

	syc_asked_names(empty, ", ", names);
	syc_console_print(console,
	                  "--counters: this kernel has no counters for %s",
	                  names);
}

/*
 * Read the counters for the last time.  Print the requested groups that have no
 * counters.
 */
static void system_counters_end(struct syc_system_counters *system,
                                const struct syc_record_options *options,
                                struct syc_console *console, int64_t now)
{
	if (system->counters == NULL)
		return;
	syc_counters_read(system->counters, now);
	/* "all" means the available groups */
	const unsigned empty = syc_counters_empty(system->counters);
	if (options->counters.groups != SYC_COUNTERS_ALL && empty != 0)
		say_empty(console, empty);
}

void syc_system_counters_free(struct syc_system_counters *system)
{
	syc_counters_free(system->counters);
}

/* Get the status of the command, if the command has ended. */
static void reap_command(struct syc_spawned *command)
{
	struct rusage used;
	int status;

	if (!command->running || command->pid == 0 ||
	    wait4(command->pid, &status, WNOHANG, &used) != command->pid)
		return;
	command->running = false;
	command->cpu_us = INT64_C(1000000) * (used.ru_utime.tv_sec +
	                                      used.ru_stime.tv_sec) +
	                  used.ru_utime.tv_usec + used.ru_stime.tv_usec;
	command->status = WIFSIGNALED(status) ? 128 + WTERMSIG(status)
	                                      : WEXITSTATUS(status);
}

/*
 * Forward a signal to the command.  The terminal sends its signals to the whole
 * foreground group, so the command already has the signal, unless the command
 * made a new group.
 */
static void forward_signal(const struct syc_spawned *command,
                           const struct signalfd_siginfo *info)
{
	const bool has_it = info->ssi_code == SI_KERNEL &&
	                    getpgid(command->pid) == getpgrp();

	/* The command is still unreaped, so its pid is not reused. */
	if (command->running && !has_it)
		kill(command->pid, (int)info->ssi_signo);
}

static void take_signals(struct syc_recording *recording)
{
	struct signalfd_siginfo info;

	while (read(recording->signal_fd, &info, sizeof(info)) ==
	       (ssize_t)sizeof(info)) {
		const int signo = (int)info.ssi_signo;

		if (signo == SIGCHLD) {
			reap_command(&recording->command);
			continue;
		}
		if (recording->options->is_waiting) {
			recording->command.running = false;
			continue;
		}
		forward_signal(&recording->command, &info);
		if (signo != SIGINT && signo != SIGTERM)
			continue;
		if (++recording->asked > 1) {
			recording->stop = true;
			recording->command.status = 128 + signo;
		}
	}
}

/* Drain the rings, and print the first failure to write. */
static void drain_rings(struct syc_recording *recording,
                        struct syc_rings_pass *pass)
{
	struct syc_writer_totals totals;

	syc_rings_drain(&recording->rings, pass);
	syc_writer_totals(recording->writer, &totals);
	if (totals.error != 0 && !recording->write_failed) {
		recording->write_failed = true;
		syc_console_print(
			&recording->console,
			"%s: %s; the recording ends, the command continues",
			recording->options->output, strerror(-totals.error));
		if (recording->options->has_stopped != NULL)
			__atomic_store_n(recording->options->has_stopped, true,
			                 __ATOMIC_RELAXED);
	}
}

/*
 * Wait up to @timeout ms for events, and handle the events.  Returns true if
 * more events may wait.
 */
static bool take_events(struct syc_recording *recording, int timeout)
{
	struct epoll_event events[EVENTS_AT_ONCE];
	const int n =
		epoll_wait(recording->epoll, events, EVENTS_AT_ONCE, timeout);

	for (int i = 0; i < n; i++) {
		const uint64_t what = events[i].data.u64;

		if (what == SYC_EPOLL_SIGNAL) {
			take_signals(recording);
		} else if (what == SYC_EPOLL_CONTROL) {
			/* A process with a new ring writes its first event
			 * immediately. */
			recording->interval = 1;
			if (!syc_control_server_read(recording->server))
				epoll_ctl(recording->epoll, EPOLL_CTL_DEL,
				          recording->control, NULL);
		} else if (what == SYC_EPOLL_STDERR) {
			if (!syc_stderr_log_take(&recording->stderr_log))
				epoll_ctl(recording->epoll, EPOLL_CTL_DEL,
				          recording->stderr_log.tee.socket,
				          NULL);
		} else if ((what & SYC_EPOLL_CALLER) != 0) {
			recording->interval = 1;
			syc_callers_take(recording->callers, what);
		} else {
			syc_processes_gone(recording->processes, (int32_t)what);
		}
	}
	return n == EVENTS_AT_ONCE;
}

static void flush_writer(struct syc_recording *recording, int64_t now)
{
	if (syc_writer_pending(recording->writer) == 0 &&
	    !recording->write_failed) {
		recording->flushed = now;
	} else if (now - recording->flushed >= FLUSH_AFTER) {
		syc_writer_flush(recording->writer);
		recording->flushed = syc_now();
	}
}

static void show_progress(struct syc_recording *recording, int64_t now)
{
	struct syc_writer_totals totals;
	struct syc_console_counts counts;

	if (now < recording->console.next_line)
		return;
	syc_writer_totals(recording->writer, &totals);
	counts = (struct syc_console_counts){
		.frames = totals.frames,
		.bytes = totals.bytes,
		.lost = recording->intake.lost + totals.dropped,
	};
	syc_console_progress(&recording->console, now, &counts);
}

/*
 * Choose longer intervals while passes find few frames, because a pass costs
 * more than the drain of few frames.
 */
static int next_interval(int interval, const struct syc_rings_pass *pass)
{
	const int most = pass->any ? SYC_DRAIN_SOME_MS : SYC_DRAIN_SILENT_MS;

	if (pass->brisk || (pass->any && interval > most))
		return 1;
	return 2 * interval < most ? 2 * interval : most;
}

/* Return the time to the next pass over the rings, in ms. */
static int choose_wait(struct syc_recording *recording,
                       const struct syc_rings_pass *pass, bool replies_due)
{
	if (recording->options->drain_ms > 0)
		return (int)recording->options->drain_ms;
	recording->interval = next_interval(recording->interval, pass);
	if (pass->busy)
		return 0;
	if (replies_due && recording->interval > SYC_DRAIN_REPLY_MS)
		return SYC_DRAIN_REPLY_MS;
	return recording->interval;
}

/* Wait for the whole interval, because with a fixed interval, events must not
 * make draining more frequent. */
static void wait_for_events(struct syc_recording *recording, int ms)
{
	const int64_t until = syc_now() + ms * MS;
	int64_t left = ms * MS;

	do {
		take_events(recording, (int)((left + MS - 1) / MS));
		left = until - syc_now();
	} while (recording->options->drain_ms > 0 && left > 0 &&
	         recording->command.running && !recording->stop);
}

/* Send due replies.  Returns true if some replies still wait. */
static bool write_to_callers(struct syc_recording *recording)
{
	return recording->callers != NULL &&
	       syc_callers_look(recording->callers);
}

static bool all_is_fetched(const struct syc_recording *recording)
{
	return syc_control_server_fetched(recording->server) &&
	       (recording->callers == NULL ||
	        syc_callers_fetched(recording->callers));
}

/* End a recording without a command after its time. */
static void end_waiting(struct syc_recording *recording, int64_t now)
{
	const struct syc_record_options *const options = recording->options;

	if (options->is_waiting && options->wait_ns != 0 &&
	    now - recording->began >= options->wait_ns)
		recording->command.running = false;
}

void syc_loop_run(struct syc_recording *recording)
{
	while (recording->command.running && !recording->stop) {
		const bool server_due =
			syc_control_server_write(recording->server);
		const bool due = write_to_callers(recording) || server_due;
		struct syc_rings_pass pass;
		int64_t now;

		drain_rings(recording, &pass);
		now = syc_now();
		end_waiting(recording, now);
		syc_processes_look(recording->processes, now);
		system_counters_look(&recording->counters, now);
		if (recording->preload != NULL)
			syc_unloaded_look(&recording->unloaded,
			                  (int32_t)recording->command.pid, now);
		if (now - recording->orphans_looked >= SECOND) {
			syc_rings_end_orphans(&recording->rings,
			                      all_is_fetched(recording));
			syc_attach_repeat(recording->attached);
			recording->orphans_looked = syc_now();
		}
		flush_writer(recording, now);
		show_progress(recording, now);
		wait_for_events(recording,
		                system_counters_wait(
					&recording->counters, syc_now(),
					choose_wait(recording, &pass, due)));
	}
}

/* Greatest number of batches of events at the end, far above any need */
#define BATCHES_MAX 16384

/* Returns false if some content is lost. */
static bool join_file(struct syc_recording *recording,
                      const struct syc_traced_file *file, uint32_t *last_id)
{
	bool is_lost;

	if (file->fd < 0)
		return true;
	const uint64_t n =
		syc_traced_file_join(file, recording->options->output, last_id,
	                             &recording->intake, &is_lost);
	if (n != 0 && !recording->options->quiet)
		fprintf(stderr, "syscap record: %s: %llu frame%s joined\n",
		        file->option, (unsigned long long)n, syc_plural(n));
	return !is_lost;
}

/* Join the captures that others wrote.  Returns false if some content is
 * lost. */
static bool join_written(struct syc_recording *recording)
{
	const struct syc_traced_file *file;
	uint32_t last_id = syc_renumber_last(recording->renumber);
	bool is_there = join_file(recording, &recording->trace, &last_id);

	is_there &= join_file(recording, &recording->gjs, &last_id);
	for (unsigned i = 0; (file = syc_bus_file(recording->bus, i)) != NULL;
	     i++)
		is_there &= join_file(recording, file, &last_id);
	for (unsigned i = 0;
	     (file = syc_attach_file(recording->attached, i)) != NULL; i++) {
		if (join_file(recording, file, &last_id))
			syc_attach_joined(recording->attached, i);
		else
			is_there = false;
	}
	return is_there;
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
		.console = &recording->console,
		.end = end,
		.has_lines = options->lines,
		.download_ns = options->download_ns,
	};

	if (!syc_recording_wants_names(recording) ||
	    (recording->intake.stacks == 0 && !options->trace_fd &&
	     !options->gjs && recording->bus == NULL &&
	     recording->attached == NULL))
		return;
	syc_processes_finish_code(recording->processes);
	syc_naming_write(&naming, &recording->names);
}

/* Return whether @pid is registered, or was counted already. */
static bool is_known(void *context, int32_t pid)
{
	const struct syc_recording *const recording = context;

	return syc_processes_image(recording->processes, pid) != 0 ||
	       syc_missing_arenas_has(&recording->rings.arenas.missing, pid);
}

/* Refuse all callers.  Returns the number of processes without a ring. */
static unsigned refuse_callers(struct syc_recording *recording)
{
	if (recording->callers == NULL)
		return 0;
	const unsigned n =
		syc_callers_end(recording->callers, is_known, recording);
	/*
	 * Close the socket before the addition of names, which may take long,
	 * because no process may wait that long for a reply
	 */
	syc_listener_close(&recording->listener);
	return n;
}

/* Read the remaining output of the command, its processes and their rings. */
static void take_the_rest(struct syc_recording *recording)
{
	struct syc_rings_pass pass;

	drain_rings(recording, &pass);
	if (!syc_stderr_log_end(&recording->stderr_log))
		syc_console_print(
			&recording->console,
			"--stderr: the capture lacks some lines of standard "
			"error");
	system_counters_end(&recording->counters, recording->options,
	                    &recording->console, syc_now());
	syc_rings_end_all(&recording->rings);
	/* Write EXIT frames for processes that died with the command. */
	if (!recording->command.running && recording->command.pid != 0)
		syc_processes_gone(recording->processes,
		                   (int32_t)recording->command.pid);
	/* The loop is bounded, because some processes never fall silent */
	for (unsigned i = 0; i < BATCHES_MAX; i++)
		if (!take_events(recording, 0))
			break;
	syc_processes_look_unwatched(recording->processes);
}

/* Compare the samples with the processor time, and write both. */
static void compare_samples(struct syc_recording *recording)
{
	struct syc_intake *const intake = &recording->intake;
	const char *const sample = recording->options->sample;
	char text[80];

	if (sample == NULL || recording->command.running)
		return;
	syc_sampling_summary_compare(&intake->sampling, sample,
	                             recording->command.cpu_us);
	if (!intake->sampling.unsampled.has_cpu)
		return;
	snprintf(text, sizeof(text), "cpu_us %llu, sampled_us %llu",
	         (unsigned long long)intake->sampling.unsampled.cpu_us,
	         (unsigned long long)intake->sampling.unsampled.sampled_us);
	syc_compose_metadata(&intake->frame, syc_now(), "syscap.sampler.cpu",
	                     text);
	syc_writer_add(recording->writer, &intake->frame);
}

int syc_finish_recording(struct syc_recording *recording)
{
	struct syc_summary_processes processes;
	int64_t end;
	int r;

	syc_bus_end(recording->bus);
	syc_attach_end(recording->attached, recording->options->quiet);
	syc_control_server_refuse(recording->server);
	processes.missing = refuse_callers(recording);
	syc_rings_close(&recording->rings);
	take_the_rest(recording);
	syc_processes_count(recording->processes, &processes.all,
	                    &processes.alive);
	const unsigned n_others =
		syc_bus_count_alive(recording->bus, recording->processes) +
		syc_attach_count_alive(recording->attached,
	                               recording->processes);
	/* Another process may have ended in between */
	processes.alive -=
		n_others < processes.alive ? n_others : processes.alive;
	processes.missing +=
		syc_processes_unheard(recording->processes) +
		syc_missing_arenas_count(&recording->rings.arenas.missing);
	syc_intake_report_missing(&recording->intake, processes.missing);
	compare_samples(recording);
	const bool written_is_there = join_written(recording);
	end = syc_now();
	add_names(recording, end);
	r = syc_writer_finish(recording->writer, end);
	syc_console_finish(&recording->console);
	if (r != 0 && !recording->write_failed)
		fprintf(stderr, "syscap record: %s: %s\n",
		        recording->options->output, strerror(-r));
	if (recording->rings.refused > 0 && r == 0)
		r = -EMFILE; /* the capture lacks emitted frames */
	if (!written_is_there && r == 0)
		r = -EIO; /* the failure was printed before */
	syc_summary_print(recording, &processes);
	return r;
}
