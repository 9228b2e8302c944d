/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * defects_files.h - shared parts of the tests of known defects of writers and
 * readers: a table of cases, and captures byte by byte.
 *
 * The programs know nothing of the library but <sysprof-capture.h>, and are
 * built against ours and against the reference.  The arguments are the name of
 * a defect and a directory for its files.  Every case of that name runs in a
 * process of its own.  Status 0: no defect in any of them; 1: the defect, with
 * its description on stderr; 77: the library lacks the feature.
 */
#ifndef SYSCAP_DEFECTS_FILES_H
#define SYSCAP_DEFECTS_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct defect {
	const char *id;
	const char *what;
	void (*check)(int arg); /* NULL: not with this library */
	int arg;
};

/** Of the program; ends with an id that is NULL. */
extern const struct defect defects[];

/** The defect is there: say how, and end the case. */
_Noreturn void defect_shows(const char *format, ...)
	__attribute__((format(printf, 1, 2)));
/** The test itself can't go on. */
_Noreturn void defect_broken(const char *what);

/** A property of a library without the defect. */
#define MUST(condition) \
	((condition) ? (void)0 : defect_shows("not so: %s", #condition))
/** A condition of the test. */
#define NEED(condition) ((condition) ? (void)0 : defect_broken(#condition))

/** A path in the folder of the case, kept as long as that runs. */
const char *defect_path(const char *name);

struct bytes {
	unsigned char *data;
	size_t size;
};

/** A whole file, or all that comes from a descriptor. */
struct bytes bytes_load(const char *path);
struct bytes bytes_read(int fd);
void bytes_free(struct bytes *bytes);
void bytes_store(const char *path, const void *data, size_t size);

uint16_t bytes_u16(const unsigned char *at);
uint32_t bytes_u32(const unsigned char *at);
uint64_t bytes_u64(const unsigned char *at);

struct frame {
	size_t at; /* in the file; 0: begin with the first */
	const unsigned char *data;
	unsigned len, type;
	int32_t pid;
	int64_t time;
};

/**
 * The next frame of a little-endian capture.  False at its end; a header that
 * is none, or frames that do not fill the file one after the other, show the
 * defect.
 */
bool frame_next(const struct bytes *bytes, struct frame *frame);
/** The same, but false also where a last frame is cut in two. */
bool frame_next_whole(const struct bytes *bytes, struct frame *frame);

/** How many frames of @type there are. */
size_t frames_count(const struct bytes *bytes, unsigned type);
/** The first frame of @type; shows the defect where there is none. */
struct frame frames_first(const struct bytes *bytes, unsigned type);

/**
 * The marks of the file are those with durations 0 .. @n - 1 of which
 * @accepted is true (NULL: all), each once, and they are whole.
 */
void marks_are_complete(const struct bytes *bytes, const bool *accepted,
                        size_t n);

/**
 * The name that stands for @address in JITMAP frames before byte @before of
 * the file, or NULL.  Two names for one address show the defect.
 */
const char *jit_name(const struct bytes *bytes, uint64_t address,
                     size_t before);

#endif
