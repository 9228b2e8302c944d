/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sysprof-capture-cursor.h - walks over matching frames.
 *
 * One thread at a time may use a cursor, but any thread may count references.
 */
#ifndef SYSPROF_CAPTURE_CURSOR_H
#define SYSPROF_CAPTURE_CURSOR_H

#include "sysprof-capture-types.h"
#include "sysprof-version-macros.h"

SYSPROF_BEGIN_DECLS

/**
 * A callback for each frame.  @frame, whole and in the byte order of the host,
 * is valid until the callback returns.  Return true to continue, false to end.
 */
typedef bool (*SysprofCaptureCursorCallback)(const SysprofCaptureFrame *frame,
                                             void *user_data);

/**
 * Create a cursor over a copy of @reader, from the first frame on.  If @reader
 * is NULL, the cursor has no frames.  Returns NULL and sets errno on failure.
 */
SYSPROF_AVAILABLE_IN_ALL
SysprofCaptureCursor *sysprof_capture_cursor_new(SysprofCaptureReader *reader);

/** Drop a reference; the last drop frees the cursor. */
SYSPROF_AVAILABLE_IN_ALL
void sysprof_capture_cursor_unref(SysprofCaptureCursor *self);

/** Add a reference. */
SYSPROF_AVAILABLE_IN_ALL
SysprofCaptureCursor *sysprof_capture_cursor_ref(SysprofCaptureCursor *self);

/** Get the copy of the reader, which the cursor owns, or NULL. */
SYSPROF_AVAILABLE_IN_ALL
SysprofCaptureReader *
sysprof_capture_cursor_get_reader(SysprofCaptureCursor *self);

/**
 * Call @callback for each frame from the cursor's position that matches at
 * least one condition, or for all frames if the cursor has no condition.  The
 * walk omits frames of unknown types and malformed frames.  If the walk ends
 * early, the reader stores the reason.
 */
SYSPROF_AVAILABLE_IN_ALL
void sysprof_capture_cursor_foreach(SysprofCaptureCursor *self,
                                    SysprofCaptureCursorCallback callback,
                                    void *user_data);

/** Go back to the first frame. */
SYSPROF_AVAILABLE_IN_ALL
void sysprof_capture_cursor_reset(SysprofCaptureCursor *self);

/**
 * Reverse the direction, so that foreach walks from the last frame to the
 * first.  The cursor moves to the first frame of the new direction.
 */
SYSPROF_AVAILABLE_IN_ALL
void sysprof_capture_cursor_reverse(SysprofCaptureCursor *self);

/** Add a condition and own its reference.  At least one condition must
 * match. */
SYSPROF_AVAILABLE_IN_ALL
void sysprof_capture_cursor_add_condition(SysprofCaptureCursor *self,
                                          SysprofCaptureCondition *condition);

SYSPROF_END_DECLS

#endif
