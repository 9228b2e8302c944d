/* SPDX-License-Identifier: BSD-2-Clause */
/* recover.c - make a capture whole whose writer was killed. */
#define _GNU_SOURCE
#include "capture/recover.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/error.h"
#include "capture/frame.h"
#include "capture/load.h"
#include "capture/rest.h"

#define HEADER_SIZE 256u

struct capture {
	int fd;
	struct stat st;
	const unsigned char *data; /* NULL: empty */
	size_t size;
};

static int fail(struct syscap_error *error, const char *what)
{
	return sc_error_set(error, errno, 0, "%s: %s", what, strerror(errno));
}

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

/* --------------------------------------------------------------- capture */

static void unmap(struct capture *c)
{
	if (c->data != NULL)
		munmap((void *)c->data, c->size);
	c->data = NULL;
}

static int map(struct capture *c, struct syscap_error *error)
{
	unmap(c);
	if (fstat(c->fd, &c->st) != 0)
		return fail(error, "cannot look at the capture");
	c->size = (size_t)c->st.st_size;
	if (c->size == 0)
		return 0;
	void *const data = mmap(NULL, c->size, PROT_READ, MAP_SHARED, c->fd, 0);
	if (data == MAP_FAILED)
		return fail(error, "cannot map the capture");
	c->data = data;
	return 0;
}

static int open_capture(struct capture *c, const char *path, bool dry,
                        struct syscap_error *error)
{
	c->data = NULL;
	c->fd = open(path, (dry ? O_RDONLY : O_RDWR) | O_CLOEXEC | O_NONBLOCK);
	if (c->fd < 0)
		return fail(error, "cannot open it");
	const int r = map(c, error);
	if (r == 0 && !S_ISREG(c->st.st_mode)) {
		errno = EINVAL;
		return fail(error, "no regular file");
	}
	return r;
}

static void close_capture(struct capture *c)
{
	unmap(c);
	if (c->fd >= 0)
		close(c->fd);
	c->fd = -1;
}

/* The lock of those that share a descriptor: sink/record_lock.h. */
static int lock_capture(int fd, bool dry, struct syscap_error *error)
{
	struct flock lock = { .l_type = F_WRLCK,
		              .l_whence = SEEK_SET,
		              .l_len = 1 };

	if (dry || fcntl(fd, F_SETLK, &lock) == 0 ||
	    (errno != EAGAIN && errno != EACCES))
		return 0;
	return sc_error_set(error, EBUSY, 0, "somebody writes to it just now");
}

/* ------------------------------------------------------------- torn ends */

static bool is_big(const struct capture *c)
{
	return (c->data[offsetof(struct syscap_wire_file, little_endian)] &
	        1) == 0;
}

/* Where whole frames end, and the latest time in them. */
static uint64_t walk(const struct capture *c, uint64_t size, int64_t *ret_last)
{
	const bool big = is_big(c);
	struct syscap_frame frame;
	uint64_t at = HEADER_SIZE;

	*ret_last = 0;
	while (size - at >= sizeof(struct syscap_wire_frame)) {
		sc_frame_header(c->data + at, big, &frame);
		if (frame.len < sizeof(struct syscap_wire_frame) ||
		    frame.len % 8 != 0 || frame.len > size - at)
			break;
		int64_t end = frame.time;
		if (sc_frame_decode(&frame, big, NULL) == 0 &&
		    frame.type == SYSCAP_FRAME_MARK && frame.mark.duration > 0)
			__builtin_add_overflow(end, frame.mark.duration, &end);
		if (end > *ret_last)
			*ret_last = end;
		at += frame.len;
	}
	return at;
}

static int check_tail(const struct capture *c, uint64_t at, uint64_t size,
                      struct syscap_error *error)
{
	const uint64_t left = size - at;

	if (left < sizeof(struct syscap_wire_frame))
		return 0;
	const unsigned len = sc_load_u16(c->data + at, is_big(c));
	if (len > left && len % 8 == 0)
		return 0;
	return sc_error_set(error, EBADMSG, at,
	                    "no frame has a length of %u: this is damage, not "
	                    "a torn end, and is left as it is",
	                    len);
}

static int patch_end(const struct capture *c, int64_t last, bool dry,
                     struct sc_recovered *recovered, struct syscap_error *error)
{
	const size_t at = offsetof(struct syscap_wire_file, end_time);
	const bool big = is_big(c);

	/* What a file of the other order says is left alone */
	if (big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__) ||
	    sc_load_i64(c->data + at, big) >= last)
		return 0;
	recovered->made_end = true;
	if (!dry && !write_at(c->fd, &last, sizeof(last), at))
		return fail(error, "cannot write its header");
	return 0;
}

/* No ring file, or no longer: what is left to do is in the file itself. */
static int finish_capture(struct capture *c, bool dry,
                          struct sc_recovered *recovered,
                          struct syscap_error *error)
{
	int64_t last;
	int r = map(c, error);

	if (r != 0)
		return r;
	if (c->size < HEADER_SIZE ||
	    sc_load_u32(c->data, false) != SYSCAP_MAGIC)
		return sc_error_set(error, EBADMSG, 0, "not a capture");
	const uint64_t end = walk(c, c->size, &last);
	if (end != c->size) {
		r = check_tail(c, end, c->size, error);
		if (r != 0)
			return r;
		recovered->cut = c->size - end;
		recovered->cut_at = end;
		if (!dry && ftruncate(c->fd, (off_t)end) != 0)
			return fail(error, "cannot cut it");
	}
	return patch_end(c, last, dry, recovered, error);
}

/* ----------------------------------------------------------------- rings */

static int store_state(const struct sc_rest *rest, uint32_t state)
{
	return write_at(rest->fd, &state, sizeof(state),
	                SC_RING_FILE_JOURNAL +
	                        offsetof(struct sc_ring_journal, state))
	               ? 0
	               : -errno;
}

static int store_heads(const struct sc_rest *rest,
                       const struct sc_ring_journal_part *parts, uint32_t n)
{
	const uint64_t slot_size =
		(uint64_t)rest->facts.page_size + rest->facts.body_size;

	for (uint32_t i = 0; i < n; i++) {
		if (parts[i].slot >= rest->facts.n_slots ||
		    parts[i].to >= rest->facts.body_size)
			continue;
		if (!write_at(rest->fd, &parts[i].to, sizeof(parts[i].to),
		              SC_RING_FILE_FRONT + parts[i].slot * slot_size))
			return -errno;
	}
	return 0;
}

/* What the process had begun, or an earlier recovery: end it or undo it. */
static int settle_journal(struct sc_rest *rest, struct capture *c)
{
	int r = 0;

	if (rest->journal.state != SC_JOURNAL_UNDER_WAY)
		return 0;
	if (rest->batch_is_in)
		r = store_heads(rest, rest->journal.parts, rest->journal.n);
	else if (ftruncate(c->fd, (off_t)rest->capture_size) != 0)
		r = -errno;
	return r != 0 ? r : store_state(rest, SC_JOURNAL_NOTHING);
}

static int move_frames(struct sc_rest *rest, struct capture *c)
{
	struct sc_ring_journal *const j = &rest->journal;
	int r;

	if (rest->n_bytes == 0 && rest->n_parts == 0)
		return 0;
	j->state = SC_JOURNAL_NOTHING;
	j->n = rest->n_parts;
	j->offset = rest->capture_size;
	j->length = rest->n_bytes;
	memcpy(j->parts, rest->parts, sizeof(j->parts));
	if (!write_at(rest->fd, j, sizeof(*j), SC_RING_FILE_JOURNAL))
		return -errno;
	r = store_state(rest, SC_JOURNAL_UNDER_WAY);
	if (r == 0 &&
	    !write_at(c->fd, rest->bytes, rest->n_bytes, rest->capture_size))
		r = -errno;
	if (r == 0)
		r = store_heads(rest, rest->parts, rest->n_parts);
	return r != 0 ? r : store_state(rest, SC_JOURNAL_NOTHING);
}

/* A capture whose process died before it had written the header. */
static int make_header(struct capture *c, const struct sc_rest *rest,
                       struct syscap_error *error)
{
	struct syscap_wire_file header = { .magic = SYSCAP_MAGIC,
		                           .version = 1,
		                           .little_endian = 1,
		                           .time = rest->facts.began };

	if (c->size >= HEADER_SIZE)
		return 0;
	if (!write_at(c->fd, &header, sizeof(header), 0))
		return fail(error, "cannot write its header");
	return map(c, error);
}

static int recover_rings(struct sc_rest *rest, const char *path,
                         struct capture *c, bool dry,
                         struct sc_recovered *recovered,
                         struct syscap_error *error)
{
	int r = dry ? 0 : make_header(c, rest, error);

	if (r == 0 && c->size < HEADER_SIZE)
		return sc_error_set(error, EBADMSG, c->size,
		                    "the file ends inside its header");
	if (r == 0)
		r = sc_rest_load(rest, c->data, c->size, error);
	if (r != 0)
		return r;
	recovered->had_rings = true;
	recovered->frames = rest->n_frames;
	recovered->bad = rest->n_bad;
	if (dry)
		return 0;
	/* What is added behind something that is no frame is not found */
	int64_t last;
	const uint64_t end = walk(c, rest->capture_size, &last);
	if (end != rest->capture_size)
		return sc_error_set(error, EBADMSG, end,
		                    "the capture is damaged here; the ring "
		                    "file is kept");
	r = settle_journal(rest, c);
	if (r == 0)
		r = move_frames(rest, c);
	if (r != 0) {
		errno = -r;
		return fail(error, "cannot move what is in the ring file");
	}
	/* Bytes that could not be read stay for who can */
	if (rest->n_bad == 0 && unlink(path) != 0)
		return fail(error, path);
	return 0;
}

/* ---------------------------------------------------------------- either */

static bool is_ring_file(const char *path)
{
	char magic[8] = "";
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	const bool is = fd >= 0 &&
	                pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
	                memcmp(magic, SC_RING_FILE_MAGIC, sizeof(magic)) == 0;

	if (fd >= 0)
		close(fd);
	return is;
}

static int recover_ring_file(const char *path, bool dry,
                             struct sc_recovered *recovered,
                             struct syscap_error *error)
{
	struct capture c = { .fd = -1 };
	struct sc_rest rest;
	int r = sc_rest_open(&rest, path, !dry, error);

	if (r != 0)
		return r;
	strcpy(recovered->capture, rest.facts.capture);
	r = open_capture(&c, rest.facts.capture, dry, error);
	if (r == 0 && !sc_rest_is_of(&rest, c.st.st_dev, c.st.st_ino))
		r = sc_error_set(error, EBADMSG, 0,
		                 "the capture of that name is another file");
	if (r == 0)
		r = recover_rings(&rest, path, &c, dry, recovered, error);
	if (r == 0 && !dry)
		r = finish_capture(&c, false, recovered, error);
	close_capture(&c);
	sc_rest_close(&rest);
	return r;
}

/* 0 or -ENOENT: it has no ring file that is there and its own. */
static int find_rings(const struct capture *c, bool dry, struct sc_rest *rest,
                      char *path, size_t size, struct syscap_error *error)
{
	const char *const named = sc_rest_path(c->data, c->size);

	if (named == NULL || strlen(named) >= size)
		return -ENOENT;
	strcpy(path, named);
	const int r = sc_rest_open(rest, path, !dry, error);
	if (r != 0)
		return r;
	if (sc_rest_is_of(rest, c->st.st_dev, c->st.st_ino))
		return 0;
	sc_rest_close(rest);
	return -ENOENT;
}

int sc_recover(const char *path, bool dry, struct sc_recovered *recovered,
               struct syscap_error *error)
{
	char rings[4096];
	struct capture c = { .fd = -1 };
	struct sc_rest rest;

	memset(recovered, 0, sizeof(*recovered));
	if (is_ring_file(path))
		return recover_ring_file(path, dry, recovered, error);
	int r = open_capture(&c, path, dry, error);
	if (r == 0)
		r = lock_capture(c.fd, dry, error);
	if (r == 0 && (c.size < HEADER_SIZE ||
	               sc_load_u32(c.data, false) != SYSCAP_MAGIC))
		r = sc_error_set(error, EBADMSG, 0, "not a capture");
	if (r == 0) {
		r = find_rings(&c, dry, &rest, rings, sizeof(rings), error);
		if (r == 0) {
			r = recover_rings(&rest, rings, &c, dry, recovered,
			                  error);
			sc_rest_close(&rest);
			if (r == 0 && dry)
				goto out; /* its end is still to come */
		} else if (r == -ENOENT) {
			r = 0;
		}
	}
	if (r == 0)
		r = finish_capture(&c, dry, recovered, error);
out:
	close_capture(&c);
	return r;
}
