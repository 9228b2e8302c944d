/* SPDX-License-Identifier: BSD-2-Clause */
/* formats.c - the table of export formats. */
#include "export/export.h"

/* Contents of a format. */
#define SAMPLES     SYSCAP_PROFILE_SAMPLES
#define MARKS       SYSCAP_PROFILE_MARKS
#define ALLOCATIONS SYSCAP_PROFILE_ALLOCATIONS
#define COUNTERS    SYSCAP_PROFILE_COUNTERS
#define LOGS        SYSCAP_PROFILE_LOGS
#define ALL         SYSCAP_PROFILE_BUT_VALUES

const struct syc_export_format syc_export_formats[] = {
	{ "perfetto", NULL, syc_export_perfetto, ALL, true, false, true, true },
	{ "chrome", NULL, syc_export_chrome, ALL, false, false, true, true },
	{ "firefox", NULL, syc_export_firefox, ALL, false, false, true, true },
	{ "folded", NULL, syc_export_folded, SAMPLES, false, true, false,
	  false },
	{ "speedscope", NULL, syc_export_speedscope, SAMPLES | MARKS, false,
	  false, false, true },
	{ "pprof", NULL, syc_export_pprof, SAMPLES, true, false, false, true },
	{ "callgrind", NULL, syc_export_callgrind, SAMPLES, false, true, false,
	  true },
	{ "csv", "functions", syc_export_csv_functions, SAMPLES, false, true,
	  false, false },
	{ "csv", "samples", syc_export_csv_samples, SAMPLES, false, false,
	  false, true },
	{ "csv", "marks", syc_export_csv_marks, SYSCAP_PROFILE_THREADS, false,
	  false, false, false },
	{ "csv", "counters", syc_export_csv_counters, COUNTERS, false, false,
	  false, false },
	{ "csv", "logs", syc_export_csv_logs, LOGS, false, false, false,
	  false },
	{ "csv", "allocations", syc_export_csv_allocations, ALLOCATIONS, false,
	  false, false, false },
	{ "csv", "losses", syc_export_csv_losses, SAMPLES, false, false, true,
	  false },
	{ 0 },
};
