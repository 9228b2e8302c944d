/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sysprof-capture-condition.h - which frames a cursor is to show.
 *
 * Conditions don't change once made; any number of threads may match with
 * one, and count its references.  Constructors return NULL (errno: ENOMEM, or
 * EINVAL for a NULL that must not be) and copy what they are given.
 */
#ifndef SYSPROF_CAPTURE_CONDITION_H
#define SYSPROF_CAPTURE_CONDITION_H

#include "sysprof-capture-types.h"
#include "sysprof-version-macros.h"

SYSPROF_BEGIN_DECLS

/** A deep copy, with one reference. */
SYSPROF_AVAILABLE_IN_ALL
SysprofCaptureCondition *
sysprof_capture_condition_copy(const SysprofCaptureCondition *self);

/** Drops a reference; the last one frees. */
SYSPROF_AVAILABLE_IN_ALL
void sysprof_capture_condition_unref(SysprofCaptureCondition *self);

SYSPROF_AVAILABLE_IN_ALL
SysprofCaptureCondition *
sysprof_capture_condition_ref(SysprofCaptureCondition *self);

/** Both, or either; the references of @left and @right are taken over. */
SYSPROF_AVAILABLE_IN_ALL
SysprofCaptureCondition *
sysprof_capture_condition_new_and(SysprofCaptureCondition *left,
                                  SysprofCaptureCondition *right);
SYSPROF_AVAILABLE_IN_ALL
SysprofCaptureCondition *
sysprof_capture_condition_new_or(SysprofCaptureCondition *left,
                                 SysprofCaptureCondition *right);

SYSPROF_AVAILABLE_IN_ALL
SysprofCaptureCondition *sysprof_capture_condition_new_where_type_in(
	unsigned int n_types, const SysprofCaptureFrameType *types);

/** @begin_time <= the frame's time <= @end_time, or the other way round. */
SYSPROF_AVAILABLE_IN_ALL
SysprofCaptureCondition *
sysprof_capture_condition_new_where_time_between(int64_t begin_time,
                                                 int64_t end_time);

SYSPROF_AVAILABLE_IN_ALL
SysprofCaptureCondition *
sysprof_capture_condition_new_where_pid_in(unsigned int n_pids,
                                           const int32_t *pids);

/** Frames that define or set one of @counters.  NULL for none. */
SYSPROF_AVAILABLE_IN_ALL
SysprofCaptureCondition *
sysprof_capture_condition_new_where_counter_in(unsigned int n_counters,
                                               const unsigned int *counters);

/** Parts of the embedded file @path. */
SYSPROF_AVAILABLE_IN_ALL
SysprofCaptureCondition *
sysprof_capture_condition_new_where_file(const char *path);

/**
 * Whether @frame matches: a whole frame as a reader returns it, in the byte
 * order of the host.
 */
SYSPROF_AVAILABLE_IN_ALL
bool sysprof_capture_condition_match(const SysprofCaptureCondition *self,
                                     const SysprofCaptureFrame *frame);

SYSPROF_END_DECLS

#endif
