/* SPDX-License-Identifier: BSD-2-Clause */
/* own_process.c - the recorded process itself: /proc/PID/stat. */
#include "collect/own_process.h"

#include <string.h>

#include "collect/lines.h"
#include "collect/path.h"

bool syc_own_process_read(struct syc_kept_file *file,
                          struct syc_reading *reading,
                          struct syc_own_process *ret_process)
{
	char path[SYC_PATH_MAX];
	const char *at;

	if (reading->options->pid <= 0 ||
	    !syc_path_make(path, (const char *[]){ "/proc/",
	                                           reading->options->process,
	                                           "/stat", NULL }))
		return false;
	at = syc_reading_file(reading, file, path);
	/* The name may hold anything, a ')' as well */
	at = at != NULL ? strrchr(at, ')') : NULL;
	if (at == NULL || at[1] != ' ' || at[2] == 'Z' || at[2] == 'X')
		return false;
	/* Fields 10, 12, 20 and 24; the state is 3 */
	at = syc_lines_take(syc_lines_skip(at + 1, 7),
	                    &ret_process->minor_faults);
	at = syc_lines_take(syc_lines_skip(at, 1), &ret_process->major_faults);
	at = syc_lines_take(syc_lines_skip(at, 7), &ret_process->threads);
	return syc_lines_take(syc_lines_skip(at, 3), &ret_process->resident) !=
	       NULL;
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
