/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recover_file.c - file and moved frames of the capture that a recovery
 * completes.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/frame.h"
#include "capture/files.h"
#include "capture/frame.h"
#include "capture/recover.h"
#include "capture/ring_file_reader.h"
#include "capture/writer.h"
#include "common/load.h"

#define PATH_SIZE 4096u

/* Report a call that failed with errno. */
static int fail_with_errno(struct syscap_error *error, const char *what)
{
	return syc_error_set(error, errno, 0, "%s: %s", what, strerror(errno));
}

/* Write all @size bytes.  Returns false after a failure, with errno set. */
static bool write_at(int fd, const void *from, size_t size, uint64_t offset)
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
		return fail_with_errno(error, "cannot examine the file");
	file->size = (size_t)file->st.st_size;
	if (file->size == 0)
		return 0;
	if (syc_mapping_make(&file->mapping, file->fd, file->size,
	                     MAP_SHARED) != 0)
		return fail_with_errno(error, "cannot map the file");
	file->data = file->mapping.data;
	return 0;
}

/*
 * Check that no other process writes to the file.  The recovery's lock on the
 * first byte excludes a writer that begins later.
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
	return syc_error_set(error, EBUSY, 0,
	                     "another process is writing the file; end that "
	                     "process first");
}

static int open_file(struct syc_recover_file *file, const char *path, int flags,
                     bool dry, struct syscap_error *error)
{
	struct syscap_error why;

	*file = (struct syc_recover_file){ .fd = -1, .dry = dry };

	file->fd = syc_plain_file_open(path, (dry ? O_RDONLY : O_RDWR) | flags,
	                               &why);
	if (file->fd < 0)
		return syc_error_set(error, why.code, 0,
		                     "cannot open the file: %s", why.message);
	if (fstat(file->fd, &file->st) != 0)
		return fail_with_errno(error, "cannot examine the file");
	return 0;
}

int syc_recover_file_open(struct syc_recover_file *file, const char *path,
                          int flags, bool dry, struct syscap_error *error)
{
	int r = open_file(file, path, flags, dry, error);

	if (r == 0)
		r = lock(file, error);
	return r != 0 ? r : syc_recover_file_map(file, error);
}

int syc_recover_file_open_living(struct syc_recover_file *file,
                                 const char *path, struct syscap_error *error)
{
	const int r = open_file(file, path, 0, false, error);

	return r != 0 ? r : syc_recover_file_map(file, error);
}

bool syc_recover_file_is_capture(const struct syc_recover_file *file)
{
	const uint32_t magic = SYSCAP_MAGIC;

	return file->size >= SYC_RECOVER_HEADER &&
	       memcmp(file->data, &magic, sizeof(magic)) == 0;
}

void syc_recover_file_close(struct syc_recover_file *file)
{
	unmap(file);
	if (file->fd >= 0)
		close(file->fd);
	file->fd = -1;
}

/* ----------------------------------------------------------------- begin */

/* Compose the PROCESS frame, without which readers do not show the process. */
static size_t compose_process(const struct syc_ring_reader *rest,
                              unsigned char *bytes)
{
	static const char unknown[] = "(unknown)";
	struct syscap_wire_frame *const frame = (void *)bytes;

	syc_frame_begin(frame, SYSCAP_FRAME_PROCESS, rest->facts.pid,
	                rest->facts.began);
	memcpy(frame + 1, unknown, sizeof(unknown));
	return syc_frame_end(frame, sizeof(*frame) + sizeof(unknown));
}

static bool write_begin(int fd, const struct syc_ring_reader *rest,
                        const char *rings, time_t made)
{
	struct {
		struct syscap_wire_file header;
		unsigned char frames[PATH_SIZE + 128];
	} begin = { .header = { .magic = SYSCAP_MAGIC,
		                .version = 1,
		                .little_endian = !SYC_HOST_IS_BIG,
		                .time = rest->facts.began } };
	size_t n = compose_process(rest, begin.frames);
	struct tm tm;

	n += syc_frame_metadata(begin.frames + n, rest->facts.pid,
	                        rest->facts.began, SYC_RING_FILE_ID, rings);
	if (gmtime_r(&made, &tm) != NULL)
		strftime(begin.header.capture_time,
		         sizeof(begin.header.capture_time),
		         "%Y-%m-%dT%H:%M:%SZ", &tm);
	return write_at(fd, &begin, sizeof(begin.header) + n, 0);
}

int syc_recover_file_begin(struct syc_recover_file *file,
                           const struct syc_ring_reader *rest,
                           const char *rings, struct syscap_error *error)
{
	if (!write_begin(file->fd, rest, rings, file->st.st_mtime))
		return fail_with_errno(error, "cannot write the file's header");
	return syc_recover_file_map(file, error);
}

/* Store in the ring file that the rings belong to the file @fd, which has no
 * name yet. */
static bool adopt(struct syc_ring_reader *rest, int fd)
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
	return write_at(rest->fd, &nothing, sizeof(nothing),
	                syc_ring_reader_journal_at(rest)) &&
	       write_at(rest->fd, file, sizeof(file),
	                offsetof(struct syc_ring_file, capture_dev));
}

/*
 * Create the file.  The new file gets its name after the rings refer to the
 * file.  So after a kill at any point, a file with the name belongs to the
 * rings or is foreign.
 */
int syc_recover_file_create(struct syc_recover_file *file,
                            struct syc_ring_reader *rest, const char *rings,
                            struct syscap_error *error)
{
	const char *const path = rest->facts.capture;
	char text[PATH_SIZE];
	int r = 0;

	if (path[0] != '/')
		return syc_error_set(
			error, EBADMSG, 0,
			"the ring file is damaged: its path of the capture is "
			"not absolute");
	memcpy(text, path, sizeof(text));
	char *const slash = strrchr(text, '/');
	slash[slash == text] = '\0';
	const int fd = open(text, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
	if (fd < 0)
		return fail_with_errno(
			error,
			"the capture is missing, and cannot be created again");
	snprintf(text, sizeof(text), "/proc/self/fd/%d", fd);
	if (!write_begin(fd, rest, rings, time(NULL)) || !adopt(rest, fd) ||
	    linkat(AT_FDCWD, text, AT_FDCWD, path, AT_SYMLINK_FOLLOW) != 0)
		r = fail_with_errno(error, "cannot create the capture again");
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

/* Find the end of the whole frames from @at on, and raise *@last to the latest
 * time of these frames. */
static uint64_t walk_frames(const unsigned char *data, uint64_t at,
                            uint64_t size, bool big, int64_t *last)
{
	struct syscap_frame frame;

	while (syc_frame_take(data + at, size - at, big, &frame)) {
		const uint16_t len = frame.len;
		int64_t end = frame.time;
		if (frame.type == SYSCAP_FRAME_MARK &&
		    syc_frame_decode(&frame, big, NULL) == 0)
			end = syc_frame_last_time(&frame);
		if (end > *last)
			*last = end;
		at += len;
	}
	return at;
}

/*
 * Find the end of the whole frames among the first @size bytes of the file, and
 * store the latest time of these frames in *@ret_last.
 */
static uint64_t walk_file(const struct syc_recover_file *file, uint64_t size,
                          int64_t *ret_last)
{
	*ret_last = 0;
	return walk_frames(file->data, SYC_RECOVER_HEADER, size, is_big(file),
	                   ret_last);
}

/*
 * Check that the bytes from @at on, after the last whole frame, are the start
 * of a frame.  Returns 0 or -EBADMSG.
 */
static int check_tail(const struct syc_recover_file *file, uint64_t at,
                      struct syscap_error *error)
{
	const uint64_t left = file->size - at;

	if (left < sizeof(uint16_t))
		return 0;
	/* Writers write the length of a frame first */
	const unsigned len = syc_load_u16(file->data + at, is_big(file));
	if (len > left && syc_frame_is_length(len))
		return 0;
	return syc_error_set(
		error, EBADMSG, at,
		"the frame length %u is invalid: the file is damaged, not "
		"torn; nothing was changed",
		len);
}

static int cut_file(struct syc_recover_file *file, uint64_t at,
                    struct syscap_error *error)
{
	if (ftruncate(file->fd, (off_t)at) != 0)
		return fail_with_errno(error, "cannot truncate the capture");
	return syc_recover_file_map(file, error);
}

static int set_end(const struct syc_recover_file *file, int64_t last,
                   struct syc_recovered *recovered, struct syscap_error *error)
{
	const size_t at = offsetof(struct syscap_wire_file, end_time);
	const bool is_touched = recovered->had_rings || recovered->cut != 0;
	const bool big = is_big(file);
	const int64_t end = syc_load_i64(file->data + at, big);

	/*
	 * Keep the end time of a writer that finished, and of files in the
	 * other byte order.
	 */
	if (end >= last || (end != 0 && !is_touched) || big != SYC_HOST_IS_BIG)
		return 0;
	recovered->made_end = true;
	if (!file->dry && !write_at(file->fd, &last, sizeof(last), at))
		return fail_with_errno(error, "cannot write the file's header");
	return 0;
}

/*
 * Append METADATA `syscap.unfinished` to a capture without end time whose
 * writer left no ring file.  The writer may have had later events.
 */
static int note_unfinished(const struct syc_recover_file *file, int64_t last,
                           const struct syc_recovered *recovered,
                           struct syscap_error *error)
{
	const size_t at = offsetof(struct syscap_wire_file, end_time);
	const bool big = is_big(file);
	union syc_frame_buffer buffer;
	size_t size;

	if (recovered->had_rings || file->dry || last <= 0 ||
	    syc_load_i64(file->data + at, big) != 0 || big != SYC_HOST_IS_BIG)
		return 0;
	size = syc_compose_metadata(&buffer, last, "syscap.unfinished",
	                            "no end time");
	return write_at(file->fd, &buffer, size, file->size)
	               ? 0
	               : fail_with_errno(error, "cannot write the capture");
}

int syc_recover_file_finish(struct syc_recover_file *file,
                            struct syc_recovered *recovered,
                            struct syscap_error *error)
{
	int64_t last;
	int r = syc_recover_file_map(file, error);

	if (r != 0)
		return r;
	const uint64_t end = walk_file(file, file->size, &last);
	if (end != file->size) {
		r = check_tail(file, end, error);
		if (r != 0)
			return r;
		recovered->cut = file->size - end;
		recovered->cut_at = end;
		if (!file->dry)
			r = cut_file(file, end, error);
		if (r != 0)
			return r;
	}
	r = note_unfinished(file, last, recovered, error);
	if (r != 0)
		return r;
	return set_end(file, last, recovered, error);
}

/*
 * Move the frames of a ring file by its journal, as the process did
 * (ring/ring_file.h).  All changes are system calls, and a kill may come
 * between any two calls.
 */

static int store_state(struct syc_ring_reader *rest, uint32_t state)
{
	rest->journal.state = state;
	return write_at(rest->fd, &state, sizeof(state),
	                syc_ring_reader_journal_at(rest) +
	                        offsetof(struct syc_ring_journal, state))
	               ? 0
	               : -errno;
}

static int store_heads(const struct syc_ring_reader *rest,
                       const struct syc_ring_journal_part *parts, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!write_at(rest->fd, &parts[i].to, sizeof(parts[i].to),
		              syc_ring_reader_slot_at(rest, parts[i].slot) +
		                      offsetof(struct syc_ring_header, head)))
			return -errno;
	return 0;
}

/* Store the losses that the journal's loss record reports. */
static int store_told(const struct syc_ring_reader *rest)
{
	const struct syc_ring_journal *const j = &rest->journal;
	uint64_t at;

	if (j->record_len == 0)
		return 0;
	if (j->told_slot == SYC_JOURNAL_TOLD_HEAD)
		at = syc_ring_file_head(rest->facts.page_size) +
		     offsetof(struct syc_arena_head, told);
	else if (j->told_slot != 0 && j->told_slot < rest->facts.n_slots)
		at = syc_ring_reader_slot_at(rest, j->told_slot) +
		     offsetof(struct syc_ring_header, told);
	else
		return 0;
	return write_at(rest->fd, &j->told, sizeof(j->told), at) ? 0 : -errno;
}

static int store_batch(const struct syc_ring_reader *rest)
{
	const int r = store_heads(rest, rest->journal.parts, rest->journal.n);

	return r != 0 ? r : store_told(rest);
}

/* Complete or undo the batch that the process or an earlier recovery began. */
static int settle_journal(struct syc_ring_reader *rest,
                          struct syc_recover_file *file)
{
	int r = 0;

	if (rest->journal.state == SYC_JOURNAL_UNDER_WAY) {
		if (rest->batch_is_in)
			r = store_batch(rest);
		else if (ftruncate(file->fd, (off_t)rest->capture_size) != 0)
			r = -errno;
		if (r == 0)
			r = store_state(rest, SYC_JOURNAL_NOTHING);
	} else if (rest->capture_size < file->size &&
	           ftruncate(file->fd, (off_t)rest->capture_size) != 0) {
		r = -errno;
	}
	return r;
}

static int move_frames(struct syc_ring_reader *rest,
                       struct syc_recover_file *file)
{
	struct syc_ring_journal *const j = &rest->journal;
	int r;

	if (rest->n_bytes == 0 && rest->n_parts == 0)
		return 0;
	j->state = SYC_JOURNAL_NOTHING;
	j->n = rest->n_parts;
	j->offset = rest->capture_size;
	j->length = rest->n_bytes;
	j->record_len = 0;
	j->told_slot = 0;
	memcpy(j->parts, rest->parts, rest->n_parts * sizeof(j->parts[0]));
	if (!write_at(rest->fd, j, sizeof(*j),
	              syc_ring_reader_journal_at(rest)))
		return -errno;
	r = store_state(rest, SYC_JOURNAL_UNDER_WAY);
	if (r != 0)
		return r;
	if (!write_at(file->fd, rest->bytes, rest->n_bytes,
	              rest->capture_size)) {
		r = -errno;
		/* On a full disk, undo the change of the capture */
		if (ftruncate(file->fd, (off_t)rest->capture_size) == 0)
			(void)store_state(rest, SYC_JOURNAL_NOTHING);
		return r;
	}
	r = store_heads(rest, rest->parts, rest->n_parts);
	return r != 0 ? r : store_state(rest, SYC_JOURNAL_NOTHING);
}

/*
 * Check the capture, because readers would not find frames after a damaged
 * frame.  The bytes to cut off must be bytes of the journal or of a torn frame.
 * The latest time of the frames is stored in *@ret_last.
 */
static int check_capture(struct syc_ring_reader *rest,
                         const struct syc_recover_file *file,
                         struct syc_recovered *recovered, int64_t *ret_last,
                         struct syscap_error *error)
{
	const struct syc_ring_journal *const j = &rest->journal;
	const uint64_t size = rest->capture_size;
	const uint64_t end = walk_file(file, size, ret_last);
	/* Least offset at which the frames end. */
	uint64_t whole = SYC_RECOVER_HEADER;

	if (j->state == SYC_JOURNAL_UNDER_WAY)
		whole = rest->batch_is_in ? j->offset + j->length : j->offset;
	if (end < whole)
		return syc_error_set(
			error, EBADMSG, end,
			"the capture is damaged here; nothing was changed; "
			"'syscap cat' copies the readable frames");
	if (end != size) {
		const int r = check_tail(file, end, error);
		if (r != 0)
			return r;
		recovered->cut = size - end;
		recovered->cut_at = end;
		rest->capture_size = end;
	} else if (size < file->size &&
	           !syc_ring_reader_is_torn_batch(rest, file->data + size,
	                                          file->size - size)) {
		return syc_error_set(
			error, EBADMSG, size,
			"the capture's end differs from the ring file's "
			"journal; nothing was changed");
	}
	return 0;
}

int syc_recover_rings(struct syc_ring_reader *rest,
                      struct syc_recover_file *file,
                      struct syc_recovered *recovered,
                      struct syscap_error *error)
{
	int64_t last;
	int r = syc_ring_reader_load(rest, file->data, file->size, error);

	if (r == 0)
		r = check_capture(rest, file, recovered, &last, error);
	if (r != 0)
		return r;
	recovered->frames = rest->n_frames;
	recovered->bad = rest->n_bad;
	if (file->dry) {
		walk_frames(rest->bytes, 0, rest->n_bytes, SYC_HOST_IS_BIG,
		            &last);
		return set_end(file, last, recovered, error);
	}
	r = settle_journal(rest, file);
	if (r == 0)
		r = move_frames(rest, file);
	if (r != 0) {
		errno = -r;
		return fail_with_errno(
			error,
			"cannot move the frames of the ring file into the "
			"capture");
	}
	return 0;
}

int syc_recover_rings_remove(const struct syc_ring_reader *rest,
                             const char *path, struct syscap_error *error)
{
	char folder[PATH_SIZE] = ".";
	const char *const slash = strrchr(path, '/');
	const char *const name = slash != NULL ? slash + 1 : path;
	struct stat st;
	int r = 0;

	if (slash != NULL) {
		const size_t n = slash == path ? 1 : (size_t)(slash - path);

		if (n >= sizeof(folder))
			return syc_error_set(error, ENAMETOOLONG, 0, "%s",
			                     strerror(ENAMETOOLONG));
		memcpy(folder, path, n);
		folder[n] = '\0';
	}
	/* The directory's owner may have put another file at the path */
	const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
	    (st.st_dev == rest->dev && st.st_ino == rest->ino &&
	     unlinkat(fd, name, 0) != 0))
		r = errno == ENOENT ? 0 : fail_with_errno(error, path);
	if (fd >= 0)
		close(fd);
	return r;
}
