/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * psi.c - how much of the time threads could not go on for want of a
 * processor, memory or a disk.
 *
 * Percent of the time between two readings, from the kernel's microseconds:
 * its own averages are over 10 seconds and more.
 */
#include <string.h>

#include "collect/lines.h"
#include "collect/source.h"

static const struct {
	const char *path, *key, *name, *description;
} lines[] = {
	{ "/proc/pressure/cpu", "some ", "CPU (some)",
	  "Some thread waited for a processor, %" },
	{ "/proc/pressure/memory", "some ", "Memory (some)",
	  "Some thread waited for memory, %" },
	{ "/proc/pressure/memory", "full ", "Memory (full)",
	  "All threads waited for memory, %" },
	{ "/proc/pressure/io", "some ", "IO (some)",
	  "Some thread waited for a disk, %" },
	{ "/proc/pressure/io", "full ", "IO (full)",
	  "All threads waited for a disk, %" },
};
#define N_LINES (sizeof(lines) / sizeof(lines[0]))

struct psi {
	struct syc_kept_file files[N_LINES];
	uint32_t ids[N_LINES];
	int64_t totals[N_LINES]; /* us */
	int64_t times[N_LINES];  /* when, ns; 0: not yet */
};

/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=123" */
static bool find_total(const char *text, const char *key, int64_t *ret_total)
{
	while (text != NULL && strncmp(text, key, strlen(key)) != 0)
		text = syc_lines_next(text);
	text = text != NULL ? strstr(text, "total=") : NULL;
	return text != NULL && syc_lines_number(text, "total=", ret_total);
}

static void take_total(struct psi *psi, struct syc_reading *reading, unsigned i,
                       int64_t total)
{
	if (psi->ids[i] == 0)
		psi->ids[i] = syc_reading_define(
			reading, &(struct syc_reading_counter){
					 .type = SYC_READING_DOUBLE,
					 .category = "Pressure",
					 .name = lines[i].name,
					 .description = lines[i].description,
				 });
	if (psi->times[i] != 0 && reading->now > psi->times[i])
		syc_reading_set_double(
			reading, psi->ids[i],
			100e3 * (double)(total - psi->totals[i]) /
				(double)(reading->now - psi->times[i]));
	psi->totals[i] = total;
	psi->times[i] = reading->now;
}

/* One file has two lines: what was read for the first does for both. */
static void read_psi(void *state, struct syc_reading *reading)
{
	struct psi *const psi = state;
	const char *text = NULL;
	int64_t total;

	for (unsigned i = 0; i < N_LINES; i++) {
		if (i == 0 || strcmp(lines[i].path, lines[i - 1].path) != 0)
			text = syc_reading_file(reading, &psi->files[i],
			                        lines[i].path);
		if (find_total(text, lines[i].key, &total))
			take_total(psi, reading, i, total);
	}
}

static void fini_psi(void *state)
{
	struct psi *const psi = state;

	for (unsigned i = 0; i < N_LINES; i++)
		syc_kept_file_close(&psi->files[i]);
}

const struct syc_counter_source syc_source_psi = {
	.size = sizeof(struct psi),
	.read = read_psi,
	.fini = fini_psi,
};
