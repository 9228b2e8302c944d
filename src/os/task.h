/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * task.h - the threads of this process, as /proc/self/task has them.
 *
 * Uses bare system calls and buffers of the caller.  Does not allocate, touches
 * only errno of the C library, and is no cancellation point.  A forked child's
 * ticks look here too.
 *
 * Context of everything here: any-thread, signal-safe.
 */
#ifndef SYC_OS_TASK_H
#define SYC_OS_TASK_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "os/folder.h"

/** A descriptor of the folder, or -errno. */
int syc_task_open(void);

void syc_task_close(int dir);

/** A walk through the folder, and what is read on the way. */
struct syc_tasks {
	struct syc_folder folder;
	char text[1792];
	/*
	 * A thread that works for the sampler has all signals blocked.  This is
	 * its mask before and afterwards.  0: nobody is.
	 */
	int32_t starter_tid;
	uint64_t starter_mask;
};

/** The calling thread blocked @mask before it blocked all; NULL: it is done.
 * One thread at a time. */
void syc_task_note_starter(struct syc_tasks *tasks, const uint64_t *mask);

struct syc_task {
	int32_t tid;
	uint64_t inode; /* differs: perhaps another thread with this tid */
};

/** Begins again with the first thread. */
void syc_task_begin(struct syc_tasks *tasks, int dir);

/** Steps to the next one.  False: there is no more, or reading failed. */
bool syc_task_next(struct syc_tasks *tasks, struct syc_task *ret_task);

struct syc_task_about {
	uint64_t start;   /* when it began, clock ticks since boot */
	uint64_t blocked; /* its signal mask: bit 0 is signal 1 */
	uint32_t filters; /* of seccomp; before Linux 5.9 whether any */
	bool is_dead;     /* ended, but still listed */
	bool is_asleep;   /* waits for something */
	bool is_ours;     /* a thread of a copy of this library */
	bool is_strict;   /* may make four system calls, none of a tick's */
};

/**
 * When @tid began, whether it lives, and what it blocks of signals 1 to 31.
 * 0, or -errno: it is gone.
 */
int syc_task_look(struct syc_tasks *tasks, int32_t tid,
                  struct syc_task_about *ret_about);

/**
 * Whether @tid sleeps in sigwait() or a similar call for @signal: then it does
 * not appear to block the signal.
 */
bool syc_task_waits_for(struct syc_tasks *tasks, int32_t tid, int signal);

/** Fills in all of @about->blocked, and the rest, too. */
int syc_task_look_at_mask(struct syc_tasks *tasks, int32_t tid,
                          struct syc_task_about *ret_about);

/** The C library made no other thread; one of a bare clone() may be there. */
bool syc_task_is_alone(void);

/**
 * Whether a thread lives besides those of this library, which must not keep
 * a process that has no others.  True if it is unknown.
 */
bool syc_task_others_live(struct syc_tasks *tasks);

#endif
