/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recording.h - all parts of one recording of a command.
 *
 * recorder.c sets up and tears down a recording. launch.c starts the command,
 * and drain_loop.c records the command and ends the capture.
 */
#ifndef SYC_RECORDER_RECORDING_H
#define SYC_RECORDER_RECORDING_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/types.h>

#include "capture/writer.h"
#include "code/code_names.h"
#include "collect/counters.h"
#include "recorder/drain.h"
#include "recorder/frame_intake.h"
#include "recorder/processes.h"
#include "recorder/recorder.h"
#include "recorder/ring_requests.h"
#include "recorder/rings.h"

/*
 * The command's standard error: a process that passes the bytes on, and LOG
 * frames.
 *
 * The tee is a process that passes on each byte, and also sends the byte to the
 * recorder.  The tee is a separate process for two reasons.  A writer that
 * outlives the recording, or a killed recorder, must not get SIGPIPE.  Unlike
 * the recorder, the tee may wait for a stopped terminal.
 *
 * The command gets a pipe, or, if the recorder's standard error is a terminal,
 * a pseudo terminal that changes no bytes.
 */

#define SYC_STDERR_TEE_PIECE 4096u

/**
 * Bytes of one read, in one packet of the socket.  The last piece has no bytes,
 * so that the recorder can distinguish completion from a killed tee.
 */
struct syc_stderr_tee_piece {
	int64_t time;  /* ns */
	uint64_t lost; /* earlier bytes that did not fit into the socket */
	char bytes[SYC_STDERR_TEE_PIECE];
};

#define SYC_STDERR_TEE_HEAD offsetof(struct syc_stderr_tee_piece, bytes)

struct syc_stderr_tee {
	int socket; /* pieces arrive here until the end of the process */
	int given;  /* fd for the command, as its fd 2 */
	pid_t pid;
};

/**
 * Start the tee.  When the recorder shuts the socket down for writing, the tee
 * sends the remaining pieces and closes the socket.  The tee continues until
 * all writers have ended.
 *
 * Returns 0 or -errno.
 */
int syc_stderr_tee_start(struct syc_stderr_tee *tee);

/** Maximum size of a line.  A longer line is cut. */
#define SYC_STDERR_LOG_LINE 8192u

struct syc_stderr_log {
	struct syc_stderr_tee tee;
	bool is_on, has_ended;
	bool has_all; /* the tee has reported completion */
	int32_t pid;  /* process to which the lines are attributed */
	struct syc_writer *writer;
	uint64_t lost; /* bytes without frames */
	size_t n;      /* length of the unfinished line */
	int64_t time;  /* time at which the unfinished line began */
	char line[SYC_STDERR_LOG_LINE];
};

/**
 * Begin to log.  Afterwards the caller gives tee.given to the command, and
 * reads tee.socket when the socket is readable.  Returns 0 or -errno.
 */
int syc_stderr_log_begin(struct syc_stderr_log *log);

/**
 * Read the available pieces, for a bounded time.  Returns false if no more
 * pieces will come.
 */
bool syc_stderr_log_take(struct syc_stderr_log *log);

/**
 * Read all pieces written before the call, with a bounded wait.  Returns false
 * if some pieces are missing.
 */
bool syc_stderr_log_end(struct syc_stderr_log *log);

void syc_stderr_log_free(struct syc_stderr_log *log);

/*
 * Names for the stacks of a recording, added at the end of the recording.
 *
 * The recorder reads the capture again, as `syscap symbolize` does.  The
 * recorder also has the live processes, and the mapped files, even files that
 * were deleted since.
 */

struct syc_naming_options {
	const char *output;
	struct stat began; /* state of output, whose path may now name another
	                    * file */
	const struct syc_mapped_files *files;
	/* JIT code of all processes, without final names. */
	struct syc_code_names *code;
	struct syc_writer *writer;
	struct syc_console *console;
	int64_t end; /* end of the recording, ns */
	bool has_lines;
	int64_t download_ns; /* time limit of downloads, or 0 for none */
};

/**
 * Numbers of addresses in stacks: all, named addresses, addresses without a
 * file, and the unnamed addresses in the file that has most unnamed addresses.
 * Each occurrence counts.
 */
struct syc_names_found {
	uint64_t addresses, named, unmapped, of_most;
	char most[64]; /* name of this file, or "" */
};

/**
 * Append the names to the capture of @naming->writer.  Print failures on
 * stderr.  The capture stays valid after a failure.
 */
void syc_naming_write(const struct syc_naming_options *naming,
                      struct syc_names_found *ret_found);

/* Times at which a recording reads the kernel's counters. */

/** A zero-initialized struct reads no counters. */
struct syc_system_counters {
	struct syc_counter_groups *counters;
	int64_t period, due; /* ns */
};

/**
 * Read the counters for the first time, if @options request counters.  @sources
 * has the processes and the destination of frames.  Returns false if no memory
 * is left.
 */
bool syc_system_counters_begin(struct syc_system_counters *system,
                               const struct syc_record_options *options,
                               const struct syc_counters_options *sources,
                               int64_t now);

void syc_system_counters_free(struct syc_system_counters *system);

/*
 * Captures that the command, or a program on D-Bus, writes into a file of the
 * recorder, by another capture writer.
 *
 * Older writers omit the end time, leave a torn frame, or overwrite each
 * other's frames.  The recorder does not trust the command.  So the recorder
 * first copies the file, which the command may still truncate, and then joins
 * the copy into the recording.
 */

struct syc_traced_file {
	const char *variable; /* variable with the fd, or another name */
	const char *option;   /* option by which the user requested the file */
	const char *who;      /* the writer */
	int fd;               /* -1: no file */
};

/**
 * Create the file, beside @output if no memfd is available.  Returns 0 or
 * -errno.
 */
int syc_traced_file_make(struct syc_traced_file *file, const char *output);

/**
 * Join the file into @intake, with ids above *@last_counter_id.  Reports
 * unjoined content on stderr, and keeps a file that is not a capture beside
 * @output.  Returns the number of frames.  *@ret_lost becomes true if some
 * content of the file is lost.
 */
uint64_t syc_traced_file_join(const struct syc_traced_file *file,
                              const char *output, uint32_t *last_counter_id,
                              struct syc_intake *intake, bool *ret_lost);

void syc_traced_file_close(struct syc_traced_file *file);

/*
 * Programs that record at a request on D-Bus.
 */

struct syc_bus;

/**
 * Request recordings from the programs of options->bus_names.  Returns the
 * number of programs that record, or -errno, and prints each failure on stderr.
 * Free *@ret_bus, also after a failure.
 */
int syc_bus_begin(const struct syc_record_options *options,
                  struct syc_processes *processes, struct syc_bus **ret_bus);

/** End the recordings: afterwards the files are complete.  May wait 25 s for a
 * program that does not answer. */
void syc_bus_end(struct syc_bus *bus);

/** Return the number of the programs that live. */
unsigned syc_bus_count_alive(const struct syc_bus *bus,
                             const struct syc_processes *processes);

/** The file of the @n-th program, without a fd if the program does not record;
 * NULL: there is no such program. */
const struct syc_traced_file *syc_bus_file(const struct syc_bus *bus,
                                           unsigned n);

void syc_bus_free(struct syc_bus *bus);

/*
 * Processes that run already, and record themselves at a request of the
 * recorder (docs/attach.md).
 */

struct syc_attached;

/**
 * Request recordings from the processes of options->pids.  Returns the number
 * of processes that were requested, or -errno, and prints each failure on
 * stderr.  Free *@ret_attached, also after a failure.
 */
int syc_attach_begin(const struct syc_record_options *options,
                     struct syc_processes *processes,
                     struct syc_attached **ret_attached);

/** Notify processes again that have not begun yet: a start or stop of a
 * recording by the process overwrites the notification. */
void syc_attach_repeat(const struct syc_attached *attached);

/** End the recordings: afterwards the captures are complete.  May wait a second
 * for events in progress. */
void syc_attach_end(struct syc_attached *attached, bool is_quiet);

/** Return the number of the processes that live. */
unsigned syc_attach_count_alive(const struct syc_attached *attached,
                                const struct syc_processes *processes);

/** The capture of the @n-th process, without a fd if there is no capture; NULL:
 * there is no such process. */
const struct syc_traced_file *
syc_attach_file(const struct syc_attached *attached, unsigned n);

/** Remove the capture of the @n-th process, which was joined. */
void syc_attach_joined(struct syc_attached *attached, unsigned n);

void syc_attach_free(struct syc_attached *attached);

/**
 * Settings of the recorder's process that the recorder changed, and restores
 * for the command.
 */
struct syc_spawn_saved {
	sigset_t mask;
	struct sigaction pipe, xfsz, child;
	struct rlimit files;
	/* The command's standard error, or 0 for the recorder's standard
	 * error. */
	int error_fd;
};

struct syc_spawned {
	pid_t pid;      /* 0: there is no command */
	bool running;   /* the command may be an unreaped zombie */
	int status;     /* exit status of the command */
	int64_t cpu_us; /* CPU time of the command and of all waited children */
};

/** epoll's data of each fd.  Smaller values are pids. */
#define SYC_EPOLL_CONTROL (UINT64_C(1) << 32)
#define SYC_EPOLL_SIGNAL  (UINT64_C(2) << 32)
/* Caller, with the number of the caller. */
#define SYC_EPOLL_CALLER (UINT64_C(4) << 32)
#define SYC_EPOLL_STDERR (UINT64_C(8) << 32)

struct syc_recording {
	const struct syc_record_options *options;
	struct syc_console console;
	struct syc_writer *writer;
	struct syc_renumber *renumber;
	struct syc_processes *processes;
	struct syc_code_names *code; /* NULL if no names are added */
	struct syc_control_server *server;
	struct syc_listener listener;
	struct syc_callers *callers; /* NULL if the recorder has no name */
	struct syc_intake intake;
	struct syc_rings rings;
	struct syc_system_counters counters;
	struct syc_stderr_log stderr_log;

	struct syc_spawn_saved saved;
	int signal_fd, epoll, control, child_end;
	struct syc_traced_file trace, gjs;
	struct syc_bus *bus;           /* NULL: no program on D-Bus */
	struct syc_attached *attached; /* NULL: no process to attach to */
	char *preload;                 /* $LD_PRELOAD of the command, or NULL if
	                     * unchanged */
	struct stat output; /* state of the file after the recording's start */
	struct syc_spawned command;
	struct syc_unloaded unloaded;
	bool stop; /* after two requests to stop, finish without the command */
	unsigned asked;
	bool write_failed; /* a write failed, and the failure was printed */
	struct syc_names_found names;
	int interval; /* ms between two drains of the rings */
	int64_t began, flushed, orphans_looked;
};

/** Return whether addresses get names at the end of the recording. */
static inline bool
syc_recording_wants_names(const struct syc_recording *recording)
{
	return recording->options->symbols && recording->options->maps;
}

/**
 * Run the command, and write the beginning of the capture.  Returns 0, or after
 * a message, the exit status of a failed recorder.
 */
int syc_launch_command(struct syc_recording *recording);

/** Record until the command ends, or until two requests to stop. */
void syc_loop_run(struct syc_recording *recording);

/**
 * End the capture after the command, or at a request to stop earlier.  Print on
 * stderr the recorded and the missing parts.  Returns 0 or -errno.
 */
int syc_finish_recording(struct syc_recording *recording);

/**
 * Set up the recorder's signals.  SIGINT, SIGTERM, SIGHUP, SIGQUIT and SIGCHLD
 * arrive at *@ret_signal_fd.  SIGPIPE and SIGXFSZ are ignored.  The function
 * also raises the limit on open files to the maximum.
 */
int syc_spawn_prepare(struct syc_spawn_saved *saved, int *ret_signal_fd);

/** Numbers of processes at the end of a recording. */
struct syc_summary_processes {
	unsigned all, alive;
	unsigned missing; /* processes that found the recorder, and ended
	                   * without a ring */
};

/** Print on stderr the recorded and the missing parts of a recording. */
void syc_summary_print(const struct syc_recording *recording,
                       const struct syc_summary_processes *processes);

#endif
