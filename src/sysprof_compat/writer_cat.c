/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * writer_cat.c - join of another capture to a writer's capture.
 *
 * Counters and names of the other capture belong to (pid, number).  Two
 * processes, or two joined captures, may use one number for two counters or
 * names.  The search for a name tries the frame's own pid first, and then any
 * pid.  Some recorders write tables of names under their own pid.
 *
 * The join has two passes.  The first pass assigns new numbers to all
 * definitions, and writes the names.  So names precede their users, wherever
 * the names are in the other file.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/containers.h"
#include "sysprof_compat/reader.h"
#include "sysprof_compat/writer.h"

struct key {
	uint64_t number;
	int64_t pid; /* ANY_PID: any process */
};

#define ANY_PID INT64_MIN

/* New numbers, indexed by the number that the map assigns to a key. */
struct numbers {
	struct syc_map map;
	uint64_t *values;
	size_t capacity;
};

struct cat {
	SysprofCaptureWriter *writer;
	struct numbers counters;
	struct numbers names;
};

static bool set_errno(int code)
{
	errno = code;
	return false;
}

/* The place of a key's new number, which is 0 if the key has no new number.
 * Returns NULL if memory is exhausted. */
static uint64_t *make_new_number(struct numbers *numbers, uint64_t number,
                                 int64_t pid)
{
	const struct key key = { .number = number, .pid = pid };
	size_t n;
	const int r = syc_map_put(&numbers->map, &key, sizeof(key), &n);

	if (r < 0)
		return NULL;
	if (n >= numbers->capacity) {
		const size_t capacity =
			numbers->capacity != 0 ? 2 * numbers->capacity : 64;
		uint64_t *const values =
			realloc(numbers->values, capacity * sizeof(*values));

		if (values == NULL)
			return NULL;
		numbers->values = values;
		numbers->capacity = capacity;
	}
	if (r == 1)
		numbers->values[n] = 0;
	return &numbers->values[n];
}

static uint64_t get_new_number(const struct numbers *numbers, uint64_t number,
                               int64_t pid)
{
	const struct key key = { .number = number, .pid = pid };
	size_t n;

	return syc_map_get(&numbers->map, &key, sizeof(key), &n)
	               ? numbers->values[n]
	               : 0;
}

static void free_numbers(struct numbers *numbers)
{
	syc_map_fini(&numbers->map);
	free(numbers->values);
}

/* ------------------------------------------------------------- counters */

/* Assign a new number to a counter, even if the counter is undefined. */
static uint32_t new_counter(struct cat *cat, uint32_t id, int32_t pid)
{
	uint64_t *const place = make_new_number(&cat->counters, id, pid);

	if (place == NULL) {
		errno = ENOMEM;
		return 0;
	}
	if (*place == 0)
		*place = sysprof_capture_writer_request_counter(cat->writer, 1);
	if (*place == 0)
		errno = ENOSPC;
	return (uint32_t)*place;
}

static bool renumber_definitions(struct cat *cat, SysprofCaptureFrame *frame)
{
	SysprofCaptureCounterDefine *const def = (void *)frame;

	for (unsigned i = 0; i < def->n_counters; i++) {
		if (def->counters[i].id == 0)
			continue;
		const uint32_t id =
			new_counter(cat, def->counters[i].id, frame->pid);
		if (id == 0)
			return false;
		def->counters[i].id = id & 0xFFFFFF;
	}
	return true;
}

static bool renumber_values(struct cat *cat, SysprofCaptureFrame *frame)
{
	SysprofCaptureCounterSet *const set = (void *)frame;

	for (unsigned i = 0; i < set->n_values; i++) {
		for (unsigned k = 0; k < 8; k++) {
			uint32_t *const id = &set->values[i].ids[k];

			if (*id == 0)
				continue;
			*id = new_counter(cat, *id, frame->pid);
			if (*id == 0)
				return false;
		}
	}
	return true;
}

/* ---------------------------------------------------------------- names */

static bool add_name(struct cat *cat, uint64_t address, int32_t pid,
                     const char *name, uint64_t *ret_address)
{
	const uint64_t ours =
		sysprof_capture_writer_add_jitmap(cat->writer, name);
	uint64_t *const own = make_new_number(&cat->names, address, pid);

	if (ours == 0)
		return false;
	if (own == NULL)
		return set_errno(ENOMEM);
	*own = ours; /* store this before the next addition moves the number */
	uint64_t *const any = make_new_number(&cat->names, address, ANY_PID);
	if (any == NULL)
		return set_errno(ENOMEM);
	if (*any == 0)
		*any = ours;
	*ret_address = ours;
	return true;
}

static bool add_names(struct cat *cat, const SysprofCaptureFrame *frame)
{
	SysprofCaptureJitmapIter iter;
	SysprofCaptureAddress address;
	const char *name;
	uint64_t ours;

	sysprof_capture_jitmap_iter_init(&iter, (const void *)frame);
	while (sysprof_capture_jitmap_iter_next(&iter, &address, &name))
		if (!add_name(cat, address, frame->pid, name, &ours))
			return false;
	return true;
}

/* On 32-bit machines, the libraries' code is above the addresses of names. */
static bool is_jit_address(uint64_t address)
{
	const uint64_t mark = SYSPROF_CAPTURE_JITMAP_MARK;

	if (sizeof(void *) == 4)
		return address > mark && address - mark <= 1 << 24;
	return address >> 60 == mark >> 60 &&
	       address >> 56 != 0xFF; /* 0xFF: the markers of contexts */
}

/*
 * Give an address without a name a new name, which contains the original
 * address.  Without a name this address would be foreign in this capture.
 */
static bool name_unknown(struct cat *cat, SysprofCaptureFrame *frame,
                         uint64_t *address)
{
	char name[40];
	uint64_t ours;

	snprintf(name, sizeof(name), "[0x%016llx]",
	         (unsigned long long)*address);
	if (!add_name(cat, *address, frame->pid, name, &ours))
		return false;
	*address = ours;
	return true;
}

static bool rename_stack(struct cat *cat, SysprofCaptureFrame *frame,
                         unsigned char *addrs, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		uint64_t address;

		memcpy(&address, addrs + 8 * (size_t)i, sizeof(address));
		uint64_t ours =
			get_new_number(&cat->names, address, frame->pid);
		if (ours == 0)
			ours = get_new_number(&cat->names, address, ANY_PID);
		if (ours != 0)
			address = ours;
		else if (is_jit_address(address) &&
		         !name_unknown(cat, frame, &address))
			return false;
		memcpy(addrs + 8 * (size_t)i, &address, sizeof(address));
	}
	return true;
}

/* --------------------------------------------------------------- passes */

static bool learn_capture(struct cat *cat, SysprofCaptureReader *reader)
{
	SysprofCaptureFrame *frame;

	while ((frame = syc_reader_next(reader)) != NULL) {
		if (frame->type == SYSPROF_CAPTURE_FRAME_JITMAP &&
		    !add_names(cat, frame))
			return false;
		if (frame->type == SYSPROF_CAPTURE_FRAME_CTRDEF &&
		    !renumber_definitions(cat, frame))
			return false;
	}
	return true;
}

static bool join_frame(struct cat *cat, SysprofCaptureFrame *frame)
{
	bool is_right = true;

	switch (frame->type) {
	case SYSPROF_CAPTURE_FRAME_JITMAP:
		return true; /* the names exist already */
	case SYSPROF_CAPTURE_FRAME_TIMESTAMP:
		if (frame->padding2 == SYSPROF_CAPTURE_FRAME_INDEX_MAGIC)
			return true; /* the index has positions in the other
			              * file */
		break;
	case SYSPROF_CAPTURE_FRAME_CTRDEF:
		is_right = renumber_definitions(cat, frame);
		break;
	case SYSPROF_CAPTURE_FRAME_CTRSET:
		is_right = renumber_values(cat, frame);
		break;
	case SYSPROF_CAPTURE_FRAME_SAMPLE:
	case SYSPROF_CAPTURE_FRAME_TRACE: {
		SysprofCaptureSample *const sample = (void *)frame;

		is_right = rename_stack(cat, frame, (void *)sample->addrs,
		                        sample->n_addrs);
		break;
	}
	case SYSPROF_CAPTURE_FRAME_ALLOCATION: {
		SysprofCaptureAllocation *const made = (void *)frame;

		is_right = rename_stack(cat, frame, (void *)made->addrs,
		                        made->n_addrs);
		break;
	}
	default:
		break;
	}
	return is_right && syc_writer_add_raw(cat->writer, frame);
}

static bool join_capture(struct cat *cat, SysprofCaptureReader *reader)
{
	SysprofCaptureFrame *frame;

	sysprof_capture_reader_reset(reader);
	if (!learn_capture(cat, reader))
		return false;
	sysprof_capture_reader_reset(reader);
	while ((frame = syc_reader_next(reader)) != NULL)
		if (!join_frame(cat, frame))
			return false;
	return true;
}

bool sysprof_capture_writer_cat(SysprofCaptureWriter *self,
                                SysprofCaptureReader *reader)
{
	if (self == NULL || reader == NULL)
		return set_errno(EINVAL);
	struct cat cat = { .writer = self };
	SysprofCaptureReader *const other = sysprof_capture_reader_copy(reader);
	if (other == NULL)
		return false;
	other->message = NULL;
	bool done = join_capture(&cat, other);
	int code = errno;
	if (other->header.time < self->out.begin)
		self->out.begin = other->header.time;
	syc_writer_cover(self, other->end_time);
	if (!sysprof_capture_writer_flush(self) && done) {
		code = errno;
		done = false;
	}
	if (done && other->message != NULL) {
		code = EBADMSG;
		done = false;
	}
	sysprof_capture_reader_unref(other);
	free_numbers(&cat.counters);
	free_numbers(&cat.names);
	return done || set_errno(code);
}
