/* SPDX-License-Identifier: BSD-2-Clause */
/* reading.c - one reading of all sources: who says what, and the frames of
 * it. */
#include "collect/reading.h"

#include <stdlib.h>
#include <string.h>

#include "base/frame.h"

/* Of either in one frame: far below SYSCAP_FRAME_MAX. */
#define DEFINED_MAX 256u
#define GROUPS_MAX  512u

static void copy_text(char *to, size_t size, const char *text)
{
	const size_t n = strnlen(text, size - 1);

	memcpy(to, text, n);
}

uint32_t syc_reading_define(struct syc_reading *reading,
                            const struct syc_reading_counter *counter)
{
	struct syscap_wire_counter wire;
	uint32_t id;

	/* Room first: an id is never given out in vain */
	if (syc_array_room(&reading->fresh) < 0 ||
	    syc_array_push(&reading->fresh_is_process,
	                   counter->of == SYC_READING_PROCESS) < 0)
		return 0;
	id = reading->options->new_id(reading->options->context);
	if (id == 0) {
		reading->fresh_is_process.n--;
		return 0;
	}
	memset(&wire, 0, sizeof(wire));
	copy_text(wire.category, sizeof(wire.category), counter->category);
	copy_text(wire.name, sizeof(wire.name), counter->name);
	copy_text(wire.description, sizeof(wire.description),
	          counter->description);
	wire.id[0] = (uint8_t)id;
	wire.id[1] = (uint8_t)(id >> 8);
	wire.id[2] = (uint8_t)(id >> 16);
	wire.type = counter->type == SYC_READING_DOUBLE;
	reading->fresh.items[reading->fresh.n++] = wire;
	reading->defined++;
	return id;
}

void syc_reading_set(struct syc_reading *reading, uint32_t id, int64_t value)
{
	const struct syc_reading_value set = { id, (uint64_t)value };

	if (id != 0)
		(void)syc_array_push(&reading->system, set);
}

void syc_reading_set_double(struct syc_reading *reading, uint32_t id,
                            double value)
{
	int64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	syc_reading_set(reading, id, bits);
}

void syc_reading_set_process(struct syc_reading *reading, uint32_t id,
                             int64_t value)
{
	const struct syc_reading_value set = { id, (uint64_t)value };

	if (id != 0)
		(void)syc_array_push(&reading->process, set);
}

const char *syc_reading_stat(struct syc_reading *reading)
{
	if (!reading->has_stat)
		syc_kept_file_read(&reading->stat, reading->options->root,
		                   "/proc/stat");
	reading->has_stat = true;
	return reading->stat.text;
}

void syc_reading_begin(struct syc_reading *reading, int64_t now)
{
	reading->before = reading->now;
	reading->now = now;
	reading->has_stat = false;
	reading->system.n = reading->process.n = 0;
}

/* Those that are of a process, or those that are of none. */
static void write_definitions(struct syc_reading *reading, bool is_process,
                              int32_t pid)
{
	union {
		struct syscap_wire_ctrdef ctrdef;
		unsigned char
			bytes[sizeof(struct syscap_wire_ctrdef) +
		              DEFINED_MAX * sizeof(struct syscap_wire_counter)];
	} buffer;
	struct syscap_wire_counter *const to = (void *)(&buffer.ctrdef + 1);
	size_t i = 0, n;

	while (i < reading->fresh.n) {
		for (n = 0; i < reading->fresh.n && n < DEFINED_MAX; i++)
			if (reading->fresh_is_process.items[i] == is_process)
				to[n++] = reading->fresh.items[i];
		if (n == 0)
			return;
		memset(&buffer.ctrdef, 0, sizeof(buffer.ctrdef));
		syc_frame_begin(&buffer.ctrdef.frame, SYSCAP_FRAME_CTRDEF, pid,
		                reading->now);
		buffer.ctrdef.n_counters = (uint16_t)n;
		syc_frame_end(&buffer.ctrdef.frame,
		              sizeof(buffer.ctrdef) + n * sizeof(*to));
		syc_writer_add(reading->options->writer, &buffer);
	}
}

static void write_values(struct syc_reading *reading,
                         const struct syc_reading_value *values, size_t n,
                         int32_t pid)
{
	union {
		struct syscap_wire_ctrset ctrset;
		unsigned char
			bytes[sizeof(struct syscap_wire_ctrset) +
		              GROUPS_MAX * sizeof(struct syscap_wire_values)];
	} buffer;
	struct syscap_wire_values *const groups = (void *)(&buffer.ctrset + 1);

	while (n > 0) {
		const size_t now = n < 8 * GROUPS_MAX ? n : 8 * GROUPS_MAX;
		const size_t n_groups = (now + 7) / 8;

		memset(&buffer.ctrset, 0, sizeof(buffer.ctrset));
		memset(groups, 0, n_groups * sizeof(*groups));
		for (size_t i = 0; i < now; i++) {
			groups[i / 8].ids[i % 8] = values[i].id;
			groups[i / 8].values[i % 8] = values[i].value;
		}
		syc_frame_begin(&buffer.ctrset.frame, SYSCAP_FRAME_CTRSET, pid,
		                reading->now);
		buffer.ctrset.n_groups = (uint16_t)n_groups;
		syc_frame_end(&buffer.ctrset.frame,
		              sizeof(buffer.ctrset) +
		                      n_groups * sizeof(*groups));
		syc_writer_add(reading->options->writer, &buffer);
		values += now;
		n -= now;
	}
}

void syc_reading_end(struct syc_reading *reading)
{
	const int32_t pid = reading->options->pid;

	if (reading->fresh.n > 0) {
		write_definitions(reading, false, -1);
		write_definitions(reading, true, pid);
		reading->fresh.n = reading->fresh_is_process.n = 0;
	}
	write_values(reading, reading->system.items, reading->system.n, -1);
	write_values(reading, reading->process.items, reading->process.n, pid);
}

void syc_reading_fini(struct syc_reading *reading)
{
	syc_kept_file_close(&reading->stat);
	free(reading->system.items);
	free(reading->process.items);
	free(reading->fresh.items);
	free(reading->fresh_is_process.items);
}
