/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recording.h - all that one recording of a command is made of.
 *
 * recorder.c sets it up and tears it down; between that launch.c starts the
 * command, loop.c records it, and finish.c ends the capture.
 */
#ifndef SYC_RECORD_RECORDING_H
#define SYC_RECORD_RECORDING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "record/callers.h"
#include "record/control_server.h"
#include "record/intake.h"
#include "record/listener.h"
#include "record/logged.h"
#include "record/naming.h"
#include "record/options.h"
#include "record/processes.h"
#include "record/renumber.h"
#include "record/report.h"
#include "record/rings.h"
#include "record/spawn.h"
#include "record/system_counters.h"
#include "record/written.h"

/** What epoll says of a descriptor; what is less is a pid. */
#define SYC_EPOLL_CONTROL (UINT64_C(1) << 32)
#define SYC_EPOLL_SIGNAL  (UINT64_C(2) << 32)
#define SYC_EPOLL_CALLER  (UINT64_C(4) << 32) /* with its number */
#define SYC_EPOLL_LOGGED  (UINT64_C(8) << 32)

struct syc_recording {
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
	int interval; /* ms between two looks at the rings */
	int64_t began, flushed, orphans_looked;
};

/** True: addresses are to get their names when the recording ends. */
static inline bool
syc_recording_wants_names(const struct syc_recording *recording)
{
	return recording->options->symbols && recording->options->maps;
}

#endif
