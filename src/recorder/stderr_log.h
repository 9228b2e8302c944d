/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stderr_log.h - the command's standard error: a process that passes it on, and
 * LOG frames.
 *
 * The tee is a process that passes on each byte, and reports the byte to the
 * recorder.  The tee is a separate process for two reasons.  A writer that
 * outlives the recording, or a killed recorder, must not get SIGPIPE.  And the
 * tee may wait for a stopped terminal, unlike the recorder.
 *
 * If the recorder's standard error is a terminal, the command gets a pseudo
 * terminal that changes nothing; otherwise a pipe.
 */
#ifndef SYC_RECORDER_STDERR_LOG_H
#define SYC_RECORDER_STDERR_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "capture/compose.h"
#include "capture/writer.h"

#define SYC_PUMP_PIECE 4096u

/**
 * Bytes of one read; a packet of the socket.  The last piece has no bytes, so
 * that the end after a kill is not mistaken for completion.
 */
struct syc_stderr_tee_piece {
	int64_t time;  /* ns */
	uint64_t lost; /* earlier bytes without room in the socket */
	char bytes[SYC_PUMP_PIECE];
};

#define SYC_PUMP_HEAD offsetof(struct syc_stderr_tee_piece, bytes)

struct syc_stderr_tee {
	int socket; /* pieces arrive here until the end of the process */
	int given;  /* fd for the command, as its descriptor 2 */
	pid_t pid;
};

/**
 * Start the process.  Once the socket is shut down for writing, the process
 * sends the remaining pieces and ends the socket.  The process continues until
 * all writers have ended.
 *
 * 0 or -errno.
 */
int syc_stderr_tee_start(struct syc_stderr_tee *pump);

/** Maximum of a line; a longer line is cut. */
#define SYC_LOGGED_LINE 8192u

struct syc_stderr_log {
	struct syc_stderr_tee pump;
	bool is_on, has_ended;
	bool has_all; /* the tee has reported completion, before its end */
	int32_t pid;  /* process to which the lines are attributed */
	struct syc_writer *writer;
	uint64_t lost; /* bytes without frames */
	size_t n;      /* length of the unfinished line */
	int64_t time;  /* time at which the unfinished line began */
	char line[SYC_LOGGED_LINE];
};

/**
 * Begin to log.  Afterwards pump.given is for the command, and the caller reads
 * pump.socket when it is readable.  Returns 0 or -errno.
 */
int syc_stderr_log_begin(struct syc_stderr_log *logged);

/**
 * Take the available pieces, for a bounded time.  False: no more pieces will
 * come.
 */
bool syc_stderr_log_take(struct syc_stderr_log *logged);

/**
 * Take all pieces written up to now, with a bounded wait.  False: some pieces
 * are missing.
 */
bool syc_stderr_log_end(struct syc_stderr_log *logged);

void syc_stderr_log_free(struct syc_stderr_log *logged);

#endif
