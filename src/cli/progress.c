/* SPDX-License-Identifier: BSD-2-Clause */
/* progress.c - the last line of a terminal, which says how far a command is. */
#include "cli/progress.h"

#include <stdarg.h>
#include <stdio.h>
#include <time.h>

#define EACH_NS INT64_C(250000000)

bool syc_progress_is_due(struct syc_progress *progress)
{
	const bool is_first = progress->next_ns == 0;
	struct timespec ts;

	if (!progress->is_wanted)
		return false;
	clock_gettime(CLOCK_MONOTONIC, &ts);
	const int64_t now = ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
	if (now < progress->next_ns)
		return false;
	progress->next_ns = now + EACH_NS;
	return !is_first;
}

void syc_progress_print(struct syc_progress *progress, const char *format, ...)
{
	va_list arguments;

	putc('\r', stderr);
	va_start(arguments, format);
	vfprintf(stderr, format, arguments);
	va_end(arguments);
	fputs("\033[K", stderr);
	progress->has_line = true;
}

void syc_progress_erase(struct syc_progress *progress)
{
	if (progress->has_line)
		fputs("\r\033[K", stderr);
	progress->has_line = false;
}
