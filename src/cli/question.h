/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * question.h - a capture's profile, and the view of it that was asked for: what
 * commands begin with that project it.
 */
#ifndef SYC_CLI_QUESTION_H
#define SYC_CLI_QUESTION_H

#include <syscap/profile.h>

struct syc_question {
	const char *command, *file;
	struct syscap_filter filter; /* after: from and to are the clock's */
	struct syscap_reader *reader;
	struct syscap_profile *profile;
	struct syscap_view *view;
	int status;
	bool is_one_of_many; /* what misses here may be in another file */
	unsigned missing;    /* then: enum syc_missing */
};

/**
 * Read the file and look at it.  False, with a message and the status set,
 * where that is not possible; what can't be read of it is told, too, and is no
 * reason to stop.  Names in the filter that are not in the file are told, and
 * the status is set, unless it is one of many.  To be closed in any case.
 */
bool syc_question_ask(struct syc_question *question,
                      const struct syscap_profile_options *options,
                      const struct syscap_filter *filter);
void syc_question_close(struct syc_question *question);

#endif
