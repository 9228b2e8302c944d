/* SPDX-License-Identifier: BSD-2-Clause */
/* symbolize_job.c - how one run of `syscap symbolize` speaks on stderr. */
#define _GNU_SOURCE
#include "cli/symbolize_job.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/exit_status.h"
#include "cli/fault.h"
#include "cli/printable.h"

void syc_symbolize_job_report(struct syc_symbolize_job *job, const char *file,
                              const struct syscap_error *error)
{
	syc_progress_erase(&job->progress);
	syc_fault_print(job->options->command, file, error);
	job->status = SYC_EXIT_PROBLEM;
}

void syc_symbolize_job_refuse(struct syc_symbolize_job *job, const char *file,
                              int code, const char *text)
{
	struct syscap_error error = { .code = -code };

	snprintf(error.message, sizeof(error.message), "%s", text);
	syc_symbolize_job_report(job, file, &error);
}

void syc_symbolize_job_note(struct syc_symbolize_job *job, const char *format,
                            ...)
{
	va_list arguments;
	char *text;
	int r;

	if (job->options->quiet)
		return;
	va_start(arguments, format);
	r = vasprintf(&text, format, arguments);
	va_end(arguments);
	if (r < 0)
		return;
	syc_progress_erase(&job->progress);
	fprintf(stderr, "%s: %s: note: ", job->options->command,
	        job->options->file);
	syc_printable_write(stderr, text, false);
	putc('\n', stderr);
	free(text);
}
