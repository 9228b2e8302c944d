/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * filter_options.h - options that select a part of a capture, the same for all
 * commands.
 */
#ifndef SYC_CLI_FILTER_OPTIONS_H
#define SYC_CLI_FILTER_OPTIONS_H

#include <stdbool.h>

#include <syscap/profile.h>

#include "cli/options.h"

/** The table for the member `shared` of a struct syc_command. */
extern const struct syc_option syc_filter_table[];

/** Zero-initialized options select all events. */
struct syc_filter_options {
	/* Filter, whose from and to are relative to the start of the
	 * capture. */
	struct syscap_filter filter;
	char mark_group[64];
	bool is_any;    /* an option was given */
	char text[256]; /* text of all given options, possibly cut */
};

bool syc_filter_options_is(int c);

/** Handle option @c.  Returns false, with a message, if @value is invalid. */
bool syc_filter_options_take(struct syc_filter_options *options,
                             const char *command, int c, const char *value);

/** Return whether the filter needs marks. */
bool syc_filter_options_has_marks(const struct syc_filter_options *options);

/** The part of a profile with the requested stacks. */
unsigned syc_filter_options_stacks(const struct syc_filter_options *options);

/** The option of `syscap record` that records @of. */
const char *syc_filter_options_record(enum syscap_view_of of);

/** Maximum size of a sentence about syscap's own code, with its NUL. */
#define SYC_RECORDING_TEXT 160

/**
 * Describe the share of syscap's own code in the samples that pass, and whether
 * @view omits these samples.  Stores "" if no sample of syscap's own code
 * passes.
 */
void syc_filter_options_recording(const struct syscap_view *view,
                                  const struct syscap_filter *filter,
                                  char *text, size_t size);

/** Print the description of syscap's own code on standard error, if any. */
void syc_filter_options_note_recording(const char *command, const char *file,
                                       const struct syscap_view *view,
                                       const struct syscap_filter *filter);

/**
 * Parts that a profile must keep for the filter, besides the requested parts.
 * A filter by thread needs events of any kind.
 */
unsigned syc_filter_options_parts(const struct syc_filter_options *options);

/** Make times absolute: the capture begins at @begin. */
void syc_filter_options_settle(struct syc_filter_options *options,
                               int64_t begin);

#endif
