/* SPDX-License-Identifier: BSD-2-Clause */
/* symbolize_input.c - the capture that names are for: opened, looked through. */
#define _GNU_SOURCE
#include "cli/symbolize_input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "capture/join_symbols.h"
#include "capture/line_table.h"

static bool read_header(struct syc_symbolize_job *job)
{
	const char *file = job->options->file;
	const int fd = open(file, O_RDONLY | O_CLOEXEC);
	bool is_good = false;

	if (fd < 0 || pread(fd, &job->header, sizeof(job->header), 0) !=
	                      (ssize_t)sizeof(job->header))
		syc_symbolize_job_refuse(job, file, -errno, strerror(errno));
	else
		is_good = true;
	if (fd >= 0)
		close(fd);
	return is_good;
}

static void note_table(struct syc_symbolize_job *job, const char *path)
{
	if (strcmp(path, SYC_JOIN_SYMBOLS_PATH) == 0)
		job->had_table = true;
	else if (strcmp(path, SYC_LINE_TABLE_PATH) == 0)
		job->had_lines = true;
}

/* See that every frame can be copied, and what is in it. */
static bool look_through(struct syc_symbolize_job *job)
{
	const char *file = job->options->file;
	struct syscap_error error;
	struct syscap_frame frame;
	int r;

	job->end = job->info.begin;
	while ((r = syscap_reader_next(job->reader, &frame, &error)) != 0) {
		if (r == -EBADMSG) {
			syc_symbolize_job_report(job, file, &error);
			syc_symbolize_job_note(
				job,
				"'syscap cat -o WHOLE %s' copies what is "
				"whole",
				file);
			return false;
		}
		if (frame.time > job->end)
			job->end = frame.time;
		if (r > 0 && frame.type == SYSCAP_FRAME_FILE_CHUNK)
			note_table(job, frame.file_chunk.path);
	}
	if (job->info.end > job->end)
		job->end = job->info.end;
	return true;
}

bool syc_symbolize_input_open(struct syc_symbolize_job *job)
{
	const char *file = job->options->file;
	struct syscap_error error;

	/* First: what changes from here on is seen to have changed */
	if (stat(file, &job->before) != 0) {
		syc_symbolize_job_refuse(job, file, -errno, strerror(errno));
		return false;
	}
	if (syscap_reader_open(file, &job->reader, &error) < 0) {
		syc_symbolize_job_report(job, file, &error);
		return false;
	}
	if (!read_header(job))
		return false;
	syscap_reader_info(job->reader, &job->info);
	if (job->info.merged_frames > 0 || job->info.not_merged[0] != 0) {
		syc_symbolize_job_refuse(
			job, file, -EINVAL,
			"its process was killed: run 'syscap recover' "
			"first");
		return false;
	}
	if (job->info.foreign_order) {
		syc_symbolize_job_refuse(
			job, file, -EINVAL,
			"it is big-endian: run 'syscap cat' first");
		return false;
	}
	return look_through(job);
}
