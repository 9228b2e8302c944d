/* SPDX-License-Identifier: BSD-2-Clause */
/* reading.c - one reading of all sources: their files, values and frames. */
#define _GNU_SOURCE
#include "collect/reading.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/frame.h"
#include "base/text.h"
#include "os/fd.h"

static bool open_kept(struct syc_kept_file *file,
                      const struct syc_kept_place *place, const char *path)
{
	char whole[SYC_PATH_MAX];

	if (file->fd_1 > 0)
		return true;
	if (!syc_path_make(whole, (const char *[]){ place->root, path, NULL }))
		return false;
	/* Outside of /proc, the path may be a FIFO, whose open() would wait */
	file->fd_1 =
		syc_fd_keep(syc_fd_open(whole, O_RDONLY | O_NONBLOCK, 0)) + 1;
	return file->fd_1 > 0;
}

/*
 * If possible, one read gets the whole text, because the kernel generates a new
 * text at offset 0.  A text that ends at the buffer's end may be cut.
 */
static ssize_t read_kept(const struct syc_kept_file *file, char *buffer,
                         size_t size)
{
	size_t used = 0;
	ssize_t n;

	do {
		n = pread(file->fd_1 - 1, buffer + used, size - 1 - used,
		          (off_t)used);
		if (n > 0)
			used += (size_t)n;
	} while ((n > 0 && used < size - 1) || (n < 0 && errno == EINTR));
	return n < 0 || used == size - 1 ? -1 : (ssize_t)used;
}

/*
 * Read the file @path into @place.  NULL: the file is unreadable, or too long.
 */
static const char *syc_kept_file_read(struct syc_kept_file *file,
                                      const struct syc_kept_place *place,
                                      const char *path)
{
	ssize_t n = -1;

	if (open_kept(file, place, path))
		n = read_kept(file, place->buffer, place->size);
	/* If the device was removed, another device may get its name */
	if (n < 0 || !place->keeps)
		syc_kept_file_close(file);
	if (n < 0)
		return NULL;
	place->buffer[n] = '\0';
	return place->buffer;
}

void syc_kept_file_close(struct syc_kept_file *file)
{
	if (file->fd_1 > 0)
		close(file->fd_1 - 1);
	file->fd_1 = 0;
}

void syc_reading_init(struct syc_reading *reading,
                      const struct syc_counters_options *options)
{
	reading->options = options;
	reading->place = (struct syc_kept_place){
		.root = options->root,
		.keeps = options->keeps_files,
		.buffer = reading->text,
		.size = sizeof(reading->text),
	};
	reading->stat_place = reading->place;
	reading->stat_place.buffer = reading->of_stat;
}

void syc_reading_fini(struct syc_reading *reading)
{
	syc_kept_file_close(&reading->stat);
}

static void begin_frame(const struct syc_reading *reading,
                        struct syscap_wire_frame *frame, uint8_t type,
                        enum syc_reading_of of)
{
	syc_frame_begin(frame, type,
	                of == SYC_READING_PROCESS ? reading->options->pid : -1,
	                reading->now);
}

static void write_frame(const struct syc_reading *reading,
                        struct syscap_wire_frame *frame, size_t size)
{
	const uint16_t len = syc_frame_end(frame, size);

	reading->options->emit(reading->options->context, frame, len);
}

static void write_definitions(struct syc_reading *reading,
                              enum syc_reading_of of)
{
	struct syc_reading_frames *const frames = &reading->frames[of];
	struct syscap_wire_ctrdef *const ctrdef = &frames->definitions.ctrdef;
	const unsigned n = frames->n_counters;

	if (n == 0)
		return;
	*ctrdef = (struct syscap_wire_ctrdef){ .n_counters = (uint16_t)n };
	begin_frame(reading, &ctrdef->frame, SYSCAP_FRAME_CTRDEF, of);
	write_frame(reading, &ctrdef->frame,
	            sizeof(*ctrdef) + n * sizeof(struct syscap_wire_counter));
	frames->n_counters = 0;
}

static void write_values(struct syc_reading *reading, enum syc_reading_of of)
{
	struct syc_reading_frames *const frames = &reading->frames[of];
	struct syscap_wire_ctrset *const ctrset = &frames->values.ctrset;
	const unsigned n = (frames->n_values + 7) / 8;

	if (n == 0)
		return;
	*ctrset = (struct syscap_wire_ctrset){ .n_groups = (uint16_t)n };
	begin_frame(reading, &ctrset->frame, SYSCAP_FRAME_CTRSET, of);
	write_frame(reading, &ctrset->frame,
	            sizeof(*ctrset) + n * sizeof(struct syscap_wire_values));
	memset(frames->values.groups, 0, n * sizeof(struct syscap_wire_values));
	frames->n_values = 0;
}

uint32_t syc_reading_define(struct syc_reading *reading,
                            const struct syc_reading_counter *counter)
{
	struct syc_reading_frames *const frames = &reading->frames[counter->of];
	const uint32_t id = reading->options->new_id(reading->options->context);

	if (id == 0)
		return 0;
	if (frames->n_counters == SYC_READING_DEFINED)
		write_definitions(reading, counter->of);

	struct syscap_wire_counter *const wire =
		&frames->definitions.counters[frames->n_counters++];
	syc_text_field(wire->category, sizeof(wire->category),
	               counter->category);
	syc_text_field(wire->name, sizeof(wire->name), counter->name);
	syc_text_field(wire->description, sizeof(wire->description),
	               counter->description);
	const uint32_t id_and_type = SYC_FRAME_COUNTER_ID(
		id, (uint32_t)(counter->type == SYC_READING_DOUBLE));
	memcpy(wire->id, &id_and_type, sizeof(id_and_type));
	reading->defined++;
	return id;
}

static void set_value(struct syc_reading *reading, enum syc_reading_of of,
                      uint32_t id, uint64_t value)
{
	struct syc_reading_frames *const frames = &reading->frames[of];

	if (id == 0)
		return;
	if (frames->n_values == 8 * SYC_READING_GROUPS) {
		write_definitions(reading, of);
		write_values(reading, of);
	}
	const unsigned at = frames->n_values++;
	frames->values.groups[at / 8].ids[at % 8] = id;
	frames->values.groups[at / 8].values[at % 8] = value;
}

void syc_reading_set(struct syc_reading *reading, uint32_t id, int64_t value)
{
	set_value(reading, SYC_READING_SYSTEM, id, (uint64_t)value);
}

void syc_reading_set_double(struct syc_reading *reading, uint32_t id,
                            double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	set_value(reading, SYC_READING_SYSTEM, id, bits);
}

void syc_reading_set_process(struct syc_reading *reading, uint32_t id,
                             int64_t value)
{
	set_value(reading, SYC_READING_PROCESS, id, (uint64_t)value);
}

const char *syc_reading_file(struct syc_reading *reading,
                             struct syc_kept_file *file, const char *path)
{
	return syc_kept_file_read(file, &reading->place, path);
}

bool syc_reading_number(struct syc_reading *reading, struct syc_kept_file *file,
                        const char *path, int64_t *ret_number)
{
	return syc_lines_take(syc_reading_file(reading, file, path),
	                      ret_number) != NULL;
}

const char *syc_reading_stat(struct syc_reading *reading)
{
	if (!reading->has_stat)
		reading->stat_text = syc_kept_file_read(
			&reading->stat, &reading->stat_place, "/proc/stat");
	reading->has_stat = true;
	return reading->stat_text;
}

void syc_reading_begin(struct syc_reading *reading, int64_t now)
{
	reading->before = reading->now;
	reading->now = now;
	reading->has_stat = false;
}

void syc_reading_end(struct syc_reading *reading)
{
	for (enum syc_reading_of of = 0; of < SYC_READING_OF; of++)
		write_definitions(reading, of);
	for (enum syc_reading_of of = 0; of < SYC_READING_OF; of++)
		write_values(reading, of);
}
