/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * behaviour.h - shared parts of test_behaviour.
 *
 * test_behaviour is built with syscap's library and with the reference, and
 * must pass with both.  The test checks the promises of <sysprof-capture.h>
 * without the defects of either library, so it includes only that header and
 * libc.
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

/* Each table ends with a NULL name. */
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

/** Ends the test, which runs in its own process. */
void behaviour_fail(const char *file, int line, const char *what)
	__attribute__((noreturn));

#define CHECK(cond) \
	((cond) ? (void)0 : behaviour_fail(__FILE__, __LINE__, #cond))
#define CHECK_STR(a, b) CHECK(strcmp((a), (b)) == 0)

/* Arguments of frames: times grow, and the process is not this one. */
#define CPU 3
#define PID 4711
#define TID 4712

/** A writer to "capture" in the test's working directory. */
SysprofCaptureWriter *behaviour_writer_open(void);

/** Ends the writer, and reads its file from the start. */
SysprofCaptureReader *behaviour_reader_open(SysprofCaptureWriter *writer);

/** Steps to the next frame of this type; false if there is none. */
bool behaviour_seek(SysprofCaptureReader *reader, SysprofCaptureFrameType type);

/** Number of frames of this type up to the end. */
unsigned int behaviour_count(SysprofCaptureReader *reader,
                             SysprofCaptureFrameType type);

/** All bytes of a file, or of the file of an fd, from the file's
 * start. */
size_t behaviour_load(const char *name, void *data, size_t size);
size_t behaviour_load_fd(int fd, void *data, size_t size);

/** Writes a file with these bytes. */
void behaviour_store(const char *name, const void *data, size_t size);

/** Fills @data with the content of embedded files: adjacent bytes differ. */
void behaviour_pattern(uint8_t *data, size_t size);

#endif
