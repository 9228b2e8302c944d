/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pump.h - a process between the command's standard error and ours.
 *
 * It passes on what comes, byte by byte, and tells the recorder.  A process,
 * because it has to outlive us: who still writes when the recording ends, or
 * after the recorder was killed, must not get a SIGPIPE for it; and because it
 * may wait for a terminal that is stopped, which a recorder may not.
 *
 * Where our standard error is a terminal the command's is one, too (a pseudo
 * terminal that changes nothing), else a pipe.
 */
#ifndef SYC_RECORD_PUMP_H
#define SYC_RECORD_PUMP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SYC_PUMP_PIECE 4096u

/** What was read at once; a packet of the socket.  The last has no bytes, so
 * that its end alone, of a process that was killed, is not taken for all. */
struct syc_pump_piece {
	int64_t time;  /* ns */
	uint64_t lost; /* bytes before these that the socket had no room for */
	char bytes[SYC_PUMP_PIECE];
};

#define SYC_PUMP_HEAD offsetof(struct syc_pump_piece, bytes)

struct syc_pump {
	int socket; /* pieces come here until it is at its end */
	int given;  /* for the command, as descriptor 2 */
	pid_t pid;
};

/**
 * Start the process.  Once the socket is shut down for writing it sends what
 * is there and ends the socket, but goes on until all who write have ended.
 *
 * 0 or -errno.
 */
int syc_pump_start(struct syc_pump *pump);

#endif
