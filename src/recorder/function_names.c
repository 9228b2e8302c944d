/* SPDX-License-Identifier: BSD-2-Clause */
/* function_names.c - function names of a recording's stacks, added at its end. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "capture/embedded.h"
#include "capture/line_table.h"
#include "common/load.h"
#include "common/now.h"
#include "recorder/recording.h"
#include "symbols/lines.h"
#include "symbols/resolver.h"
#include "symbols/symbol_table.h"

/* Work that takes less time shows no progress. */
#define SHOW_AFTER INT64_C(1000000000)

struct progress {
	struct syc_console *console;
	int64_t began;
};

static void show_progress_of_names(void *data, uint64_t done, uint64_t all)
{
	const struct progress *progress = data;
	const int64_t now = syc_now();

	if (now - progress->began >= SHOW_AFTER)
		syc_console_naming(progress->console, now, done, all);
}

static void show_download(void *data, uint64_t done, uint64_t all)
{
	const struct syc_naming_options *naming = data;

	syc_console_downloading(naming->console, syc_now(), done, all);
}

/* Return whether the file that the writer began is still at its path. */
static bool is_same(const struct stat *a, const struct stat *b)
{
	return S_ISREG(b->st_mode) && a->st_dev == b->st_dev &&
	       a->st_ino == b->st_ino;
}

/*
 * Add the mapped files.  Samples find a file by its build-id, or else by its
 * path and process.
 */
static int add_files(struct syc_symbols *symbols,
                     const struct syc_mapped_files *files)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < files->files.n; i++) {
		const struct syc_symbols_file file = {
			.fd = syc_mapped_files_fd(files, i),
			.pid = -1,
		};

		if (file.fd >= 0)
			r = syc_symbols_add_file(symbols, &file);
	}
	for (size_t i = 0; r == 0 && i < files->uses.n; i++) {
		const struct syc_mapped_use *use = &files->uses.items[i];
		const struct syc_symbols_file file = {
			.fd = syc_mapped_files_fd(files, use->file),
			.pid = use->pid,
			.path = use->path,
		};

		r = syc_symbols_add_file(symbols, &file);
	}
	return r;
}

static void report_lines(void *data, const char *path, const char *why)
{
	const struct syc_naming_options *naming = data;

	syc_console_print(naming->console, "%s: %s", path, why);
}

static int find_names(const struct syc_naming_options *naming,
                      struct syc_symbols *symbols,
                      struct syc_symbol_table **ret_table,
                      struct syc_line_bytes *ret_lines)
{
	const struct syc_line_listener listener = { report_lines,
		                                    syc_unconst(naming) };
	struct progress progress = { naming->console, syc_now() };
	const struct syc_symbol_table_options options = {
		.extend = true,
		.progress = show_progress_of_names,
		.data = &progress,
	};
	struct syscap_reader *reader;
	struct syscap_error error;
	int r;

	r = syscap_reader_open(naming->output, &reader, &error);
	if (r != 0)
		return r;
	r = syc_code_names_scan(naming->code, reader);
	if (r == 0)
		r = syc_code_names_settle(naming->code);
	if (r == 0)
		r = syc_symbols_learn(symbols, reader);
	if (r == 0)
		r = syc_symbol_table_make(symbols, reader, &options, ret_table);
	if (r == 0 && naming->has_lines)
		r = syc_line_places_make(syc_symbols_places(symbols), reader,
		                         &listener, ret_lines);
	syscap_reader_close(reader);
	return r;
}

/* Replace addresses that no table can name by JIT names, which are exact. */
static int patch_samples(const struct syc_naming_options *naming,
                         const struct syc_symbol_table *table)
{
	const struct syc_symbol_patch *patches;
	struct stat st;
	size_t n;
	int fd, r = 0;

	patches = syc_symbol_table_patches(table, &n);
	if (n == 0)
		return 0;
	/* Flush first, so that each address in a stack always has its name. */
	r = syc_writer_flush(naming->writer);
	if (r != 0)
		return r;
	fd = open(naming->output, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return -errno;
	if (fstat(fd, &st) != 0 || !is_same(&naming->began, &st))
		r = -ESTALE;
	for (size_t i = 0; r == 0 && i < n; i++) {
		unsigned char word[8];
		ssize_t written;

		syc_store_u64(word, patches[i].address);
		written = pwrite(fd, word, sizeof(word),
		                 (off_t)patches[i].offset);
		if (written != (ssize_t)sizeof(word))
			r = written < 0 ? -errno : -EIO;
	}
	close(fd);
	return r;
}

static void write_names(const struct syc_naming_options *naming,
                        const struct syc_symbol_table *table,
                        const struct syc_line_bytes *lines)
{
	int r;

	if (lines->bytes != NULL)
		syc_embedded_write(naming->writer, SYC_LINE_TABLE_PATH,
		                   lines->bytes, lines->size, naming->end);
	syc_symbol_table_write(table, naming->writer, naming->end);
	r = patch_samples(naming, table);
	if (r != 0)
		syc_console_print(naming->console,
		                  "%s: some addresses may have wrong names: %s",
		                  naming->output, strerror(-r));
}

static void note_most(void *data, const struct syc_symbols_use *use)
{
	struct syc_names_found *const found = data;
	const char *const slash = strrchr(use->path, '/');

	if (syc_symbols_is_memory(use)) {
		found->unmapped += use->n_unnamed_in_stacks;
		return;
	}
	if (use->n_unnamed_in_stacks <= found->of_most)
		return;
	found->of_most = use->n_unnamed_in_stacks;
	snprintf(found->most, sizeof(found->most), "%s",
	         slash != NULL ? slash + 1 : use->path);
}

void syc_naming_write(const struct syc_naming_options *naming,
                      struct syc_names_found *ret_found)
{
	const struct syc_symbols_options options = {
		.is_live = true,
		.code = syc_code_names_symbol,
		.code_data = naming->code,
		.debuginfod = { naming->download_ns, show_download,
		                syc_unconst(naming) },
		.has_lines = naming->has_lines,
	};
	struct syc_symbol_table_totals totals;
	struct syc_symbol_table *table = NULL;
	struct syc_line_bytes lines = { 0 };
	struct syc_symbols *symbols = NULL;
	struct stat st;
	int r;

	r = syc_writer_flush(naming->writer);
	if (r != 0) /* the failure was printed already */
		return;
	if (stat(naming->output, &st) != 0 || !is_same(&naming->began, &st)) {
		syc_console_print(
			naming->console,
			"%s: added no names: the capture is not readable; "
			"write to a regular file",
			naming->output);
		return;
	}
	r = syc_symbols_new(&options, &symbols);
	if (r == 0) /* the vDSO's functions may lack names */
		syc_symbols_add_vdso(symbols);
	if (r == 0)
		r = add_files(symbols, naming->files);
	if (r == 0)
		r = find_names(naming, symbols, &table, &lines);
	if (r == 0) {
		syc_symbol_table_totals(table, &totals);
		ret_found->addresses = totals.addresses;
		ret_found->named = totals.named;
		ret_found->unmapped = totals.unmapped;
		syc_symbols_each_use(symbols, note_most, ret_found);
		write_names(naming, table, &lines);
	} else {
		syc_console_print(naming->console, "%s: added no names: %s",
		                  naming->output, strerror(-r));
	}
	if (symbols != NULL && syc_symbols_downloads_ended(symbols) != NULL)
		syc_console_print(naming->console,
		                  "downloads of debug files ended: %s",
		                  syc_symbols_downloads_ended(symbols));
	if (naming->files->not_kept > 0)
		syc_console_print(
			naming->console,
			"could not keep %u mapped files open; if these files "
			"are deleted, their functions lack names",
			naming->files->not_kept);
	syc_symbol_table_free(table);
	free(lines.bytes);
	syc_symbols_free(symbols);
}
