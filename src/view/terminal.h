/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * terminal.h - the terminal: modes, which every exit restores, keys and mouse
 * events.
 */
#ifndef SYC_VIEW_TERMINAL_H
#define SYC_VIEW_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** Reasons for syc_terminal_wait() to return. */
enum {
	SYC_TERMINAL_INPUT = 1,
	SYC_TERMINAL_RESIZED = 2, /* resized, or to be redrawn after a stop */
	SYC_TERMINAL_GONE = 4     /* no more input will come */
};

/**
 * Take the terminal of the process.  Returns 0 or -errno; -ENOTTY: no terminal.
 */
int syc_terminal_open(void);
void syc_terminal_close(void);

/** Get the size of the terminal, 80 x 24 if unknown. */
void syc_terminal_size(int *ret_width, int *ret_height);

/** Wait for @timeout_ms at most; -1: without limit. */
unsigned syc_terminal_wait(int timeout_ms);

/** Read the available bytes without waiting; or -errno. */
long syc_terminal_read(unsigned char *bytes, size_t size);

/** Write all bytes as one picture.  Returns 0 or -errno. */
int syc_terminal_write(const char *bytes, size_t n);

/** Stop this process, as Ctrl-Z does. */
void syc_terminal_stop(void);

/* Keys and mouse events from the bytes that a terminal sends. */

enum syc_key {
	SYC_KEY_NONE, /* a key without a meaning */
	SYC_KEY_CHARACTER,
	SYC_KEY_PASTED,  /* a character of a pasted text */
	SYC_KEY_CONTROL, /* Control with the key `point` */
	SYC_KEY_ENTER,
	SYC_KEY_ESCAPE,
	SYC_KEY_BACKSPACE,
	SYC_KEY_TAB,
	SYC_KEY_BACK_TAB,
	SYC_KEY_UP,
	SYC_KEY_DOWN,
	SYC_KEY_LEFT,
	SYC_KEY_RIGHT,
	SYC_KEY_HOME,
	SYC_KEY_END,
	SYC_KEY_PAGE_UP,
	SYC_KEY_PAGE_DOWN,
	SYC_KEY_CLICK,
	SYC_KEY_BACK_CLICK, /* a press of the right button */
	SYC_KEY_WHEEL_UP,
	SYC_KEY_WHEEL_DOWN
};

struct syc_input_event {
	enum syc_key key;
	uint32_t point; /* code point of a character */
	int x, y;       /* place of the mouse, from 0 */
};

/** A zero-initialized struct is a valid start. */
struct syc_input {
	unsigned char bytes[512];
	size_t n;
	bool is_paste;
};

/**
 * The place of the next bytes, and the number of bytes that fit: at least one
 * after syc_input_next() returned false with @is_late.
 */
unsigned char *syc_input_room(struct syc_input *input, size_t *ret_size);

/** Returns false if the bytes have no complete key. */
bool syc_input_next(struct syc_input *input, bool is_late,
                    struct syc_input_event *ret_event);

#endif
