/* SPDX-License-Identifier: BSD-2-Clause */
/* input.c - keys and mouse events from the bytes that a terminal sends. */
#include "view/input.h"

#include <string.h>

#include "common/utf8.h"

#define ESC 27
#define DEL 127

/* Numbers of a control sequence; further ones are ignored. */
#define N_NUMBERS 4

unsigned char *syc_input_room(struct syc_input *input, size_t *ret_size)
{
	*ret_size = sizeof(input->bytes) - input->n;
	return input->bytes + input->n;
}

static void take(struct syc_input *input, size_t n)
{
	input->n -= n;
	memmove(input->bytes, input->bytes + n, input->n);
}

static enum syc_key key_of_letter(unsigned char letter)
{
	switch (letter) {
	case 'A':
		return SYC_KEY_UP;
	case 'B':
		return SYC_KEY_DOWN;
	case 'C':
		return SYC_KEY_RIGHT;
	case 'D':
		return SYC_KEY_LEFT;
	case 'H':
		return SYC_KEY_HOME;
	case 'F':
		return SYC_KEY_END;
	case 'Z':
		return SYC_KEY_BACK_TAB;
	case 'M':
		return SYC_KEY_ENTER;
	default:
		return SYC_KEY_NONE;
	}
}

static enum syc_key key_of_number(struct syc_input *input, unsigned number)
{
	switch (number) {
	case 1:
	case 7:
		return SYC_KEY_HOME;
	case 4:
	case 8:
		return SYC_KEY_END;
	case 5:
		return SYC_KEY_PAGE_UP;
	case 6:
		return SYC_KEY_PAGE_DOWN;
	case 200:
		input->is_paste = true;
		return SYC_KEY_NONE;
	case 201:
		input->is_paste = false;
		return SYC_KEY_NONE;
	default:
		return SYC_KEY_NONE;
	}
}

/* Buttons when they go down; the wheel. */
static void take_mouse(const unsigned *numbers, unsigned char last,
                       struct syc_input_event *event)
{
	event->x = (int)numbers[1] - 1;
	event->y = (int)numbers[2] - 1;
	if (last != 'M' || event->x < 0 || event->y < 0)
		return;
	switch (numbers[0] & ~28u) { /* without Shift, Alt, Control */
	case 0:
		event->key = SYC_KEY_CLICK;
		break;
	case 2:
		event->key = SYC_KEY_BACK_CLICK;
		break;
	case 64:
		event->key = SYC_KEY_WHEEL_UP;
		break;
	case 65:
		event->key = SYC_KEY_WHEEL_DOWN;
		break;
	}
}

/* Length of the sequence; 0: incomplete. */
static size_t take_sequence(struct syc_input *input,
                            struct syc_input_event *event)
{
	unsigned numbers[N_NUMBERS] = { 0 }, n = 0;
	const unsigned char *bytes = input->bytes;
	size_t at = 2;

	for (; at < input->n && bytes[at] < 0x40; at++) {
		if (bytes[at] < 0x20)
			return at; /* broken off */
		if (bytes[at] == ';')
			n++;
		else if (bytes[at] >= '0' && bytes[at] <= '9' &&
		         n < N_NUMBERS && numbers[n] < 100000)
			numbers[n] = numbers[n] * 10 + bytes[at] - '0';
	}
	if (at == input->n)
		return at == sizeof(input->bytes) ? at : 0;
	if (bytes[2] == '<')
		take_mouse(numbers, bytes[at], event);
	else if (bytes[at] == '~')
		event->key = key_of_number(input, numbers[0]);
	else
		event->key = key_of_letter(bytes[at]);
	return at + 1;
}

static size_t take_escape(struct syc_input *input,
                          struct syc_input_event *event)
{
	if (input->n == 1)
		return 0;
	if (input->bytes[1] == '[')
		return input->n == 2 ? 0 : take_sequence(input, event);
	if (input->bytes[1] == 'O') {
		if (input->n == 2)
			return 0;
		event->key = key_of_letter(input->bytes[2]);
		return 3;
	}
	event->key = SYC_KEY_ESCAPE;
	return 1;
}

static size_t take_character(struct syc_input *input, bool is_late,
                             struct syc_input_event *event)
{
	char text[5] = { 0 };
	uint32_t point;
	size_t len;

	memcpy(text, input->bytes, input->n < 4 ? input->n : 4);
	len = syc_utf8_next(text, &point);
	if (len == 0) {
		/* The bytes may be the beginning of a key. */
		if (point == input->n && input->n < 4 && !is_late)
			return 0;
		return point;
	}
	event->key = SYC_KEY_CHARACTER;
	event->point = point;
	return len;
}

static size_t take_control(unsigned char byte, struct syc_input_event *event)
{
	if (byte == '\r' || byte == '\n') {
		event->key = SYC_KEY_ENTER;
	} else if (byte == '\t') {
		event->key = SYC_KEY_TAB;
	} else if (byte == DEL || byte == '\b') {
		event->key = SYC_KEY_BACKSPACE;
	} else if (byte >= 1 && byte <= 26) {
		event->key = SYC_KEY_CONTROL;
		event->point = 'a' + byte - 1u;
	}
	return 1;
}

bool syc_input_next(struct syc_input *input, bool is_late,
                    struct syc_input_event *ret_event)
{
	struct syc_input_event event = { .key = SYC_KEY_NONE };
	size_t n;

	if (input->n == 0)
		return false;
	if (input->bytes[0] == ESC) {
		n = take_escape(input, &event);
		if (n == 0 && is_late) {
			event.key = SYC_KEY_ESCAPE;
			n = 1;
		}
	} else if (input->bytes[0] < ' ' || input->bytes[0] == DEL) {
		n = take_control(input->bytes[0], &event);
	} else {
		n = take_character(input, is_late, &event);
	}
	if (n == 0)
		return false;
	take(input, n);
	/* Pasted bytes are text, even if they look like keys. */
	if (input->is_paste)
		event.key = event.key == SYC_KEY_CHARACTER ? SYC_KEY_PASTED
		                                           : SYC_KEY_NONE;
	*ret_event = event;
	return true;
}
