/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * defects_collector.h - shared parts of the tests of known defects of
 * collectors.
 *
 * The program uses only <sysprof-capture.h>, and is built with syscap's library
 * and with the reference.  The argument is the name of a defect.  Status 0: no
 * defect; 1: the defect, with its description on stderr; 2: the test itself
 * failed; 77: the library lacks the feature.
 */
#ifndef SYSCAP_DEFECTS_COLLECTOR_H
#define SYSCAP_DEFECTS_COLLECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "dropin/ring_peer.h"

/** A defect, and its check, which runs once for each ring size. */
struct defect {
	const char *id;
	/* NULL: this library lacks the feature */
	void (*check)(uint32_t pages);
};

/** Code that the check runs in a program with the library. */
struct deed {
	const char *name;
	void (*run)(void);
};

/* Tables of the files defects_collector_*.c; a NULL entry ends each table. */
extern const struct defect defects_of_frames[], defects_of_texts[],
	defects_of_losses[], defects_of_waits[], defects_of_processes[],
	defects_of_copies[], defects_of_stacks[];
extern const struct deed deeds_of_frames[], deeds_of_texts[], deeds_of_losses[],
	deeds_of_waits[], deeds_of_processes[], deeds_of_copies[],
	deeds_of_stacks[];

/** Report the defect, and end. */
_Noreturn void defect_shows(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
/** The test itself can't continue. */
_Noreturn void defect_broken(const char *what);

/** A property of a library without the defect. */
#define MUST(condition) \
	((condition) ? (void)0 : defect_shows("not so: %s", #condition))
/** A condition of the test. */
#define NEED(condition) ((condition) ? (void)0 : defect_broken(#condition))

/** The status of a program that could not be run. */
#define NOT_RUN 98

/** Reports a defect unless @status (see ring_peer_run()) is exit status 0. */
void ended_well(const char *deed, int status);

/** Run @deed under the simplest recorder; @deed must exit with 0. */
void record(struct ring_peer *peer, uint32_t pages, const char *deed,
            const char *arg);

/* ---------------------------------------------------------------- frames */

enum {
	SAMPLE = 2,
	PROCESS = 4,
	CTRDEF = 8,
	CTRSET = 9,
	MARK = 10,
	LOG = 12,
	ALLOCATION = 14,
	END = 255
};

struct frame {
	unsigned len, type;
	int32_t pid;
	int64_t time;
	/* bytes of the frame; NULL: start at the first frame */
	const unsigned char *data;
};

/**
 * Returns NULL with the next frame of @ring, or at the end a frame with @data
 * NULL; or a description of invalid bytes.
 */
const char *frame_look(const struct ring *ring, struct frame *frame);

/** The next frame; false at the end.  An invalid frame is the defect. */
bool frame_next(const struct ring *ring, struct frame *frame);

/** True: every byte without a meaning is zero. */
bool frame_is_clean(const struct frame *frame);

uint16_t frame_u16(const struct frame *frame, unsigned at);
uint32_t frame_u32(const struct frame *frame, unsigned at);
uint64_t frame_u64(const struct frame *frame, unsigned at);

/** The message, if @frame is a MARK with group "defect" and this name; else
 * NULL. */
const char *mark_message(const struct frame *frame, const char *name);

/** Number of marks with group "defect" and this name, in all rings. */
unsigned marks_count(const struct ring_peer *peer, const char *name);

/** Number of frames of @type in all rings. */
unsigned frames_count(const struct ring_peer *peer, unsigned type);

/** Number of lost frames by the rings' own counts. */
uint64_t frames_lost(const struct ring_peer *peer);

/* ----------------------------------------------------------------- deeds */

/** A mark of the group "defect", now. */
void mark(const char *name, const char *message);

/** @n bytes of text. */
char *text_of(size_t n);

void sleep_ms(int ms);

/** The test's own clock, in ns, independent of the library's. */
int64_t clock_ns(void);

#endif
