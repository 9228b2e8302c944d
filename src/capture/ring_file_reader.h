/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ring_file_reader.h - reader of the frames and losses that a dead process left
 * in its ring file.
 *
 * ring/ring_file.h has the layout and the protocol.  The reader copies all
 * data, and checks the copy before use, because another process may change the
 * file at any time.
 *
 * ring_file_reader.c opens the file and examines its owner, ring_file_frames.c
 * reads the frames and losses.
 *
 * Context of all functions: offline.
 */
#ifndef SYC_CAPTURE_RING_FILE_READER_H
#define SYC_CAPTURE_RING_FILE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <syscap/capture.h>

#include "capture/losses.h"
#include "common/containers.h"
#include "ring/ring.h"
#include "ring/ring_file.h"

/** Losses of one thread id, over all its slots. */
struct syc_ring_reader_loss {
	int32_t pid, tid;
	int64_t from, to;
	struct syc_loss lost, reported; /* sums of the totals in the slots */
	struct syc_loss recorded;       /* sum of the loss records */
};

struct syc_ring_reader_losses {
	SYC_ARRAY(struct syc_ring_reader_loss) by_tid;
};

/** Totals in the header of a slot or of the arena. */
struct syc_ring_reader_totals {
	const struct syc_ring_losses *lost, *reported;
	int64_t since; /* start time of the header's thread */
};

void syc_ring_reader_losses_fini(struct syc_ring_reader_losses *losses);

/*
 * Unreported losses.  The header of a slot has two totals of its thread: all
 * losses, and the losses in loss records.  The arena's header has both totals
 * for threads without a slot, with thread id 0.
 *
 * If the process died while it wrote a record, the second total may count an
 * unpublished record, or lack a record of the reader.  The records themselves
 * are exact, even if a recovery is killed and repeated.  But a thread id in a
 * record may have belonged to an earlier thread.
 */

struct syc_ring_reader {
	int fd;      /* fd of the ring file, or -1 */
	uid_t owner; /* owner of the ring file */
	dev_t dev;
	ino_t ino;
	struct syc_ring_file facts;
	struct syc_ring_journal journal;
	/*
	 * Size of the valid part of the capture.  A torn batch may follow,
	 * whose frames are still in the rings.
	 */
	uint64_t capture_size;
	bool batch_is_in; /* the journal's batch is in the capture */

	/* Frames that are not in the capture, without gaps. */
	unsigned char *bytes;
	size_t n_bytes, capacity;
	uint64_t n_frames;
	uint64_t n_loss_records; /* number of composed loss records among the
	                          * frames */
	/*
	 * Omitted frames whose content does not fit their length, and rings
	 * that could not be read to their end.
	 */
	uint64_t n_bad;

	/* Origins of the frames, with the offsets from and to in the rings. */
	struct syc_ring_journal_part parts[SYC_RING_JOURNAL_PARTS];
	uint32_t n_parts;
	struct syc_ring_reader_losses losses;
	/* Pids of the process' children that have frames */
	SYC_ARRAY(int32_t) pids;
	uint32_t words[SYC_RING_FILE_SLOTS];
	/* The file belongs to a living process in flight mode, whose threads
	 * overwrite their oldest frames at any time */
	bool is_moving;
};

/** Return the path in the frame after the PROCESS frame, METADATA
 * "syscap.rings", or NULL. */
const char *syc_ring_reader_path(const unsigned char *capture, uint64_t size);

/** A result of syc_ring_reader_open() besides 0 and -errno. */
#define SYC_RING_READER_LIVES 1

/**
 * Open the ring file @path and examine its owner.  If @lock, open for changes,
 * else only for reading, during which other recoveries can't change the file.
 *
 * Returns 0, or SYC_RING_READER_LIVES if the file's process still writes.  For
 * a live process, the caller may only call syc_ring_reader_is_of() and
 * syc_ring_reader_live_size().
 *
 * Returns -ENOENT for a missing file, -EBUSY if another process recovers from
 * the file, and other errors for an invalid ring file.  @error has the reason,
 * even for a live process.
 */
int syc_ring_reader_open(struct syc_ring_reader *rest, const char *path,
                         bool lock, struct syscap_error *error);

/**
 * Open the ring file @path of a living process for changes.  The caller takes
 * the lock in the head before syc_ring_reader_read_journal().  Returns 0 or
 * -errno.
 */
int syc_ring_reader_open_living(struct syc_ring_reader *rest, const char *path,
                                struct syscap_error *error);

int syc_ring_reader_read_journal(struct syc_ring_reader *rest, const char *path,
                                 struct syscap_error *error);

/** Return whether the rings belong to the capture @st, by file and owner. */
bool syc_ring_reader_is_of(const struct syc_ring_reader *rest,
                           const struct stat *st);

/**
 * Store the size of the whole frames in the capture of a living process, open
 * as @capture.  Half a batch may follow the whole frames.
 */
int syc_ring_reader_live_size(struct syc_ring_reader *rest, int capture,
                              uint64_t *ret_size);

/** Read all @size bytes.  Returns false after a failure. */
bool syc_ring_reader_read_at(const struct syc_ring_reader *rest, void *to,
                             size_t size, uint64_t offset);

/** Return the offset of the journal in the ring file. */
static inline uint64_t
syc_ring_reader_journal_at(const struct syc_ring_reader *rest)
{
	return syc_ring_file_journal(rest->facts.page_size);
}

static inline uint64_t
syc_ring_reader_words_at(const struct syc_ring_reader *rest)
{
	return syc_ring_file_words(rest->facts.page_size);
}

/** Return the offset of slot @slot in the ring file. */
uint64_t syc_ring_reader_slot_at(const struct syc_ring_reader *rest,
                                 uint32_t slot);

void syc_ring_reader_close(struct syc_ring_reader *rest);

/*
 * Owner of a ring file.
 *
 * A process holds an open file description lock on its file.  Forked processes
 * inherit the lock, and may outlive the process.
 *
 * So later users of the file exclude each other by flock() locks, which the
 * recorded process does not take.  The holder of a flock() lock concludes that
 * another lock belongs to the recorded process or its children.
 */

/**
 * Exclude other recoveries of the ring file @fd, and with @all also its
 * readers.  Waits for other users for a short time.  Returns false if another
 * user still holds the file.
 */
bool syc_ring_owner_exclude(int fd, bool all);

/**
 * Return whether the process, and not only a child with an inherited fd of a
 * dead process, holds the lock.
 */
bool syc_ring_owner_lives(int fd, const struct syc_ring_file *facts);

/** Take the lock of the dead process.  Returns false if the process lives. */
bool syc_ring_owner_replace(int fd, const struct syc_ring_file *facts);

/**
 * Read the frames that are still in the ring file.  @capture is the capture's
 * content of @size bytes.  If @size is 0, the capture was deleted, and the
 * rings keep all frames.  Unreported losses become loss records among the
 * frames.  The caller may call the function repeatedly.
 *
 * Returns 0, -EBADMSG if the journal does not fit the capture, or another
 * -errno.
 */
int syc_ring_reader_load(struct syc_ring_reader *rest,
                         const unsigned char *capture, uint64_t size,
                         struct syscap_error *error);

/**
 * Open the ring file @path of a living process, to read its frames.  Returns 0,
 * -ENOENT if the process is not in flight mode, or another -errno.
 */
int syc_ring_reader_open_moving(struct syc_ring_reader *rest, const char *path,
                                struct syscap_error *error);

/**
 * Return whether the @size bytes at @torn, after the capture's first
 * capture_size bytes, are the start of the journal's batch.
 */
bool syc_ring_reader_is_torn_batch(const struct syc_ring_reader *rest,
                                   const unsigned char *torn, uint64_t size);

#endif
