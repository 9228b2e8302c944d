/* SPDX-License-Identifier: BSD-2-Clause */
/* embed.c - files that tell of the machine, as they are while it records. */
#include "collect/embed.h"

#include <stdio.h>
#include <string.h>

#include "capture/embedded.h"
#include "collect/kept_file.h"

#define MOST ((size_t)1 << 20) /* of a file */

static void embed_as(const struct syc_counters_options *options,
                     const char *from, const char *path, int64_t now)
{
	struct syc_kept_file file = { 0 };

	if (syc_kept_file_read(&file, options->root, from)) {
		const size_t size = strlen(file.text);

		if (size > 0 && size <= MOST)
			syc_embedded_write(options->writer, path, file.text,
			                   size, now);
	}
	syc_kept_file_close(&file);
}

void syc_embed_machine(const struct syc_counters_options *options, int64_t now)
{
	char path[48];

	embed_as(options, "/proc/cpuinfo", "/proc/cpuinfo", now);
	embed_as(options, "/proc/mounts", "/proc/mounts", now);
	embed_as(options, "/etc/os-release", "/etc/os-release", now);
	if (options->pid > 0) {
		snprintf(path, sizeof(path), "/proc/%d/mountinfo",
		         options->pid);
		embed_as(options, path, path, now);
	}
}
