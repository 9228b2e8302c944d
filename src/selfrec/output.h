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
 * any-thread, signal-safe, between syc_write_nosignal_begin() and syc_write_nosignal_end().
 */
#ifndef SYC_SELFREC_OUTPUT_H
#define SYC_SELFREC_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "ring/arena.h"
#include "selfrec/batch.h"

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

/** Make the capture, still empty; ring_fd stays.  0 or -errno. */
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

/** Remove the ring file again. */
void syc_output_drop_rings(struct syc_output *output);

/**
 * @front is the ring file's, mapped, @arena lies in it: write down whose rings
 * these are, and begin the capture: header, PROCESS, and the frame that names
 * the ring file, which others may look into from here on.  0 or -errno.
 */
int syc_output_begin(struct syc_output *output, void *front,
                     const struct syc_arena *arena, int32_t pid, int64_t now);

/** How many bytes may still be written. */
static inline uint64_t syc_output_room(const struct syc_output *output)
{
	if (output->max_bytes == 0)
		return UINT64_MAX;
	return output->max_bytes > output->end ? output->max_bytes - output->end
	                                       : 0;
}

/**
 * Write @batch.  0, and syc_output_commit() must follow once the rings' heads
 * are stored; or -errno and nothing was written: there was room for output->fits
 * bytes of it.
 */
int syc_output_write(struct syc_output *output, struct syc_batch *batch);
static inline void syc_output_commit(struct syc_output *output)
{
	__atomic_store_n(&output->journal->state, SYC_JOURNAL_NOTHING,
	                 __ATOMIC_RELEASE);
}

/**
 * Close both.  @is_whole: nothing is left in the rings, remove the ring file.
 */
void syc_output_close(struct syc_output *output, bool is_whole);

#endif
