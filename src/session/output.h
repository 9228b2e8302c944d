/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * output.h - a capture file that this process and its forked children write,
 * and its ring file.
 *
 * The library opens or truncates no existing file.  If a name is taken, the
 * capture gets the suffix ".PID", then ".PID.2" and so on.  If the pattern has
 * %p, the suffixes begin with ".2".  The ring file is in
 * $XDG_RUNTIME_DIR/syscap or /dev/shm, with mode 0600.  If neither is a tmpfs,
 * the ring file is next to the capture.  ring/ring_file.h has the protocol by
 * which each batch arrives exactly once.
 *
 * Only the holder of the arena's lock writes.  Context of everything here,
 * unless a function says setup: any-thread, signal-safe, between
 * syc_write_nosignal_begin() and syc_write_nosignal_end().
 */
#ifndef SYC_SESSION_OUTPUT_H
#define SYC_SESSION_OUTPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "ring/arena.h"

struct syc_batch;

#define SYC_OUTPUT_PATH_MAX 4096u

/** The requested file, determined at start and inherited by forks. */
struct syc_output_target {
	char pattern[SYC_OUTPUT_PATH_MAX]; /* absolute */
	char runtime_dir[1024];            /* "": none */
	char program[64];
	uint64_t max_bytes; /* 0: no limit */
};

/**
 * Fill @target.  @pattern may be relative to the current directory.  %p stands
 * for the pid, %n for the program's name, %% for %.  Returns 0, -ENAMETOOLONG,
 * -EINVAL (empty pattern, or another %), or -errno.
 *
 * Context: setup.
 */
int syc_output_choose(struct syc_output_target *target, const char *pattern,
                      const char *runtime_dir, const char *program);

/** Places of a ring file, in the order of attempts. */
enum syc_ring_place {
	SYC_RING_PLACE_RUNTIME,
	SYC_RING_PLACE_SHM,
	SYC_RING_PLACE_BESIDE,
	SYC_RING_PLACES
};

struct syc_output {
	int fd;      /* fd of the capture; -1: none */
	int ring_fd; /* fd of the ring file; -1: none */
	dev_t dev, ring_dev;
	ino_t ino, ring_ino;
	uint64_t max_bytes;
	uint64_t known_end;      /* greatest batch end seen so far */
	uint64_t fits;           /* see syc_output_write() */
	bool is_journal_damaged; /* a related process has overwritten the
	                          * journal's end */
	bool is_on_disk; /* the ring file is on a disk: emits may wait */
	char path[SYC_OUTPUT_PATH_MAX + 32];
	char ring_path[SYC_OUTPUT_PATH_MAX + 64];
};

/** Make the empty capture.  ring_fd stays unchanged.  Returns 0 or -errno. */
int syc_output_create(struct syc_output *output,
                      const struct syc_output_target *target, int32_t pid);

/**
 * Make the ring file at @place, empty and locked, and set ring_fd.  Returns 0;
 * -ENODEV: the place does not exist, or is not a tmpfs; or -errno.
 */
int syc_output_create_rings(struct syc_output *output,
                            const struct syc_output_target *target, int32_t pid,
                            enum syc_ring_place place);

/** Remove the ring file. */
void syc_output_drop_rings(struct syc_output *output);

/**
 * Store the owner of the rings in @front, the mapped start of the ring file,
 * which contains @arena.  Begin the capture: the header, PROCESS, and the frame
 * that names the ring file.  The journal's `end` becomes the capture's size.
 * Other processes may read the ring file from then on.  @scratch has
 * SYC_OUTPUT_SCRATCH bytes.  Returns 0 or -errno.
 */
#define SYC_OUTPUT_SCRATCH 8192u
int syc_output_begin(struct syc_output *output, void *front,
                     const struct syc_arena *arena, int32_t pid, int64_t now,
                     unsigned char *scratch);

/** Find the parent's capture in a forked child, by its fd or path.  Returns 0,
 * or -ESTALE if the capture's fd now refers to another file. */
int syc_output_join(struct syc_output *output);

/** Number of bytes that may still be written. */
static inline uint64_t syc_output_room(const struct syc_output *output,
                                       const struct syc_ring_journal *journal)
{
	if (output->max_bytes == 0)
		return UINT64_MAX;
	return output->max_bytes > journal->end
	               ? output->max_bytes - journal->end
	               : 0;
}

/**
 * Write @batch at the journal's end.  Returns 0 or -errno.  After 0 the caller
 * stores the rings' heads, and clears the journal.  After -errno no byte was
 * written, and output->fits bytes of the batch would have fit.
 */
int syc_output_write(struct syc_output *output, struct syc_batch *batch);

/** Repair a capture whose writer died during a batch.  *@ret_is_in: the batch
 * is in the capture.  If not, the function cuts the batch off.  Returns 0;
 * -EUCLEAN: a related process has overwritten the journal, which is usable
 * again; or -errno. */
int syc_output_repair(struct syc_output *output,
                      struct syc_ring_journal *journal, bool *ret_is_in);

/**
 * Close both files.  @is_whole: the rings are empty, so remove the ring file.
 */
void syc_output_close(struct syc_output *output, bool is_whole);

#endif
