/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * code_frames.h - code tables that a runtime wrote into the capture itself.
 *
 * METADATA frames of the id "syscap.code", which syscap_code_add() and its
 * like emit, numbers in hex without 0x:
 *
 *	add START LEN NAME
 *	move FROM TO LEN
 *	remove START LEN
 */
#ifndef SYC_CODE_CODE_FRAMES_H
#define SYC_CODE_CODE_FRAMES_H

#include <stdbool.h>

#include <syscap/capture.h>

#include "code/code_table.h"

#define SYC_CODE_FRAMES_ID "syscap.code"

bool syc_code_frames_is(const struct syscap_frame *frame);

/**
 * Put what @frame tells into @table, from its time on.  0; -EINVAL, it tells
 * nothing; -ENOSPC or -ENOMEM.
 *
 * Context: offline.
 */
int syc_code_frames_take(const struct syscap_frame *frame,
                         struct syc_code_table *table);

#endif
