/* SPDX-License-Identifier: BSD-2-Clause */
/* mark.h - what the calls that emit marks share. */
#ifndef SYC_MARK_H
#define SYC_MARK_H

#include <stddef.h>
#include <stdint.h>

#include <syscap.h>

#include "base/text.h"

#define SYC_MARK_MESSAGE_MAX \
	(SYSCAP_FRAME_MAX - sizeof(struct syscap_wire_mark) - 1)

/**
 * Reserve a mark's frame and fill in everything but its message, room for
 * which, @n bytes, is zeroed at the end.  NULL: there is no room, and it is
 * counted.
 *
 * Context: owner, signal-safe, between syc_enter() and syc_leave().
 */
unsigned char *syc_mark_begin(struct syc_thread *st,
                              const struct syscap_mark_site *site,
                              int64_t begin, int64_t duration, size_t n);

static inline void syc_mark_fill_site(struct syscap_mark_site *site,
                                      const char *group, const char *name)
{
	syc_text_put(site->group, sizeof(site->group), group);
	syc_text_put(site->name, sizeof(site->name), name);
}

#endif
