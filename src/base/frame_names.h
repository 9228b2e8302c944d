/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frame_names.h - names of frame types in texts, loss records and JSON.
 *
 * Context of everything here: any-thread, signal-safe.
 */
#ifndef SYC_BASE_FRAME_NAMES_H
#define SYC_BASE_FRAME_NAMES_H

#include <stddef.h>

#include <syscap/format.h>

/** NULL: no frame of a file has this type. */
static inline const char *syc_frame_name(unsigned type)
{
	static const char names[SYSCAP_FRAME_LAST][16] = {
		[SYSCAP_FRAME_TIMESTAMP] = "timestamp",
		[SYSCAP_FRAME_SAMPLE] = "sample",
		[SYSCAP_FRAME_MAP] = "map",
		[SYSCAP_FRAME_PROCESS] = "process",
		[SYSCAP_FRAME_FORK] = "fork",
		[SYSCAP_FRAME_EXIT] = "exit",
		[SYSCAP_FRAME_JITMAP] = "jitmap",
		[SYSCAP_FRAME_CTRDEF] = "ctrdef",
		[SYSCAP_FRAME_CTRSET] = "ctrset",
		[SYSCAP_FRAME_MARK] = "mark",
		[SYSCAP_FRAME_METADATA] = "metadata",
		[SYSCAP_FRAME_LOG] = "log",
		[SYSCAP_FRAME_FILE_CHUNK] = "file_chunk",
		[SYSCAP_FRAME_ALLOCATION] = "allocation",
		[SYSCAP_FRAME_OVERLAY] = "overlay",
		[SYSCAP_FRAME_TRACE] = "trace",
		[SYSCAP_FRAME_DBUS_MESSAGE] = "dbus_message",
	};

	return type != 0 && type < SYSCAP_FRAME_LAST ? names[type] : NULL;
}

#endif
