/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * source.h - the capture that is looked at, and what is asked of it.
 *
 * A large one is read piece by piece, so that the first screen is there while
 * the rest is still on its way; one that is being recorded goes on growing.
 */
#ifndef SYC_VIEW_SOURCE_H
#define SYC_VIEW_SOURCE_H

#include <stdbool.h>

#include <syscap/profile.h>

struct syc_source {
	const char *file;
	struct syscap_reader *reader;
	struct syscap_profile *profile;
	bool is_read;    /* to the end that it had */
	bool is_damaged; /* error says why */
	struct syscap_error error;
	bool is_settled;         /* all that was read is fit to be asked */
	uint64_t size, position; /* bytes; of them, read */
};

/** Takes @reader over, in any case.  0 or -errno. */
int syc_source_open(struct syc_source *source, const char *file,
                    struct syscap_reader *reader,
                    const struct syscap_profile_options *options);
void syc_source_close(struct syc_source *source);

/** Read on for @budget_ns, or to the end.  0 or -ENOMEM. */
int syc_source_read(struct syc_source *source, int64_t budget_ns);

/** Look for what was appended to the file.  1: something; 0; -errno. */
int syc_source_grow(struct syc_source *source);

/**
 * Make what was read fit to be asked, where it is not.  While there is more to
 * read it is not: whoever makes a view calls this first.  0 or -ENOMEM.
 */
int syc_source_settle(struct syc_source *source);

/** CLOCK_MONOTONIC, in ns. */
int64_t syc_source_now(void);

#endif
