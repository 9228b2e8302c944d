/* SPDX-License-Identifier: BSD-2-Clause */
/* logged.c - what the command writes on standard error, as LOG frames. */
#define _GNU_SOURCE
#include "record/logged.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "record/now.h"

#define MS       INT64_C(1000000)
#define WAIT_MAX (2000 * MS) /* for a terminal that is stopped */

#define AT_ONCE 64 /* pieces: who floods is not to keep us from the rings */

#define SEVERITY_MESSAGE 32

int syc_logged_begin(struct syc_logged *logged)
{
	const int r = syc_pump_start(&logged->pump);

	logged->is_on = r == 0;
	return r;
}

/* A zero byte is no end of it. */
static void write_line(struct syc_logged *logged)
{
	union syc_frame_buffer frame;
	size_t n = logged->n;

	if (n > 0 && logged->line[n - 1] == '\r')
		n--;
	for (size_t i = 0; i < n; i++)
		if (logged->line[i] == '\0')
			logged->line[i] = '\xFF'; /* shown as unreadable */
	logged->line[n] = '\0';
	syc_compose_log(&frame, logged->pid, 0, logged->time, SEVERITY_MESSAGE,
	                "stderr", logged->line);
	syc_writer_add(logged->writer, &frame);
	logged->n = 0;
}

/* So that no character is cut: its first byte is at the end, or one to three
 * before that. */
static size_t whole_characters(const char *text, size_t n)
{
	size_t end = n;

	while (end > 0 && n - end < 4 && (text[end - 1] & 0xC0) == 0x80)
		end--;
	if (end > 0 && (text[end - 1] & 0xC0) == 0xC0 && n - end < 3)
		return end - 1;
	return n;
}

static void cut_line(struct syc_logged *logged)
{
	char rest[8];
	const size_t whole = whole_characters(logged->line, logged->n);
	const size_t left = logged->n - whole;

	memcpy(rest, logged->line + whole, left);
	logged->n = whole;
	write_line(logged);
	memcpy(logged->line, rest, left);
	logged->n = left;
}

static void take_bytes(struct syc_logged *logged, int64_t time,
                       const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (logged->n == 0)
			logged->time = time;
		if (bytes[i] == '\n') {
			write_line(logged);
			continue;
		}
		logged->line[logged->n++] = bytes[i];
		if (logged->n == sizeof(logged->line) - 1)
			cut_line(logged);
	}
}

/* A mark in the text where some is missing. */
static void take_piece(struct syc_logged *logged,
                       const struct syc_pump_piece *piece, size_t n)
{
	char text[64];

	if (piece->lost != 0) {
		logged->lost += piece->lost;
		snprintf(text, sizeof(text),
		         "\n(%llu bytes were not recorded)\n",
		         (unsigned long long)piece->lost);
		take_bytes(logged, piece->time, logged->n > 0 ? text : text + 1,
		           strlen(logged->n > 0 ? text : text + 1));
	}
	take_bytes(logged, piece->time, piece->bytes, n);
}

bool syc_logged_take(struct syc_logged *logged)
{
	struct syc_pump_piece piece;

	for (unsigned i = 0; i < AT_ONCE && !logged->has_ended; i++) {
		const ssize_t n =
			recv(logged->pump.socket, &piece, sizeof(piece), 0);

		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			break;
		if (n >= (ssize_t)SYC_PUMP_HEAD)
			take_piece(logged, &piece, (size_t)n - SYC_PUMP_HEAD);
		logged->has_all |= n == (ssize_t)SYC_PUMP_HEAD;
		logged->has_ended = n <= 0;
	}
	return !logged->has_ended;
}

bool syc_logged_end(struct syc_logged *logged)
{
	const int64_t until = syc_now() + WAIT_MAX;
	struct pollfd more = { .fd = logged->pump.socket, .events = POLLIN };

	if (!logged->is_on)
		return true;
	shutdown(logged->pump.socket, SHUT_WR);
	while (!logged->has_ended && syc_now() < until) {
		poll(&more, 1, 100);
		syc_logged_take(logged);
	}
	if (logged->n > 0)
		write_line(logged);
	return logged->has_all && logged->lost == 0;
}

void syc_logged_free(struct syc_logged *logged)
{
	if (!logged->is_on)
		return;
	close(logged->pump.socket);
	if (logged->pump.given >= 0)
		close(logged->pump.given);
	waitpid(logged->pump.pid, NULL, WNOHANG);
}
