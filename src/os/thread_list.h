/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * thread_list.h - the threads of this process, as /proc/self/task lists them.
 *
 * Uses bare system calls and buffers of the caller.  Does not allocate, touches
 * only errno of the C library, and is no cancellation point.  A forked child's
 * ticks look here too.
 *
 * Context of everything here: any-thread, signal-safe.
 */
#ifndef SYC_OS_THREAD_LIST_H
#define SYC_OS_THREAD_LIST_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "os/directory.h"

/** A descriptor of the folder, or -errno. */
int syc_thread_list_open(void);

void syc_thread_list_close(int dir);

/** A walk through the folder, and what is read on the way. */
struct syc_thread_list {
	struct syc_directory folder;
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
void syc_thread_list_note_starter(struct syc_thread_list *tasks,
                                  const uint64_t *mask);

struct syc_thread_entry {
	int32_t tid;
	uint64_t inode; /* differs: perhaps another thread with this tid */
};

/** Begins again with the first thread. */
void syc_thread_list_begin(struct syc_thread_list *tasks, int dir);

/** Steps to the next one.  False: there is no more, or reading failed. */
bool syc_thread_list_next(struct syc_thread_list *tasks,
                          struct syc_thread_entry *ret_task);

struct syc_thread_status {
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
int syc_thread_list_read(struct syc_thread_list *tasks, int32_t tid,
                         struct syc_thread_status *ret_about);

/**
 * Whether @tid sleeps in sigwait() or a similar call for @signal: then it does
 * not appear to block the signal.
 */
bool syc_thread_list_waits_for(struct syc_thread_list *tasks, int32_t tid,
                               int signal);

/** Fills in all of @about->blocked, and the rest, too. */
int syc_thread_list_read_mask(struct syc_thread_list *tasks, int32_t tid,
                              struct syc_thread_status *ret_about);

/** The C library made no other thread; one of a bare clone() may be there. */
bool syc_thread_list_is_single(void);

/**
 * Whether a thread lives besides those of this library, which must not keep
 * a process that has no others.  True if it is unknown.
 */
bool syc_thread_list_has_others(struct syc_thread_list *tasks);

#endif
