/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd_ps.c - `syscap ps`: processes that `syscap record -p` or `syscap snapshot`
 * can record. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/error.h"
#include "cli/table.h"
#include "common/now.h"
#include "recorder/recorder.h"

static const struct syc_table_column columns[] = {
	{ "pid", true },
	{ "runs for", true },
	{ "recorded", false },
	{ "command", false },
};

static void add_process(void *context, const struct syc_attachable *process)
{
	struct syc_table *const table = context;
	const int64_t age = syc_now_of(CLOCK_BOOTTIME) - process->began;
	const long minutes = (long)(age / INT64_C(60000000000));

	syc_table_add(table, "%d", process->pid);
	if (minutes >= 2 * 24 * 60)
		syc_table_add(table, "%ld d", minutes / (24 * 60));
	else if (minutes >= 120)
		syc_table_add(table, "%ld h", minutes / 60);
	else if (minutes >= 2)
		syc_table_add(table, "%ld min", minutes);
	else
		syc_table_add(table, "%ld s",
		              (long)(age / INT64_C(1000000000)));
	syc_table_add(table, "%s",
	              process->is_flight     ? "flight"
	              : process->is_recorded ? "yes"
	                                     : "no");
	syc_table_add_text(table, process->cmdline);
}

static int run_ps(int argc, char **argv)
{
	struct syc_words words = { .command = &syc_cmd_ps,
		                   .argc = argc,
		                   .argv = argv };
	struct syc_table table;

	while (syc_options_next(&words) > 0)
		;
	if (words.status >= 0)
		return words.status;
	if (optind != argc) {
		fprintf(stderr, "%s: expected no operand\n", argv[0]);
		return syc_cli_error_misuse(argv[0]);
	}
	syc_table_init(&table, columns, sizeof(columns) / sizeof(columns[0]));
	const int r = syc_attach_list(add_process, &table);
	if (r != 0) {
		fprintf(stderr, "%s: /proc: %s\n", argv[0], strerror(-r));
		syc_table_fini(&table);
		return SYC_EXIT_PROBLEM;
	}
	const size_t n = table.cells.n / table.n_columns;
	if (n == 0) {
		syc_table_fini(&table);
		fprintf(stderr,
		        "%s: no process of this user accepts a recorder: "
		        "start programs with SYSCAP_ATTACH=1\n",
		        argv[0]);
		return SYC_EXIT_DONE;
	}
	if (syc_table_finish(&table, n, n) != 0) {
		syc_cli_error_no_memory(argv[0]);
		return SYC_EXIT_PROBLEM;
	}
	return syc_cli_error_finish_output(argv[0], SYC_EXIT_DONE);
}

const struct syc_command syc_cmd_ps = {
	.name = "ps",
	.run = run_ps,
	.summary = "list running processes to record",
	.synopsis = "",
	.about = "List the processes of this user that 'syscap record -p PID' "
		 "can record.  These programs use syscap's library, and were "
		 "started with SYSCAP_ATTACH=1 or call "
		 "syscap_allow_attach().  Programs in flight mode, for "
		 "'syscap snapshot', are listed, too.",
	.example = "syscap ps",
	.status = "0 on success; 1 if /proc is unreadable; 2 for wrong use.",
	.options = (const struct syc_option[]){ { 0 } },
};
