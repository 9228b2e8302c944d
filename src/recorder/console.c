/* SPDX-License-Identifier: BSD-2-Clause */
/* console.c - messages of the recorder on standard error. */
#define _GNU_SOURCE
#include "recorder/console.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/now.h"

#define BURST  20u /* diagnostics printed at once; afterwards one per second */
#define SECOND INT64_C(1000000000)

void syc_console_init(struct syc_console *report, bool quiet, int64_t now)
{
	*report = (struct syc_console){
		.quiet = quiet,
		.terminal = isatty(STDERR_FILENO) == 1,
		.began = now,
		.next_line = now,
		.tokens = BURST,
	};
}

static void erase_line(struct syc_console *report)
{
	if (report->line_shown)
		fputs("\r\033[K", stderr);
	report->line_shown = false;
}

static bool take_token(struct syc_console *report)
{
	const int64_t now = syc_now();

	if (report->tokens == 0 && now >= report->next_token)
		report->tokens = 1;
	if (report->tokens == 0) {
		report->suppressed++;
		return false;
	}
	report->tokens--;
	report->next_token = now + SECOND;
	return true;
}

void syc_console_print(struct syc_console *report, const char *format, ...)
{
	char text[512];
	va_list args;

	if (!take_token(report))
		return;
	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	erase_line(report);
	fprintf(stderr, "syscap record: %s\n", text);
}

const char *syc_console_number(uint64_t n, char text[32])
{
	char digits[24];
	const int len =
		snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n);
	char *to = text;

	for (int i = 0; i < len; i++) {
		if (i > 0 && (len - i) % 3 == 0)
			*to++ = ',';
		*to++ = digits[i];
	}
	*to = 0;
	return text;
}

void syc_console_progress(struct syc_console *report, int64_t now,
                          const struct syc_report_counts *counts)
{
	char frames[32], lost[32];

	if (!report->terminal || report->quiet || now < report->next_line)
		return;
	report->next_line = now + SECOND / 4;
	fprintf(stderr,
	        "\rrecording %.1f s  %s frames  %.1f MiB  %s lost\033[K",
	        (double)(now - report->began) / 1e9,
	        syc_console_number(counts->frames, frames),
	        (double)counts->bytes / (1 << 20),
	        syc_console_number(counts->lost, lost));
	report->line_shown = true;
}

void syc_console_naming(struct syc_console *report, int64_t now, uint64_t done,
                        uint64_t all)
{
	if (!report->terminal || report->quiet || now < report->next_line)
		return;
	report->next_line = now + SECOND / 4;
	fprintf(stderr, "\radding names  %.0f %%\033[K",
	        all > 0 ? 100 * (double)done / (double)all : 100);
	report->line_shown = true;
}

void syc_console_finish(struct syc_console *report)
{
	erase_line(report);
	if (report->suppressed > 0)
		fprintf(stderr,
		        "syscap record: %llu more messages were left out\n",
		        (unsigned long long)report->suppressed);
	report->suppressed = 0;
	report->terminal = false;
}
