/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * process.h - properties in /proc of this process, its threads, parents and
 * children.
 *
 * The functions use buffers of the caller and do not allocate.  The functions
 * are not cancellation points, and change no state of the C library except
 * errno.  Ticks in a forked child call these functions, too.
 *
 * Context of all functions: any-thread, signal-safe.
 */
#ifndef SYC_OS_PROCESS_H
#define SYC_OS_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Open @of_thread for reading or, if @of_thread can't be opened, @of_process.
 * Returns an fd, or -1.  Context: any-thread, signal-safe. */
int syc_own_proc_open(const char *of_thread, const char *of_process);

/** Store the command line, as much as fits into @size, with spaces between the
 * arguments.  Returns the text's length, without a NUL, or 0 if the command
 * line is unknown.  Context: any-thread, signal-safe. */
size_t syc_own_proc_cmdline(char *text, size_t size);

/** The pid namespace of this process, or 0 if unknown.  Children may be in
 * other namespaces, in which the same pids belong to other processes.  Context:
 * any-thread, signal-safe; errno is kept. */
uint64_t syc_pid_namespace_id(void);

/** Fields after the name in /proc/PID/stat, counted from 1. */
enum {
	SYC_STAT_STATE = 3, /* a letter */
	SYC_STAT_PARENT = 4,
	SYC_STAT_THREADS = 20,
	SYC_STAT_START = 22,
	SYC_STAT_CODE = 26, /* CODE, STACK and STATUS are hidden without
	                     * permission */
	SYC_STAT_STACK = 28,
	SYC_STAT_BLOCKED = 32, /* signals */
	SYC_STAT_STATUS = 52,  /* exit status as wait() returns it, after the
	                        * end */
	SYC_STAT_FIELDS,
};

struct syc_proc_stat {
	char name[32]; /* cut to this size; no NUL */
	size_t name_len;
	uint64_t fields[SYC_STAT_FIELDS];
};

/**
 * Read the "stat" of @id in the directory @folder, which ends with a slash.
 * Returns 0 or -errno; -ENOENT: the file does not exist (any more).
 *
 * Context: any-thread, signal-safe.
 */
int syc_proc_stat_read(const char *folder, int32_t id,
                       struct syc_proc_stat *ret_stat);

/** Parse @text, the contents of a "stat" file.  Context: any-thread,
 * signal-safe. */
int syc_proc_stat_parse(const char *text, struct syc_proc_stat *ret_stat);

/** Return whether the thread, or the process' first thread, has ended.
 * Context: any-thread, signal-safe. */
bool syc_proc_stat_has_ended(const struct syc_proc_stat *stat);

/**
 * A parent or a forked child of this process, which may still run this
 * process's image.
 *
 * A pid does not identify an image: its process may have exec'ed, or ended, and
 * the pid may be reused.  Images that were forked from each other have code and
 * stack at the same addresses.  Other images differ in these addresses, except
 * for the same image without address randomisation.
 */
struct syc_fork_identity {
	int32_t pid;
	int32_t parent;       /* parent according to /proc; 0: unknown */
	uint64_t start_ticks; /* start time, set by the first check; 0:
	                       * unknown */
	/* At the last check the first thread of @pid had ended; relaxed */
	bool is_without_first;
};

/**
 * Check @relative->pid.  Returns false if the process has ended, or runs
 * another image.  Returns true also if the answer is unknown.
 *
 * Context: any-thread, signal-safe; errno is kept.
 */
bool syc_fork_identity_is_running(struct syc_fork_identity *relative);

/*
 * The names in a directory of /proc or /sys.
 */

/** Open the directory at @path.  Returns an fd, or -errno. */
int syc_directory_open(const char *path);

void syc_directory_close(int fd);

/** A walk through a directory. */
struct syc_directory {
	int fd;
	long at, n; /* positions in the entries */
	bool has_failed;
	char entries[2048] __attribute__((aligned(8)));
};

struct syc_directory_entry {
	const char *name; /* valid until the next step */
	uint64_t inode;
};

/** Begin again with the first name. */
void syc_directory_begin(struct syc_directory *folder, int fd);

/** Step to the next name that does not begin with a dot.  Returns false if no
 * name is left, or reading failed. */
bool syc_directory_next(struct syc_directory *folder,
                        struct syc_directory_entry *ret_entry);

/*
 * The threads of this process, as /proc/self/task lists them.
 */

/** Open the directory of the list.  Returns an fd, or -errno. */
int syc_thread_list_open(void);

void syc_thread_list_close(int dir);

/** A walk through the directory, with buffers for the files of its threads. */
struct syc_thread_list {
	struct syc_directory folder;
	char text[1792];
	/*
	 * A thread that works for the sampler has all signals blocked.
	 * starter_mask is the thread's mask before and after this work. tid 0:
	 * no thread does this work.
	 */
	int32_t starter_tid;
	uint64_t starter_mask;
};

/** Store that the calling thread works for the sampler, and had the mask @mask
 * before it blocked all signals.  If @mask is NULL, the thread has finished
 * this work.  Only one thread at a time may do this work. */
void syc_thread_list_note_starter(struct syc_thread_list *tasks,
                                  const uint64_t *mask);

struct syc_thread_entry {
	int32_t tid;
	uint64_t inode; /* a changed inode may mean another thread with this
	                 * tid */
};

/** Begin again with the first thread. */
void syc_thread_list_begin(struct syc_thread_list *tasks, int dir);

/** Step to the next thread.  Returns false if no thread is left, or reading
 * failed. */
bool syc_thread_list_next(struct syc_thread_list *tasks,
                          struct syc_thread_entry *ret_task);

struct syc_thread_status {
	uint64_t start;   /* the thread's start, in clock ticks since boot */
	uint64_t blocked; /* the signal mask: bit 0 is signal 1 */
	uint32_t filters; /* number of seccomp filters; before Linux 5.9 only 0
	                   * or 1 */
	bool is_dead;     /* the thread has ended, but is still listed */
	bool is_asleep;   /* the thread sleeps until an event */
	bool is_library_thread; /* a thread of a copy of this library */
	bool is_strict; /* only four system calls are allowed, and a tick
	                   * needs others */
};

/**
 * Read the start of @tid, whether the thread lives, and which of the signals 1
 * to 31 the thread blocks.  Returns 0, or -errno if the thread has ended.
 */
int syc_thread_list_read(struct syc_thread_list *tasks, int32_t tid,
                         struct syc_thread_status *ret_about);

/**
 * Return whether @tid sleeps in sigwait() or a similar call for @signal.  A
 * thread in sigwait() does not appear to block the signal.
 */
bool syc_thread_list_waits_for(struct syc_thread_list *tasks, int32_t tid,
                               int signal);

/** Like syc_thread_list_read(), with all 64 bits of blocked. */
int syc_thread_list_read_mask(struct syc_thread_list *tasks, int32_t tid,
                              struct syc_thread_status *ret_about);

/** Return whether the C library made no other thread.  A direct clone() may
 * still have made threads. */
bool syc_thread_list_is_single(void);

/**
 * Return whether a thread lives besides the threads of this library.  The
 * library's threads must not keep a process alive that has no other threads.
 * Returns true also if the answer is unknown.
 */
bool syc_thread_list_has_others(struct syc_thread_list *tasks);

/*
 * Mappings that last until the process ends: large tables,
 * and objects that dlclose() would unmap.
 */

/**
 * Get the zeroed memory of @size bytes at *@place, a static pointer.  Maps the
 * memory if *@place is NULL.  The memory is never unmapped, and a forked child
 * inherits the memory.  An unused table takes no page of memory, and no zeroes
 * in the file.  Returns NULL if the mapping failed, and the next call tries
 * again.  Each table documents the consequences of NULL.
 *
 * Context: any-thread, signal-safe.
 */
void *syc_lazy_map_get(void *place, size_t size);

/**
 * Get the pages of @size bytes at @from, in a mapping of a file in memory.  Returns 0;
 * -ENOSPC: no space; or another -errno.
 *
 * Context: any-thread, signal-safe.
 */
int syc_pages_provide(void *from, size_t size);

/** Keep the object that contains @address loaded, even after dlclose().
 * Returns false if no object contains @address, or the object is the program.
 * Context: setup. */
bool syc_pin_object(const void *address);

#endif
