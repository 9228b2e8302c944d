/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_dropin_cat.c - joins of any bytes into a capture of the drop-in's
 * writer, by cat and by both splices, and reads of the results.
 *
 * The writer has earlier frames, with a counter and a JIT name, and appends a
 * mark.  With any frames in between, that mark is the last frame of the result.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dropin/fuzz_frames.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define OWN_NAME "a function of the writer's"

struct target {
	SysprofCaptureWriter *writer;
	int fd;
};

/* The capture to join. */
struct source {
	SysprofCaptureReader *reader;
	const struct fuzz_walk *plain;
	bool is_whole; /* every frame is readable */
	bool has_end;  /* frame lengths lead to the file's end */
};

static void add_own_frames(SysprofCaptureWriter *writer)
{
	const unsigned id = sysprof_capture_writer_request_counter(writer, 1);
	const SysprofCaptureCounterValue value = { .v64 = 5 };
	SysprofCaptureCounter counter = { .category = "own", .name = "own" };
	SysprofCaptureAddress addr;

	fuzz_demand(id != 0);
	counter.id = id & 0xFFFFFF;
	addr = sysprof_capture_writer_add_jitmap(writer, OWN_NAME);
	fuzz_demand(addr != 0);
	fuzz_demand(
		sysprof_capture_writer_add_process(writer, 900, -1, 7, "own"));
	fuzz_demand(sysprof_capture_writer_define_counters(writer, 900, -1, 7,
	                                                   &counter, 1));
	fuzz_demand(sysprof_capture_writer_set_counters(writer, 901, -1, 7, &id,
	                                                &value, 1));
	fuzz_demand(sysprof_capture_writer_add_sample(writer, 902, -1, 7, 7,
	                                              &addr, 1));
}

static struct target open_target(void)
{
	struct target target = { .fd = fuzz_file() };

	target.writer =
		sysprof_capture_writer_new_from_fd(dup(target.fd), 4096);
	fuzz_demand(target.writer != NULL);
	add_own_frames(target.writer);
	return target;
}

static void end_target(struct target *target)
{
	fuzz_demand(sysprof_capture_writer_add_mark(target->writer, 5000, -1, 7,
	                                            1, "own", "last", NULL));
	fuzz_demand(sysprof_capture_writer_flush(target->writer));
	sysprof_capture_writer_unref(target->writer);
	target->writer = NULL;
}

/* ------------------------------------------------------------------ names */

struct name {
	uint64_t address, hash;
};

struct names {
	struct name *names;
	size_t n, n_max;
};

static int compare_names(const void *a, const void *b)
{
	const struct name *const x = a, *const y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return (x->hash > y->hash) - (x->hash < y->hash);
}

static void learn_names(struct names *names, const SysprofCaptureJitmap *jitmap)
{
	SysprofCaptureJitmapIter iter;
	SysprofCaptureAddress address;
	const char *text;

	sysprof_capture_jitmap_iter_init(&iter, jitmap);
	while (sysprof_capture_jitmap_iter_next(&iter, &address, &text)) {
		uint64_t hash = 5381;

		for (; *text != '\0'; text++)
			hash = hash * 33 + (unsigned char)*text;
		if (names->n == names->n_max) {
			names->n_max = names->n_max ? 2 * names->n_max : 64;
			names->names =
				realloc(names->names,
			                names->n_max * sizeof(struct name));
			fuzz_demand(names->names != NULL);
		}
		names->names[names->n++] =
			(struct name){ .address = address, .hash = hash };
	}
}

/* The first byte 0xE0 marks the writer's own names, not a context */
static bool is_named(uint64_t address)
{
	return address >> 56 == SYSPROF_CAPTURE_JITMAP_MARK >> 56;
}

static void check_stack(const struct names *names,
                        const SysprofCaptureFrame *frame)
{
	const SysprofCaptureSample *const sample = (const void *)frame;
	const SysprofCaptureAllocation *const made = (const void *)frame;
	const bool is_made = frame->type == SYSPROF_CAPTURE_FRAME_ALLOCATION;
	const SysprofCaptureAddress *const addrs =
		is_made ? made->addrs : sample->addrs;
	const size_t n = is_made ? made->n_addrs : sample->n_addrs;

	for (size_t i = 0; i < n; i++) {
		size_t low = 0, high = names->n;

		if (!is_named(addrs[i]))
			continue;
		while (low < high) {
			const size_t middle = (low + high) / 2;

			if (names->names[middle].address < addrs[i])
				low = middle + 1;
			else
				high = middle;
		}
		fuzz_demand(low < names->n &&
		            names->names[low].address == addrs[i]);
	}
}

/* Checks that no address has two names, and that each used address has one. */
static void check_names(SysprofCaptureReader *reader)
{
	SysprofCaptureFrameType type;
	struct names names = { 0 };

	sysprof_capture_reader_reset(reader);
	while (sysprof_capture_reader_peek_type(reader, &type))
		if (type == SYSPROF_CAPTURE_FRAME_JITMAP)
			learn_names(&names,
			            sysprof_capture_reader_read_jitmap(reader));
		else
			sysprof_capture_reader_skip(reader);
	if (names.n > 0)
		qsort(names.names, names.n, sizeof(struct name), compare_names);
	for (size_t i = 1; i < names.n; i++)
		fuzz_demand(names.names[i - 1].address !=
		                    names.names[i].address ||
		            names.names[i - 1].hash == names.names[i].hash);
	sysprof_capture_reader_reset(reader);
	while (sysprof_capture_reader_peek_type(reader, &type))
		if (type == SYSPROF_CAPTURE_FRAME_SAMPLE ||
		    type == SYSPROF_CAPTURE_FRAME_TRACE ||
		    type == SYSPROF_CAPTURE_FRAME_ALLOCATION)
			check_stack(&names, fuzz_read(reader, type));
		else
			sysprof_capture_reader_skip(reader);
	free(names.names);
}

/* Checks that frames are complete to the end of the file, with the own mark
 * last. */
static SysprofCaptureReader *read_target(const struct target *target,
                                         struct fuzz_walk *walk)
{
	SysprofCaptureReader *const reader =
		sysprof_capture_reader_new_from_fd(dup(target->fd));
	SysprofCaptureFrameType type;
	bool is_last = false;
	size_t size;

	fuzz_demand(reader != NULL);
	while (sysprof_capture_reader_peek_type(reader, &type)) {
		const SysprofCaptureFrame *const frame =
			fuzz_read(reader, type);
		const SysprofCaptureMark *const mark = (const void *)frame;

		fuzz_demand(frame != NULL);
		fuzz_walk_add(walk, frame);
		is_last = type == SYSPROF_CAPTURE_FRAME_MARK &&
		          frame->time == 5000 &&
		          strcmp(mark->group, "own") == 0 &&
		          strcmp(mark->name, "last") == 0;
	}
	fuzz_demand(is_last);
	free(fuzz_content(target->fd, &size));
	fuzz_demand(size % 8 == 0 && walk->bytes <= size - 256);
	return reader;
}

/* ---------------------------------------------------------------- joining */

/* Frames that a join copies one by one. */
static const uint8_t carried[] = {
	SYSPROF_CAPTURE_FRAME_FORK,         SYSPROF_CAPTURE_FRAME_EXIT,
	SYSPROF_CAPTURE_FRAME_LOG,          SYSPROF_CAPTURE_FRAME_ALLOCATION,
	SYSPROF_CAPTURE_FRAME_MAP,          SYSPROF_CAPTURE_FRAME_OVERLAY,
	SYSPROF_CAPTURE_FRAME_DBUS_MESSAGE,
};

static size_t stacks(const struct fuzz_walk *walk)
{
	return walk->types[SYSPROF_CAPTURE_FRAME_SAMPLE] +
	       walk->types[SYSPROF_CAPTURE_FRAME_TRACE];
}

/* @n_writers: number of writers that have added their own frames to @to. */
static void check_carried(const struct fuzz_walk *from,
                          const struct fuzz_walk *to, size_t n_writers)
{
	for (size_t i = 0; i < sizeof(carried); i++)
		fuzz_demand(to->types[carried[i]] == from->types[carried[i]]);
	fuzz_demand(to->types[SYSPROF_CAPTURE_FRAME_MARK] ==
	            from->types[SYSPROF_CAPTURE_FRAME_MARK] + 1);
	fuzz_demand(stacks(to) == stacks(from) + n_writers);
}

/* @n_times: number of writers that have already written the source's frames. */
static void check_cat(const struct source *source, unsigned n_times)
{
	struct target target = open_target();
	struct fuzz_walk walk = { 0 };
	size_t size;

	errno = 0;
	const bool is_joined =
		sysprof_capture_writer_cat(target.writer, source->reader);
	fuzz_demand(is_joined || errno == EBADMSG);
	fuzz_demand(is_joined || !source->is_whole);
	fuzz_demand(!is_joined || source->has_end);
	end_target(&target);

	SysprofCaptureReader *const result = read_target(&target, &walk);
	check_carried(source->plain, &walk, 1);
	free(fuzz_content(target.fd, &size));
	const bool is_whole =
		!syscap_dropin_reader_get_error(result, NULL, NULL);
	fuzz_demand(is_whole == (walk.bytes == size - 256));
	fuzz_demand(is_whole || !source->is_whole);
	check_names(result);
	/* A joined capture can be joined. */
	if (n_times == 0)
		check_cat(&(struct source){ .reader = result,
		                            .plain = &walk,
		                            .is_whole = is_whole,
		                            .has_end = true },
		          n_times + 1);
	sysprof_capture_reader_unref(result);
	fuzz_walk_free(&walk);
	close(target.fd);
}

/* --------------------------------------------------------------- splicing */

static void check_splices(const struct source *source)
{
	struct target first = open_target(), second = open_target();
	struct fuzz_walk first_walk = { 0 }, second_walk = { 0 };
	SysprofCaptureStat stat;

	errno = 0;
	const bool is_spliced =
		sysprof_capture_reader_splice(source->reader, first.writer);
	fuzz_demand(is_spliced || errno == EBADMSG);
	fuzz_demand(is_spliced || !source->is_whole);
	fuzz_demand(!is_spliced || source->has_end);
	SysprofCaptureReader *const between =
		sysprof_capture_writer_create_reader(first.writer);
	fuzz_demand(between != NULL);
	fuzz_demand(sysprof_capture_reader_get_stat(between, &stat));
	fuzz_demand(stat.frame_count[SYSPROF_CAPTURE_FRAME_PROCESS] >= 1);
	sysprof_capture_reader_unref(between);
	fuzz_demand(sysprof_capture_writer_splice(first.writer, second.writer));
	end_target(&first);
	end_target(&second);
	sysprof_capture_reader_unref(read_target(&first, &first_walk));
	sysprof_capture_reader_unref(read_target(&second, &second_walk));
	check_carried(source->plain, &first_walk, 1);
	check_carried(source->plain, &second_walk, 2);
	fuzz_walk_free(&first_walk);
	fuzz_walk_free(&second_walk);
	close(first.fd);
	close(second.fd);
}

/* Do the frames' lengths lead to the end of the file? */
static bool lengths_fit(int fd)
{
	size_t size, at = 256;
	uint8_t *const bytes = fuzz_content(fd, &size);
	const bool is_little = bytes[5] & 1;

	while (size - at >= 24) {
		const size_t len = is_little ? bytes[at] | bytes[at + 1] << 8
		                             : bytes[at + 1] | bytes[at] << 8;

		if (len < 24 || len % 8 != 0 || len > size - at)
			break;
		at += len;
	}
	free(bytes);
	return at == size;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static int fd = -1;
	struct fuzz_walk plain = { 0 };
	struct source source = { .plain = &plain };

	if (fd < 0)
		fd = fuzz_file();
	size = fuzz_fill(fd, data, size);
	source.reader = sysprof_capture_reader_new_from_fd(dup(fd));
	if (source.reader == NULL)
		return 0;
	fuzz_walk(source.reader, &plain);
	source.is_whole = plain.bytes == size - 256;
	source.has_end = lengths_fit(fd);
	check_cat(&source, 0);
	check_splices(&source);
	sysprof_capture_reader_unref(source.reader);
	fuzz_walk_free(&plain);
	return 0;
}
