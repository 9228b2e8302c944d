/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * defects_files.h - shared parts of the tests of known defects of writers and
 * readers: a table of cases, and captures byte by byte.
 *
 * The programs use only <sysprof-capture.h>, and are built with syscap's
 * library and with the reference.  The arguments are the name of a defect and a
 * directory for its files.  Every case of that defect runs in its own process.
 * Status 0: no defect in any case; 1: the defect, with its description on
 * stderr; 77: the library lacks the feature.
 */
#ifndef SYSCAP_DEFECTS_FILES_H
#define SYSCAP_DEFECTS_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct defect {
	const char *id;
	const char *what;
	void (*check)(int arg); /* NULL: this library lacks the feature */
	int arg;
};

/** The program's table; ends with a NULL id. */
extern const struct defect defects[];

/** Report the defect, and end the case. */
_Noreturn void defect_shows(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
/** The test itself can't continue. */
_Noreturn void defect_broken(const char *what);

/** A property of a library without the defect. */
#define MUST(condition) \
	((condition) ? (void)0 : defect_shows("not so: %s", #condition))
/** A condition of the test. */
#define NEED(condition) ((condition) ? (void)0 : defect_broken(#condition))

/** A path in the case's directory, valid while the case runs. */
const char *defect_path(const char *name);

struct bytes {
	unsigned char *data;
	size_t size;
};

/** The content of a file, or all bytes from an fd. */
struct bytes bytes_load(const char *path);
struct bytes bytes_read(int fd);
void bytes_free(struct bytes *bytes);
void bytes_store(const char *path, const void *data, size_t size);

uint16_t bytes_u16(const unsigned char *at);
uint32_t bytes_u32(const unsigned char *at);
uint64_t bytes_u64(const unsigned char *at);

struct frame {
	size_t at; /* offset in the file; 0: start at the first frame */
	const unsigned char *data;
	unsigned len, type;
	int32_t pid;
	int64_t time;
};

/**
 * The next frame of a little-endian capture.  False at the end.  An invalid
 * header, or frames that do not exactly fill the file, are the defect.
 */
bool frame_next(const struct bytes *bytes, struct frame *frame);
/** Steps like frame_next(), but also returns false at a truncated last
 * frame. */
bool frame_next_whole(const struct bytes *bytes, struct frame *frame);

/** Number of frames of @type. */
size_t frames_count(const struct bytes *bytes, unsigned type);
/** The first frame of @type; no such frame is the defect. */
struct frame frames_first(const struct bytes *bytes, unsigned type);

/**
 * Checks that the file has exactly the marks with durations 0 .. @n - 1 whose
 * @accepted is true (NULL: all), each once and complete.
 */
void marks_are_complete(const struct bytes *bytes, const bool *accepted,
                        size_t n);

/**
 * The name of @address in JITMAP frames before byte @before of the file, or
 * NULL.  Two names for one address are the defect.
 */
const char *jit_name(const struct bytes *bytes, uint64_t address,
                     size_t before);

#endif
