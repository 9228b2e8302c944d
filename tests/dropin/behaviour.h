/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * behaviour.h - shared parts of test_behaviour.
 *
 * All of it is built against our library and against the reference's, and must
 * pass with both.  It tests the promises of <sysprof-capture.h> without the
 * defects of either.  So nothing is included but that and libc.
 */
#ifndef SYSCAP_TEST_BEHAVIOUR_H
#define SYSCAP_TEST_BEHAVIOUR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <sysprof-capture.h>

/* The name is a sentence that is true when the test passes. */
struct behaviour {
	const char *name;
	void (*run)(void);
};

#define BEHAVIOUR(name)     \
	{                   \
#name, name \
	}

/* Each ends with a NULL name. */
extern const struct behaviour behaviour_collector[];
extern const struct behaviour behaviour_counters[];
extern const struct behaviour behaviour_cursor[];
extern const struct behaviour behaviour_files[];
extern const struct behaviour behaviour_frames[];
extern const struct behaviour behaviour_join[];
extern const struct behaviour behaviour_newer[];
extern const struct behaviour behaviour_reader[];
extern const struct behaviour behaviour_stacks[];
extern const struct behaviour behaviour_system[];
extern const struct behaviour behaviour_writer[];

/** Ends the test, which runs in a process of its own. */
void behaviour_fail(const char *file, int line, const char *what)
	__attribute__((noreturn));

#define CHECK(cond) \
	((cond) ? (void)0 : behaviour_fail(__FILE__, __LINE__, #cond))
#define CHECK_STR(a, b) CHECK(strcmp((a), (b)) == 0)

/* Arguments of frames: times grow, the process is not ours. */
#define CPU 3
#define PID 4711
#define TID 4712

/** A writer to "capture" in the folder that the test runs in. */
SysprofCaptureWriter *behaviour_writer_open(void);

/** Ends the writer, and reads what it wrote from the start. */
SysprofCaptureReader *behaviour_reader_open(SysprofCaptureWriter *writer);

/** Steps to the next frame of this type; false where there is none. */
bool behaviour_seek(SysprofCaptureReader *reader, SysprofCaptureFrameType type);

/** How many frames there are of this type, from here to the end. */
unsigned int behaviour_count(SysprofCaptureReader *reader,
                             SysprofCaptureFrameType type);

/** All bytes of a file, or of a descriptor's file from its start. */
size_t behaviour_load(const char *name, void *data, size_t size);
size_t behaviour_load_fd(int fd, void *data, size_t size);

/** Writes a file with these bytes. */
void behaviour_store(const char *name, const void *data, size_t size);

/** Byte number i of what tests embed: no two neighbours are the same. */
void behaviour_pattern(uint8_t *data, size_t size);

#endif
