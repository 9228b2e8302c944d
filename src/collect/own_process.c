/* SPDX-License-Identifier: BSD-2-Clause */
/* own_process.c - the recorded process itself: /proc/PID/stat. */
#include "collect/own_process.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

bool syc_own_process_read(struct syc_kept_file *file,
                          const struct syc_reading *reading,
                          struct syc_own_process *ret_process)
{
	char path[48], state;
	const char *name_end;

	if (reading->options->pid <= 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/stat", reading->options->pid);
	if (!syc_kept_file_read(file, reading->options->root, path))
		return false;
	/* The name may hold anything, a ')' as well */
	name_end = strrchr(file->text, ')');
	if (name_end == NULL)
		return false;
	return sscanf(name_end + 1,
	              " %c %*d %*d %*d %*d %*d %*u %" SCNd64 " %*u %" SCNd64
	              " %*u %*u %*u %*d %*d %*d %*d %" SCNd64
	              " %*d %*u %*u %" SCNd64,
	              &state, &ret_process->minor_faults,
	              &ret_process->major_faults, &ret_process->threads,
	              &ret_process->resident) == 5 &&
	       state != 'Z' && state != 'X';
}

uint32_t syc_own_process_define(struct syc_reading *reading, const char *name,
                                const char *description)
{
	return syc_reading_define(
		reading,
		&(struct syc_reading_counter){ .of = SYC_READING_PROCESS,
	                                       .category = "Process",
	                                       .name = name,
	                                       .description = description });
}
