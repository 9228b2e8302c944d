/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * written.h - run a CHILD (peer.h) that records itself, and look at what it
 * wrote.
 *
 * Children say what they emit by marks of group "test" whose message is
 * "T N": the N-th one, from 0, of emitter T.  A tally checks that each is
 * there once and in order.
 */
#ifndef SYSCAP_WRITTEN_H
#define SYSCAP_WRITTEN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <syscap/format.h>

/**
 * Start CHILD @child.  @env: "NAME=value" strings, NULL at the end; whatever
 * else our environment says about recording is taken away.  @fd: becomes
 * descriptor 3 of the child; -1: none.
 */
pid_t written_start(const char *child, const char *arg, const char *const *env,
                    int fd);

/** Wait for it.  Returns the wait status. */
int written_wait(pid_t pid);

/** Both; checks that it exited with 0. */
void written_run(const char *child, const char *arg, const char *const *env,
                 int fd);

/** Emit the mark that a tally looks for. */
void written_mark(unsigned emitter, unsigned n);

/**
 * Until the drain thread has written so many marks of @emitter into the file of
 * SYSCAP_OUTPUT, or descriptor 3: on a busy machine that may take a while.
 */
void written_wait_until_out(unsigned emitter, unsigned n);

#define WRITTEN_EMITTERS 64

struct tally {
	unsigned frames[SYSCAP_FRAME_LAST];
	unsigned emitters[WRITTEN_EMITTERS]; /* marks of each; the last + 1 */
	unsigned received;                   /* marks of all emitters */
	unsigned doubles, gaps; /* marks that came twice, that are missing */
	uint64_t lost;          /* frames that loss records tell of */
	uint64_t lost_marks;    /* of these */
	unsigned unnamed;       /* frames before the PROCESS of their pid */
	unsigned late;          /* frames behind the EXIT of their pid */
	unsigned processes;     /* distinct pids of PROCESS frames */
	int32_t pids[WRITTEN_EMITTERS];
	bool exits[WRITTEN_EMITTERS]; /* of these */
	uint64_t torn_at; /* where no frame can begin; 0: the file is whole */
};

/** Read the capture at @path.  Fails the test if it is none. */
void written_tally(const char *path, struct tally *ret_tally);

/** The same of a capture that goes on where those before it ended. */
void written_tally_more(const char *path, struct tally *tally);

/** A directory of this test's own, removed by written_remove_dir(). */
char *written_make_dir(void);
void written_remove_dir(char *dir);

/** Names in @dir that end with @suffix ("": any). */
unsigned written_count_files(const char *dir, const char *suffix);

#endif
