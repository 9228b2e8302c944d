/* SPDX-License-Identifier: BSD-2-Clause */
/* cursor.c - conditions on frames, and the walk over matching frames. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <sysprof-6/sysprof-capture-condition.h>
#include <sysprof-6/sysprof-capture-cursor.h>

#include "sysprof_compat/reader.h"

enum condition_kind {
	BOTH,
	EITHER,
	TYPE,
	TIME,
	PID,
	COUNTER,
	EMBEDDED_FILE,
};

struct _SysprofCaptureCondition {
	int32_t n_refs;
	enum condition_kind kind;
	SysprofCaptureCondition *left, *right;
	int64_t begin, end;
	size_t n;
	union {
		uint32_t *numbers; /* types, pids or counters */
		char *path;
		void *data;
	};
};

static SysprofCaptureCondition *new_condition(enum condition_kind kind)
{
	SysprofCaptureCondition *const c = calloc(1, sizeof(*c));

	if (c != NULL) {
		c->n_refs = 1;
		c->kind = kind;
	}
	return c;
}

static SysprofCaptureCondition *
make_with(enum condition_kind kind, const void *data, size_t n, size_t size)
{
	SysprofCaptureCondition *const c = new_condition(kind);

	if (c == NULL)
		return NULL;
	c->n = n;
	c->data = calloc(n + 1, size);
	if (c->data == NULL) {
		free(c);
		return NULL;
	}
	if (n != 0)
		memcpy(c->data, data, n * size);
	return c;
}

static SysprofCaptureCondition *make_numbers(enum condition_kind kind,
                                             const void *data, size_t n)
{
	if (data == NULL && n != 0) {
		errno = EINVAL;
		return NULL;
	}
	return make_with(kind, data, n, sizeof(uint32_t));
}

SysprofCaptureCondition *
sysprof_capture_condition_ref(SysprofCaptureCondition *self)
{
	if (self != NULL)
		__atomic_add_fetch(&self->n_refs, 1, __ATOMIC_RELAXED);
	return self;
}

void sysprof_capture_condition_unref(SysprofCaptureCondition *self)
{
	/* A loop follows the right side of a long chain, without recursion */
	while (self != NULL &&
	       __atomic_sub_fetch(&self->n_refs, 1, __ATOMIC_ACQ_REL) == 0) {
		SysprofCaptureCondition *const right = self->right;

		sysprof_capture_condition_unref(self->left);
		free(self->data);
		free(self);
		self = right;
	}
}

SysprofCaptureCondition *
sysprof_capture_condition_copy(const SysprofCaptureCondition *self)
{
	if (self == NULL) {
		errno = EINVAL;
		return NULL;
	}
	SysprofCaptureCondition *const copy =
		self->data == NULL ? new_condition(self->kind)
				   : make_with(self->kind, self->data, self->n,
	                                       self->kind == EMBEDDED_FILE
	                                               ? 1
	                                               : sizeof(uint32_t));
	if (copy == NULL)
		return NULL;
	copy->begin = self->begin;
	copy->end = self->end;
	if (self->left != NULL)
		copy->left = sysprof_capture_condition_copy(self->left);
	if (self->right != NULL)
		copy->right = sysprof_capture_condition_copy(self->right);
	if ((self->left != NULL && copy->left == NULL) ||
	    (self->right != NULL && copy->right == NULL)) {
		sysprof_capture_condition_unref(copy);
		errno = ENOMEM;
		return NULL;
	}
	return copy;
}

static SysprofCaptureCondition *make_pair(enum condition_kind kind,
                                          SysprofCaptureCondition *left,
                                          SysprofCaptureCondition *right)
{
	if (left == NULL || right == NULL) {
		errno = EINVAL;
		return NULL;
	}
	SysprofCaptureCondition *const c = new_condition(kind);
	if (c != NULL) {
		c->left = left;
		c->right = right;
	}
	return c;
}

SysprofCaptureCondition *
sysprof_capture_condition_new_and(SysprofCaptureCondition *left,
                                  SysprofCaptureCondition *right)
{
	return make_pair(BOTH, left, right);
}

SysprofCaptureCondition *
sysprof_capture_condition_new_or(SysprofCaptureCondition *left,
                                 SysprofCaptureCondition *right)
{
	return make_pair(EITHER, left, right);
}

SysprofCaptureCondition *sysprof_capture_condition_new_where_type_in(
	unsigned int n_types, const SysprofCaptureFrameType *types)
{
	SYSPROF_STATIC_ASSERT(sizeof(*types) == sizeof(uint32_t), "types");
	return make_numbers(TYPE, types, n_types);
}

SysprofCaptureCondition *
sysprof_capture_condition_new_where_time_between(int64_t begin_time,
                                                 int64_t end_time)
{
	SysprofCaptureCondition *const c = new_condition(TIME);

	if (c != NULL) {
		c->begin = begin_time < end_time ? begin_time : end_time;
		c->end = begin_time < end_time ? end_time : begin_time;
	}
	return c;
}

SysprofCaptureCondition *
sysprof_capture_condition_new_where_pid_in(unsigned int n_pids,
                                           const int32_t *pids)
{
	return make_numbers(PID, pids, n_pids);
}

SysprofCaptureCondition *
sysprof_capture_condition_new_where_counter_in(unsigned int n_counters,
                                               const unsigned int *counters)
{
	return make_numbers(COUNTER, counters, n_counters);
}

SysprofCaptureCondition *
sysprof_capture_condition_new_where_file(const char *path)
{
	if (path == NULL) {
		errno = EINVAL;
		return NULL;
	}
	return make_with(EMBEDDED_FILE, path, strlen(path) + 1, 1);
}

static bool has_number(const SysprofCaptureCondition *self, uint32_t number)
{
	for (size_t i = 0; i < self->n; i++)
		if (self->numbers[i] == number)
			return true;
	return false;
}

static bool has_counter(const SysprofCaptureCondition *self,
                        const SysprofCaptureFrame *frame)
{
	if (frame->type == SYSPROF_CAPTURE_FRAME_CTRDEF) {
		const SysprofCaptureCounterDefine *const def =
			(const SysprofCaptureCounterDefine *)(const void *)
				frame;

		for (unsigned i = 0; i < def->n_counters; i++)
			if (has_number(self, def->counters[i].id))
				return true;
	} else if (frame->type == SYSPROF_CAPTURE_FRAME_CTRSET) {
		const SysprofCaptureCounterSet *const set =
			(const SysprofCaptureCounterSet *)(const void *)frame;

		for (unsigned i = 0; i < set->n_values; i++)
			for (unsigned k = 0; k < 8; k++)
				if (set->values[i].ids[k] != 0 &&
				    has_number(self, set->values[i].ids[k]))
					return true;
	}
	return false;
}

bool sysprof_capture_condition_match(const SysprofCaptureCondition *self,
                                     const SysprofCaptureFrame *frame)
{
	if (self == NULL || frame == NULL)
		return false;
	switch (self->kind) {
	case BOTH:
		return sysprof_capture_condition_match(self->left, frame) &&
		       sysprof_capture_condition_match(self->right, frame);
	case EITHER:
		return sysprof_capture_condition_match(self->left, frame) ||
		       sysprof_capture_condition_match(self->right, frame);
	case TYPE:
		return has_number(self, frame->type);
	case TIME:
		return frame->time >= self->begin && frame->time <= self->end;
	case PID:
		return has_number(self, (uint32_t)frame->pid);
	case COUNTER:
		return has_counter(self, frame);
	case EMBEDDED_FILE:
		return frame->type == SYSPROF_CAPTURE_FRAME_FILE_CHUNK &&
		       strcmp(((const SysprofCaptureFileChunk *)(const void *)
		                       frame)
		                      ->path,
		              self->path) == 0;
	}
	return false;
}

struct _SysprofCaptureCursor {
	int32_t n_refs;
	SysprofCaptureReader *reader; /* NULL: no reader */
	SysprofCaptureCondition **conditions;
	size_t n_conditions;
	bool lacks_one; /* there was no memory for a condition */
	bool is_reverse;
	/* For the reverse walk: offsets of frames, and the number of remaining
	 * frames */
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

/* Store the offsets of all frames, or no offset if memory is exhausted. */
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
