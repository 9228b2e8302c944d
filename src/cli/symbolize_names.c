/* SPDX-License-Identifier: BSD-2-Clause */
/* symbolize_names.c - names for the addresses of a capture. */
#define _GNU_SOURCE
#include "cli/symbolize_names.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "code/code_files.h"

static void print_progress(void *data, uint64_t done, uint64_t all)
{
	struct syc_symbolize_job *job = data;

	if (syc_progress_is_due(&job->progress))
		syc_progress_print(&job->progress, "finding names %3.0f %%",
		                   100.0 * (double)done / (double)all);
}

static void tell_code(void *data, const char *text)
{
	syc_symbolize_job_note(data, "%s", text);
}

static int read_code(struct syc_symbolize_job *job)
{
	const struct syc_code_files_options options = {
		.tell = tell_code,
		.data = job,
	};
	struct syc_code_files_totals totals;
	int r = syc_code_names_new(&job->code);

	syscap_reader_rewind(job->reader);
	if (r == 0)
		r = syc_code_names_scan(job->code, job->reader);
	syscap_reader_rewind(job->reader);
	/* Those of another machine say nothing about this capture. */
	if (r == 0 && job->options->root == NULL)
		r = syc_code_files_read(job->code, job->reader, &options,
		                        &totals);
	return r == 0 ? syc_code_names_settle(job->code) : r;
}

static void tell_lines(void *data, const char *path, const char *why)
{
	syc_symbolize_job_note(data, "%s: %s", path, why);
}

static int find_lines(struct syc_symbolize_job *job)
{
	const struct syc_line_listener listener = { tell_lines, job };

	return syc_line_places_make(syc_symbols_places(job->symbols),
	                            job->reader, &listener, &job->lines);
}

static int make_tables(struct syc_symbolize_job *job)
{
	const struct syc_symbolize_options *options = job->options;
	const struct syc_symbol_table_options table_options = {
		.extend = true,
		.progress = print_progress,
		.data = job,
	};
	struct syc_symbols_options symbols_options = {
		.root = options->root,
		.debug_dirs = options->debug_dirs,
		.n_debug_dirs = options->n_debug_dirs,
		.is_live = options->root == NULL,
		.code = syc_code_names_symbol,
		.has_lines = options->lines,
	};
	int r = read_code(job);

	if (r < 0)
		return r;
	symbols_options.code_data = job->code;
	/* Asked for nothing, it would only make every answer slower. */
	if (!syc_code_names_any(job->code))
		symbols_options.code = NULL;
	r = syc_symbols_new(&symbols_options, &job->symbols);
	if (r == 0)
		r = syc_symbols_learn(job->symbols, job->reader);
	if (r == 0)
		r = syc_symbol_table_make(job->symbols, job->reader,
		                          &table_options, &job->table);
	if (r == 0 && options->lines)
		r = find_lines(job);
	return r;
}

static void tell_file(void *data, const struct syc_symbols_use *use)
{
	struct syc_symbolize_job *job = data;
	const char *noun = use->n_asked == 1 ? "address" : "addresses";

	if (use->state == SYC_SYMBOLS_MISSING)
		syc_symbolize_job_note(job,
		                       "%s: it is not here: %" PRIu64 " %s",
		                       use->path, use->n_asked, noun);
	else if (use->state == SYC_SYMBOLS_UNNAMED)
		syc_symbolize_job_note(
			job, "%s: it has no symbols%s%s: %" PRIu64 " %s",
			use->path, use->why[0] ? ": " : "", use->why,
			use->n_asked, noun);
	else if (use->state != SYC_SYMBOLS_USED)
		syc_symbolize_job_note(job, "%s: not used: %s: %" PRIu64 " %s",
		                       use->path, use->why, use->n_asked, noun);
	else if (use->n_named < use->n_asked && use->why[0] != 0)
		syc_symbolize_job_note(job, "%s: %s", use->path, use->why);
}

bool syc_symbolize_names_find(struct syc_symbolize_job *job)
{
	const char *file = job->options->file;
	int r;

	if ((job->had_table || job->had_lines) &&
	    job->header.last_frame_index != 0) {
		syc_symbolize_job_refuse(
			job, file, -EINVAL,
			"it has an index with offsets of its frames: run "
			"'syscap cat' first");
		return false;
	}
	r = make_tables(job);
	if (r < 0) {
		syc_symbolize_job_refuse(
			job, file, r,
			r == -EFBIG ? "more names than a table can hold"
				    : strerror(-r));
		return false;
	}
	syc_symbols_each_use(job->symbols, tell_file, job);
	if (syc_symbols_lacks_demangler(job->symbols))
		syc_symbolize_job_note(
			job, "libstdc++.so.6 is not here: names of C++ stay "
			     "mangled");
	return true;
}

void syc_symbolize_names_tell_totals(const struct syc_symbolize_job *job)
{
	struct syc_symbol_table_totals totals;

	syc_symbol_table_totals(job->table, &totals);
	if (totals.addresses == 0) {
		printf("%s: no addresses of code in its stacks\n",
		       job->options->file);
		return;
	}
	printf("%s: %" PRIu64 " of %" PRIu64 " addresses in stacks have names "
	       "(%.1f %%), of %" PRIu64 " functions\n",
	       job->options->file, totals.named, totals.addresses,
	       100.0 * (double)totals.named / (double)totals.addresses,
	       totals.records - totals.kept);
	if (totals.kept > 0)
		printf("%s: %" PRIu64 " names that it had are kept\n",
		       job->options->file, totals.kept);
	if (job->options->lines)
		printf("%s: %" PRIu64 " of %" PRIu64 " places have source "
		       "lines, %" PRIu64 " of them in inlined functions\n",
		       job->options->file, job->lines.totals.with_line,
		       job->lines.totals.places, job->lines.totals.inlined);
}
