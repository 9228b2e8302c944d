/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recording.h - runs of `syscap record` in tests, and checks of their captures.
 *
 * The command is $SYSCAP, the programs to record are in $SYSCAP_TEST_BIN.
 */
#ifndef SYSCAP_RECORDING_H
#define SYSCAP_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <syscap/capture.h>

struct recording {
	char dir[64];         /* own directory, removed by recording_free() */
	char path[96];        /* the capture */
	pid_t pid;            /* pid of the recorder */
	int status;           /* exit status, or 1000 + signal */
	char messages[16384]; /* text that the recorder wrote to stderr */
};

void recording_init(struct recording *recording);
void recording_free(struct recording *recording);

/** Path of a program in $SYSCAP_TEST_BIN; valid until the fourth call after
 * this one. */
const char *recording_program(const char *name);

/** Start `syscap record -o PATH ARGS...`; the last argument is NULL. */
void recording_start(struct recording *recording, const char *arg, ...);

/** Wait for the recorder.  Returns and keeps the exit status. */
int recording_finish(struct recording *recording);

/** Start a recording, and wait for its end. */
#define recording_run(recording, ...) \
	(recording_start((recording), __VA_ARGS__), recording_finish(recording))

/**
 * Number of frames that @matches accepts; fails the test unless the whole
 * capture is readable without an error.
 */
size_t recording_count(const struct recording *recording,
                       bool (*matches)(const struct syscap_frame *frame,
                                       const void *arg),
                       const void *arg);

size_t recording_count_marks(const struct recording *recording,
                             const char *group, const char *name);
size_t recording_count_type(const struct recording *recording, uint8_t type);
/** Number of lost frames of @type by the capture's loss records. */
uint64_t recording_count_lost(const struct recording *recording, uint8_t type);

/** Checks that the capture has the marks test/good from 0 to @n - 1, each once,
 * in order. */
void recording_check_good(const struct recording *recording, unsigned n);

/** Wait up to a minute until @done(arg) is true. */
bool recording_wait(bool (*done)(const void *arg), const void *arg);

#endif
