/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recorder.h - a recording of a command, with options and exit status.
 *
 * One thread handles requests for rings, drains rings, and handles signals and
 * ends of processes, in one loop.  docs/ring.md describes the shared memory.
 */
#ifndef SYC_RECORDER_RECORDER_H
#define SYC_RECORDER_RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "collect/counters.h"
#include "common/containers.h"

/** Exit status of a failed recording.  The values have the meanings of
 * env(1). */
#define SYC_RECORD_FAILED     125
#define SYC_RECORD_CANNOT_RUN 126
#define SYC_RECORD_NOT_FOUND  127

/* Options of a recording. */

#define SYC_BUS_NAMES_MAX 8u
#define SYC_ATTACH_MAX    16u

struct syc_record_options {
	const char *output;
	const char *version; /* version of syscap, for the capture */
	unsigned ring_kib;
	unsigned drain_ms; /* interval, or 0 to adapt to the number of frames */
	bool force, quiet, maps;
	bool symbols;        /* add names of functions in stacks at the end */
	bool lines;          /* add source lines of stacks, with symbols */
	int64_t download_ns; /* time limit of debug file downloads, or 0 */
	bool trace_fd, gjs;  /* give the command a file to write to */
	/* Programs on D-Bus that record, too: [system:]NAME[,OBJECT] */
	const char *bus_names[SYC_BUS_NAMES_MAX];
	unsigned n_bus_names;
	/* Processes to attach to, and the size of their rings; 0: the default */
	int32_t pids[SYC_ATTACH_MAX];
	unsigned n_pids, attach_ring_kib;
	/* There is no command: record running programs for wait_ns, or, if 0,
	 * until SIGINT or SIGTERM. */
	bool is_waiting;
	int64_t wait_ns;
	const char *sample;  /* $SYSCAP_SAMPLE of the command; NULL: none */
	const char *memory;  /* $SYSCAP_MEMORY of the command; NULL: none */
	const char *io;      /* $SYSCAP_IO of the command; NULL: none */
	const char *stalls;  /* $SYSCAP_STALLS of the command; NULL: none */
	const char *logs;    /* $SYSCAP_LOGS of the command; NULL: none */
	const char *crashes; /* $SYSCAP_CRASHES of the command; NULL: none */
	struct syc_asked counters; /* counters of the kernel */
	/* Record the command's standard error as LOG frames. */
	bool error_lines;
	bool *has_stopped; /* becomes true if a failed write ends the recording
	                    * before the command's end; may be NULL */
	char *const *argv; /* the command */
};

/** Record a command.  Returns the command's exit status, or one of the statuses
 * above. */
int syc_record_run(const struct syc_record_options *options);

/*
 * Processes that run already, and accept recorders.
 */

struct syc_attachable {
	int32_t pid;
	bool is_recorded; /* now, by itself or a recorder */
	bool is_flight;   /* by itself, in flight mode */
	int64_t began;    /* ns after boot */
	const char *cmdline;
};

/** Call @each for every process of this user that accepts recorders, or is in
 * flight mode.  Returns 0 or -errno. */
int syc_attach_list(void (*each)(void *context,
                                 const struct syc_attachable *process),
                    void *context);

/** Longest path of a ring file, with a prefix for another mount namespace. */
#define SYC_RINGS_PATH 4160

/**
 * Call @each with the path of each ring file that the process @pid has mapped,
 * in its own mount namespace, until @each returns true.  Returns 1 if a call
 * returned true, 0 if none did, or -errno.
 */
int syc_flight_find(int32_t pid, bool (*each)(void *context, const char *path),
                    void *context);

/*
 * The preloaded library that samples any program, programs that cannot load it,
 * and processes without it.
 */

#define SYC_PRELOAD_SAMPLER "libsyscap-sampler.so"
#define SYC_PRELOAD_IO      "libsyscap-io.so" /* this library also samples */
#define SYC_PRELOAD_MEMORY \
	"libsyscap-memory.so" /* this library does the work of the other two,
	                       * too */

/** Return whether @name is a preloaded library. */
bool syc_preload_is_library(const char *name);

/**
 * Find the library @name in $SYSCAP_PRELOAD_DIR if set, otherwise relative to
 * this program or in the installation directory.  *@ret_value is the value of
 * LD_PRELOAD that loads the library before the libraries in the current
 * LD_PRELOAD.
 *
 * Returns 0 and a text to be freed, or -errno with the reason in @why of @size
 * bytes.
 */
int syc_preload_find(const char *name, char **ret_value, char *why,
                     size_t size);

/**
 * Store the reason why no library can be preloaded into @command, such as
 * "/usr/bin/x is statically linked".  @command is looked up as by execvp().
 * Returns false if the program does not refuse the library.
 */
bool syc_preload_refused(const char *command, char *why, size_t size);

/* Name of the sanitizer that has a shared runtime. */
#define SYC_PRELOAD_ASAN "AddressSanitizer"

/**
 * Return the sanitizer with its own allocator that @command is built with:
 * SYC_PRELOAD_ASAN, another name, or NULL.
 */
const char *syc_preload_sanitizer(const char *command);

/**
 * Return whether @command has its own malloc(), which takes precedence over a
 * preloaded malloc().
 */
bool syc_preload_has_malloc(const char *command);

/* Processes of the command without the preloaded library. */

/** Processes without the library.  The struct is all zero before the first
 * examination. */
struct syc_unloaded {
	SYC_ARRAY(struct syc_unloaded_process) found;
	int64_t next, pause; /* ns: time of the next check, and pause after the
	                      * check */
};

/**
 * If a check is due, search the command and its descendants for processes
 * without the library.  Checks are frequent at first, and later happen once a
 * second.  A check misses a process that ended between two checks, and does not
 * count a process that is about to load its libraries.
 */
void syc_unloaded_look(struct syc_unloaded *unloaded, int32_t command,
                       int64_t now);

unsigned syc_unloaded_count(const struct syc_unloaded *unloaded);

void syc_unloaded_free(struct syc_unloaded *unloaded);

/*
 * Messages of the recorder on standard error.
 *
 * The rate of diagnostics is limited, so that hostile or broken clients can't
 * fill a terminal.  Only terminals get the progress line.
 */

struct syc_console {
	bool quiet;
	bool terminal;
	bool line_shown;
	int64_t began, next_line; /* ns */
	/* ns: time at which one more diagnostic is allowed */
	int64_t next_token;
	unsigned tokens;
	uint64_t suppressed;
};

struct syc_console_counts {
	uint64_t frames, bytes, lost;
};

void syc_console_init(struct syc_console *console, bool quiet, int64_t now);

/** Print one line, prefixed by the name of this command. */
void syc_console_print(struct syc_console *console, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** Draw the progress line if it is due. */
void syc_console_progress(struct syc_console *console, int64_t now,
                          const struct syc_console_counts *counts);

/** Draw the progress line of the lookup of names: @done bytes of @all. */
void syc_console_naming(struct syc_console *console, int64_t now, uint64_t done,
                        uint64_t all);

/** Draw the progress line of a download: @done bytes of @all, or of an unknown
 * number if @all is 0. */
void syc_console_downloading(struct syc_console *console, int64_t now,
                             uint64_t done, uint64_t all);

/** Erase the progress line, and print the number of suppressed messages. */
void syc_console_finish(struct syc_console *console);

#endif
