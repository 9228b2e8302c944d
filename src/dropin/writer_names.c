/* SPDX-License-Identifier: BSD-2-Clause */
/* writer_names.c - names of code that a capture writer gives addresses to. */
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <syscap/emit.h>

#include "dropin/frame_text.h"
#include "dropin/writer.h"
#include "ring/clock.h"

/* In a frame of its own, in front of its users. */
static bool tell_name(SysprofCaptureWriter *self, const struct syc_name *name)
{
	const size_t fixed = SYSCAP_JITMAP_FIXED;
	struct syc_writer_life *const life = self->life;
	struct syc_adding a;

	if (!syc_adding_begin(self, &a,
	                      fixed + sizeof(name->address) + name->len + 1,
	                      SYSPROF_CAPTURE_FRAME_JITMAP, syc_clock_kernel(),
	                      -1, life->pid))
		return false;
	((struct syscap_wire_jitmap *)(void *)a.frame)->n_jitmaps = 1;
	memcpy(a.frame + fixed, &name->address, sizeof(name->address));
	syc_frame_text_copy(a.frame + fixed + sizeof(name->address), name->text,
	                    name->len);
	return syc_adding_end(&a);
}

/* It waits for others; where too many do, they are written first.  A handler
 * can't do that. */
static SYC_COLD bool tell_soon(SysprofCaptureWriter *self,
                               struct syc_name *name)
{
	struct syc_writer_life *const life = self->life;

	for (int i = 0; i < 2; i++) {
		const bool is_outermost = syc_buffer_enter(&self->buffer);
		const bool waits =
			syc_untold_add(&self->untold, name, life->told);

		if (!waits)
			__atomic_store_n(&life->buffer.wants_flush, true,
			                 __ATOMIC_RELAXED);
		if (is_outermost)
			syc_writer_leave_last(self);
		else
			syc_buffer_leave(&self->buffer);
		if (waits)
			return true;
	}
	const uint32_t told = life->told;
	if (!tell_name(self, name))
		return false;
	name->told = told;
	return true;
}

uint64_t sysprof_capture_writer_add_jitmap(SysprofCaptureWriter *self,
                                           const char *name)
{
	if (self == NULL) {
		errno = EINVAL;
		return 0;
	}
	struct syc_writer_life *const life = self->life;
	if (SYC_UNLIKELY(life->told == 0)) {
		/* A new process: what its parent told may not reach the file,
		 * and what it names from here on is not ours */
		life->pid = getpid();
		if (life->pid != self->pid)
			self->names.next = syc_names_scattered();
		life->told = ++self->n_told;
	}
	struct syc_name *const entry =
		syc_names_get(&self->names, name != NULL ? name : "");
	if (entry == NULL) {
		errno = ENOMEM;
		return 0;
	}
	if (SYC_UNLIKELY(entry->told != life->told) && !tell_soon(self, entry))
		return 0;
	return entry->address;
}
