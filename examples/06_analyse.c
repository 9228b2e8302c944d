/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * 06_analyse.c FILE - a simple analyser.  For each kind of mark, it prints the
 * function with the largest share of the slowest tenth, and the function's
 * share of the whole capture.
 */
#include <inttypes.h>
#include <stdio.h>

#include <syscap/profile.h>

static double share_of(const struct syscap_view *view, uint32_t function)
{
	for (size_t i = 0; i < view->n_sums; i++)
		if (view->sums[i].function == function)
			return 100.0 * (double)view->sums[i].self /
			       (double)view->total;
	return 0;
}

static void show(const struct syscap_profile *profile,
                 const struct syscap_profile_mark_name *mark,
                 const struct syscap_view *all)
{
	const struct syscap_filter filter = { .mark_group = mark->group,
		                              .mark_name = mark->name,
		                              .slowest_percent = 10 };
	struct syscap_error error;
	struct syscap_view *view;

	if (syscap_view_new(profile, &filter, &view, &error) != 0)
		return;
	printf("%s/%s, the slowest %zu: ", mark->group, mark->name,
	       view->n_marks);
	if (view->total == 0) {
		printf("no samples\n");
	} else {
		const uint32_t function = view->sums[0].function;

		printf("%s took %.1f %%, and %.1f %% of everything\n",
		       syscap_profile_function(profile, function)->name,
		       share_of(view, function), share_of(all, function));
	}
	syscap_view_free(view);
}

int main(int argc, char **argv)
{
	const struct syscap_profile_mark_name *marks;
	struct syscap_profile *profile;
	struct syscap_reader *reader;
	struct syscap_error error;
	struct syscap_view *all;
	size_t n_marks;

	if (argc != 2) {
		fprintf(stderr, "usage: %s FILE\n", argv[0]);
		return 2;
	}
	if (syscap_reader_open(argv[1], &reader, &error) != 0) {
		fprintf(stderr, "%s: %s\n", argv[1], error.message);
		return 1;
	}
	/* The profile has the frames before a damaged place. */
	if (syscap_profile_new(NULL, &profile) != 0)
		return 1;
	if (syscap_profile_read(profile, reader, &error) != 0)
		fprintf(stderr, "%s: at byte %" PRIu64 ": %s\n", argv[1],
		        error.offset, error.message);
	if (syscap_profile_settle(profile) != 0 ||
	    syscap_view_new(profile, NULL, &all, &error) != 0)
		return 1;
	marks = syscap_profile_mark_names(profile, &n_marks);
	for (size_t i = 0; i < n_marks; i++)
		show(profile, &marks[i], all);
	syscap_view_free(all);
	syscap_profile_free(profile);
	syscap_reader_close(reader);
	return 0;
}
