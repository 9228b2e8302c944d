/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * commands.h - the commands of `syscap`, and the table of all commands.
 *
 * A command gets the arguments from its name on.  The text argv[0] is "syscap
 * NAME", so getopt's messages name the command.  The result is the exit status:
 * SYC_EXIT_DONE, SYC_EXIT_PROBLEM or SYC_EXIT_MISUSE.  Only `record` returns
 * the status of the recorded command.
 */
#ifndef SYC_CLI_COMMANDS_H
#define SYC_CLI_COMMANDS_H

#include <stdbool.h>

#include <syscap/profile.h>

#include "capture/join.h"
#include "capture/line_table.h"
#include "cli/files.h"
#include "cli/filter_options.h"
#include "cli/options.h"
#include "cli/stat_summary.h"
#include "collect/counters.h"
#include "common/containers.h"
#include "common/json.h"
#include "compare/comparison.h"

extern const struct syc_command syc_cmd_record, syc_cmd_ps, syc_cmd_stat,
	syc_cmd_dump, syc_cmd_check, syc_cmd_cat, syc_cmd_cut, syc_cmd_recover,
	syc_cmd_symbolize, syc_cmd_files, syc_cmd_flamegraph, syc_cmd_diff,
	syc_cmd_export, syc_cmd_import, syc_cmd_report, syc_cmd_view,
	syc_cmd_top, syc_cmd_snapshot;

/** All commands in the order of the help; NULL ends the table. */
extern const struct syc_command *const syc_commands[];

/* The HTML page of a capture, for `report` and `record --report`. */

struct syc_report_page_request {
	const char *command; /* command name for messages */
	const char *file;
	const char *other; /* file of the capture to compare with; or NULL */
	struct syc_output_file output;
	struct syc_filter_options filter;
	unsigned max_mib; /* maximum of the page; 0: the default */
	bool redact;
	bool with_source;    /* embed the source files of functions */
	bool with_recording; /* the page first shows syscap's own code, too */
	enum syscap_view_of of; /* the amount that the page first shows */
	bool quiet;             /* no output on success */
};

/**
 * Return whether a page may be written under the default name @name: no file,
 * or only an older page, has this name.  The function prints a message if not.
 */
bool syc_report_page_may_replace(const char *command, const char *name);

/** Returns the exit status, and reports failures. */
int syc_report_page_make(struct syc_report_page_request *request);

/* One frame of `syscap dump` as text or as JSON. */

struct syc_dump {
	const struct syscap_reader *reader;
	int64_t begin;   /* beginning of the capture, to which times in text are
	                  * relative */
	bool is_foreign; /* the capture has the other byte order */
	/*
	 * Types of values: all definitions at first, then each definition when
	 * it is read.
	 */
	struct syc_counter_stats counters;
	struct syc_json json;
	/* For names of addresses in text: the profile and the stack of the
	 * frame; NONE: no stack, or no names. */
	const struct syscap_profile *profile;
	uint32_t stack;
	struct syc_line_table lines; /* the capture's source lines, for names */
};

void syc_dump_json(struct syc_dump *dump, const struct syscap_frame *frame);
void syc_dump_text(const struct syc_dump *dump,
                   const struct syscap_frame *frame);

/*
 * Output of `syscap diff` for people, for Markdown and as JSON.
 */

/** --fail-above: a factor, and a pattern of names, or NULL. */
struct syc_diff_gate {
	double factor;
	const char *glob;
};

/** Reasons that may forbid the comparison of a side. */
struct syc_diff_state {
	uint64_t n_lost;        /* lost events that pass the filter */
	const char *incomplete; /* first reason, or NULL */
	size_t n_incomplete;    /* files with a reason */
	size_t n_parts;         /* files that `syscap cut` made */
	unsigned clocks;        /* enum syc_clocks; 0: unknown, or no samples */
};

struct syc_diff_report {
	struct syc_comparison comparison;
	char **files[2];
	size_t n_files[2];
	bool has_blocks; /* the units are blocks of time */
	bool has_unit;   /* the comparison has rows of functions */
	enum syscap_view_unit unit;
	/* Sums of syscap's own code, and of all samples that pass, by side. */
	double recording[2], whole[2];
	bool with_recording;
	struct syc_early_marks early[2]; /* of all files, by side */
	struct syscap_profile_unsampled
		unsampled[2];            /* of all files, by side */
	struct syc_diff_state states[2]; /* of all files, by side */
	bool total, by_share;
	bool all; /* rows without a difference are shown, too */
	SYC_ARRAY(struct syc_diff_gate) gates;
};

/** Number of rows above the limits of --fail-above. */
size_t syc_diff_count_failing(const struct syc_diff_report *report);

/** Print tables of text.  Returns 0 or -ENOMEM. */
int syc_diff_text(const struct syc_diff_report *report);
int syc_diff_markdown(const struct syc_diff_report *report);
void syc_diff_json(const struct syc_diff_report *report);

/* Join of captures, for `syscap cat` and `syscap cut`. */

struct syc_cat_options {
	const char *command;
	const char *output;
	bool force, quiet;
	char **files;
	unsigned n_files;
	/* For `cut`, whether to keep a frame; else NULL. */
	bool (*keeps)(void *data, const struct syscap_frame *frame);
	/* For `cut`, limit the span to the requested times; else NULL.  Returns
	 * false if no time is left. */
	bool (*limit)(void *data, struct syc_join_span *span);
	/* For `cut`, the value of METADATA syscap.cut, which limit() sets; ""
	 * or NULL: no such frame. */
	const char *cut;
	void *data;
};

enum {
	SYC_CAT_FORCE = 256,
	SYC_CAT_OWN /* first key of options that only one command has */
};

/* Rows of both commands' option tables. */
#define SYC_CAT_OUTPUT_OPTION                                             \
	{                                                                 \
		"output", 'o', "OUTPUT",                                  \
			"write the new capture to OUTPUT; - is standard " \
			"output",                                         \
			NULL                                              \
	}
#define SYC_CAT_FORCE_OPTION                                                 \
	{                                                                    \
		"force", SYC_CAT_FORCE, NULL,                                \
			"overwrite OUTPUT even if it is not a capture", NULL \
	}
#define SYC_CAT_QUIET_OPTION                                               \
	{                                                                  \
		"quiet", 'q', NULL, "print no progress and no notes", NULL \
	}

/** Handle an option of these rows.  Returns false for another option. */
bool syc_cat_take(struct syc_cat_options *options, int key, const char *value);

/**
 * Set the output and the inputs after the last option.  Returns -1, or the exit
 * status after a message.
 */
int syc_cat_settle(struct syc_cat_options *options, int argc, char **argv);

/** Write all inputs, or the kept part, as one capture. Returns the exit
 * status. */
int syc_cat_join(const struct syc_cat_options *options);

/*
 * Values of --sample, --counters, --memory, --io, --stalls
 * and --lines.
 */

/**
 * The value of $SYSCAP_SAMPLE for "HZ,CLOCK,share=N".  Each part may be absent;
 * @text may be NULL.  The result is valid until the next call.  Returns NULL,
 * with a message, if @text is invalid.
 */
const char *syc_sample_option_read(const char *command, const char *text);

/**
 * Read @text, "[GROUP,...][,hz=N]" or NULL.  Returns false, with a message of
 * @command, if @text is invalid.
 */
bool syc_counters_option_read(const char *command, const char *text,
                              struct syc_asked *ret_asked);

/**
 * Read @text: "BYTES", "NK" or "NM", perhaps with ",mmap"; "mmap"; or NULL.
 * Returns the value of $SYSCAP_MEMORY, in static memory.  Returns NULL, with a
 * message of @command, if @text is invalid.
 */
const char *syc_memory_option_read(const char *command, const char *text);

/**
 * Read @text: "TIME", "TIME,waits", "waits" or NULL.  Returns the value of
 * $SYSCAP_IO, in static memory.  Returns NULL, with a message of @command, if
 * @text is invalid.
 */
const char *syc_io_option_read(const char *command, const char *text);

/**
 * Read @text: "TIME", "TIME,all", "all" or NULL.  Returns the value of
 * $SYSCAP_STALLS, like syc_io_option_read().
 */
const char *syc_stalls_option_read(const char *command, const char *text);

/**
 * Return whether --lines is possible.  The function prints the reason for
 * @command if not.
 */
bool syc_lines_option_check(const char *command);

/**
 * Read the value of --debuginfod, or NULL, and check that downloads are possible.
 * Returns false, with a message, on failure.
 */
bool syc_debuginfod_option_read(const char *command, const char *value,
                                int64_t *ret_time_limit);

#endif
