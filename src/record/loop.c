/* SPDX-License-Identifier: BSD-2-Clause */
/* loop.c - while the command runs: the one loop of the one thread. */
#define _GNU_SOURCE
#include "record/loop.h"

#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "record/now.h"

#define MS     INT64_C(1000000)
#define SECOND (1000 * MS)

/* ms between looks at rings that are silent, and into which little comes.  A
 * burst after silence has to fit into its ring, so one after a little may, too. */
#define INTERVAL_MAX   50
#define INTERVAL_SOME  4
#define INTERVAL_REPLY 2 /* ms, while a reply waits for room */
#define EVENTS_AT_ONCE 64
#define FLUSH_AFTER    (20 * MS) /* who reads along sees frames this soon */

static void take_signals(struct syc_recording *recording)
{
	struct signalfd_siginfo info;

	while (read(recording->signal_fd, &info, sizeof(info)) ==
	       (ssize_t)sizeof(info)) {
		const int signo = (int)info.ssi_signo;

		if (signo == SIGCHLD) {
			syc_command_reap(&recording->command);
			continue;
		}
		syc_command_forward(&recording->command, &info);
		if (signo != SIGINT && signo != SIGTERM)
			continue;
		if (++recording->asked > 1) {
			recording->stop = true;
			recording->command.status = 128 + signo;
		}
	}
}

void syc_loop_drain(struct syc_recording *recording,
                    struct syc_rings_pass *pass)
{
	struct syc_writer_totals totals;

	syc_rings_drain(&recording->rings, pass);
	syc_writer_totals(recording->writer, &totals);
	if (totals.error != 0 && !recording->write_failed) {
		recording->write_failed = true;
		syc_report_say(&recording->report,
		               "%s: %s; recording stops, the command goes on",
		               recording->options->output,
		               strerror(-totals.error));
	}
}

bool syc_loop_take_events(struct syc_recording *recording, int timeout)
{
	struct epoll_event events[EVENTS_AT_ONCE];
	const int n =
		epoll_wait(recording->epoll, events, EVENTS_AT_ONCE, timeout);

	for (int i = 0; i < n; i++) {
		const uint64_t what = events[i].data.u64;

		if (what == SYC_EPOLL_SIGNAL) {
			take_signals(recording);
		} else if (what == SYC_EPOLL_CONTROL) {
			/* Who gets a ring writes to it at once. */
			recording->interval = 1;
			if (!syc_control_server_read(recording->server))
				epoll_ctl(recording->epoll, EPOLL_CTL_DEL,
				          recording->control, NULL);
		} else if (what == SYC_EPOLL_LOGGED) {
			if (!syc_logged_take(&recording->logged))
				epoll_ctl(recording->epoll, EPOLL_CTL_DEL,
				          recording->logged.pump.socket, NULL);
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
	struct syc_report_counts counts;

	if (now < recording->report.next_line)
		return;
	syc_writer_totals(recording->writer, &totals);
	counts = (struct syc_report_counts){
		.frames = totals.frames,
		.bytes = totals.bytes,
		.lost = recording->intake.lost + totals.dropped,
	};
	syc_report_progress(&recording->report, now, &counts);
}

/* A look costs more than what it finds where that is little. */
static int next_interval(int interval, const struct syc_rings_pass *pass)
{
	const int most = pass->any ? INTERVAL_SOME : INTERVAL_MAX;

	if (pass->brisk || (pass->any && interval > most))
		return 1;
	return 2 * interval < most ? 2 * interval : most;
}

/* How long to wait before the next look at the rings, ms. */
static int choose_wait(struct syc_recording *recording,
                       const struct syc_rings_pass *pass, bool replies_due)
{
	if (recording->options->drain_ms > 0)
		return (int)recording->options->drain_ms;
	recording->interval = next_interval(recording->interval, pass);
	if (pass->busy)
		return 0;
	if (replies_due && recording->interval > INTERVAL_REPLY)
		return INTERVAL_REPLY;
	return recording->interval;
}

/* With a fixed interval, events must not make draining more frequent. */
static void wait_for_events(struct syc_recording *recording, int ms)
{
	const int64_t until = syc_now() + ms * MS;
	int64_t left = ms * MS;

	do {
		syc_loop_take_events(recording, (int)((left + MS - 1) / MS));
		left = until - syc_now();
	} while (recording->options->drain_ms > 0 && left > 0 &&
	         recording->command.running && !recording->stop);
}

/* True: something is still to be sent. */
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

void syc_loop_run(struct syc_recording *recording)
{
	while (recording->command.running && !recording->stop) {
		const bool server_due =
			syc_control_server_write(recording->server);
		const bool due = write_to_callers(recording) || server_due;
		struct syc_rings_pass pass;
		int64_t now;

		syc_loop_drain(recording, &pass);
		now = syc_now();
		syc_processes_look(recording->processes, now);
		syc_system_counters_look(&recording->counters, now);
		if (now - recording->orphans_looked >= SECOND) {
			syc_rings_end_orphans(&recording->rings,
			                      all_is_fetched(recording));
			recording->orphans_looked = syc_now();
		}
		flush_writer(recording, now);
		show_progress(recording, now);
		wait_for_events(recording,
		                syc_system_counters_wait(
					&recording->counters, syc_now(),
					choose_wait(recording, &pass, due)));
	}
}
