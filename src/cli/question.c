/* SPDX-License-Identifier: BSD-2-Clause */
/* question.c - a capture's profile, and the view of it that was asked for. */
#include "cli/question.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>

#include "cli/exit_status.h"
#include "cli/fault.h"
#include "cli/input.h"
#include "cli/missing.h"

static int64_t add(int64_t begin, int64_t ns)
{
	int64_t sum;

	return __builtin_add_overflow(begin, ns, &sum) ? INT64_MAX : sum;
}

/* What can be read is read. */
static int read_all(struct syc_question *question)
{
	struct syscap_profile_span span;
	struct syscap_error error;
	int r = syscap_profile_read(question->profile, question->reader,
	                            &error);

	if (r == -EBADMSG) {
		syc_fault_print(question->command, question->file, &error);
		question->status = SYC_EXIT_PROBLEM;
		r = 0;
	}
	if (r == 0)
		r = syscap_profile_settle(question->profile);
	if (r < 0)
		return r;
	syscap_profile_span(question->profile, &span);
	if (span.n_damaged > 0) {
		fprintf(stderr,
		        "%s: %s: %" PRIu64 " frames are damaged and left out\n",
		        question->command, question->file, span.n_damaged);
		question->status = SYC_EXIT_PROBLEM;
	}
	return 0;
}

/*
 * A profile does not know the threads and functions of parts that it does not
 * keep: where it misses something, one with all parts is asked.  NULL: no
 * memory.
 */
static struct syscap_profile *
read_all_parts(struct syc_question *question,
               const struct syscap_profile_options *options)
{
	struct syscap_profile_options all = *options;
	struct syscap_profile *profile;

	all.parts = SYSCAP_PROFILE_BUT_VALUES;
	if (syscap_profile_new(&all, &profile) < 0)
		return NULL;
	syscap_reader_rewind(question->reader);
	/* What can't be read was told before */
	if (syscap_profile_read(profile, question->reader, NULL) == -ENOMEM ||
	    syscap_profile_settle(profile) < 0) {
		syscap_profile_free(profile);
		return NULL;
	}
	return profile;
}

/* The view is @r and, if it is -EINVAL, @error. */
static int judge(struct syc_question *question,
                 const struct syscap_profile_options *options, int r,
                 const struct syscap_error *error)
{
	const struct syscap_filter *filter = &question->filter;
	struct syscap_profile *all = NULL;

	question->missing = syc_missing_find(question->profile, filter);
	if (question->missing != 0) {
		all = read_all_parts(question, options);
		if (all == NULL)
			return -ENOMEM;
		question->missing = syc_missing_find(all, filter);
	}
	if ((r == -EINVAL || !question->is_one_of_many) &&
	    syc_missing_judge(question->command, question->file,
	                      all != NULL ? all : question->profile, filter, r,
	                      error))
		question->status = SYC_EXIT_PROBLEM;
	syscap_profile_free(all);
	return r;
}

static int look(struct syc_question *question,
                const struct syscap_profile_options *options,
                const struct syscap_filter *filter)
{
	struct syscap_profile_span span;
	struct syscap_error error;
	int r;

	syscap_profile_span(question->profile, &span);
	question->filter = *filter;
	question->filter.from = add(span.begin, filter->from);
	question->filter.to = add(span.begin, filter->to);
	r = syscap_view_new(question->profile, &question->filter,
	                    &question->view, &error);
	return r == -ENOMEM ? r : judge(question, options, r, &error);
}

bool syc_question_ask(struct syc_question *question,
                      const struct syscap_profile_options *options,
                      const struct syscap_filter *filter)
{
	struct syscap_profile_options once = *options;
	struct syscap_error error;
	int r = syc_input_open(question->file, &question->reader, &error);

	if (r < 0) {
		syc_fault_print(question->command, question->file, &error);
		question->status = SYC_EXIT_PROBLEM;
		return false;
	}
	syc_fault_tell_merged(question->command, question->file,
	                      question->reader);
	once.is_once = true;
	r = syscap_profile_new(&once, &question->profile);
	if (r == 0)
		r = read_all(question);
	if (r == 0)
		r = look(question, options, filter);
	if (r == -ENOMEM)
		syc_fault_no_memory(question->command);
	if (r < 0 || syc_fault_tell_unread(question->command, question->file,
	                                   question->reader))
		question->status = SYC_EXIT_PROBLEM;
	return r == 0;
}

void syc_question_close(struct syc_question *question)
{
	syscap_view_free(question->view);
	syscap_profile_free(question->profile);
	syscap_reader_close(question->reader);
}
