/* SPDX-License-Identifier: BSD-2-Clause */
/* hottest.c - where the time went, in three lines at a recording's end. */
#include "record/hottest.h"

#include <stdio.h>
#include <string.h>

#include <syscap/profile.h>

#define SHOWN      3u
#define NAME_BYTES 100u

/* About a second of reading. */
#define LARGEST (UINT64_C(200) << 20)

static void print_name(const char *name)
{
	/* Longer ones of C++ would fill the terminal. */
	int len = (int)strnlen(name, NAME_BYTES);

	while (len > 0 && ((unsigned char)name[len] & 0xC0) == 0x80)
		len--;
	fprintf(stderr, "%.*s", len, name);
}

static void print_view(const struct syscap_profile *profile,
                       const struct syscap_view *view)
{
	for (size_t i = 0; i < view->n_sums && i < SHOWN; i++) {
		const struct syscap_view_sum *sum = &view->sums[i];
		const struct syscap_profile_function *function =
			syscap_profile_function(profile, sum->function);

		if (sum->self == 0)
			break;
		fprintf(stderr, "syscap record: %5.1f %%  ",
		        100 * (double)sum->self / (double)view->total);
		print_name(function->name);
		if (function->is_inlined)
			fputs(" (inlined)", stderr);
		if (function->binary[0] != 0)
			fprintf(stderr, "  (%.60s)", function->binary);
		putc('\n', stderr);
	}
}

static void print_capture(struct syscap_reader *reader)
{
	const struct syscap_profile_options options = {
		.parts = SYSCAP_PROFILE_SAMPLES,
		.no_lookup = true, /* it was done, or is not wanted */
	};
	struct syscap_profile *profile;
	struct syscap_view *view;

	if (syscap_profile_new(&options, &profile) < 0)
		return;
	if (syscap_profile_read(profile, reader, NULL) == 0 &&
	    syscap_profile_settle(profile) == 0 &&
	    syscap_view_new(profile, NULL, &view, NULL) == 0) {
		print_view(profile, view);
		syscap_view_free(view);
	}
	syscap_profile_free(profile);
}

void syc_hottest_print(const char *path)
{
	struct syscap_file_info info;
	struct syscap_reader *reader;

	if (syscap_reader_open(path, &reader, NULL) < 0)
		return;
	syscap_reader_info(reader, &info);
	if (info.size <= LARGEST)
		print_capture(reader);
	syscap_reader_close(reader);
}
