/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * names_room.h - numbers and bytes for names, taken and put back.
 *
 * One exchange of `taken` takes both.  What turns out not to be needed goes
 * back, or aside for the next name that fits.
 */
#ifndef SYC_EMIT_NAMES_ROOM_H
#define SYC_EMIT_NAMES_ROOM_H

#include <stdint.h>

#include "emit/table.h"

/** A number and @size bytes; 0: there are none. */
uint64_t syc_names_take_room(struct syc_names_table *table, uint32_t size);

/** Back where it came from, if nobody has taken more since; else aside. */
void syc_names_put_room_back(struct syc_names_table *table, uint64_t room);

static inline uint32_t syc_names_room_number(uint64_t room)
{
	return (uint32_t)(room >> 48);
}

static inline uint32_t syc_names_room_offset(uint64_t room)
{
	return (uint32_t)room;
}

#endif
