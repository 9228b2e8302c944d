/* SPDX-License-Identifier: BSD-2-Clause */
/* dump_text.c - `syscap dump`: a frame as one line of text, with its stack. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <syscap/profile.h>

#include "capture/frame.h"
#include "cli/commands.h"
#include "cli/table.h"
#include "common/strings.h"

/* Markers of contexts are small negative numbers. */
#define MARKERS_BEGIN UINT64_C(0xFFFFFFFFFFFFF000)

/* Find the place of @location.  For a return address, use the byte before the
 * address. */
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
	/* The address that a signal interrupted is not a return address. */
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

/*
 * Print all source frames except the last, which is the function with the code.
 */
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

/*
 * Print "=name+0x1f", if the function has a name.  Returns false if @addr is
 * not the address of @node.
 */
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

/*
 * Print the addresses of @frame, each with its function and any source lines:
 *
 *	0x55d0="main"+0x1f
 *	0x55d0="main"+0x1f ("/src/main.c":5)
 *	0x55d0="swap" ("/src/swap.h":9) in "main"+0x1f ("/src/main.c":5)
 */
static void dump_stack(const struct syc_dump *dump,
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
		/*
		 * Notes are only in @node's stack, and markers only in @frame
		 */
		if (node != SYSCAP_PROFILE_NONE && node != 0 &&
		    print_name(dump, node, addr, is_return))
			node = stacks.parents[node];
		is_return = addr < MARKERS_BEGIN;
	}
}

static void print_text(const char *label, const char *text)
{
	printf(" %s ", label);
	syc_printable_write(stdout, text, true);
}

static void print_value(bool is_double, uint64_t bits)
{
	double number;

	memcpy(&number, &bits, sizeof(number));
	if (is_double)
		printf("%.15g", number);
	else
		printf("%" PRId64, (int64_t)bits);
}

static void print_map(const struct syscap_frame *frame)
{
	printf(" 0x%" PRIx64 "-0x%" PRIx64 " offset 0x%" PRIx64
	       " inode %" PRIu64,
	       frame->map.start, frame->map.end, frame->map.offset,
	       frame->map.inode);
	print_text("file", frame->map.filename);
	if (frame->map.build_id)
		printf(" build-id %s", frame->map.build_id);
}

static void print_names(const struct syc_dump *dump,
                        const struct syscap_frame *frame)
{
	size_t cursor = 0;
	const char *name;
	uint64_t addr;

	while (syscap_frame_jit_name(dump->reader, frame, &cursor, &addr,
	                             &name)) {
		printf(" 0x%" PRIx64 "=", addr);
		syc_printable_write(stdout, name, true);
	}
}

static void print_counters(const struct syc_dump *dump,
                           const struct syscap_frame *frame)
{
	struct syscap_counter_info info;
	uint64_t bits;

	for (unsigned i = 0;
	     syscap_frame_counter(dump->reader, frame, i, &info); i++) {
		memcpy(&bits, &info.value, sizeof(bits));
		printf(" [%" PRIu32, info.id);
		print_text("category", info.category);
		print_text("name", info.name);
		print_text("description", info.description);
		printf(" %s ", info.is_double ? "double" : "int64");
		print_value(info.is_double, bits);
		putchar(']');
	}
}

static void print_values(const struct syc_dump *dump,
                         const struct syscap_frame *frame)
{
	uint64_t bits;
	uint32_t id;

	for (unsigned i = 0;
	     syscap_frame_slot(dump->reader, frame, i, &id, &bits); i++) {
		if (id == 0)
			continue;
		printf(" %" PRIu32 "=", id);
		print_value(syc_counter_stats_is_double(&dump->counters,
		                                        frame->pid, id),
		            bits);
	}
}

static void print_mark(const struct syscap_frame *frame)
{
	char duration[40];

	syc_duration_format(frame->mark.duration, duration, sizeof(duration));
	printf(" for %s", duration);
	print_text("group", frame->mark.group);
	print_text("name", frame->mark.name);
	print_text("message", frame->mark.message);
}

static void print_log(const struct syscap_frame *frame)
{
	const unsigned i = syc_severity_index(frame->log.severity);

	printf(" %s", syc_severity_name(i));
	print_text("domain", frame->log.domain);
	print_text("message", frame->log.message);
}

static void print_stack(const struct syc_dump *dump,
                        const struct syscap_frame *frame, unsigned flags)
{
	dump_stack(dump, frame);
	if ((flags & SYSCAP_STACK_CUT) != 0)
		fputs(" cut", stdout);
	if ((flags & SYSCAP_STACK_STOPPED) != 0)
		fputs(" stopped", stdout);
}

static void print_sample(const struct syc_dump *dump,
                         const struct syscap_frame *frame)
{
	const uint32_t weight = syc_sample_weight(frame);

	print_stack(dump, frame, syc_sample_flags(frame, dump->is_foreign));
	if (syc_sample_is_wait(frame->padding2))
		printf(" %s for %" PRId64 " us",
		       (frame->padding2 & SYSCAP_WEIGHT_TAG_MASK) ==
		                       SYSCAP_BLOCKED_TAG
		               ? "blocked"
		               : "stalled",
		       syc_sample_wait_ns(frame->padding2) / 1000);
	if (syc_sample_is_crash(frame->padding2))
		fputs(" crashed", stdout);
	if (weight != 1)
		printf(" weight %" PRIu32, weight);
}

/* Print the types without texts. */
static void print_plain(const struct syc_dump *dump,
                        const struct syscap_frame *frame)
{
	switch (frame->type) {
	case SYSCAP_FRAME_TIMESTAMP:
		if (frame->timestamp.is_index)
			printf(" index, previous at byte %" PRIu64,
			       frame->timestamp.previous_index);
		break;
	case SYSCAP_FRAME_TRACE:
		fputs(frame->sample.entering ? " enter" : " leave", stdout);
		dump_stack(dump, frame);
		break;
	case SYSCAP_FRAME_SAMPLE:
		print_sample(dump, frame);
		break;
	case SYSCAP_FRAME_FORK:
		printf(" child %" PRId32, frame->fork.child_pid);
		break;
	case SYSCAP_FRAME_ALLOCATION:
		printf(" 0x%" PRIx64 " size %" PRId64 " at",
		       frame->allocation.addr, frame->allocation.size);
		print_stack(dump, frame,
		            syc_allocation_flags(frame, dump->is_foreign));
		break;
	case SYSCAP_FRAME_EXIT:
		break;
	case SYSCAP_FRAME_DBUS_MESSAGE:
		printf(" bus %u flags %u, %u bytes",
		       frame->dbus_message.bus_type, frame->dbus_message.flags,
		       frame->dbus_message.message_len);
		break;
	default:
		printf(" type %u, %u bytes", frame->type, frame->len);
		break;
	}
}

static void print_fields(const struct syc_dump *dump,
                         const struct syscap_frame *frame)
{
	switch (frame->type) {
	case SYSCAP_FRAME_MAP:
		print_map(frame);
		break;
	case SYSCAP_FRAME_PROCESS:
		print_text("cmdline", frame->process.cmdline);
		break;
	case SYSCAP_FRAME_JITMAP:
		print_names(dump, frame);
		break;
	case SYSCAP_FRAME_CTRDEF:
		print_counters(dump, frame);
		break;
	case SYSCAP_FRAME_CTRSET:
		print_values(dump, frame);
		break;
	case SYSCAP_FRAME_MARK:
		print_mark(frame);
		break;
	case SYSCAP_FRAME_METADATA:
		print_text("id", frame->metadata.id);
		print_text("text", frame->metadata.value);
		break;
	case SYSCAP_FRAME_LOG:
		print_log(frame);
		break;
	case SYSCAP_FRAME_FILE_CHUNK:
		print_text("path", frame->file_chunk.path);
		printf(" %u bytes%s", frame->file_chunk.len,
		       frame->file_chunk.is_last ? ", the last" : "");
		break;
	case SYSCAP_FRAME_OVERLAY:
		printf(" layer %u", frame->overlay.layer);
		print_text("src", frame->overlay.src);
		print_text("dst", frame->overlay.dst);
		break;
	default:
		print_plain(dump, frame);
		break;
	}
}

/* Print seconds after the beginning, exactly, unlike a double. */
static void print_time(int64_t time, int64_t begin)
{
	const bool is_before = time < begin;
	const uint64_t apart = is_before ? (uint64_t)begin - (uint64_t)time
	                                 : (uint64_t)time - (uint64_t)begin;

	printf("%c%" PRIu64 ".%09" PRIu64, is_before ? '-' : '+',
	       apart / 1000000000u, apart % 1000000000u);
}

void syc_dump_text(const struct syc_dump *dump,
                   const struct syscap_frame *frame)
{
	const char *type = syscap_frame_type_name(frame->type);

	print_time(frame->time, dump->begin);
	printf(" %-12s pid %" PRId32, type ? type : "unknown", frame->pid);
	if (frame->tid >= 0)
		printf(" tid %" PRId32, frame->tid);
	if (frame->cpu >= 0)
		printf(" cpu %d", frame->cpu);
	print_fields(dump, frame);
	putchar('\n');
}
