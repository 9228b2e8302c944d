/* SPDX-License-Identifier: BSD-2-Clause */
/* cursor.c - walk over the frames that match. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>

#include <sysprof-6/sysprof-capture-condition.h>
#include <sysprof-6/sysprof-capture-cursor.h>

#include "dropin/reader.h"

struct _SysprofCaptureCursor {
	int32_t n_refs;
	SysprofCaptureReader *reader; /* NULL: over nothing */
	SysprofCaptureCondition **conditions;
	size_t n_conditions;
	bool lacks_one; /* there was no memory for a condition */
	bool is_reverse;
	/* Of the reverse walk: where frames begin, and how many are left */
	uint64_t *offsets;
	size_t n_offsets;
	bool has_offsets;
};

SysprofCaptureCursor *sysprof_capture_cursor_new(SysprofCaptureReader *reader)
{
	SysprofCaptureCursor *const self = calloc(1, sizeof(*self));

	if (self == NULL)
		return NULL;
	self->n_refs = 1;
	if (reader != NULL) {
		self->reader = sysprof_capture_reader_copy(reader);
		if (self->reader == NULL) {
			free(self);
			return NULL;
		}
		sysprof_capture_reader_reset(self->reader);
	}
	return self;
}

SysprofCaptureCursor *sysprof_capture_cursor_ref(SysprofCaptureCursor *self)
{
	if (self != NULL)
		__atomic_add_fetch(&self->n_refs, 1, __ATOMIC_RELAXED);
	return self;
}

void sysprof_capture_cursor_unref(SysprofCaptureCursor *self)
{
	if (self == NULL ||
	    __atomic_sub_fetch(&self->n_refs, 1, __ATOMIC_ACQ_REL) != 0)
		return;
	for (size_t i = 0; i < self->n_conditions; i++)
		sysprof_capture_condition_unref(self->conditions[i]);
	free(self->conditions);
	free(self->offsets);
	sysprof_capture_reader_unref(self->reader);
	free(self);
}

SysprofCaptureReader *
sysprof_capture_cursor_get_reader(SysprofCaptureCursor *self)
{
	return self != NULL ? self->reader : NULL;
}

static bool matches_conditions(const SysprofCaptureCursor *self,
                               const SysprofCaptureFrame *frame)
{
	if (frame->type == 0 || frame->type >= SYSPROF_CAPTURE_FRAME_LAST)
		return false;
	for (size_t i = 0; i < self->n_conditions; i++)
		if (sysprof_capture_condition_match(self->conditions[i], frame))
			return true;
	return self->n_conditions == 0 && !self->lacks_one;
}

static bool remember_offset(SysprofCaptureCursor *self, size_t *capacity,
                            uint64_t offset)
{
	if (self->n_offsets == *capacity) {
		const size_t more = *capacity != 0 ? 2 * *capacity : 1024;
		uint64_t *const offsets =
			realloc(self->offsets, more * sizeof(*offsets));

		if (offsets == NULL)
			return false;
		self->offsets = offsets;
		*capacity = more;
	}
	self->offsets[self->n_offsets++] = offset;
	return true;
}

/* Without memory for all there is nothing to walk over. */
static void look_for_offsets(SysprofCaptureCursor *self)
{
	size_t capacity = 0;
	const SysprofCaptureFrame *frame;

	free(self->offsets);
	self->offsets = NULL;
	self->n_offsets = 0;
	self->has_offsets = true;
	sysprof_capture_reader_reset(self->reader);
	while ((frame = syc_reader_next(self->reader)) != NULL)
		if (!remember_offset(self, &capacity,
		                     syc_reader_tell(self->reader) -
		                             frame->len)) {
			self->n_offsets = 0;
			return;
		}
}

static const SysprofCaptureFrame *next_frame(SysprofCaptureCursor *self)
{
	if (!self->is_reverse)
		return syc_reader_next(self->reader);
	if (!self->has_offsets)
		look_for_offsets(self);
	if (self->n_offsets == 0)
		return NULL;
	syc_reader_seek(self->reader, self->offsets[--self->n_offsets]);
	return syc_reader_next(self->reader);
}

void sysprof_capture_cursor_foreach(SysprofCaptureCursor *self,
                                    SysprofCaptureCursorCallback callback,
                                    void *user_data)
{
	const SysprofCaptureFrame *frame;

	if (self == NULL || self->reader == NULL || callback == NULL)
		return;
	while ((frame = next_frame(self)) != NULL)
		if (matches_conditions(self, frame) &&
		    !callback(frame, user_data))
			return;
}

void sysprof_capture_cursor_reset(SysprofCaptureCursor *self)
{
	if (self == NULL || self->reader == NULL)
		return;
	self->has_offsets = false;
	sysprof_capture_reader_reset(self->reader);
}

void sysprof_capture_cursor_reverse(SysprofCaptureCursor *self)
{
	if (self == NULL)
		return;
	self->is_reverse = !self->is_reverse;
	sysprof_capture_cursor_reset(self);
}

void sysprof_capture_cursor_add_condition(SysprofCaptureCursor *self,
                                          SysprofCaptureCondition *condition)
{
	if (self == NULL || condition == NULL)
		return;
	SysprofCaptureCondition **const conditions =
		realloc(self->conditions,
	                (self->n_conditions + 1) * sizeof(*conditions));
	if (conditions == NULL) {
		sysprof_capture_condition_unref(condition);
		self->lacks_one = true;
		return;
	}
	conditions[self->n_conditions++] = condition;
	self->conditions = conditions;
}
