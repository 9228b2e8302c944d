/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * write_metadata.c - facts about the capture: metadata, embedded files,
 * processes, threads, mappings.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/strings.h"
#include "report/writer.h"

#define MAX_FACTS 80

struct facts {
	const char *texts[MAX_FACTS];
	char numbers[MAX_FACTS][24];
	size_t n;
};

static void add_text(struct facts *facts, const char *key, const char *text)
{
	facts->texts[facts->n++] = key;
	facts->texts[facts->n++] = text;
}

static void add_number(struct facts *facts, const char *key, int64_t number)
{
	char *text = facts->numbers[facts->n];

	snprintf(text, sizeof(facts->numbers[0]), "%" PRId64, number);
	add_text(facts, key, text);
}

/*
 * A time of the page.  A time of the page may exceed half of the 64-bit range,
 * if a frame's time differs extremely from the other times.
 */
static void add_time(struct facts *facts, const char *key, uint64_t time)
{
	char *text = facts->numbers[facts->n];

	snprintf(text, sizeof(facts->numbers[0]), "%" PRIu64, time);
	add_text(facts, key, text);
}

static const char *title_of(const char *name)
{
	const char *slash = strrchr(name, '/');

	return strcmp(name, "-") == 0 ? "standard input"
	       : slash != NULL        ? slash + 1
	                              : name;
}

struct note {
	uint64_t process_pid, time, key, value;
};

struct about {
	struct syc_page *page;
	struct syc_texts shown;
	/* Notes; the value of a file is its size in bytes. */
	SYC_ARRAY(struct note) metadata, files;
	struct syc_map open; /* path and pid of an incomplete file */
	SYC_ARRAY(size_t) numbers;
};

static int add_metadata(struct about *about, const struct syscap_frame *frame)
{
	struct note note = { (uint32_t)frame->pid,
		             syc_page_time(about->page, frame->time), 0, 0 };
	const char *text = syc_texts_show(&about->shown, frame->metadata.id);

	if (text == NULL)
		return -ENOMEM;
	note.key = syc_page_text(about->page, text);
	text = syc_texts_show(&about->shown, frame->metadata.value);
	if (text == NULL)
		return -ENOMEM;
	note.value = syc_page_text(about->page, text);
	return syc_array_push(&about->metadata, note);
}

static int add_file(struct about *about, const struct syscap_frame *frame)
{
	char key[300];
	size_t number;
	const int n = snprintf(key, sizeof(key), "%d %s", frame->pid,
	                       frame->file_chunk.path);
	int r = syc_map_put(&about->open, key,
	                    n < (int)sizeof(key) ? (size_t)n : sizeof(key) - 1,
	                    &number);

	if (r > 0) {
		const char *path =
			syc_texts_show(&about->shown, frame->file_chunk.path);
		struct note note = { (uint32_t)frame->pid,
			             syc_page_time(about->page, frame->time), 0,
			             0 };

		if (path == NULL)
			return -ENOMEM;
		note.key = syc_page_text(about->page, path);
		r = syc_array_push(&about->files, note);
	}
	if (r == 0)
		about->files.items[number].value += frame->file_chunk.len;
	return r;
}

static int walk(struct about *about)
{
	struct syscap_reader *reader = about->page->report->reader;
	struct syscap_frame frame;
	int r;

	syscap_reader_rewind(reader);
	while ((r = syscap_reader_next(reader, &frame, NULL)) != 0) {
		if (r == -EILSEQ)
			continue;
		if (r < 0)
			return 0; /* the profile reported the error already */
		r = 0;
		if (frame.type == SYSCAP_FRAME_METADATA)
			r = add_metadata(about, &frame);
		else if (frame.type == SYSCAP_FRAME_FILE_CHUNK)
			r = add_file(about, &frame);
		if (r < 0)
			return r;
	}
	return 0;
}

static int write_notes(struct syc_page *page, const char *const *columns,
                       size_t n, const struct note *notes)
{
	/* A note is four cells, which are written unchanged. */
	static const uint64_t none[4];

	return syc_column_write_table(&page->pack, columns, 4, n,
	                              n > 0 ? &notes[0].process_pid : none);
}

static int write_notes_of_capture(struct syc_page *page)
{
	static const char *const metadata[] = { "metadata.pids",
		                                "metadata.times",
		                                "metadata.keys",
		                                "metadata.values" };
	static const char *const files[] = { "file.pids", "file.times",
		                             "file.paths", "file.sizes" };
	struct about about = { .page = page };
	int r = page->report->redact ? 0 : walk(&about);

	if (r == 0)
		r = write_notes(page, metadata, about.metadata.n,
		                about.metadata.items);
	if (r == 0)
		r = write_notes(page, files, about.files.n, about.files.items);
	syc_texts_fini(&about.shown);
	syc_map_fini(&about.open);
	free(about.metadata.items);
	free(about.files.items);
	free(about.numbers.items);
	return r;
}

#define MAX_UNSAMPLED 320

/* Describe what the samples of both captures miss, in MAX_UNSAMPLED bytes. */
static void describe_unsampled(const struct syc_page *page, char *text)
{
	struct syscap_profile_unsampled unsampled;
	char other[MAX_UNSAMPLED / 2 - 20] = "";
	size_t n;

	syscap_profile_unsampled(page->profile, &unsampled);
	syscap_profile_describe_unsampled(&unsampled, text, sizeof(other));
	if (page->report->other == NULL)
		return;
	syscap_profile_unsampled(page->report->other, &unsampled);
	syscap_profile_describe_unsampled(&unsampled, other, sizeof(other));
	n = strlen(text);
	if (other[0] != 0)
		snprintf(text + n, MAX_UNSAMPLED - n, "%sin the other: %s",
		         n > 0 ? "; " : "", other);
}

/* Describe why the captures cannot be compared, in MAX_UNSAMPLED bytes. */
static void describe_incomparable(const struct syc_page *page,
                                  const char *unsampled, char *text)
{
	const struct syc_report *report = page->report;
	struct syscap_profile_unsampled here, there;

	*text = 0;
	if (report->other == NULL)
		return;
	syscap_profile_unsampled(report->profile, &here);
	syscap_profile_unsampled(report->other, &there);
	if (page->view->total > 0 && report->other_view->total > 0 &&
	    page->view->unit != report->other_view->unit)
		snprintf(text, MAX_UNSAMPLED,
		         "this capture counts %s, the other %s",
		         syscap_view_unit_name(page->view->unit),
		         syscap_view_unit_name(report->other_view->unit));
	else if (here.is_misleading || there.is_misleading)
		snprintf(text, MAX_UNSAMPLED, "%s", unsampled);
}

/* Describe which allocations are recorded, if some are not recorded. */
static void describe_sampled(const struct syscap_profile_heap *heap, char *text,
                             size_t size)
{
	*text = 0;
	if (heap->sample_bytes > 0)
		snprintf(text, size,
		         "one recorded per %" PRIu64
		         " bytes, so sizes are estimates",
		         heap->sample_bytes);
}

static void add_moment(struct facts *facts,
                       const struct syc_page_moment *moment)
{
	if (moment->window[0] != '\0')
		add_text(facts, "window", moment->window);
	if (moment->headline[0] == '\0')
		return;
	add_text(facts, "moment", moment->headline);
	add_text(facts, "moment_label", moment->label);
	add_time(facts, "moment_time", moment->time);
	add_text(facts, "moment_stack", moment->stack);
}

static int write_facts(struct syc_page *page)
{
	const struct syc_report *report = page->report;
	struct syscap_profile_span span;
	struct syscap_file_info info;
	struct facts facts = { .n = 0 };
	char *filter = syc_page_without_homes(report->filter);
	const char *const incomplete = syscap_profile_incomplete(page->profile);
	char unsampled[MAX_UNSAMPLED], incomparable[MAX_UNSAMPLED];
	char early[200], sampled[80];
	struct syscap_profile_heap heap;
	struct syc_page_moment moment;
	int r;

	if (filter == NULL)
		return -ENOMEM;
	syscap_profile_span(page->profile, &span);
	syscap_reader_info(report->reader, &info);
	add_text(&facts, "title",
	         report->redact ? "a capture" : title_of(report->name));
	if (report->other != NULL) {
		add_text(&facts, "other",
		         report->redact ? "another capture"
		                        : title_of(report->other_name));
		add_text(&facts, "other_unit",
		         syscap_view_unit_name(report->other_view->unit));
	}
	syscap_profile_heap(page->profile, &heap);
	describe_sampled(&heap, sampled, sizeof(sampled));
	syscap_profile_describe_early_marks(page->profile, early,
	                                    sizeof(early));
	describe_unsampled(page, unsampled);
	add_text(&facts, "unsampled", unsampled);
	add_text(&facts, "incomplete", incomplete != NULL ? incomplete : "");
	describe_incomparable(page, unsampled, incomparable);
	add_text(&facts, "incomparable", incomparable);
	add_text(&facts, "early", early);
	add_text(&facts, "sampled", sampled);
	add_number(&facts, "is_cut", heap.is_cut);
	add_text(&facts, "version", report->version);
	add_text(&facts, "filter", report->redact ? filter : report->filter);
	add_text(&facts, "unit", syscap_view_unit_name(page->view->unit));
	add_number(&facts, "unit_number", page->view->unit);
	add_text(&facts, "date", info.capture_time);
	add_number(&facts, "size", (int64_t)info.size);
	add_number(&facts, "base", page->base);
	add_time(&facts, "begin", syc_page_time(page, span.begin));
	add_time(&facts, "end", syc_page_time(page, span.end));
	add_number(&facts, "frames", (int64_t)span.n_frames);
	add_number(&facts, "damaged", (int64_t)span.n_damaged);
	add_number(&facts, "finished", span.is_finished);
	add_number(&facts, "redacted", report->redact);
	add_number(&facts, "with_recording", report->with_recording);
	add_text(&facts, "of", report->of);
	add_text(&facts, "check", report->redact ? "" : report->check);
	r = syc_page_find_moment(page, &moment);
	add_moment(&facts, &moment);
	if (r == 0)
		r = syc_column_write_texts(&page->pack, "facts", facts.n,
		                           facts.texts);
	free(moment.stack);
	free(filter);
	return r;
}

int syc_page_write_about(struct syc_page *page)
{
	const int r = write_facts(page);

	return r < 0 ? r : write_notes_of_capture(page);
}

/*
 * Length of the program's path in the command line of @process; 0: unknown.
 * Words may contain spaces, so the path must be a mapped file.
 */
static size_t measure_program(const struct syc_page *page, uint32_t process,
                              const char *command)
{
	const struct syscap_profile_map *maps;
	size_t n, longest = 0;

	maps = syscap_profile_maps(page->profile, &n);
	for (size_t i = 0; i < n; i++) {
		const size_t len =
			maps[i].process == process ? strlen(maps[i].path) : 0;

		if (len > longest && strncmp(command, maps[i].path, len) == 0 &&
		    (command[len] == ' ' || command[len] == 0))
			longest = len;
	}
	return longest;
}

/*
 * The program without its arguments, since arguments may be secrets.  The
 * result is empty if the path may be incomplete and is in a home directory.
 */
static char *redact_command(const struct syc_page *page, uint32_t process,
                            const char *command)
{
	const size_t known = measure_program(page, process, command);
	char *const name =
		strndup(command, known != 0 ? known : strcspn(command, " ="));
	char *const clean = name != NULL ? syc_page_without_homes(name) : NULL;

	if (clean != NULL && known == 0 && strcmp(clean, name) != 0)
		strcpy(clean, "~");
	free(name);
	return clean;
}

/* The texts of @process: its command line and its program's name. */
static int write_command(struct syc_page *page, uint32_t number,
                         const struct syscap_profile_process *process,
                         uint64_t *cells)
{
	char *command;
	const char *slash;

	if (!page->report->redact) {
		cells[0] = syc_page_text(page, process->command);
		cells[1] = syc_page_text(page, process->binary);
		return 0;
	}
	command = redact_command(page, number, process->command);
	if (command == NULL)
		return -ENOMEM;
	slash = strrchr(command, '/');
	cells[0] = syc_page_text(page, command);
	cells[1] = syc_page_text(page, slash != NULL ? slash + 1 : command);
	free(command);
	return 0;
}

static int write_processes(struct syc_page *page)
{
	static const char *const names[] = {
		"process.pids",    "process.commands", "process.binaries",
		"process.begins",  "process.ends",     "process.ended",
		"process.periods", "process.clocks"
	};
	const struct syscap_profile_process *items;
	uint64_t *cells;
	size_t n;
	int r;

	items = syscap_profile_processes(page->profile, &n);
	cells = malloc((n + 1) * 8 * sizeof(*cells));
	if (cells == NULL)
		return -ENOMEM;
	r = 0;
	for (size_t i = 0; i < n && r == 0; i++) {
		uint64_t *cell = cells + i * 8;

		cell[0] = (uint32_t)items[i].pid;
		r = write_command(page, (uint32_t)i, &items[i], cell + 1);
		cell[3] = syc_page_time(page, items[i].begin);
		cell[4] = syc_page_time(page, items[i].end);
		cell[5] = items[i].has_ended;
		cell[6] = (uint64_t)items[i].period_ns;
		cell[7] = items[i].clock;
	}
	if (r == 0)
		r = syc_column_write_table(&page->pack, names, 8, n, cells);
	free(cells);
	return r;
}

static int write_threads(struct syc_page *page)
{
	static const char *const names[] = {
		"thread.processes", "thread.tids", "thread.names",
		"thread.begins",    "thread.ends", "thread.ticks"
	};
	const struct syscap_profile_thread *items;
	uint64_t *cells;
	size_t n;
	int r;

	items = syscap_profile_threads(page->profile, &n);
	cells = malloc((n + 1) * 6 * sizeof(*cells));
	if (cells == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		uint64_t *cell = cells + i * 6;

		cell[0] = items[i].process;
		cell[1] = (uint32_t)items[i].tid;
		cell[2] = syc_page_text(page, items[i].name);
		cell[3] = syc_page_time(page, items[i].begin);
		cell[4] = syc_page_time(page, items[i].end);
		cell[5] = syscap_profile_tick(page->profile, (uint32_t)i);
	}
	r = syc_column_write_table(&page->pack, names, 6, n, cells);
	free(cells);
	return r;
}

int syc_page_write_who(struct syc_page *page)
{
	const int r = write_processes(page);

	return r < 0 ? r : write_threads(page);
}

int syc_page_write_maps(struct syc_page *page)
{
	static const char *const names[] = { "map.processes", "map.starts",
		                             "map.ends",      "map.offsets",
		                             "map.times",     "map.paths",
		                             "map.build_ids" };
	const struct syscap_profile_map *items;
	uint64_t *cells;
	size_t n;
	int r;

	items = syscap_profile_maps(page->profile, &n);
	cells = malloc((n + 1) * 7 * sizeof(*cells));
	if (cells == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		uint64_t *cell = cells + i * 7;

		cell[0] = items[i].process;
		cell[1] = items[i].start;
		cell[2] = items[i].end;
		cell[3] = items[i].offset;
		cell[4] = syc_page_time(page, items[i].time);
		cell[5] = syc_page_text(page, items[i].path);
		cell[6] = syc_page_text(page, items[i].build_id);
	}
	r = syc_column_write_table(&page->pack, names, 7, n, cells);
	free(cells);
	return r;
}

int syc_page_write_limits(struct syc_page *page)
{
	const struct syc_heap *heap = &page->allocations;
	struct syc_report *report = page->report;
	struct facts facts = { .n = 0 };

	report->n_values_omitted = page->n_all_values - page->n_values;
	report->n_logs_omitted = page->n_all_logs - page->n_logs;
	report->heap_cell = heap->cells.size;
	report->sample_cell = page->combined.cells.size;
	for (int kind = 0; kind < SYC_N_WAITS; kind++)
		report->wait_cells[kind] = page->waits[kind].cells.size;
	add_text(&facts, "packages",
	         report->packages != NULL ? report->packages : "");
	add_time(&facts, "max_size", report->max_size);
	add_time(&facts, "n_values", page->n_all_values);
	add_time(&facts, "n_logs", page->n_all_logs);
	add_time(&facts, "n_allocations", heap->n_all);
	add_time(&facts, "heap_cell", heap->cells.size);
	add_time(&facts, "heap_shift", heap->cells.shift);
	add_time(&facts, "peak_time", heap->peak_time);
	add_time(&facts, "in_use_begin", heap->in_use.begin);
	add_time(&facts, "in_use_cell", heap->in_use.cell);
	add_time(&facts, "sample_cell", page->combined.cells.size);
	add_time(&facts, "blocked_cell", report->wait_cells[SYC_WAITS_BLOCKED]);
	add_time(&facts, "stalled_cell", report->wait_cells[SYC_WAITS_STALLED]);
	return syc_column_write_texts(&page->pack, "facts.more", facts.n,
	                              facts.texts);
}
