/* SPDX-License-Identifier: BSD-2-Clause */
/* symbolize_output.c - the file that a capture with names replaces: whole, or
 * not at all, also when we are told to end. */
#define _GNU_SOURCE
#include "cli/symbolize_output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/in_use.h"
#include "cli/fault.h"
#include "symbols/rewrite.h"

/* For the handler of signals that end us: what must not stay behind. */
static char temporary[PATH_MAX];

static void remove_temporary(int sig)
{
	unlink(temporary);
	/* As it would have been without us: the default is to end. */
	raise(sig);
}

static void catch_signals(void)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = {
		.sa_handler = remove_temporary,
		.sa_flags = (int)SA_RESETHAND,
	};
	struct sigaction old;

	for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
		if (sigaction(signals[i], NULL, &old) == 0 &&
		    old.sa_handler == SIG_DFL)
			sigaction(signals[i], &action, NULL);
}

void syc_symbolize_output_write(struct syc_symbolize_job *job)
{
	const struct syc_rewrite rewrite = {
		.reader = job->reader,
		.source = job->options->file,
		.target = job->target,
		.table = job->table,
		.lines = job->lines.bytes,
		.lines_size = job->lines.size,
		.end = job->end,
		.before = job->before,
	};
	struct syscap_error error;
	int fd;

	fd = syc_rewrite_begin(&rewrite, temporary, sizeof(temporary), &error);
	if (fd >= 0) {
		catch_signals();
		fd = syc_rewrite_finish(&rewrite, fd, temporary, &error);
	}
	if (fd < 0)
		syc_symbolize_job_report(job, job->shown, &error);
}

static void tell_of_copy(struct syc_symbolize_job *job)
{
	if (job->options->output == NULL)
		syc_symbolize_job_note(
			job, "with -o the names go into another file");
}

/* May the output be replaced? */
static bool check_output(struct syc_symbolize_job *job)
{
	const int fd = open(job->target, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct syscap_error error;
	unsigned char magic[4];
	struct stat st;
	bool is_good = true;

	if (fd < 0)
		return true; /* rename() will say what is wrong, if anything */
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode)) {
		syc_symbolize_job_refuse(job, job->shown, -EINVAL,
		                         "it is no file");
		is_good = false;
	} else if (syc_in_use_may_replace(job->target, job->options->force,
	                                  &error) != 0) {
		syc_symbolize_job_report(job, job->shown, &error);
		tell_of_copy(job);
		is_good = false;
	} else if (st.st_size > 0 && !job->options->force &&
	           (pread(fd, magic, 4, 0) != 4 ||
	            memcmp(magic, "\x5e\x97\xca\xfd", 4) != 0)) {
		syc_symbolize_job_refuse(job, job->shown, -EEXIST,
		                         "it exists and is not a capture");
		is_good = false;
	}
	close(fd);
	return is_good;
}

/* Replace what a link points to, not the link. */
bool syc_symbolize_output_choose(struct syc_symbolize_job *job)
{
	const char *output = job->options->output;

	if (output == NULL)
		output = job->options->file;
	job->shown = output;
	job->target = realpath(output, NULL);
	if (job->target == NULL)
		job->target = strdup(output);
	if (job->target == NULL)
		syc_fault_no_memory(job->options->command);
	return job->target != NULL && check_output(job);
}
