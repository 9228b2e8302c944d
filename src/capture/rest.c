/* SPDX-License-Identifier: BSD-2-Clause */
/* rest.c - what a process that died left in its ring file. */
#define _GNU_SOURCE
#include "capture/rest.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/error.h"
#include "capture/frame.h"
#include "capture/losses.h"
#include "capture/rest_owner.h"

#define HEADER_SIZE 256u

const char *sc_rest_path(const unsigned char *capture, uint64_t size)
{
	struct syscap_frame frame;

	if (size < HEADER_SIZE + sizeof(struct syscap_wire_metadata) ||
	    (capture[offsetof(struct syscap_wire_file, little_endian)] & 1) ==
	            0)
		return NULL;
	sc_frame_header(capture + HEADER_SIZE, false, &frame);
	if (frame.type != SYSCAP_FRAME_METADATA || frame.len % 8 != 0 ||
	    frame.len < sizeof(struct syscap_wire_metadata) ||
	    frame.len > size - HEADER_SIZE ||
	    sc_frame_decode(&frame, false, NULL) != 0 ||
	    strcmp(frame.metadata.id, "syscap.rings") != 0 ||
	    frame.metadata.value[0] != '/')
		return NULL;
	return frame.metadata.value;
}

/* ------------------------------------------------------------------ open */

static bool read_at(int fd, void *to, size_t size, uint64_t offset)
{
	size_t done = 0;

	while (done < size) {
		const ssize_t n = pread(fd, (char *)to + done, size - done,
		                        (off_t)(offset + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

static uint64_t slot_at(const struct sc_ring_file *facts, uint32_t slot)
{
	return SC_RING_FILE_FRONT +
	       (uint64_t)slot * ((uint64_t)facts->page_size + facts->body_size);
}

static bool facts_are_sane(const struct sc_ring_file *f)
{
	return memcmp(f->magic, SC_RING_FILE_MAGIC, sizeof(f->magic)) == 0 &&
	       f->version == SC_RING_FILE_VERSION &&
	       f->front == SC_RING_FILE_FRONT && f->page_size >= 4096 &&
	       f->page_size <= SC_RING_FILE_FRONT && f->body_size >= 4096 &&
	       f->body_size <= SC_RING_BODY_MAX && f->body_size % 8 == 0 &&
	       f->n_slots >= 1 && f->n_slots <= SC_RING_FILE_SLOTS &&
	       memchr(f->capture, 0, sizeof(f->capture)) != NULL &&
	       memchr(f->boot_id, 0, sizeof(f->boot_id)) != NULL;
}

static int check_file(int fd, struct syscap_error *error)
{
	struct stat st;

	if (fstat(fd, &st) != 0)
		return sc_error_set(error, errno, 0, "%s", strerror(errno));
	if (!S_ISREG(st.st_mode))
		return sc_error_set(error, EBADMSG, 0,
		                    "the ring file is no regular file");
	if (st.st_uid != geteuid() && geteuid() != 0)
		return sc_error_set(error, EPERM, 0,
		                    "the ring file belongs to another user");
	return 0;
}

int sc_rest_open(struct sc_rest *rest, const char *path, bool lock,
                 struct syscap_error *error)
{
	int r;

	memset(rest, 0, sizeof(*rest));
	rest->fd = open(path, (lock ? O_RDWR : O_RDONLY) | O_NOFOLLOW |
	                              O_CLOEXEC | O_NONBLOCK);
	if (rest->fd < 0)
		return sc_error_set(error, errno, 0, "%s: %s", path,
		                    strerror(errno));
	r = check_file(rest->fd, error);
	if (r == 0 &&
	    (!read_at(rest->fd, &rest->facts, sizeof(rest->facts), 0) ||
	     !read_at(rest->fd, &rest->journal, sizeof(rest->journal),
	              SC_RING_FILE_JOURNAL) ||
	     !facts_are_sane(&rest->facts)))
		r = sc_error_set(error, EBADMSG, 0, "%s is no ring file", path);
	if (r == 0 &&
	    (sc_rest_owner_lives(rest->fd, &rest->facts) ||
	     (lock && !sc_rest_owner_replace(rest->fd, &rest->facts))))
		r = sc_error_set(error, EBUSY, 0,
		                 "process %d is still recording",
		                 rest->facts.pid);
	if (r != 0)
		sc_rest_close(rest);
	return r;
}

bool sc_rest_is_of(const struct sc_rest *rest, dev_t st_dev, ino_t st_ino)
{
	return rest->facts.capture_dev == st_dev &&
	       rest->facts.capture_ino == st_ino;
}

/* --------------------------------------------------------------- journal */

static int read_journal(struct sc_rest *rest, uint64_t size,
                        struct syscap_error *error)
{
	const struct sc_ring_journal *const j = &rest->journal;

	rest->capture_size = size;
	if (j->state == SC_JOURNAL_NOTHING)
		return 0;
	if (j->state != SC_JOURNAL_UNDER_WAY || j->n > SC_RING_JOURNAL_PARTS ||
	    j->offset % 8 != 0 || j->length % 8 != 0 || j->offset > size)
		return sc_error_set(error, EBADMSG, 0,
		                    "the ring file's journal does not fit the "
		                    "capture");
	rest->batch_is_in = j->length <= size - j->offset;
	if (!rest->batch_is_in)
		rest->capture_size = j->offset;
	return 0;
}

static uint32_t head_of(const struct sc_rest *rest, uint32_t slot,
                        uint32_t head)
{
	for (uint32_t i = 0; rest->batch_is_in && i < rest->journal.n; i++)
		if (rest->journal.parts[i].slot == slot)
			return rest->journal.parts[i].to;
	return head;
}

/* ---------------------------------------------------------------- frames */

static bool reserve(struct sc_rest *rest, size_t more)
{
	unsigned char *const bytes = realloc(rest->bytes, rest->n_bytes + more);

	if (bytes != NULL)
		rest->bytes = bytes;
	return bytes != NULL;
}

/* Keep the good ones of the @n bytes behind n_bytes. */
static void keep_frames(struct sc_rest *rest, size_t n)
{
	unsigned char *const from = rest->bytes + rest->n_bytes;
	struct syscap_frame frame;
	size_t at = 0;

	while (at != n) {
		if (n - at < sizeof(struct syscap_wire_frame)) {
			rest->n_bad++;
			return;
		}
		sc_frame_header(from + at, false, &frame);
		if (frame.len < sizeof(struct syscap_wire_frame) ||
		    frame.len % 8 != 0 || frame.len > n - at) {
			rest->n_bad++; /* what follows can't be found */
			return;
		}
		const size_t len = frame.len;
		if (frame.type == 0 || frame.type >= SYSCAP_FRAME_LAST ||
		    sc_frame_decode(&frame, false, NULL) != 0) {
			rest->n_bad++;
		} else {
			memmove(rest->bytes + rest->n_bytes, from + at, len);
			rest->n_bytes += len;
			rest->n_frames++;
		}
		at += len;
	}
}

static bool load_frames(struct sc_rest *rest, uint32_t slot, uint32_t head,
                        uint32_t tail)
{
	const uint32_t size = rest->facts.body_size;
	const uint64_t body =
		slot_at(&rest->facts, slot) + rest->facts.page_size;
	const uint32_t n = tail >= head ? tail - head : tail + size - head;
	const uint32_t first = n < size - head ? n : size - head;

	if (!reserve(rest, n))
		return false;
	if (!read_at(rest->fd, rest->bytes + rest->n_bytes, first,
	             body + head) ||
	    !read_at(rest->fd, rest->bytes + rest->n_bytes + first, n - first,
	             body))
		rest->n_bad++;
	else
		keep_frames(rest, n);
	return true;
}

static bool note_losses(struct sc_rest *rest, const struct sc_ring_header *ring)
{
	struct sc_rest_loss *more;
	uint64_t n = 0;

	for (unsigned i = 0; i < SC_LOSS_KINDS; i++)
		n |= ring->lost.frames[i];
	if (n == 0 || (ring->slot_state != SC_SLOT_LIVE &&
	               ring->slot_state != SC_SLOT_ENDED))
		return true;
	more = realloc(rest->losses, (rest->n_losses + 1) * sizeof(*more));
	if (more == NULL)
		return false;
	rest->losses = more;
	more[rest->n_losses++] = (struct sc_rest_loss){ .tid = ring->tid,
		                                        .since = ring->since,
		                                        .lost = ring->lost };
	return true;
}

/* 1; 0: this slot and those behind it were never used; -1: no memory. */
static int load_slot(struct sc_rest *rest, uint32_t slot)
{
	struct sc_ring_header ring;

	if (!read_at(rest->fd, &ring, sizeof(ring),
	             slot_at(&rest->facts, slot)) ||
	    (ring.slot_state == SC_SLOT_FREE && ring.offset == 0))
		return 0;
	const uint32_t head = head_of(rest, slot, ring.head);
	if (head == ring.tail)
		return note_losses(rest, &ring) ? 1 : -1;
	if (head >= rest->facts.body_size ||
	    ring.tail >= rest->facts.body_size || head % 8 != 0 ||
	    ring.tail % 8 != 0) {
		rest->n_bad++;
		return 1;
	}
	rest->parts[rest->n_parts++] =
		(struct sc_ring_journal_part){ slot, head, ring.tail };
	return load_frames(rest, slot, head, ring.tail) &&
	                       note_losses(rest, &ring)
	               ? 1
	               : -1;
}

/* ---------------------------------------------------------------- losses */

/* Add up what the records in @bytes tell of @loss' thread. */
static void sum_told(const struct sc_rest *rest,
                     const struct sc_rest_loss *loss,
                     const unsigned char *bytes, uint64_t n,
                     struct sc_loss *told)
{
	struct syscap_frame frame;
	struct sc_loss one;

	for (uint64_t at = 0; n - at >= sizeof(struct syscap_wire_frame);) {
		sc_frame_header(bytes + at, false, &frame);
		if (frame.len < sizeof(struct syscap_wire_frame) ||
		    frame.len % 8 != 0 || frame.len > n - at)
			return;
		at += frame.len;
		if (frame.type != SYSCAP_FRAME_MARK ||
		    frame.pid != rest->facts.pid || frame.time < loss->since ||
		    sc_frame_decode(&frame, false, NULL) != 0)
			continue;
		if (sc_loss_parse(
			    (const struct syscap_wire_mark *)(const void *)
				    frame.bytes,
			    &one) &&
		    one.tid == loss->tid)
			sc_loss_add(told, &one);
	}
}

static void compose_loss(const struct sc_rest *rest,
                         const struct sc_rest_loss *loss,
                         const struct sc_loss *untold, unsigned char *frame,
                         uint16_t *ret_len)
{
	struct syscap_wire_mark mark = {
		.frame = { .cpu = -1,
		           .pid = rest->facts.pid,
		           .type = SYSCAP_FRAME_MARK,
		           .padding2 = SYSCAP_TID_TAG | (uint32_t)loss->tid },
		.group = "syscap",
		.name = "lost"
	};
	char message[512] = "";
	struct sc_loss of = *untold;

	of.tid = loss->tid;
	sc_loss_message(&of, message, sizeof(message));
	const size_t n = strlen(message);
	const size_t len = (sizeof(mark) + n + 8) & ~(size_t)7;
	mark.frame.len = *ret_len = (uint16_t)len;
	mark.frame.time = loss->lost.from != 0 ? loss->lost.from : loss->since;
	if (loss->lost.to > mark.frame.time)
		mark.duration = loss->lost.to - mark.frame.time;
	memset(frame, 0, len);
	memcpy(frame, &mark, sizeof(mark));
	memcpy(frame + sizeof(mark), message, n);
}

static bool add_losses(struct sc_rest *rest, const unsigned char *capture)
{
	unsigned char frame[1024];
	uint16_t len;

	for (uint32_t i = 0; i < rest->n_losses; i++) {
		const struct sc_rest_loss *const loss = &rest->losses[i];
		struct sc_loss told, untold;

		memset(&told, 0, sizeof(told));
		if (rest->capture_size > HEADER_SIZE)
			sum_told(rest, loss, capture + HEADER_SIZE,
			         rest->capture_size - HEADER_SIZE, &told);
		sum_told(rest, loss, rest->bytes, rest->n_bytes, &told);
		if (!sc_loss_remainder(&loss->lost, &told, &untold))
			continue;
		compose_loss(rest, loss, &untold, frame, &len);
		if (!reserve(rest, len))
			return false;
		memcpy(rest->bytes + rest->n_bytes, frame, len);
		rest->n_bytes += len;
		rest->n_frames++;
	}
	return true;
}

int sc_rest_load(struct sc_rest *rest, const unsigned char *capture,
                 uint64_t size, struct syscap_error *error)
{
	int r = read_journal(rest, size, error);

	if (r != 0)
		return r;
	r = 1;
	for (uint32_t i = 0; i < rest->facts.n_slots && r > 0; i++)
		r = load_slot(rest, i);
	if (r < 0)
		return sc_error_set(error, ENOMEM, 0, "out of memory");
	if (!add_losses(rest, capture))
		return sc_error_set(error, ENOMEM, 0, "out of memory");
	return 0;
}

void sc_rest_close(struct sc_rest *rest)
{
	if (rest->fd >= 0)
		close(rest->fd);
	rest->fd = -1;
	free(rest->bytes);
	free(rest->losses);
	rest->bytes = NULL;
	rest->losses = NULL;
}
