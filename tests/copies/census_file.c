/* SPDX-License-Identifier: BSD-2-Clause */
/* census_file.c - counts of the events of several copies in a capture:
 * census.h. */
#include <string.h>

#include <syscap/capture.h>

#include "copies/census.h"
#include "harness/test.h"

static void look_at_counters(struct census *c,
                             const struct syscap_reader *reader,
                             const struct syscap_frame *f)
{
	struct syscap_counter_info info;

	for (unsigned i = 0; i < f->ctrdef.n_counters; i++) {
		CHECK(syscap_frame_counter(reader, f, i, &info));
		census_counter(c, info.category, info.name, info.id);
	}
}

static void look_at_values(struct census *c, const struct syscap_reader *reader,
                           const struct syscap_frame *f)
{
	uint32_t id;
	uint64_t bits;

	for (unsigned i = 0; i < f->ctrset.n_values; i++) {
		CHECK(syscap_frame_value(reader, f, i, &id, &bits));
		census_value(c, id);
	}
}

static void look_at_names(struct census *c, const struct syscap_reader *reader,
                          const struct syscap_frame *f)
{
	uint64_t address;
	const char *name;
	size_t cursor = 0;

	while (syscap_frame_jit_name(reader, f, &cursor, &address, &name))
		census_name(c, address, name);
}

static void look_at_frame(struct census *c, const struct syscap_reader *reader,
                          const struct syscap_frame *f)
{
	uint64_t address;

	c->n_frames++;
	switch (f->type) {
	case SYSCAP_FRAME_SAMPLE:
		CHECK(syscap_frame_addr(reader, f, 0, &address));
		census_address(c, address);
		break;
	case SYSCAP_FRAME_JITMAP:
		look_at_names(c, reader, f);
		break;
	case SYSCAP_FRAME_CTRDEF:
		look_at_counters(c, reader, f);
		break;
	case SYSCAP_FRAME_CTRSET:
		look_at_values(c, reader, f);
		break;
	case SYSCAP_FRAME_MARK:
		census_mark(c, f->mark.group, f->mark.name, f->mark.message);
		break;
	case SYSCAP_FRAME_LOG:
		census_log(c, f->log.domain, f->log.message);
		break;
	default:
		break;
	}
}

void census_of_file(struct census *c, const char *path)
{
	struct syscap_reader *reader;
	struct syscap_error error;
	struct syscap_frame frame;
	int r;

	memset(c, 0, sizeof(*c));
	if (syscap_reader_open(path, &reader, &error) != 0)
		test_fail(__FILE__, __LINE__, "%s: %s", path, error.message);
	while ((r = syscap_reader_next(reader, &frame, &error)) == 1)
		look_at_frame(c, reader, &frame);
	if (r != 0)
		test_fail(__FILE__, __LINE__, "%s: at %llu: %s", path,
		          (unsigned long long)error.offset, error.message);
	syscap_reader_close(reader);
	census_end(c);
}
