/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * terminal.h - the terminal while it is ours, and as it was before.
 *
 * There is one.  It gets back its mode and its screen however the process ends
 * that has it: by syc_terminal_close(), by exit(), by any signal that can be
 * handled, crashes included; and while it is stopped.
 */
#ifndef SYC_VIEW_TERMINAL_H
#define SYC_VIEW_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>

/** What syc_terminal_wait() returned for. */
enum {
	SYC_TERMINAL_INPUT = 1,
	SYC_TERMINAL_RESIZED = 2, /* or to be written anew: it was stopped */
	SYC_TERMINAL_GONE = 4     /* nothing will come from it any more */
};

/**
 * Take the terminal of the process.  0, or -errno: -ENOTTY, there is none.
 */
int syc_terminal_open(void);
void syc_terminal_close(void);

/** 80 x 24 where it does not say. */
void syc_terminal_size(int *ret_width, int *ret_height);

/** Wait for @timeout_ms at most, -1: as long as it takes. */
unsigned syc_terminal_wait(int timeout_ms);

/** What has come, without waiting; -errno. */
long syc_terminal_read(unsigned char *bytes, size_t size);

/** All of it, as one picture.  0 or -errno. */
int syc_terminal_write(const char *bytes, size_t n);

/** Stop this process, as Ctrl-Z does. */
void syc_terminal_stop(void);

#endif
