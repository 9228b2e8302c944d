/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * env.h - every environment variable that the library reads, and the messages
 * that SYSCAP_DEBUG=1 switches on.
 */
#ifndef SYC_OS_ENV_H
#define SYC_OS_ENV_H

#include <stdint.h>

/* fd of a recorder's control socket */
#define SYC_ENV_CONTROL_FD "SYSPROF_CONTROL_FD"
/* NUMBER:INODE of the control socket's fd */
#define SYC_ENV_CONTROL_INODE "SYSCAP_CONTROL_INODE"
/* path of the recorder's listening socket */
#define SYC_ENV_RECORDER "SYSCAP_RECORDER"
/* bytes of each ring that the process passes to the recorder */
#define SYC_ENV_ARENA "SYSCAP_ARENA"
/* fd to write a capture to */
#define SYC_ENV_TRACE_FD "SYSPROF_TRACE_FD"
/* name of a capture to write */
#define SYC_ENV_OUTPUT "SYSCAP_OUTPUT"
/* flight: the output gets only the last events */
#define SYC_ENV_MODE "SYSCAP_MODE"
/* 1: a recorder may begin a recording later */
#define SYC_ENV_ATTACH "SYSCAP_ATTACH"
/* 0: the library starts no thread, and the program calls
 * syscap_drain() */
#define SYC_ENV_THREAD "SYSCAP_THREAD"
/* performance counters of the kernel to read, if their reader is
 * linked */
#define SYC_ENV_COUNTERS "SYSCAP_COUNTERS"
/* size of each thread's ring */
#define SYC_ENV_RING_KIB "SYSCAP_RING_KIB"
/* directory of ring files */
#define SYC_ENV_RUNTIME_DIR "XDG_RUNTIME_DIR"
/* number of samples per second, and the clock and signal of ticks */
#define SYC_ENV_SAMPLE "SYSCAP_SAMPLE"
/* number of the signal that begins and ends sampling */
#define SYC_ENV_TOGGLE_SIGNAL "SYSCAP_TOGGLE_SIGNAL"
/* record all allocations, or one per this many bytes; preloaded library
 * only */
#define SYC_ENV_MEMORY "SYSCAP_MEMORY"
/* record calls that block for longer than this many ns; preloaded
 * library only */
#define SYC_ENV_IO "SYSCAP_IO"
/* record iterations of a loop that take longer than this many ms;
 * preloaded library only */
#define SYC_ENV_STALLS "SYSCAP_STALLS"
/* 1: record messages to GLib, syslog() and the journal; preloaded
 * library only */
#define SYC_ENV_LOGS "SYSCAP_LOGS"
/* 1: record crashes; preloaded library only */
#define SYC_ENV_CRASHES "SYSCAP_CRASHES"
/* 1: report on stderr the reasons why recording and sampling are on or
 * off */
#define SYC_ENV_DEBUG "SYSCAP_DEBUG"

/**
 * Get the value of the variable @name.  Returns NULL if the variable is not set,
 * or the process is set-user-ID (AT_SECURE).
 *
 * Context: setup (getenv() races with setenv()).
 */
const char *syc_env_get(const char *name);

/** Get the variable's decimal number.  Returns 0 if the variable is unset or
 * not a number.  Context: setup. */
uint64_t syc_env_number(const char *name);

/**
 * Parse the decimal number of an fd above 2.  Returns the fd, or -1 if @text is
 * anything else.
 */
int syc_env_parse_fd(const char *text);

/** Read SYSCAP_DEBUG.  Context: setup. */
void syc_diag_init(void);

/**
 * If SYSCAP_DEBUG is 1, write @what, and @why unless NULL, to stderr, as one
 * line by one write().
 *
 * Context: any-thread, signal-safe.
 */
void syc_diag_say(const char *what, const char *why);

#endif
