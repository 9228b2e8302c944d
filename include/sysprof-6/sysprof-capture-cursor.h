/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sysprof-capture-cursor.h - walk over the frames that match.
 *
 * One thread at a time per cursor; references may be counted by any.
 */
#ifndef SYSPROF_CAPTURE_CURSOR_H
#define SYSPROF_CAPTURE_CURSOR_H

#include "sysprof-capture-types.h"
#include "sysprof-version-macros.h"

SYSPROF_BEGIN_DECLS

/**
 * @frame, whole and in the byte order of the host, lives until the callback
 * returns.  True goes on, false ends the walk.
 */
typedef bool (*SysprofCaptureCursorCallback)(const SysprofCaptureFrame *frame,
                                             void *user_data);

/**
 * Over a copy of @reader, from the first frame on.  NULL: over nothing.
 * Returns NULL and errno where that can't be had.
 */
SYSPROF_AVAILABLE_IN_ALL
SysprofCaptureCursor *sysprof_capture_cursor_new(SysprofCaptureReader *reader);

SYSPROF_AVAILABLE_IN_ALL
void sysprof_capture_cursor_unref(SysprofCaptureCursor *self);

SYSPROF_AVAILABLE_IN_ALL
SysprofCaptureCursor *sysprof_capture_cursor_ref(SysprofCaptureCursor *self);

/** The copy, which stays the cursor's; or NULL. */
SYSPROF_AVAILABLE_IN_ALL
SysprofCaptureReader *
sysprof_capture_cursor_get_reader(SysprofCaptureCursor *self);

/**
 * Call @callback for each frame, from where the cursor is, that matches at
 * least one condition, or for each where there is none.  Frames of types that
 * are not known are left out, as are those whose content is damaged; why it
 * ended, the reader tells.
 */
SYSPROF_AVAILABLE_IN_ALL
void sysprof_capture_cursor_foreach(SysprofCaptureCursor *self,
                                    SysprofCaptureCursorCallback callback,
                                    void *user_data);

/** Back to the first frame. */
SYSPROF_AVAILABLE_IN_ALL
void sysprof_capture_cursor_reset(SysprofCaptureCursor *self);

/**
 * Turn around: foreach then goes from the last frame to the first.  The
 * cursor is set back, to the first frame of the new direction.
 */
SYSPROF_AVAILABLE_IN_ALL
void sysprof_capture_cursor_reverse(SysprofCaptureCursor *self);

/** One condition more, of several that may match.  The reference is taken. */
SYSPROF_AVAILABLE_IN_ALL
void sysprof_capture_cursor_add_condition(SysprofCaptureCursor *self,
                                          SysprofCaptureCondition *condition);

SYSPROF_END_DECLS

#endif
