/* SPDX-License-Identifier: BSD-2-Clause */
/* source.c - the capture that is looked at, and what is asked of it. */
#include "view/source.h"

#include <errno.h>
#include <string.h>
#include <time.h>

/* So many bytes between looks at the clock: about a millisecond. */
#define PIECE 262144u

int64_t syc_source_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void learn_size(struct syc_source *source)
{
	struct syscap_file_info info;

	syscap_reader_info(source->reader, &info);
	source->size = info.size;
}

int syc_source_open(struct syc_source *source, const char *file,
                    struct syscap_reader *reader,
                    const struct syscap_profile_options *options)
{
	memset(source, 0, sizeof(*source));
	source->file = file;
	source->reader = reader;
	learn_size(source);
	return syscap_profile_new(options, &source->profile);
}

void syc_source_close(struct syc_source *source)
{
	syscap_profile_free(source->profile);
	syscap_reader_close(source->reader);
}

int syc_source_read(struct syc_source *source, int64_t budget_ns)
{
	const int64_t end = budget_ns > 0 ? syc_source_now() + budget_ns : 0;
	int r;

	source->is_settled = false;
	do {
		r = syscap_profile_read_on(source->profile, source->reader,
		                           PIECE, &source->error);
		source->position = syscap_reader_tell(source->reader);
	} while (r > 0 && (end == 0 || syc_source_now() < end));
	source->is_read = r <= 0;
	if (r == -EBADMSG) {
		source->is_damaged = true;
		r = 0;
	}
	return r < 0 ? r : 0;
}

int syc_source_grow(struct syc_source *source)
{
	const uint64_t before = source->size;
	struct syscap_reader *reader;
	int r = syscap_reader_open(source->file, &reader, &source->error);

	if (r < 0)
		return r;
	syscap_reader_close(source->reader);
	source->reader = reader;
	learn_size(source);
	if (source->size == before)
		return 0;
	source->is_damaged = false;
	source->is_read = false;
	return 1;
}

int syc_source_settle(struct syc_source *source)
{
	const int r =
		source->is_settled ? 0 : syscap_profile_settle(source->profile);

	source->is_settled = r == 0;
	return r;
}
