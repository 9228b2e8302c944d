/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sysprof-capture-condition.h - conditions on the frames of a cursor.
 *
 * Conditions do not change, so any number of threads may match with a condition
 * and count its references.  Constructors copy their arguments.  On failure, a
 * constructor returns NULL and sets errno: ENOMEM, or EINVAL for an invalid
 * NULL.
 */
#ifndef SYSPROF_CAPTURE_CONDITION_H
#define SYSPROF_CAPTURE_CONDITION_H

#include "sysprof-capture-types.h"
#include "sysprof-version-macros.h"

SYSPROF_BEGIN_DECLS

/** Make a deep copy with one reference. */
SYSPROF_AVAILABLE_IN_ALL
SysprofCaptureCondition *
sysprof_capture_condition_copy(const SysprofCaptureCondition *self);

/** Drop a reference; the last drop frees the condition. */
SYSPROF_AVAILABLE_IN_ALL
void sysprof_capture_condition_unref(SysprofCaptureCondition *self);

/** Add a reference. */
SYSPROF_AVAILABLE_IN_ALL
SysprofCaptureCondition *
sysprof_capture_condition_ref(SysprofCaptureCondition *self);

/** Match frames that both conditions match (and), or that at least one
 * condition matches (or).  The result owns @left and @right. */
SYSPROF_AVAILABLE_IN_ALL
SysprofCaptureCondition *
sysprof_capture_condition_new_and(SysprofCaptureCondition *left,
                                  SysprofCaptureCondition *right);
SYSPROF_AVAILABLE_IN_ALL
SysprofCaptureCondition *
sysprof_capture_condition_new_or(SysprofCaptureCondition *left,
                                 SysprofCaptureCondition *right);

/** Match frames of the types. */
SYSPROF_AVAILABLE_IN_ALL
SysprofCaptureCondition *sysprof_capture_condition_new_where_type_in(
	unsigned int n_types, const SysprofCaptureFrameType *types);

/** Match @begin_time <= the frame's time <= @end_time, in either order. */
SYSPROF_AVAILABLE_IN_ALL
SysprofCaptureCondition *
sysprof_capture_condition_new_where_time_between(int64_t begin_time,
                                                 int64_t end_time);

/** Match frames of the pids. */
SYSPROF_AVAILABLE_IN_ALL
SysprofCaptureCondition *
sysprof_capture_condition_new_where_pid_in(unsigned int n_pids,
                                           const int32_t *pids);

/** Match frames that define or set one of @counters; NULL: none. */
SYSPROF_AVAILABLE_IN_ALL
SysprofCaptureCondition *
sysprof_capture_condition_new_where_counter_in(unsigned int n_counters,
                                               const unsigned int *counters);

/** Match parts of the embedded file @path. */
SYSPROF_AVAILABLE_IN_ALL
SysprofCaptureCondition *
sysprof_capture_condition_new_where_file(const char *path);

/**
 * Returns true if @frame matches.  @frame must be whole and in the byte order
 * of the host, as readers return frames.
 */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_condition_match(const SysprofCaptureCondition *self,
                                     const SysprofCaptureFrame *frame);

SYSPROF_END_DECLS

#endif
