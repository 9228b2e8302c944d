/* SPDX-License-Identifier: BSD-2-Clause */
/* fault.c - how the commands complain on stderr. */
#include "cli/fault.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/exit_status.h"
#include "cli/printable.h"

void syc_fault_print(const char *command, const char *file,
                     const struct syscap_error *error)
{
	/* What is on stdout came first in the file. */
	fflush(stdout);
	fprintf(stderr, "%s: %s: ", command, file);
	if (error->code == EBADMSG || error->code == EILSEQ)
		fprintf(stderr, "at byte %" PRIu64 ": ", error->offset);
	/* It may tell a path that stands in the file */
	syc_printable_write(stderr, error->message, false);
	putc('\n', stderr);
}

void syc_fault_tell_merged(const char *command, const char *file,
                           const struct syscap_reader *reader)
{
	struct syscap_file_info info;

	syscap_reader_info(reader, &info);
	if (info.merged_frames != 0)
		fprintf(stderr,
		        "%s: %s: %" PRIu64 " frames come from the ring file of "
		        "a process that died; 'syscap recover' moves them into "
		        "the capture\n",
		        command, file, info.merged_frames);
	if (info.not_merged[0] != '\0') {
		fprintf(stderr, "%s: %s: note: ", command, file);
		syc_printable_write(stderr, info.not_merged, false);
		putc('\n', stderr);
	}
}

bool syc_fault_tell_unread(const char *command, const char *file,
                           const struct syscap_reader *reader)
{
	struct syscap_file_info info;

	syscap_reader_info(reader, &info);
	if (info.merged_bad != 0)
		fprintf(stderr,
		        "%s: %s: places in the ring file that can't be read: "
		        "%" PRIu64 "\n",
		        command, file, info.merged_bad);
	return info.merged_bad != 0;
}

void syc_fault_no_memory(const char *command)
{
	fprintf(stderr, "%s: out of memory\n", command);
}

bool syc_fault_finish_file(FILE *file, const char **ret_why)
{
	static const char more[4096];

	errno = 0;
	if (fflush(file) == 0 && !ferror(file))
		return true;
	/* What failed once fails again: the first may fill up a page. */
	for (int i = 0; errno == 0 && i < 2; i++)
		if (write(fileno(file), more, sizeof(more)) == 0)
			break;
	*ret_why = errno != 0 ? strerror(errno) : "it cannot be written";
	return false;
}

int syc_fault_finish_output(const char *command, int status)
{
	const char *why;

	if (syc_fault_finish_file(stdout, &why))
		return status;
	fprintf(stderr, "%s: cannot write the output: %s\n", command, why);
	return SYC_EXIT_PROBLEM;
}

int syc_fault_misuse(const char *command)
{
	fprintf(stderr, "Try '%s --help'.\n", command);
	return SYC_EXIT_MISUSE;
}
