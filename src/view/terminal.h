/* SPDX-License-Identifier: BSD-2-Clause */
/* terminal.h - modes of the terminal, restored on every way out. */
#ifndef SYC_VIEW_TERMINAL_H
#define SYC_VIEW_TERMINAL_H

#include <stddef.h>

/** Reasons for syc_terminal_wait() to return. */
enum {
	SYC_TERMINAL_INPUT = 1,
	SYC_TERMINAL_RESIZED = 2, /* or must be redrawn after a stop */
	SYC_TERMINAL_GONE = 4     /* no more input will come */
};

/** Take the terminal of the process. 0 or -errno; -ENOTTY: no terminal. */
int syc_terminal_open(void);
void syc_terminal_close(void);

/** 80 x 24 if unknown. */
void syc_terminal_size(int *ret_width, int *ret_height);

/** Wait for @timeout_ms at most, -1: as long as it takes. */
unsigned syc_terminal_wait(int timeout_ms);

/** Read the available bytes without waiting; or -errno. */
long syc_terminal_read(unsigned char *bytes, size_t size);

/** Write everything as one picture. 0 or -errno. */
int syc_terminal_write(const char *bytes, size_t n);

/** Stop this process, as Ctrl-Z does. */
void syc_terminal_stop(void);

#endif
