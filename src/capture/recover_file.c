/* SPDX-License-Identifier: BSD-2-Clause */
/* recover_file.c - a capture that is made whole: the file itself. */
#define _GNU_SOURCE
#include "capture/recover_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/frame.h"
#include "capture/error.h"
#include "capture/file_lock.h"
#include "capture/frame.h"
#include "capture/plain_file.h"
#include "data/load.h"

#define PATH_SIZE 4096u

int syc_recover_fail(struct syscap_error *error, const char *what)
{
	return syc_error_set(error, errno, 0, "%s: %s", what, strerror(errno));
}

bool syc_recover_write_at(int fd, const void *from, size_t size,
                          uint64_t offset)
{
	size_t done = 0;

	while (done < size) {
		const ssize_t n = pwrite(fd, (const char *)from + done,
		                         size - done, (off_t)(offset + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0)
			errno = EIO;
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

/* ------------------------------------------------------------------ open */

static void unmap(struct syc_recover_file *file)
{
	syc_mapping_end(&file->mapping);
	file->data = NULL;
}

int syc_recover_file_map(struct syc_recover_file *file,
                         struct syscap_error *error)
{
	unmap(file);
	if (fstat(file->fd, &file->st) != 0)
		return syc_recover_fail(error, "cannot look at it");
	file->size = (size_t)file->st.st_size;
	if (file->size == 0)
		return 0;
	if (syc_mapping_make(&file->mapping, file->fd, file->size,
	                     MAP_SHARED) != 0)
		return syc_recover_fail(error, "cannot map it");
	file->data = file->mapping.data;
	return 0;
}

/*
 * Nobody may still write to it; and while we have the first byte, nobody does
 * who begins meanwhile.
 */
static int lock(const struct syc_recover_file *file, struct syscap_error *error)
{
	struct flock lock = { .l_type = F_WRLCK,
		              .l_whence = SEEK_SET,
		              .l_len = 1 };

	if (file->dry)
		return 0;
	const bool is_free = fcntl(file->fd, F_SETLK, &lock) == 0 ||
	                     (errno != EAGAIN && errno != EACCES);
	const int r = syc_file_lock_check_writers(file->fd, error);
	if (r != 0 || is_free)
		return r;
	return syc_error_set(error, EBUSY, 0, "somebody writes to it just now");
}

int syc_recover_file_open(struct syc_recover_file *file, const char *path,
                          int flags, bool dry, struct syscap_error *error)
{
	*file = (struct syc_recover_file){ .fd = -1, .dry = dry };
	struct syscap_error why;

	file->fd = syc_plain_file_open(path, (dry ? O_RDONLY : O_RDWR) | flags,
	                               &why);
	if (file->fd < 0)
		return syc_error_set(error, why.code, 0, "cannot open it: %s",
		                     why.message);
	if (fstat(file->fd, &file->st) != 0)
		return syc_recover_fail(error, "cannot look at it");
	const int r = lock(file, error);
	return r != 0 ? r : syc_recover_file_map(file, error);
}

bool syc_recover_file_is_capture(const struct syc_recover_file *file)
{
	return file->size >= SYC_RECOVER_HEADER &&
	       syc_load_u32(file->data, false) == SYSCAP_MAGIC;
}

void syc_recover_file_close(struct syc_recover_file *file)
{
	unmap(file);
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}

/* ----------------------------------------------------------------- begin */

/* A process without such a frame is not shown by readers. */
static size_t compose_process(const struct syc_rest *rest, unsigned char *bytes)
{
	static const char unknown[] = "(unknown)";
	struct syscap_wire_frame *const frame = (void *)bytes;

	syc_frame_begin(frame, SYSCAP_FRAME_PROCESS, rest->facts.pid,
	                rest->facts.began);
	memcpy(frame + 1, unknown, sizeof(unknown));
	return syc_frame_end(frame, sizeof(*frame) + sizeof(unknown));
}

static bool write_begin(int fd, const struct syc_rest *rest, const char *rings,
                        time_t made)
{
	struct {
		struct syscap_wire_file header;
		unsigned char frames[PATH_SIZE + 128];
	} begin = { .header = { .magic = SYSCAP_MAGIC,
		                .version = 1,
		                .little_endian = 1,
		                .time = rest->facts.began } };
	size_t n = compose_process(rest, begin.frames);
	struct tm tm;

	n += syc_frame_metadata(begin.frames + n, rest->facts.pid,
	                        rest->facts.began, SYC_RING_FILE_ID, rings);
	if (gmtime_r(&made, &tm) != NULL)
		strftime(begin.header.capture_time,
		         sizeof(begin.header.capture_time),
		         "%Y-%m-%dT%H:%M:%SZ", &tm);
	return syc_recover_write_at(fd, &begin, sizeof(begin.header) + n, 0);
}

int syc_recover_file_begin(struct syc_recover_file *file,
                           const struct syc_rest *rest, const char *rings,
                           struct syscap_error *error)
{
	if (!write_begin(file->fd, rest, rings, file->st.st_mtime))
		return syc_recover_fail(error, "cannot write its header");
	return syc_recover_file_map(file, error);
}

/* The rings are of the file @fd from here on, which has no name yet. */
static bool adopt(struct syc_rest *rest, int fd)
{
	const uint32_t nothing = SYC_JOURNAL_NOTHING;
	struct stat st;

	if (fstat(fd, &st) != 0)
		return false;
	rest->journal.state = nothing;
	const uint64_t file[2] = { st.st_dev, st.st_ino };
	_Static_assert(offsetof(struct syc_ring_file, capture_ino) ==
	                       offsetof(struct syc_ring_file, capture_dev) + 8,
	               "one write");
	return syc_recover_write_at(rest->fd, &nothing, sizeof(nothing),
	                            syc_rest_journal_at(rest)) &&
	       syc_recover_write_at(
		       rest->fd, file, sizeof(file),
		       offsetof(struct syc_ring_file, capture_dev));
}

/*
 * First the rings know the new file, then it gets its name: whenever we are
 * killed, what has the name is the rings' or somebody else's.
 */
int syc_recover_file_create(struct syc_recover_file *file,
                            struct syc_rest *rest, const char *rings,
                            struct syscap_error *error)
{
	const char *const path = rest->facts.capture;
	char text[PATH_SIZE];
	int r = 0;

	if (path[0] != '/')
		return syc_error_set(error, EBADMSG, 0,
		                     "it names no absolute path");
	memcpy(text, path, sizeof(text));
	char *const slash = strrchr(text, '/');
	slash[slash == text] = '\0';
	const int fd = open(text, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
	if (fd < 0)
		return syc_recover_fail(error,
		                        "the capture is missing, and can't be "
		                        "made anew");
	snprintf(text, sizeof(text), "/proc/self/fd/%d", fd);
	if (!write_begin(fd, rest, rings, time(NULL)) || !adopt(rest, fd) ||
	    linkat(AT_FDCWD, text, AT_FDCWD, path, AT_SYMLINK_FOLLOW) != 0)
		r = syc_recover_fail(error, "cannot make the capture anew");
	close(fd);
	return r != 0 ? r
	              : syc_recover_file_open(file, path, O_NOFOLLOW, false,
	                                      error);
}

/* ------------------------------------------------------------- torn ends */

static bool is_big(const struct syc_recover_file *file)
{
	return (file->data[offsetof(struct syscap_wire_file, little_endian)] &
	        1) == 0;
}

uint64_t syc_recover_file_walk(const struct syc_recover_file *file,
                               uint64_t size, int64_t *ret_last)
{
	const bool big = is_big(file);
	struct syscap_frame frame;
	uint64_t at = SYC_RECOVER_HEADER;

	*ret_last = 0;
	while (size - at >= sizeof(struct syscap_wire_frame)) {
		syc_frame_header(file->data + at, big, &frame);
		if (frame.len < sizeof(struct syscap_wire_frame) ||
		    frame.len % 8 != 0 || frame.len > size - at)
			break;
		const uint16_t len = frame.len;
		int64_t end = frame.time;
		if (frame.type == SYSCAP_FRAME_MARK &&
		    syc_frame_decode(&frame, big, NULL) == 0 &&
		    frame.mark.duration > 0 &&
		    __builtin_add_overflow(frame.time, frame.mark.duration,
		                           &end))
			end = frame.time;
		if (end > *ret_last)
			*ret_last = end;
		at += len;
	}
	return at;
}

int syc_recover_file_check_tail(const struct syc_recover_file *file,
                                uint64_t at, struct syscap_error *error)
{
	const uint64_t left = file->size - at;

	if (left < sizeof(uint16_t))
		return 0;
	/* The length is the first that is written of a frame */
	const unsigned len = syc_load_u16(file->data + at, is_big(file));
	if (len > left && len >= sizeof(struct syscap_wire_frame) &&
	    len % 8 == 0)
		return 0;
	return syc_error_set(error, EBADMSG, at,
	                     "no frame has a length of %u: this is damage, not "
	                     "a torn end, and is left as it is",
	                     len);
}

static int cut_file(struct syc_recover_file *file, uint64_t at,
                    struct syscap_error *error)
{
	if (ftruncate(file->fd, (off_t)at) != 0)
		return syc_recover_fail(error, "cannot cut it");
	return syc_recover_file_map(file, error);
}

static int set_end(const struct syc_recover_file *file, int64_t last,
                   struct syc_recovered *recovered, struct syscap_error *error)
{
	const size_t at = offsetof(struct syscap_wire_file, end_time);
	const bool is_touched = recovered->had_rings || recovered->cut != 0;
	const bool big = is_big(file);
	const int64_t end = syc_load_i64(file->data + at, big);

	/* A writer that came to its end knows it; what a file of the other
	 * byte order says is left alone too */
	if (end >= last || (end != 0 && !is_touched) ||
	    big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__))
		return 0;
	recovered->made_end = true;
	if (!file->dry &&
	    !syc_recover_write_at(file->fd, &last, sizeof(last), at))
		return syc_recover_fail(error, "cannot write its header");
	return 0;
}

int syc_recover_file_finish(struct syc_recover_file *file,
                            struct syc_recovered *recovered,
                            struct syscap_error *error)
{
	int64_t last;
	int r = syc_recover_file_map(file, error);

	if (r != 0)
		return r;
	const uint64_t end = syc_recover_file_walk(file, file->size, &last);
	if (end != file->size) {
		r = syc_recover_file_check_tail(file, end, error);
		if (r != 0)
			return r;
		recovered->cut = file->size - end;
		recovered->cut_at = end;
		if (!file->dry)
			r = cut_file(file, end, error);
		if (r != 0)
			return r;
	}
	return set_end(file, last, recovered, error);
}
