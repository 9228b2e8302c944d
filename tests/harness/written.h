/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * written.h - runs of a CHILD (peer.h) that records itself, and reads of its
 * capture.
 *
 * Children emit marks of group "test" with the message "T N": the N-th mark,
 * from 0, of emitter T.  A tally checks that the capture has each mark once and
 * in order.
 */
#ifndef SYSCAP_WRITTEN_H
#define SYSCAP_WRITTEN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <syscap/format.h>

/**
 * Start CHILD @child.  @env: "NAME=value" strings, NULL at the end.  The
 * function removes all other environment variables of recording.  @fd: becomes
 * fd 3 of the child; -1: none.
 */
pid_t written_start(const char *child, const char *arg, const char *const *env,
                    int fd);

/** Wait for the child.  Returns the wait status. */
int written_wait(pid_t pid);

/** Start a child, wait, and check that the exit status is 0. */
void written_run(const char *child, const char *arg, const char *const *env,
                 int fd);

/** Emit a mark for a tally. */
void written_mark(unsigned emitter, unsigned n);

/**
 * Wait until the drain thread has written @n marks of @emitter into the file of
 * SYSCAP_OUTPUT, or into fd 3.  On a busy machine the drain thread may be slow.
 */
void written_wait_until_out(unsigned emitter, unsigned n);

#define WRITTEN_EMITTERS 64

struct tally {
	unsigned frames[SYSCAP_FRAME_LAST];
	unsigned emitters[WRITTEN_EMITTERS]; /* per emitter: last mark + 1 */
	unsigned received;                   /* marks of all emitters */
	unsigned doubles, gaps; /* duplicate marks, missing marks */
	uint64_t lost;          /* frames that loss records report */
	uint64_t lost_marks;    /* lost marks, of the lost frames */
	unsigned unnamed;       /* frames before their PROCESS frame */
	unsigned late;          /* frames after their EXIT frame */
	unsigned processes;     /* distinct pids of PROCESS frames */
	int32_t pids[WRITTEN_EMITTERS];
	/* the capture has an EXIT frame of the pid */
	bool exits[WRITTEN_EMITTERS];
	uint64_t torn_at; /* offset of a broken frame; 0: no broken frame */
};

/** Read the capture at @path.  The test fails if the file is no capture. */
void written_tally(const char *path, struct tally *ret_tally);

/** Add the next capture of a series to @tally, as written_tally() does. */
void written_tally_more(const char *path, struct tally *tally);

/** A directory of this test's own, removed by written_remove_dir(). */
char *written_make_dir(void);
void written_remove_dir(char *dir);

/** Names in @dir that end with @suffix ("": any). */
unsigned written_count_files(const char *dir, const char *suffix);

#endif
