/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recording.h - all parts of one recording of a command.
 *
 * recorder.c sets it up and tears it down.  launch.c starts the command, and
 * loop.c records it and ends the capture.
 */
#ifndef SYC_RECORDER_RECORDING_H
#define SYC_RECORDER_RECORDING_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "capture/compose.h"
#include "capture/writer.h"
#include "recorder/callers.h"
#include "recorder/console.h"
#include "recorder/control_server.h"
#include "recorder/intake.h"
#include "recorder/naming.h"
#include "recorder/preload.h"
#include "recorder/processes.h"
#include "recorder/recorder.h"
#include "recorder/renumber.h"
#include "recorder/rings.h"
#include "recorder/stderr_log.h"
#include "recorder/system_counters.h"
#include "recorder/traced_file.h"

/**
 * Settings that the recorder changed for itself, and restores for the command.
 */
struct syc_spawn_saved {
	sigset_t mask;
	struct sigaction pipe, xfsz, child;
	struct rlimit files;
	int error_fd; /* its standard error; 0: ours */
};

struct syc_spawned {
	pid_t pid;
	bool running;   /* it may be an unreaped zombie */
	int status;     /* as exit status */
	int64_t cpu_us; /* of the command and all processes that it waited
	                 * for */
};

/** epoll's data of an fd; smaller values are pids. */
#define SYC_EPOLL_CONTROL (UINT64_C(1) << 32)
#define SYC_EPOLL_SIGNAL  (UINT64_C(2) << 32)
#define SYC_EPOLL_CALLER  (UINT64_C(4) << 32) /* with its number */
#define SYC_EPOLL_LOGGED  (UINT64_C(8) << 32)

struct syc_recording {
	const struct syc_record_options *options;
	struct syc_console report;
	struct syc_writer *writer;
	struct syc_renumber *renumber;
	struct syc_processes *processes;
	struct syc_code_names *code; /* NULL: no names are wanted */
	struct syc_control_server *server;
	struct syc_listener listener;
	struct syc_callers *callers; /* NULL: the recorder has no name */
	struct syc_intake intake;
	struct syc_rings rings;
	struct syc_system_counters counters;
	struct syc_stderr_log logged;

	struct syc_spawn_saved saved;
	int signal_fd, epoll, control, child_end;
	struct syc_traced_file trace, gjs;
	char *preload;      /* $LD_PRELOAD of the command; NULL: unchanged */
	struct stat output; /* after its start */
	struct syc_spawned command;
	struct syc_unloaded unloaded;
	bool stop; /* requested twice: finish without the command */
	unsigned asked;
	bool write_failed; /* and printed */
	struct syc_names_found names;
	int interval; /* ms between two looks at the rings */
	int64_t began, flushed, orphans_looked;
};

/** True: addresses get their names at the end of the recording. */
static inline bool
syc_recording_wants_names(const struct syc_recording *recording)
{
	return recording->options->symbols && recording->options->maps;
}

/**
 * Run the command and write the beginning of the capture.  0; or the exit
 * status of a recorder that failed, after a message.
 */
int syc_launch_command(struct syc_recording *recording);

/** Record until the command ends, or until two requests to stop. */
void syc_loop_run(struct syc_recording *recording);

/**
 * End the capture after the command, or at a request not to wait for it.  Print
 * on stderr what was recorded and what is missing.  0 or -errno.
 */
int syc_finish_recording(struct syc_recording *recording);

/** Whether the rings of many processes can be mapped at once. */
bool syc_limits_has_addresses(void);

/**
 * Set up the recorder's signals.  SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGCHLD
 * arrive at *@ret_signal_fd; SIGPIPE and SIGXFSZ are ignored.  Also raises the
 * limit on open files to the maximum.
 */
int syc_spawn_prepare(struct syc_spawn_saved *saved, int *ret_signal_fd);

/** Take the command's status, if it has ended. */
void syc_command_reap(struct syc_spawned *command);

/** Forward a signal, unless the command got it too. */
void syc_command_forward(const struct syc_spawned *command,
                         const struct signalfd_siginfo *info);

#endif
