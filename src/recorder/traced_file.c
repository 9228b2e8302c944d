/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * traced_file.c - captures that the command itself writes into a file of the
 * recorder.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <syscap/capture.h>

#include "base/text.h"
#include "capture/join.h"
#include "recorder/recording.h"

/* Greatest capture that is copied to memory, and not to a file. */
#define IN_MEMORY ((off_t)256 << 20)
/* JIT names from rings use only the lower half. */
#define FIRST_JIT UINT32_C(0x7FFFFFFF)

/* Open a file without a name in the directory of @output. */
static int open_unnamed(const char *output)
{
	char *const dir = strdup(output);
	int fd;

	if (dir == NULL)
		return -1;
	char *const slash = strrchr(dir, '/');
	if (slash != NULL)
		slash[slash == dir] = '\0';
	fd = open(slash != NULL ? dir : ".", O_TMPFILE | O_RDWR | O_CLOEXEC,
	          0600);
	free(dir);
	return fd;
}

int syc_traced_file_make(struct syc_traced_file *file, const char *output)
{
	file->fd = memfd_create(file->variable, MFD_CLOEXEC);
	if (file->fd < 0)
		file->fd = open_unnamed(output);
	return file->fd < 0 ? -errno : 0;
}

void syc_traced_file_close(struct syc_traced_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}

/* ------------------------------------------------------------------ copy */

struct copy {
	unsigned char *data;
	size_t size;
};

/*
 * Read the present content, up to @size bytes.  The file may shrink during the
 * read.
 */
static bool read_copy(int from, struct copy *copy, size_t size)
{
	while (copy->size < size) {
		const ssize_t n = pread(from, copy->data + copy->size,
		                        size - copy->size, (off_t)copy->size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		if (n == 0)
			break;
		copy->size += (size_t)n;
	}
	return true;
}

static bool make_copy(int from, const char *output, struct copy *copy)
{
	struct stat st;
	int fd = -1;

	memset(copy, 0, sizeof(*copy));
	if (fstat(from, &st) != 0)
		return false;
	if (st.st_size == 0)
		return true;
	const size_t size = (size_t)st.st_size;
	if (st.st_size > IN_MEMORY) {
		fd = open_unnamed(output);
		if (fd < 0 || posix_fallocate(fd, 0, st.st_size) != 0)
			goto fail;
	}
	copy->data =
		mmap(NULL, size, PROT_READ | PROT_WRITE,
	             fd >= 0 ? MAP_SHARED : MAP_PRIVATE | MAP_ANONYMOUS, fd, 0);
	if (fd >= 0)
		close(fd);
	fd = -1;
	if (copy->data == MAP_FAILED) {
		copy->data = NULL;
		return false;
	}
	return read_copy(from, copy, size);
fail:
	if (fd >= 0)
		close(fd);
	return false;
}

/* ------------------------------------------------------------------ join */

static void report_trouble(void *data, const struct syc_join_message *message)
{
	const struct syc_traced_file *const file = data;

	if (!message->is_problem)
		return;
	if (message->has_offset)
		fprintf(stderr,
		        "syscap record: %s: at byte %" PRIu64
		        " of the output of %s: %s\n",
		        file->option, message->offset, file->who,
		        message->text);
	else
		fprintf(stderr, "syscap record: %s: %s\n", file->option,
		        message->text);
}

/*
 * Keep the bytes of an unreadable capture, so that no bytes are lost.  Returns
 * false if the bytes could not be kept.
 */
static bool keep_bytes(const struct syc_traced_file *file, const char *output,
                       const struct copy *copy, const char *why)
{
	char *name;
	int fd = -1;

	if (asprintf(&name, "%s.%s", output, file->option + 2) < 0)
		return false;
	fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	size_t done = 0;
	while (fd >= 0 && done < copy->size) {
		const ssize_t n =
			write(fd, copy->data + done, copy->size - done);
		if (n <= 0)
			break;
		done += (size_t)n;
	}
	if (fd >= 0)
		close(fd);
	fprintf(stderr,
	        "syscap record: %s: cannot join the own capture of %s: "
	        "%s; %s%s\n",
	        file->option, file->who, why,
	        done == copy->size ? "a copy is in "
	                           : "cannot write a copy to ",
	        name);
	free(name);
	return done == copy->size;
}

static int join_capture(const struct syc_traced_file *file,
                        struct syscap_reader *reader, uint32_t *last_counter_id,
                        struct syc_writer *writer)
{
	const struct syc_join_options options = {
		.last_counter_id = *last_counter_id,
		.last_jit_address = FIRST_JIT,
		.report = report_trouble,
		.data = syc_unconst(file),
	};
	struct syc_join_totals totals;
	struct syc_join_span span;
	struct syc_join *joined;
	int r = syc_join_new(&options, &joined);

	if (r != 0)
		return r;
	r = syc_join_add(joined, file->variable, reader);
	if (r == 0)
		r = syc_join_settle(joined, &span);
	if (r == 0)
		r = syc_join_write(joined, writer);
	syc_join_totals(joined, &totals);
	*last_counter_id = totals.last_counter_id;
	syc_join_free(joined);
	return r;
}

/* Count threads and losses for the summary. */
static void count_frames(struct syscap_reader *reader,
                         struct syc_intake *intake)
{
	struct syscap_frame frame;
	struct syscap_error error;

	syscap_reader_rewind(reader);
	while (syscap_reader_next(reader, &frame, &error) > 0)
		syc_intake_count_joined(intake, &frame);
}

uint64_t syc_traced_file_join(const struct syc_traced_file *file,
                              const char *output, uint32_t *last_counter_id,
                              struct syc_intake *intake, bool *ret_lost)
{
	struct syc_writer *const writer = intake->writer;
	struct syc_writer_totals before, after;
	struct syscap_reader *reader;
	struct syscap_error error;
	struct copy copy;
	int r = 0;

	*ret_lost = false;
	if (!make_copy(file->fd, output, &copy)) {
		*ret_lost = true;
		fprintf(stderr,
		        "syscap record: %s: cannot copy the output of %s: "
		        "%s\n",
		        file->option, file->who, strerror(errno));
		return 0;
	}
	syc_writer_totals(writer, &before);
	if (copy.size == 0) {
		fprintf(stderr,
		        "syscap record: %s: %s wrote no capture to %s\n",
		        file->option, file->who, file->variable);
	} else if (syscap_reader_open_memory(copy.data, copy.size, &reader,
	                                     &error) != 0) {
		*ret_lost = !keep_bytes(file, output, &copy, error.message);
	} else {
		r = join_capture(file, reader, last_counter_id, writer);
		count_frames(reader, intake);
		syscap_reader_close(reader);
	}
	if (r != 0)
		*ret_lost = !keep_bytes(file, output, &copy, strerror(-r));
	if (copy.data != NULL)
		munmap(copy.data, copy.size);
	syc_writer_totals(writer, &after);
	return after.frames - before.frames;
}
