/* SPDX-License-Identifier: BSD-2-Clause */
/* embed.c - files that tell of the machine, as they are while it records. */
#include "collect/embed.h"

#include <string.h>

#include "base/file_chunks.h"
#include "collect/path.h"

/* Several fit into the smallest ring of a process that records itself. */
#define CHUNK 8192u

static void embed_as(struct syc_reading *reading, const char *from,
                     const char *path, int64_t now)
{
	_Alignas(8) unsigned char buffer[CHUNK];
	const struct syc_file_chunks chunks = {
		.path = path,
		.time = now,
		.buffer = buffer,
		.size = sizeof(buffer),
		.emit = reading->options->emit,
		.context = reading->options->context,
	};
	struct syc_kept_file file = { 0 };
	const char *const text = syc_reading_file(reading, &file, from);

	if (text != NULL && *text != '\0')
		syc_file_chunks_emit(&chunks, text, strlen(text));
	syc_kept_file_close(&file);
}

void syc_embed_machine(struct syc_reading *reading, int64_t now)
{
	char from[SYC_PATH_MAX], path[SYC_PATH_MAX], pid[16];
	struct syc_text text = syc_text_begin(pid, sizeof(pid));

	embed_as(reading, "/proc/cpuinfo", "/proc/cpuinfo", now);
	embed_as(reading, "/proc/mounts", "/proc/mounts", now);
	embed_as(reading, "/etc/os-release", "/etc/os-release", now);
	if (reading->options->pid <= 0)
		return;
	syc_text_add_i64(&text, reading->options->pid);
	syc_path_make(path,
	              (const char *[]){ "/proc/", pid, "/mountinfo", NULL });
	syc_path_make(from,
	              (const char *[]){ "/proc/", reading->options->process,
	                                "/mountinfo", NULL });
	embed_as(reading, from, path, now);
}
