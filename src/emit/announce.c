/* SPDX-License-Identifier: BSD-2-Clause */
/* announce.c - what the first ring of a process says of it. */
#define _GNU_SOURCE
#include "emit/announce.h"

#include <string.h>

#include <syscap.h>

#include "base/text.h"
#include "emit/metadata_frame.h"
#include "emit/process.h"
#include "emit/room.h"
#include "os/process.h"
#include "os/syscalls.h"
#include "ring/clock.h"

#define CMDLINE_MAX 1024u

static bool announce_process(struct syc_thread *st)
{
	char cmdline[CMDLINE_MAX];
	const size_t n = syc_text_cut(
		cmdline, syc_own_proc_cmdline(cmdline, sizeof(cmdline)),
		sizeof(cmdline) - 2);
	const uint32_t len = syc_text_frame_len(SYC_HEAD_SIZE, n);
	unsigned char *const frame =
		syc_room_take(st, st->limit, len, syc_clock_kernel());

	if (frame == NULL)
		return false;
	syc_store_word(frame + len - 8, 0);
	memcpy(frame + SYC_HEAD_SIZE, cmdline, n);
	syc_commit(frame, SYSCAP_FRAME_PROCESS, 0);
	return true;
}

/* By how much the clock @id is ahead of CLOCK_MONOTONIC. */
static void add_offset(struct syc_text *text, const char *name, clockid_t id)
{
	const int64_t before = syc_clock_kernel();
	const int64_t that = syc_kernel_clock(id);
	const int64_t now = before + (syc_clock_kernel() - before) / 2;

	syc_text_add(text, name);
	syc_text_add_i64(text, that - now);
}

static bool announce_clock(struct syc_thread *st)
{
	char value[128];
	struct syc_text text = syc_text_begin(value, sizeof(value));

	syc_text_add(&text, syc_clock_is_tsc()
	                            ? "source=tsc error_ns="
	                            : "source=clock_gettime error_ns=");
	syc_text_add_u64(&text, syc_clock_is_tsc() ? syc_clock_error() : 0);
	add_offset(&text, " realtime=", CLOCK_REALTIME);
	add_offset(&text, " boottime=", CLOCK_BOOTTIME);
	const size_t n = (size_t)(text.at - value);
	const uint32_t len =
		syc_text_frame_len(sizeof(struct syscap_wire_metadata), n);
	unsigned char *const frame =
		syc_room_take(st, st->limit, len, syc_clock_kernel());

	if (frame == NULL)
		return false;
	syc_metadata_fill(frame, len, "syscap.clock", value, n);
	syc_commit(frame, SYSCAP_FRAME_METADATA, st->tid_tag);
	return true;
}

void syc_announce_clock_error(struct syc_thread *st)
{
	volatile uintptr_t token;
	const bool is_outermost =
		syc_enter_from(st, &token, __builtin_dwarf_cfa());

	announce_clock(st);
	syc_leave(st, &token, is_outermost);
}

void syc_announce(struct syc_state *ts)
{
	if (__atomic_exchange_n(&syc_process->announced, 1, __ATOMIC_RELAXED))
		return;
	if ((ts->is_ours || announce_process(&ts->hot)) &&
	    announce_clock(&ts->hot))
		return;
	/* did not fit: the next ring of the process tries again */
	__atomic_store_n(&syc_process->announced, 0, __ATOMIC_RELAXED);
}
