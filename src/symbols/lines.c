/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lines.c - what of its source the addresses of one file are.
 *
 * A message to the child is an address.  Its answer is a count and, of each
 * frame, the line and two texts with their NULs; the first answer, to none, is
 * how reading the file went.
 */
#define _GNU_SOURCE
#include "symbols/lines.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "symbols/dwarf_library.h"
#include "symbols/limited_child.h"
#include "symbols/lines_dwarf.h"

#define ANSWER_MAX   (128u << 10)
#define MEMORY_MAX   (1ul << 30)
#define SECONDS_OPEN 30
#define SECONDS_FIND 5
#define SECONDS_ALL  60 /* of one file, by all of its children */
#define DEATHS_MAX   2u /* of one file's child: then it is given up */

struct syc_lines {
	struct syc_lines_file file;
	struct syc_limited_child child;
	unsigned deaths;
	struct syc_line_frame frames[SYC_LINE_FRAMES_MAX];
	char answer[ANSWER_MAX];
};

/* ------------------------------------------------------------ in the child */

static int open_in(const char *folder, int len, const char *inner)
{
	char *path;
	int fd;

	if (asprintf(&path, "%.*s%s", len, folder, inner) < 0)
		return -1;
	fd = syc_debug_files_open(path);
	free(path);
	return fd;
}

/* Beside the file, links followed; or absolute, here or below a folder. */
static int open_alternative(void *data, const char *name)
{
	const struct syc_lines *lines = data;
	const struct syc_paths *folders = &lines->file.debug_files->folders;
	char *real;
	int fd = -1;

	if (name[0] == '/')
		fd = syc_debug_files_open(name);
	for (size_t i = 0; name[0] == '/' && fd < 0 && i < folders->array.n;
	     i++)
		fd = open_in(folders->array.items[i],
		             (int)strlen(folders->array.items[i]), name);
	if (name[0] == '/' || lines->file.path == NULL)
		return fd;
	real = realpath(lines->file.path, NULL);
	if (real != NULL)
		fd = open_in(real, (int)(strrchr(real, '/') + 1 - real), name);
	free(real);
	return fd;
}

static bool append(char *answer, size_t *len, const void *bytes, size_t n)
{
	if (ANSWER_MAX - *len < n)
		return false;
	memcpy(answer + *len, bytes, n);
	*len += n;
	return true;
}

/* What does not fit is not known. */
static size_t compose(char *answer, const struct syc_dwarf_frame *frames,
                      size_t n_frames)
{
	uint32_t n = (uint32_t)n_frames;
	size_t len = 0;
	bool fits = append(answer, &len, &n, sizeof(n));

	for (size_t i = 0; fits && i < n; i++) {
		const struct syc_dwarf_frame *frame = &frames[i];
		const size_t folder = strlen(frame->folder);

		fits = append(answer, &len, &frame->line,
		              sizeof(frame->line)) &&
		       append(answer, &len, frame->function,
		              strlen(frame->function) + 1) &&
		       append(answer, &len, frame->folder, folder) &&
		       append(answer, &len, "/", folder > 0) &&
		       append(answer, &len, frame->file,
		              strlen(frame->file) + 1);
	}
	if (fits)
		return len;
	n = 0;
	memcpy(answer, &n, sizeof(n));
	return sizeof(n);
}

static void serve(void *data, int fd)
{
	struct syc_lines *lines = data;
	struct syc_dwarf_frame frames[SYC_LINE_FRAMES_MAX];
	struct syc_lines_dwarf *dwarf;
	uint64_t address;
	char is_open;

	syc_limited_child_give(SECONDS_OPEN);
	dwarf = syc_lines_dwarf_open(lines->file.fd, open_alternative, lines);
	/* What else the file names is not looked for. */
	syc_limited_child_close_files();
	is_open = dwarf != NULL;
	if (send(fd, &is_open, 1, MSG_NOSIGNAL) < 0 || dwarf == NULL)
		return;
	while (recv(fd, &address, sizeof(address), 0) ==
	       (ssize_t)sizeof(address)) {
		size_t n;

		syc_limited_child_give(SECONDS_FIND);
		n = syc_lines_dwarf_find(dwarf, address, frames,
		                         SYC_LINE_FRAMES_MAX);
		n = compose(lines->answer, frames, n);
		if (send(fd, lines->answer, n, MSG_NOSIGNAL) < 0)
			return;
	}
}

/* ------------------------------------------------------------------- ours */

static int start(struct syc_lines *lines)
{
	const double used = lines->child.seconds_used;

	if (used > SECONDS_ALL - 1)
		return -EIO;
	const struct syc_limited_child_work work = {
		.memory = MEMORY_MAX,
		.seconds = SECONDS_ALL - (unsigned)used,
		.serve = serve,
		.data = lines,
	};
	char is_open = 0;
	ssize_t n;

	if (!syc_limited_child_start(&lines->child, &work))
		return -EIO;
	n = syc_limited_child_ask(&lines->child, NULL, 0, &is_open, 1);
	if (n == 1 && is_open)
		return 0;
	syc_limited_child_stop(&lines->child);
	return n == 1 ? -ENOENT : -EIO;
}

int syc_lines_open(const struct syc_lines_file *file,
                   struct syc_lines **ret_lines)
{
	struct syc_lines *lines;
	int r;

	if (syc_dwarf_library_load() != NULL)
		return -ENOTSUP;
	lines = calloc(1, sizeof(*lines));
	if (lines == NULL)
		return -ENOMEM;
	lines->file = *file;
	r = start(lines);
	if (r < 0)
		free(lines);
	else
		*ret_lines = lines;
	return r;
}

static const char *take_text(const char **at, const char *end)
{
	const char *text = *at, *nul;

	nul = memchr(text, 0, (size_t)(end - text));
	if (nul == NULL)
		return NULL;
	*at = nul + 1;
	return text;
}

/* The child may be anybody's by now: it is read as a stranger's. */
static size_t take_frames(struct syc_lines *lines, size_t len)
{
	const char *at = lines->answer, *end = at + len;
	uint32_t n;

	if (len < sizeof(n))
		return 0;
	memcpy(&n, at, sizeof(n));
	at += sizeof(n);
	if (n > SYC_LINE_FRAMES_MAX)
		return 0;
	for (uint32_t i = 0; i < n; i++) {
		struct syc_line_frame *frame = &lines->frames[i];

		if ((size_t)(end - at) < sizeof(frame->line))
			return 0;
		memcpy(&frame->line, at, sizeof(frame->line));
		at += sizeof(frame->line);
		frame->function = take_text(&at, end);
		frame->file = frame->function ? take_text(&at, end) : NULL;
		if (frame->file == NULL)
			return 0;
	}
	return n;
}

int syc_lines_find(struct syc_lines *lines, uint64_t address,
                   const struct syc_line_frame **ret_frames, size_t *ret_n)
{
	ssize_t len;

	if (lines->child.pid == 0 &&
	    (lines->deaths >= DEATHS_MAX || start(lines) < 0)) {
		lines->deaths = DEATHS_MAX;
		return -EIO;
	}
	len = syc_limited_child_ask(&lines->child, &address, sizeof(address),
	                            lines->answer, sizeof(lines->answer));
	if (len <= 0) {
		syc_limited_child_stop(&lines->child);
		lines->deaths++;
		return 0;
	}
	*ret_n = take_frames(lines, (size_t)len);
	*ret_frames = lines->frames;
	return *ret_n > 0;
}

void syc_lines_close(struct syc_lines *lines)
{
	if (lines == NULL)
		return;
	syc_limited_child_stop(&lines->child);
	free(lines);
}
