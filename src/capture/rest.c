/* SPDX-License-Identifier: BSD-2-Clause */
/* rest.c - open the ring file of a process, and see whose it is. */
#define _GNU_SOURCE
#include "capture/rest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/error.h"
#include "capture/frame.h"
#include "capture/plain_file.h"
#include "capture/rest_owner.h"

#define HEADER_SIZE 256u

/* A live process' batch takes less than a look at it; not so under load. */
#define LOOKS 1000

/* Where the frame at @at ends; 0: there is none. */
static uint64_t take_frame(const unsigned char *capture, uint64_t size,
                           uint64_t at, struct syscap_frame *ret_frame)
{
	if (size < at || size - at < sizeof(struct syscap_wire_frame))
		return 0;
	syc_frame_header(capture + at, false, ret_frame);
	if (ret_frame->len % 8 != 0 ||
	    ret_frame->len < sizeof(struct syscap_wire_frame) ||
	    ret_frame->len > size - at ||
	    syc_frame_decode(ret_frame, false, NULL) != 0)
		return 0;
	return at + ret_frame->len;
}

/* The frame behind that of the process itself. */
const char *syc_rest_path(const unsigned char *capture, uint64_t size)
{
	struct syscap_frame frame;
	uint64_t end;

	if (size < HEADER_SIZE ||
	    (capture[offsetof(struct syscap_wire_file, little_endian)] & 1) ==
	            0)
		return NULL;
	end = take_frame(capture, size, HEADER_SIZE, &frame);
	if (end != 0 && frame.type == SYSCAP_FRAME_PROCESS)
		end = take_frame(capture, size, end, &frame);
	if (end == 0 || frame.type != SYSCAP_FRAME_METADATA ||
	    strcmp(frame.metadata.id, SYC_RING_FILE_ID) != 0 ||
	    frame.metadata.value[0] != '/')
		return NULL;
	return frame.metadata.value;
}

bool syc_rest_read_at(const struct syc_rest *rest, void *to, size_t size,
                      uint64_t offset)
{
	size_t done = 0;

	while (done < size) {
		const ssize_t n = pread(rest->fd, (char *)to + done,
		                        size - done, (off_t)(offset + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

uint64_t syc_rest_slot_at(const struct syc_rest *rest, uint32_t slot)
{
	return syc_ring_file_front(rest->facts.page_size) +
	       (uint64_t)slot * ((uint64_t)rest->facts.page_size +
	                         rest->facts.body_size);
}

static bool facts_are_sane(const struct syc_rest *rest, uint64_t size)
{
	const struct syc_ring_file *const f = &rest->facts;

	return memcmp(f->magic, SYC_RING_FILE_MAGIC, sizeof(f->magic)) == 0 &&
	       f->version == SYC_RING_FILE_VERSION && f->page_size >= 4096 &&
	       f->page_size <= 65536 &&
	       (f->page_size & (f->page_size - 1)) == 0 &&
	       f->front == syc_ring_file_front(f->page_size) &&
	       f->body_size >= 4096 && f->body_size <= SYC_RING_BODY_MAX &&
	       f->body_size % 8 == 0 && f->n_slots >= 1 &&
	       f->n_slots <= SYC_RING_FILE_SLOTS &&
	       syc_rest_slot_at(rest, f->n_slots) <= size &&
	       memchr(f->capture, 0, sizeof(f->capture)) != NULL &&
	       memchr(f->boot_id, 0, sizeof(f->boot_id)) != NULL;
}

static int check_rest_file(struct syc_rest *rest, const char *path,
                           struct syscap_error *error)
{
	struct stat st;

	if (fstat(rest->fd, &st) != 0)
		return syc_error_set(error, errno, 0, "%s: %s", path,
		                     strerror(errno));
	if (!S_ISREG(st.st_mode))
		return syc_error_set(error, EBADMSG, 0, "%s is no regular file",
		                     path);
	if (st.st_uid != geteuid() && geteuid() != 0)
		return syc_error_set(error, EPERM, 0,
		                     "%s belongs to another user", path);
	rest->owner = st.st_uid;
	rest->dev = st.st_dev;
	rest->ino = st.st_ino;
	if (!syc_rest_read_at(rest, &rest->facts, sizeof(rest->facts), 0) ||
	    !facts_are_sane(rest, (uint64_t)st.st_size))
		return syc_error_set(error, EBADMSG, 0, "%s is no ring file",
		                     path);
	return 0;
}

/* Who recovered from it, while we waited for the lock, has removed it. */
static bool is_removed(const struct syc_rest *rest)
{
	struct stat st;

	return fstat(rest->fd, &st) == 0 && st.st_nlink == 0;
}

/* Nobody changes it from here on; 0, SYC_REST_LIVES, or -errno. */
static int settle_owner(struct syc_rest *rest, const char *path, bool lock,
                        struct syscap_error *error)
{
	const bool is_alone = syc_rest_owner_exclude(rest->fd, lock);

	if (is_alone && syc_rest_owner_lives(rest->fd, &rest->facts)) {
		(void)syc_error_set(error, EBUSY, 0,
		                    "process %d is still recording",
		                    rest->facts.pid);
		return SYC_REST_LIVES;
	}
	if (!is_alone ||
	    (lock && !syc_rest_owner_replace(rest->fd, &rest->facts)))
		return syc_error_set(error, EBUSY, 0,
		                     "somebody else recovers from %s", path);
	if (is_removed(rest))
		return syc_error_set(error, ENOENT, 0, "%s: %s", path,
		                     strerror(ENOENT));
	/* As it is now, and not as it was before */
	return check_rest_file(rest, path, error);
}

int syc_rest_open(struct syc_rest *rest, const char *path, bool lock,
                  struct syscap_error *error)
{
	struct syscap_error why;
	int r;

	memset(rest, 0, sizeof(*rest));
	rest->fd = syc_plain_file_open(
		path, (lock ? O_RDWR : O_RDONLY) | O_NOFOLLOW, &why);
	if (rest->fd < 0)
		return syc_error_set(error, why.code, 0, "%s: %s", path,
		                     why.message);
	r = check_rest_file(rest, path, error);
	if (r == 0)
		r = settle_owner(rest, path, lock, error);
	if (r == 0 &&
	    !syc_rest_read_at(rest, &rest->journal, sizeof(rest->journal),
	                      syc_rest_journal_at(rest)))
		r = syc_error_set(error, EBADMSG, 0, "%s can't be read", path);
	if (r < 0)
		syc_rest_close(rest);
	return r;
}

bool syc_rest_is_of(const struct syc_rest *rest, const struct stat *st)
{
	/* The owner: nobody makes root write into somebody else's file */
	return rest->facts.capture_dev == st->st_dev &&
	       rest->facts.capture_ino == st->st_ino &&
	       rest->owner == st->st_uid;
}

/*
 * Each batch has an offset of its own: a journal that is the same before and
 * behind a look at the size was the same meanwhile.
 */
int syc_rest_live_size(struct syc_rest *rest, int capture, uint64_t *ret_size)
{
	const size_t head = offsetof(struct syc_ring_journal, parts);
	struct syc_ring_journal *const j = &rest->journal;
	struct syc_ring_journal after;
	struct stat st;

	for (int i = 0; i < LOOKS; i++) {
		if (!syc_rest_read_at(rest, j, head,
		                      syc_rest_journal_at(rest)) ||
		    fstat(capture, &st) != 0 ||
		    !syc_rest_read_at(rest, &after, head,
		                      syc_rest_journal_at(rest)))
			return -EIO;
		if (memcmp(j, &after, head) != 0)
			continue;
		const uint64_t size = (uint64_t)st.st_size;
		*ret_size = size;
		if (j->state == SYC_JOURNAL_UNDER_WAY &&
		    j->offset >= HEADER_SIZE && j->offset <= size &&
		    size - j->offset < j->length)
			*ret_size = j->offset;
		return 0;
	}
	return -EAGAIN;
}

void syc_rest_close(struct syc_rest *rest)
{
	if (rest->fd >= 0)
		close(rest->fd);
	rest->fd = -1;
	free(rest->bytes);
	rest->bytes = NULL;
	syc_rest_losses_fini(&rest->losses);
	free(rest->pids.items);
	rest->pids.items = NULL;
	rest->pids.n = 0;
}
