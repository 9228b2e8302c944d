/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * thread_list.h - the threads of this process, as /proc/self/task lists them.
 *
 * The functions use bare system calls and buffers of the caller.  The functions
 * do not allocate, change only errno of the C library, and are no cancellation
 * points.  A forked child's ticks call these functions, too.
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

/** An fd of the directory, or -errno. */
int syc_thread_list_open(void);

void syc_thread_list_close(int dir);

/** A walk through the directory, with buffers for the files of its threads. */
struct syc_thread_list {
	struct syc_directory folder;
	char text[1792];
	/*
	 * A thread that works for the sampler has all signals blocked;
	 * starter_mask is its mask before and afterwards. tid 0: no thread does
	 * this work.
	 */
	int32_t starter_tid;
	uint64_t starter_mask;
};

/** Note that the calling thread works for the sampler, and had the mask @mask
 * before it blocked all signals.  NULL: the thread has finished this work.  One
 * thread at a time may do this work. */
void syc_thread_list_note_starter(struct syc_thread_list *tasks,
                                  const uint64_t *mask);

struct syc_thread_entry {
	int32_t tid;
	uint64_t inode; /* a changed inode may mean another thread with this
	                 * tid */
};

/** Begin again with the first thread. */
void syc_thread_list_begin(struct syc_thread_list *tasks, int dir);

/** Step to the next thread.  False: no thread is left, or reading failed. */
bool syc_thread_list_next(struct syc_thread_list *tasks,
                          struct syc_thread_entry *ret_task);

struct syc_thread_status {
	uint64_t start;   /* the thread's start, in clock ticks since boot */
	uint64_t blocked; /* the signal mask: bit 0 is signal 1 */
	uint32_t filters; /* number of seccomp filters; before Linux 5.9 only 0
	                   * or 1 */
	bool is_dead;     /* the thread has ended, but is still listed */
	bool is_asleep;   /* the thread sleeps until an event */
	bool is_ours;     /* a thread of a copy of this library */
	bool is_strict;   /* only four system calls are allowed, and a tick
	                   * needs others */
};

/**
 * Read the start of @tid, whether the thread lives, and which of the signals 1
 * to 31 the thread blocks.  Returns 0, or -errno if the thread is gone.
 */
int syc_thread_list_read(struct syc_thread_list *tasks, int32_t tid,
                         struct syc_thread_status *ret_about);

/**
 * Whether @tid sleeps in sigwait() or a similar call for @signal.  Such a
 * thread does not appear to block the signal.
 */
bool syc_thread_list_waits_for(struct syc_thread_list *tasks, int32_t tid,
                               int signal);

/** Like syc_thread_list_read(), but fills in all 64 bits of blocked. */
int syc_thread_list_read_mask(struct syc_thread_list *tasks, int32_t tid,
                              struct syc_thread_status *ret_about);

/** Whether the C library made no other thread; a bare clone() may still have
 * made threads. */
bool syc_thread_list_is_single(void);

/**
 * Whether a thread lives besides the threads of this library.  Our threads must
 * not keep a process alive that has no other threads.  True if the answer is
 * unknown.
 */
bool syc_thread_list_has_others(struct syc_thread_list *tasks);

#endif
