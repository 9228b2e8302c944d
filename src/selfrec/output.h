/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * output.h - a capture file that this process alone writes, and the ring file
 * beside it.
 *
 * Nothing that exists is opened or cut: a name that is taken gets ".PID",
 * then ".PID.2" and so on, where the pattern has no %p; else ".2".  The ring
 * file is made in $XDG_RUNTIME_DIR/syscap or /dev/shm, mode 0600; without a
 * tmpfs it lies next to the capture.  ring/ring_file.h has the protocol by
 * which each batch arrives exactly once.
 *
 * One thread at a time per output.  Context of all but where it says setup:
 * any-thread, signal-safe, between syc_quiet_begin() and syc_quiet_end().
 */
#ifndef SYC_OUTPUT_H
#define SYC_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "ring/ring_file.h"

#define SYC_OUTPUT_PATH_MAX 4096u

/** What is to be written: found at start, inherited by forks. */
struct syc_output_target {
	char pattern[SYC_OUTPUT_PATH_MAX]; /* absolute */
	char runtime_dir[1024];            /* "": none */
	char program[64];
	uint64_t max_bytes; /* 0: no limit */
};

/**
 * Fill @target.  @pattern may be relative to the directory of now; %p stands
 * for the pid, %n for the program's name, %% for %.  0, -ENAMETOOLONG,
 * -EINVAL (empty, or another %), or -errno.
 *
 * Context: setup.
 */
int syc_output_choose(struct syc_output_target *target, const char *pattern,
                      const char *runtime_dir, const char *program);

/** Where a ring file can be, in the order to try. */
enum syc_ring_place {
	SYC_RING_PLACE_RUNTIME,
	SYC_RING_PLACE_SHM,
	SYC_RING_PLACE_BESIDE,
	SYC_RING_PLACES
};

struct syc_output {
	int fd;      /* of the capture; -1: none */
	int ring_fd; /* of the ring file; -1: none */
	dev_t dev, ring_dev;
	ino_t ino, ring_ino;
	uint64_t end; /* of the last whole batch */
	uint64_t max_bytes;
	uint64_t fits;   /* see syc_output_write() */
	bool is_on_disk; /* the ring file: emitting may wait for it */
	struct syc_ring_journal *journal;
	char path[SYC_OUTPUT_PATH_MAX + 32];
	char ring_path[SYC_OUTPUT_PATH_MAX + 64];
};

/** Make the capture, still empty.  0 or -errno. */
int syc_output_create(struct syc_output *output,
                      const struct syc_output_target *target, int32_t pid);

/**
 * Have the lock that tells others who writes the capture, in the table of
 * descriptors that the caller has now.  Making the capture does so.
 */
void syc_output_hold(const struct syc_output *output);

/**
 * Make the ring file at @place, empty and locked: ring_fd.  0; -ENODEV, that
 * place is not there or no tmpfs; or -errno.
 */
int syc_output_create_rings(struct syc_output *output,
                            const struct syc_output_target *target, int32_t pid,
                            enum syc_ring_place place);

/**
 * Open the ring file @path, which is mapped here, as ring_fd, if it still is
 * that one and nobody recovers from it; nor does from here on.  0 or -errno.
 */
int syc_output_adopt_rings(struct syc_output *output, const char *path,
                           dev_t dev, ino_t ino);

/** It is ours now, as its facts say: others may look into it again. */
void syc_output_share_rings(const struct syc_output *output);

/** Remove the ring file again. */
void syc_output_drop_rings(struct syc_output *output);

/**
 * @front is the ring file's, mapped, @geometry says page_size, body_size and
 * n_slots: write down whose rings these are, and begin the capture: header,
 * PROCESS, and the frame that names the ring file.  0 or -errno.
 */
int syc_output_begin(struct syc_output *output, void *front,
                     const struct syc_ring_file *geometry, int32_t pid,
                     int64_t now);

/** How many bytes may still be written. */
uint64_t syc_output_room(const struct syc_output *output);

/**
 * Before @n_parts of journal->parts may be filled: 0, or why a failed batch
 * can't be taken back just now.
 */
int syc_output_ready(struct syc_output *output, unsigned n_parts);

/**
 * Write a batch: @n pieces of together @length bytes, which are @n_parts
 * parts of rings, already in journal->parts.  @now, ns: up to when it goes.
 * 0, and syc_output_commit() must follow once the rings' heads are stored; or
 * -errno and nothing was written: there was room for output->fits bytes of it.
 */
int syc_output_write(struct syc_output *output, const struct iovec *pieces,
                     unsigned n, unsigned n_parts, uint64_t length,
                     int64_t now);
void syc_output_commit(struct syc_output *output);

/**
 * Close both.  @is_whole: nothing is left in the rings, remove the ring file.
 */
void syc_output_close(struct syc_output *output, bool is_whole);

#endif
