/* SPDX-License-Identifier: BSD-2-Clause */
/* mark.h - what the calls that emit marks share. */
#ifndef SYC_EMIT_MARK_H
#define SYC_EMIT_MARK_H

#include <stddef.h>
#include <stdint.h>

#include <syscap.h>

#include "base/text.h"

#define SYC_MARK_MESSAGE_MAX \
	(SYSCAP_FRAME_MAX - sizeof(struct syscap_wire_mark) - 1)

/** The length of a mark's frame whose message has @n bytes. */
static inline uint32_t syc_mark_frame_len(size_t n)
{
	return syc_text_frame_len(sizeof(struct syscap_wire_mark), n);
}

static inline void syc_mark_fill_site(struct syscap_mark_site *site,
                                      const char *group, const char *name)
{
	syc_text_put(site->group, sizeof(site->group), group);
	syc_text_put(site->name, sizeof(site->name), name);
}

#endif
