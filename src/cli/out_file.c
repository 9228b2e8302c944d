/* SPDX-License-Identifier: BSD-2-Clause */
/* out_file.c - where commands write to that make a file. */
#include "cli/out_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include <syscap/capture.h>

#include "capture/in_use.h"
#include "cli/exit_status.h"
#include "cli/fault.h"

/* What is made from captures is small and can be made again; they can't. */
static bool is_capture(const char *name)
{
	struct syscap_reader *reader;

	if (syscap_reader_open(name, &reader, NULL) < 0)
		return false;
	syscap_reader_close(reader);
	return true;
}

bool syc_out_file_refuse_capture(const char *command, const char *name)
{
	struct syscap_error error;

	if (syc_in_use_check(name, &error) != 0) {
		syc_fault_print(command, name, &error);
		return true;
	}
	if (!is_capture(name))
		return false;
	fprintf(stderr, "%s: %s: is a capture, which would be lost\n", command,
	        name);
	return true;
}

const char *syc_out_file_stdout(const char *command)
{
	const int flags = fcntl(STDOUT_FILENO, F_GETFL);

	if (isatty(STDOUT_FILENO) == 1) {
		fprintf(stderr,
		        "%s: a capture is not for a terminal: name a file with "
		        "-o\n",
		        command);
		return NULL;
	}
	/* Main has put something that cannot be written where one is closed;
	 * its path could be opened again, and swallow all. */
	if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) {
		fprintf(stderr, "%s: cannot write the output: %s\n", command,
		        strerror(EBADF));
		return NULL;
	}
	return "/dev/stdout";
}

bool syc_out_file_open(struct syc_out_file *output, bool is_binary)
{
	/* A file that may not grow is an error, not our end */
	signal(SIGXFSZ, SIG_IGN);
	if (output->name != NULL && strcmp(output->name, "-") != 0) {
		if (syc_out_file_refuse_capture(output->command, output->name))
			return false;
		output->file = fopen(output->name, "we");
		if (output->file == NULL)
			fprintf(stderr, "%s: %s: %s\n", output->command,
			        output->name, strerror(errno));
		return output->file != NULL;
	}
	if (is_binary && isatty(STDOUT_FILENO) == 1) {
		fprintf(stderr,
		        "%s: this is not for a terminal: name a file with -o\n",
		        output->command);
		return false;
	}
	output->file = stdout;
	return true;
}

int syc_out_file_close(struct syc_out_file *output, int status)
{
	const char *why;
	bool is_whole;

	if (output->file == stdout)
		return syc_fault_finish_output(output->command, status);
	is_whole = syc_fault_finish_file(output->file, &why);
	if (fclose(output->file) != 0 && is_whole) {
		why = strerror(errno);
		is_whole = false;
	}
	if (is_whole)
		return status;
	fprintf(stderr, "%s: %s: %s\n", output->command, output->name, why);
	return SYC_EXIT_PROBLEM;
}
