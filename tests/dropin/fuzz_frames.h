/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_frames.h - shared parts of the drop-in's fuzz targets: any bytes as a
 * file, and the invariants of every returned frame.
 */
#ifndef SYSCAP_FUZZ_FRAMES_H
#define SYSCAP_FUZZ_FRAMES_H

#include <stddef.h>
#include <stdint.h>

#include <sysprof-capture.h>

/*
 * The unused bytes of the file header choose the target's actions.  So every
 * capture is an input, and a program's capture (zeros) only runs plain reads.
 */
#define FUZZ_SCRIPT     96u
#define FUZZ_SCRIPT_LEN 160u
/* Number of copies of the frames after the header; 0: one. */
#define FUZZ_REPEAT 255u

/** End the program, as a crash, unless @condition holds. */
void fuzz_demand(bool condition);

/** Put @data, repeated as its header says, into @fd; returns the size. */
size_t fuzz_fill(int fd, const uint8_t *data, size_t size);

/** An empty file without a name. */
int fuzz_file(void);

/** The file's content, which the caller frees. */
uint8_t *fuzz_content(int fd, size_t *ret_size);

/** Calls the read function of @type; returns its result, or NULL. */
const SysprofCaptureFrame *fuzz_read(SysprofCaptureReader *reader,
                                     unsigned type);

/**
 * Touch every byte of @frame, and demand that its texts and elements end within
 * @frame.
 */
void fuzz_check(const SysprofCaptureFrame *frame);

/** Hash of the bytes of @frame. */
uint64_t fuzz_hash(const SysprofCaptureFrame *frame);

/** Result of a walk over a capture. */
struct fuzz_walk {
	size_t n, bytes;
	size_t types[SYSPROF_CAPTURE_FRAME_LAST];
	uint64_t *hashes; /* hashes of n frames */
	size_t n_max;
};

/** Read @reader to its end.  @walk must be zeros, or freed by
 * fuzz_walk_free(). */
void fuzz_walk(SysprofCaptureReader *reader, struct fuzz_walk *walk);
void fuzz_walk_add(struct fuzz_walk *walk, const SysprofCaptureFrame *frame);
void fuzz_walk_free(struct fuzz_walk *walk);

#endif
