/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * live_command.h - a command that is recorded by a process beside this one,
 * while somebody looks at its capture.
 *
 * The keyboard is not the command's: its standard input is empty.  What it, and
 * the recorder, write to the terminal goes to a file without a name meanwhile,
 * and to the terminal when it is over.
 */
#ifndef SYC_CLI_LIVE_COMMAND_H
#define SYC_CLI_LIVE_COMMAND_H

#include <stdbool.h>
#include <sys/types.h>

#include "record/options.h"

struct syc_live_command {
	const char *command; /* ours, for messages */
	const char *file;    /* the capture */
	pid_t recorder;
	bool has_ended;
	bool has_stopped; /* to record, and said so; the command goes on */
	int status;       /* the recorder's exit status */
	int output; /* what was written for the terminal; -1: nothing can be */
};

/**
 * Start to record, and wait until there is a capture that can be read.  False:
 * there is none, and the recorder has said why, which
 * syc_live_command_finish() shows.
 */
bool syc_live_command_start(struct syc_live_command *live,
                            const struct syc_record_options *options);

/** Whether it still runs, and has not said that it records no more. */
bool syc_live_command_records(struct syc_live_command *live);

/**
 * End it, as with a SIGTERM, wait for that, and show what was written.  Ctrl-C
 * meanwhile ends the recording and leaves the command alone.
 */
void syc_live_command_finish(struct syc_live_command *live);

#endif
