/* SPDX-License-Identifier: BSD-2-Clause */
/* error.c - messages on stderr: errors, hints, progress. */
#define _GNU_SOURCE
#include "cli/error.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#include "cli/options.h"
#include "cli/table.h"
#include "common/now.h"
#include "common/strings.h"

#define EACH_NS INT64_C(250000000)

bool syc_progress_is_due(struct syc_progress *progress)
{
	const bool is_first = progress->next_ns == 0;
	int64_t now;

	if (!progress->is_wanted)
		return false;
	now = syc_now();
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

void syc_cli_error_print(const char *command, const char *file,
                         const struct syscap_error *error)
{
	/* Flush first, so that output on stdout precedes the message. */
	fflush(stdout);
	fprintf(stderr, "%s: %s: ", command, file);
	if (error->code == EBADMSG || error->code == EILSEQ)
		fprintf(stderr, "at byte %" PRIu64 ": ", error->offset);
	/* The message may contain a path from the file */
	syc_printable_write(stderr, error->message, false);
	putc('\n', stderr);
}

void syc_cli_error_note_merged(const char *command, const char *file,
                               const struct syscap_reader *reader)
{
	struct syscap_file_info info;

	syscap_reader_info(reader, &info);
	if (info.merged_frames != 0)
		fprintf(stderr,
		        "%s: %s: %" PRIu64
		        " frame%s from the ring file of a killed process; "
		        "'syscap recover' moves %s into the capture\n",
		        command, file, info.merged_frames,
		        info.merged_frames == 1 ? " comes" : "s come",
		        info.merged_frames == 1 ? "it" : "them");
	if (info.not_merged[0] != '\0') {
		fprintf(stderr, "%s: %s: note: ", command, file);
		syc_printable_write(stderr, info.not_merged, false);
		putc('\n', stderr);
	}
}

bool syc_cli_error_warn_unread(const char *command, const char *file,
                               const struct syscap_reader *reader)
{
	struct syscap_file_info info;

	syscap_reader_info(reader, &info);
	if (info.merged_bad != 0)
		fprintf(stderr,
		        "%s: %s: %" PRIu64
		        " part%s of the ring file cannot be read\n",
		        command, file, info.merged_bad,
		        syc_plural(info.merged_bad));
	return info.merged_bad != 0;
}

void syc_cli_error_no_memory(const char *command)
{
	fprintf(stderr, "%s: out of memory\n", command);
}

bool syc_cli_error_finish_file(FILE *file, const char **ret_why)
{
	static const char more[4096];

	errno = 0;
	if (fflush(file) == 0 && !ferror(file))
		return true;
	/*
	 * Find the reason by writing again: the first write may only fill up a
	 * page.
	 */
	for (int i = 0; errno == 0 && i < 2; i++)
		if (write(fileno(file), more, sizeof(more)) == 0)
			break;
	*ret_why = errno != 0 ? strerror(errno) : "the file cannot be written";
	return false;
}

int syc_cli_error_finish_output(const char *command, int status)
{
	const char *why;

	if (syc_cli_error_finish_file(stdout, &why))
		return status;
	fprintf(stderr, "%s: cannot write the output: %s\n", command, why);
	return SYC_EXIT_PROBLEM;
}

int syc_cli_error_misuse(const char *command)
{
	fprintf(stderr, "Try '%s --help'.\n", command);
	return SYC_EXIT_MISUSE;
}
