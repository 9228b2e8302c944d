/* SPDX-License-Identifier: BSD-2-Clause */
/* memory.c - memory of the machine, and of the recorded process. */
#include <string.h>
#include <unistd.h>

#include "collect/reading.h"

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
	/* The process' name may have any character, even ')' */
	at = at != NULL ? strrchr(at, ')') : NULL;
	if (at == NULL || at[1] != ' ' || at[2] == 'Z' || at[2] == 'X')
		return false;
	/* Read the fields 10, 12, 20 and 24; the state is field 3 */
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

#define KIB INT64_C(1024)

struct memory {
	struct syc_kept_file info, process;
	uint32_t used_id, cached_id, swap_id;
	uint32_t resident_id, minor_id, major_id;
};

static uint32_t define_system(struct syc_reading *reading, const char *name,
                              const char *description)
{
	return syc_reading_define(
		reading,
		&(struct syc_reading_counter){ .type = SYC_READING_DOUBLE,
	                                       .category = "Memory",
	                                       .name = name,
	                                       .description = description });
}

static void read_system_memory(struct memory *memory,
                               struct syc_reading *reading)
{
	int64_t total, available, cached, swap, swap_free;
	const char *const text =
		syc_reading_file(reading, &memory->info, "/proc/meminfo");

	if (syc_lines_number(text, "MemTotal:", &total) &&
	    syc_lines_number(text, "MemAvailable:", &available)) {
		if (memory->used_id == 0)
			memory->used_id = define_system(
				reading, "Used", "Memory used by system");
		syc_reading_set_double(reading, memory->used_id,
		                       (double)((total - available) * KIB));
	}
	if (syc_lines_number(text, "Cached:", &cached)) {
		if (memory->cached_id == 0)
			memory->cached_id = define_system(reading, "Cached",
			                                  "Page cache, bytes");
		syc_reading_set_double(reading, memory->cached_id,
		                       (double)(cached * KIB));
	}
	if (syc_lines_number(text, "SwapTotal:", &swap) && swap > 0 &&
	    syc_lines_number(text, "SwapFree:", &swap_free)) {
		if (memory->swap_id == 0)
			memory->swap_id = define_system(reading, "Swapped",
			                                "Swap used, bytes");
		syc_reading_set_double(reading, memory->swap_id,
		                       (double)((swap - swap_free) * KIB));
	}
}

static void read_process(struct memory *memory, struct syc_reading *reading)
{
	struct syc_own_process process;

	if (!syc_own_process_read(&memory->process, reading, &process))
		return;
	if (memory->resident_id == 0) {
		memory->resident_id = syc_own_process_define(
			reading, "Resident", "Memory of the process, bytes");
		memory->minor_id = syc_own_process_define(
			reading, "Minor Faults", "Page faults, up to now");
		memory->major_id = syc_own_process_define(
			reading, "Major Faults",
			"Page faults that read, up to now");
	}
	syc_reading_set_process(reading, memory->resident_id,
	                        process.resident * sysconf(_SC_PAGESIZE));
	syc_reading_set_process(reading, memory->minor_id,
	                        process.minor_faults);
	syc_reading_set_process(reading, memory->major_id,
	                        process.major_faults);
}

static void read_memory(void *state, struct syc_reading *reading)
{
	read_system_memory(state, reading);
	read_process(state, reading);
}

static void fini_memory(void *state)
{
	struct memory *const memory = state;

	syc_kept_file_close(&memory->info);
	syc_kept_file_close(&memory->process);
}

const struct syc_counter_source syc_source_memory = {
	.size = sizeof(struct memory),
	.read = read_memory,
	.fini = fini_memory,
};
