/* SPDX-License-Identifier: BSD-2-Clause */
/* dump_stack.c - `syscap dump`: a stack, in the line of its frame. */
#include "cli/dump_stack.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/printable.h"

/* Markers of contexts are small negative numbers. */
#define MARKERS_BEGIN UINT64_C(0xFFFFFFFFFFFFF000)

/* The place of @location, whose instruction is the byte before @is_return. */
static bool find_place(const struct syc_dump *dump,
                       const struct syscap_profile_location *location,
                       bool is_return, struct syc_line_place *place)
{
	const struct syscap_profile_map *map;
	uint64_t offset;
	size_t n;

	if (location->map == SYSCAP_PROFILE_NONE)
		return false;
	map = &syscap_profile_maps(dump->profile, &n)[location->map];
	offset = location->address - map->start + map->offset;
	/* What a signal interrupted is an instruction wherever it stands. */
	return (is_return &&
	        syc_line_table_find(&dump->lines, map->path, map->build_id,
	                            offset - 1, place)) ||
	       syc_line_table_find(&dump->lines, map->path, map->build_id,
	                           offset, place);
}

static void print_line(const struct syc_line_frame *line)
{
	if (line->file[0] == 0)
		return;
	fputs(" (", stdout);
	syc_printable_write(stdout, line->file, true);
	if (line->line != 0)
		printf(":%" PRIu32, line->line);
	putchar(')');
}

/* All but the last, which is the function that has the code. */
static void print_inlined(const struct syc_dump *dump,
                          const struct syc_line_place *place,
                          struct syc_line_frame *last)
{
	for (uint32_t i = 0; i < place->n; i++) {
		syc_line_table_frame(&dump->lines, place->first + i, last);
		if (i + 1 == place->n)
			break;
		syc_printable_write(stdout, last->function, true);
		print_line(last);
		fputs(" in ", stdout);
	}
}

/* "=name+0x1f", if it has a name.  False: @addr is not what is at @node. */
static bool print_name(const struct syc_dump *dump, uint32_t node,
                       uint64_t addr, bool is_return)
{
	const struct syscap_profile_function *function;
	const struct syscap_profile_location *location;
	struct syscap_profile_stacks stacks;
	struct syc_line_frame line = { "", "", 0 };
	struct syc_line_place place;
	size_t n;

	syscap_profile_stacks(dump->profile, &stacks);
	location = &syscap_profile_locations(dump->profile,
	                                     &n)[stacks.locations[node]];
	function = syscap_profile_function(dump->profile, location->function);
	if (location->process == SYSCAP_PROFILE_NONE ||
	    location->address != addr)
		return false;
	if (!function->is_named)
		return true;
	putchar('=');
	if (find_place(dump, location, is_return, &place))
		print_inlined(dump, &place, &line);
	syc_printable_write(stdout, function->name, true);
	if (location->start != 0)
		printf("+0x%" PRIx64, addr - location->start);
	print_line(&line);
	return true;
}

void syc_dump_stack(const struct syc_dump *dump,
                    const struct syscap_frame *frame)
{
	struct syscap_profile_stacks stacks = { 0 };
	uint32_t node = dump->stack;
	bool is_return = false;
	uint64_t addr;

	if (dump->profile == NULL)
		node = SYSCAP_PROFILE_NONE;
	else
		syscap_profile_stacks(dump->profile, &stacks);
	for (unsigned i = 0; syscap_frame_addr(dump->reader, frame, i, &addr);
	     i++) {
		printf(" 0x%" PRIx64, addr);
		/* Notes and markers are on one side only */
		if (node != SYSCAP_PROFILE_NONE && node != 0 &&
		    print_name(dump, node, addr, is_return))
			node = stacks.parents[node];
		is_return = addr < MARKERS_BEGIN;
	}
}
