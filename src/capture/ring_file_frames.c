/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ring_file_frames.c - frames and losses that a dead process left in its ring
 * file.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/frame.h"
#include "capture/files.h"
#include "capture/frame.h"
#include "capture/ring_file_reader.h"

static struct syc_ring_reader_loss *
find_thread(const struct syc_ring_reader_losses *losses, int32_t pid,
            int32_t tid)
{
	for (size_t i = 0; i < losses->by_tid.n; i++)
		if (losses->by_tid.items[i].pid == pid &&
		    losses->by_tid.items[i].tid == tid)
			return &losses->by_tid.items[i];
	return NULL;
}

static struct syc_ring_reader_loss *
find_or_add(struct syc_ring_reader_losses *losses, int32_t pid, int32_t tid)
{
	struct syc_ring_reader_loss *const found =
		find_thread(losses, pid, tid);
	const struct syc_ring_reader_loss fresh = { .pid = pid, .tid = tid };

	if (found != NULL)
		return found;
	if (syc_array_push(&losses->by_tid, fresh) < 0)
		return NULL;
	return &losses->by_tid.items[losses->by_tid.n - 1];
}

/*
 * Add the totals of a header to the totals of @tid of @pid.  Returns false if
 * no memory is left.
 */
static bool note_losses(struct syc_ring_reader_losses *losses, int32_t pid,
                        int32_t tid,
                        const struct syc_ring_reader_totals *totals)
{
	const struct syc_loss nothing = { .total = 0 };
	struct syc_loss lost, reported;

	if (!syc_losses_remainder(totals->lost, &nothing, &lost))
		return true;
	(void)syc_losses_remainder(totals->reported, &nothing, &reported);
	struct syc_ring_reader_loss *const loss = find_or_add(losses, pid, tid);
	if (loss == NULL)
		return false;
	syc_losses_add(&loss->lost, &lost);
	syc_losses_add(&loss->reported, &reported);
	const int64_t from =
		totals->lost->from != 0 ? totals->lost->from : totals->since;
	if (loss->from == 0 || from < loss->from)
		loss->from = from;
	if (totals->lost->to > loss->to)
		loss->to = totals->lost->to;
	return true;
}

/* Add up the loss records among the frames in the @n @bytes. */
static void count_records(struct syc_ring_reader_losses *losses,
                          const unsigned char *bytes, uint64_t n)
{
	struct syscap_frame frame;
	struct syc_ring_reader_loss *of;
	struct syc_loss one;

	for (uint64_t at = 0;
	     syc_frame_take(bytes + at, n - at, SYC_HOST_IS_BIG, &frame);) {
		at += frame.len;
		if (frame.type == SYSCAP_FRAME_MARK &&
		    syc_frame_decode(&frame, SYC_HOST_IS_BIG, NULL) == 0 &&
		    syc_losses_read(&frame, &one) &&
		    (of = find_thread(losses, frame.pid, one.tid)) != NULL)
			syc_losses_add(&of->recorded, &one);
	}
}

/*
 * Return the reported losses.  The loss records of a thread id may exceed its
 * losses, if an earlier thread had the id.  The recorder that read the rings
 * before may have the records of threads without a slot.
 */
static const struct syc_loss *
reported_of(const struct syc_ring_reader_loss *loss)
{
	const bool is_reported_elsewhere =
		loss->tid == 0 && loss->recorded.total < loss->reported.total;

	return loss->recorded.total > loss->lost.total || is_reported_elsewhere
	               ? &loss->reported
	               : &loss->recorded;
}

/*
 * Compose a record of the unreported losses of thread @i, at @frame, like
 * syc_losses_compose().  Returns the length of the record, or 0 if all losses
 * are reported.
 */
static uint16_t compose_remainder(const struct syc_ring_reader_losses *losses,
                                  size_t i, void *frame)
{
	const struct syc_ring_reader_loss *const loss =
		&losses->by_tid.items[i];
	struct syc_loss unreported;

	if (!syc_losses_less(&loss->lost, reported_of(loss), &unreported))
		return 0;
	unreported.tid = loss->tid;
	return syc_losses_compose(frame, &unreported, loss->pid, loss->from,
	                          loss->to);
}

void syc_ring_reader_losses_fini(struct syc_ring_reader_losses *losses)
{
	free(losses->by_tid.items);
	*losses = (struct syc_ring_reader_losses){ 0 };
}

#define HEADER_SIZE 256u

/* Number of bytes per read, because the stored size of a ring may be false. */
#define CHUNK (UINT32_C(1) << 18)

/* --------------------------------------------------------------- journal */

static uint32_t length_of(const struct syc_ring_reader *rest, uint32_t from,
                          uint32_t to)
{
	return to >= from ? to - from : to + (rest->facts.body_size - from);
}

static bool is_offset(const struct syc_ring_reader *rest, uint32_t offset)
{
	return offset < rest->facts.body_size && offset % 8 == 0;
}

static bool parts_are_sane(const struct syc_ring_reader *rest)
{
	const struct syc_ring_journal *const j = &rest->journal;

	if (j->n > SYC_RING_JOURNAL_PARTS)
		return false;
	for (uint32_t i = 0; i < j->n; i++)
		if (j->parts[i].slot >= rest->facts.n_slots ||
		    !is_offset(rest, j->parts[i].from) ||
		    !is_offset(rest, j->parts[i].to))
			return false;
	return true;
}

static int read_journal(struct syc_ring_reader *rest, uint64_t size,
                        struct syscap_error *error)
{
	const struct syc_ring_journal *const j = &rest->journal;

	rest->capture_size = size;
	rest->batch_is_in = false;
	if (j->state == SYC_JOURNAL_NOTHING || size == 0)
		return 0;
	if (j->state != SYC_JOURNAL_UNDER_WAY || !parts_are_sane(rest) ||
	    j->offset % 8 != 0 || j->length % 8 != 0 ||
	    j->offset < HEADER_SIZE || j->offset > size)
		return syc_error_set(
			error, EBADMSG, size,
			"the journal of the ring file contradicts the capture");
	rest->batch_is_in = j->length <= size - j->offset;
	if (!rest->batch_is_in)
		rest->capture_size = j->offset;
	return 0;
}

static uint32_t head_of(const struct syc_ring_reader *rest, uint32_t slot,
                        uint32_t head)
{
	for (uint32_t i = 0; rest->batch_is_in && i < rest->journal.n; i++)
		if (rest->journal.parts[i].slot == slot)
			return rest->journal.parts[i].to;
	return head;
}

/* Return the reported losses of @slot: the losses of the journal's loss record,
 * if the record is in the capture, else @stored. */
static const struct syc_ring_losses *
told_of(const struct syc_ring_reader *rest, uint32_t slot,
        const struct syc_ring_losses *stored)
{
	return rest->batch_is_in && rest->journal.record_len != 0 &&
	                       rest->journal.told_slot == slot
	               ? &rest->journal.told
	               : stored;
}

/* ---------------------------------------------------------------- frames */

/* Reserve @more bytes after the first n_bytes. */
static bool reserve(struct syc_ring_reader *rest, size_t more)
{
	size_t capacity = rest->capacity > CHUNK ? rest->capacity : CHUNK;

	if (rest->capacity - rest->n_bytes >= more)
		return true;
	while (capacity - rest->n_bytes < more)
		capacity *= 2;
	unsigned char *const bytes = realloc(rest->bytes, capacity);
	if (bytes == NULL)
		return false;
	rest->bytes = bytes;
	rest->capacity = capacity;
	return true;
}

/* Read @n bytes of the ring's body from @at on, across the body's end if
 * needed. */
static bool read_body(const struct syc_ring_reader *rest, uint32_t slot,
                      void *to, uint32_t n, uint32_t at)
{
	const uint32_t size = rest->facts.body_size;
	const uint64_t body =
		syc_ring_reader_slot_at(rest, slot) + rest->facts.page_size;
	const uint32_t first = n < size - at ? n : size - at;

	return syc_ring_reader_read_at(rest, to, first, body + at) &&
	       syc_ring_reader_read_at(rest, (char *)to + first, n - first,
	                               body);
}

/*
 * Among the @n bytes after the first n_bytes, keep the whole frames that are
 * valid.  Returns the size of all whole frames, and moves the following bytes
 * up.  *@ret_broken: whether the following bytes are not a frame.
 */
static uint32_t keep_frames(struct syc_ring_reader *rest, uint32_t n,
                            bool *ret_broken)
{
	unsigned char *const from = rest->bytes + rest->n_bytes;
	struct syscap_frame frame;
	uint32_t at = 0;

	*ret_broken = false;
	while (n - at >= sizeof(struct syscap_wire_frame)) {
		syc_frame_header(from + at, SYC_HOST_IS_BIG, &frame);
		*ret_broken = !syc_frame_is_length(frame.len);
		if (*ret_broken || frame.len > n - at)
			break;
		const uint16_t len = frame.len;
		if (frame.type == 0 || frame.type >= SYSCAP_FRAME_LAST ||
		    syc_frame_decode(&frame, SYC_HOST_IS_BIG, NULL) != 0) {
			rest->n_bad++;
		} else {
			memmove(rest->bytes + rest->n_bytes, from + at, len);
			rest->n_bytes += len;
			rest->n_frames++;
		}
		at += len;
	}
	memmove(rest->bytes + rest->n_bytes, from + at, n - at);
	return at;
}

/* Load the frames [head, tail).  Stores the number of bytes up to an invalid
 * frame in *@ret_used. */
static int load_frames(struct syc_ring_reader *rest, uint32_t slot,
                       uint32_t head, uint32_t tail, uint32_t *ret_used)
{
	const uint32_t n = length_of(rest, head, tail);
	uint32_t done = 0, pending = 0;
	bool is_broken = false;

	*ret_used = 0;
	while (done < n && !is_broken) {
		const uint32_t chunk = n - done < CHUNK ? n - done : CHUNK;
		const uint32_t at = (uint32_t)(((uint64_t)head + done) %
		                               rest->facts.body_size);

		if (!reserve(rest, pending + chunk))
			return -ENOMEM;
		if (!read_body(rest, slot,
		               rest->bytes + rest->n_bytes + pending, chunk,
		               at))
			break;
		done += chunk;
		pending += chunk;
		const uint32_t used = keep_frames(rest, pending, &is_broken);
		pending -= used;
		*ret_used += used;
	}
	if (*ret_used != n)
		/* Frames after an invalid frame cannot be found. */
		rest->n_bad++;
	return 0;
}

static bool read_file(const void *rest, void *to, size_t size, uint64_t offset)
{
	return syc_ring_reader_read_at(rest, to, size, offset);
}

/* Load the newest frames of a ring whose thread gives up its oldest frames. */
static int load_moving(struct syc_ring_reader *rest, uint32_t slot)
{
	const struct syc_moving_ring ring = { .read = read_file,
		                              .file = rest,
		                              .page = rest->facts.page_size,
		                              .size = rest->facts.body_size,
		                              .slot = slot };
	bool is_broken;
	uint32_t n;

	if (!reserve(rest, ring.size))
		return -ENOMEM;
	if (syc_moving_load(&ring, rest->bytes + rest->n_bytes, &n) != 0 ||
	    keep_frames(rest, n, &is_broken) != n)
		rest->n_bad++;
	return 0;
}

/* Load a ring, and then its definitions, since the thread moves definitions out
 * of its ring meanwhile.  But the definitions come first. */
static int load_pair(struct syc_ring_reader *rest, uint32_t slot,
                     uint32_t kept_slot)
{
	const size_t begin = rest->n_bytes;
	int r = load_moving(rest, slot);
	const size_t n = rest->n_bytes - begin;

	if (r == 0)
		r = load_moving(rest, kept_slot);
	if (r != 0 || !reserve(rest, n))
		return -ENOMEM;
	unsigned char *const at = rest->bytes + begin;
	const size_t both = rest->n_bytes - begin;
	memcpy(at + both, at, n);
	memmove(at, at + n, both);
	return 0;
}

static bool note_pid(struct syc_ring_reader *rest, int32_t pid)
{
	if (pid == rest->facts.pid)
		return true;
	for (size_t i = 0; i < rest->pids.n; i++)
		if (rest->pids.items[i] == pid)
			return true;
	return syc_array_push(&rest->pids, pid) >= 0;
}

/* Load the frames of a slot.  Returns 0 or -errno. */
static int load_slot(struct syc_ring_reader *rest, uint32_t slot)
{
	const uint32_t state = syc_slot_state(rest->words[slot]);
	const int32_t pid = syc_slot_pid(rest->words[slot]);
	struct syc_ring_header ring;
	uint32_t used = 0;
	int r = 0;

	/* A BUSY slot has no frames yet.  But its definitions are kept */
	if ((state < SYC_SLOT_LIVE || state > SYC_SLOT_OVER) &&
	    !rest->is_moving)
		return 0;
	if (!syc_ring_reader_read_at(rest, &ring, sizeof(ring),
	                             syc_ring_reader_slot_at(rest, slot)) ||
	    (rest->is_moving && ring.kept_slot >= rest->facts.n_slots)) {
		rest->n_bad++;
		return 0;
	}
	if (rest->is_moving && ring.kept_slot == 0)
		return 0;
	if (state < SYC_SLOT_LIVE || state > SYC_SLOT_OVER)
		return load_moving(rest, ring.kept_slot);
	const struct syc_ring_reader_totals totals = {
		&ring.lost, told_of(rest, slot, &ring.told), ring.since
	};
	if (!note_losses(&rest->losses, pid, ring.tid, &totals) ||
	    (slot != 0 && !note_pid(rest, pid)))
		return -ENOMEM;
	if (rest->is_moving)
		return load_pair(rest, slot, ring.kept_slot);
	const uint32_t head = head_of(rest, slot, ring.head);
	if (!is_offset(rest, head) || !is_offset(rest, ring.tail)) {
		rest->n_bad++;
		return 0;
	}
	r = load_frames(rest, slot, head, ring.tail, &used);
	if (used != 0)
		rest->parts[rest->n_parts++] = (struct syc_ring_journal_part){
			slot, head,
			(uint32_t)(((uint64_t)head + used) %
			           rest->facts.body_size)
		};
	return r;
}

/* Load the losses of threads without a slot.  Returns 0 or -errno. */
static int load_head(struct syc_ring_reader *rest)
{
	struct syc_arena_head head;

	if (!syc_ring_reader_read_at(rest, &head, sizeof(head),
	                             syc_ring_file_head(rest->facts.page_size)))
		return -EIO;
	const struct syc_ring_reader_totals totals = {
		&head.lost, told_of(rest, SYC_JOURNAL_TOLD_HEAD, &head.told),
		rest->facts.began
	};
	return note_losses(&rest->losses, rest->facts.pid, 0, &totals)
	               ? 0
	               : -ENOMEM;
}

/* Return whether [@at, @end) of @bytes has a PROCESS frame of @pid. */
static bool has_process(const unsigned char *bytes, uint64_t at, uint64_t end,
                        int32_t pid)
{
	struct syscap_frame frame;

	while (syc_frame_take(bytes + at, end - at, SYC_HOST_IS_BIG, &frame)) {
		if (frame.type == SYSCAP_FRAME_PROCESS && frame.pid == pid)
			return true;
		at += frame.len;
	}
	return false;
}

/*
 * Add a PROCESS frame, before all other frames, for each child without a
 * PROCESS frame.  The command line of the child is unknown, so the frame has
 * "(forked)".  Returns false if no memory is left.
 */
static bool add_processes(struct syc_ring_reader *rest,
                          const unsigned char *capture)
{
	static const char name[] = "(forked)";

	for (size_t i = 0; i < rest->pids.n; i++) {
		struct {
			struct syscap_wire_frame frame;
			char name[sizeof(name) + 8];
		} process;
		const int32_t pid = rest->pids.items[i];

		if ((rest->capture_size > HEADER_SIZE &&
		     has_process(capture, HEADER_SIZE, rest->capture_size,
		                 pid)) ||
		    has_process(rest->bytes, 0, rest->n_bytes, pid))
			continue;
		syc_frame_begin(&process.frame, SYSCAP_FRAME_PROCESS, pid,
		                rest->facts.began);
		memcpy(process.name, name, sizeof(name));
		const uint16_t len = syc_frame_end(
			&process.frame, sizeof(process.frame) + sizeof(name));
		if (!reserve(rest, len))
			return false;
		memmove(rest->bytes + len, rest->bytes, rest->n_bytes);
		memcpy(rest->bytes, &process, len);
		rest->n_bytes += len;
		rest->n_frames++;
		rest->n_loss_records++;
	}
	return true;
}

/* Add loss records for unreported losses.  Returns false if no memory is
 * left. */
static bool add_losses(struct syc_ring_reader *rest,
                       const unsigned char *capture)
{
	const struct syc_ring_reader_losses *const losses = &rest->losses;
	_Alignas(8) unsigned char frame[SYC_LOSS_FRAME_MAX];

	if (losses->by_tid.n == 0)
		return true;
	if (rest->capture_size > HEADER_SIZE)
		count_records(&rest->losses, capture + HEADER_SIZE,
		              rest->capture_size - HEADER_SIZE);
	count_records(&rest->losses, rest->bytes, rest->n_bytes);
	for (size_t i = 0; i < losses->by_tid.n; i++) {
		const uint16_t len = compose_remainder(losses, i, frame);

		if (len == 0)
			continue;
		if (!reserve(rest, len))
			return false;
		memcpy(rest->bytes + rest->n_bytes, frame, len);
		rest->n_bytes += len;
		rest->n_frames++;
		rest->n_loss_records++;
	}
	return true;
}

int syc_ring_reader_load(struct syc_ring_reader *rest,
                         const unsigned char *capture, uint64_t size,
                         struct syscap_error *error)
{
	int r = read_journal(rest, size, error);

	if (r != 0)
		return r;
	rest->n_bytes = 0;
	rest->n_frames = rest->n_loss_records = rest->n_bad = 0;
	rest->n_parts = 0;
	syc_ring_reader_losses_fini(&rest->losses);
	rest->pids.n = 0;
	if (!syc_ring_reader_read_at(rest, rest->words,
	                             rest->facts.n_slots *
	                                     sizeof(rest->words[0]),
	                             syc_ring_reader_words_at(rest)) ||
	    (r = load_head(rest)) == -EIO)
		return syc_error_set(error, EBADMSG, 0,
		                     "cannot read the ring file");
	for (uint32_t i = 0; i < rest->facts.n_slots && r == 0; i++)
		r = load_slot(rest, i);
	if (r < 0 || !add_processes(rest, capture) ||
	    !add_losses(rest, capture))
		return syc_error_set(error, ENOMEM, 0, "out of memory");
	return 0;
}

/* ------------------------------------------------------------ torn batch */

/* Return whether the bytes are a batch of the process, with the same parts as
 * the rings. */
static bool is_of_parts(const struct syc_ring_reader *rest,
                        const unsigned char *torn, uint64_t size)
{
	const struct syc_ring_journal *const j = &rest->journal;
	unsigned char bytes[4096];
	uint64_t at = 0;

	for (uint32_t i = 0; i < j->n && at < size; i++) {
		const uint32_t part =
			length_of(rest, j->parts[i].from, j->parts[i].to);
		uint32_t done = 0;

		while (done < part && at < size) {
			uint64_t n = size - at;

			if (n > part - done)
				n = part - done;
			if (n > sizeof(bytes))
				n = sizeof(bytes);
			if (!read_body(rest, j->parts[i].slot, bytes,
			               (uint32_t)n,
			               (uint32_t)(((uint64_t)j->parts[i].from +
			                           done) %
			                          rest->facts.body_size)) ||
			    memcmp(torn + at, bytes, (size_t)n) != 0)
				return false;
			done += (uint32_t)n;
			at += n;
		}
	}
	return at == size;
}

bool syc_ring_reader_is_torn_batch(const struct syc_ring_reader *rest,
                                   const unsigned char *torn, uint64_t size)
{
	/*
	 * The second case is a batch of an earlier recovery, which omitted
	 * invalid frames and added losses.  The present recovery composes the
	 * same bytes.
	 */
	return size == 0 || is_of_parts(rest, torn, size) ||
	       (size <= rest->n_bytes &&
	        memcmp(torn, rest->bytes, (size_t)size) == 0);
}
