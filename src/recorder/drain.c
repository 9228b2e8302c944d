/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * drain.c - drain of one ring.
 *
 *	writer                              recorder
 *	STORE frames                        LOAD  tail, acquire
 *	STORE tail, release                 LOAD  frames (the copy)
 *	LOAD  head, acquire                 STORE head, release
 *
 * The release of head follows the copy, because the writer may then overwrite
 * the copied frames.
 */
#define _GNU_SOURCE
#include "recorder/drain.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/*
 * Size of the first read from a client without any frame.  Larger reads would
 * create pages.
 */
#define FIRST_CHUNK 4096u

int syc_ring_create(uint32_t size, struct syc_ring **ret_ring, int *ret_fd)
{
	const uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);
	struct syc_ring *ring = calloc(1, sizeof(*ring));
	struct stat st;
	int fd = -1, r = -ENOMEM;

	if (ring == NULL)
		goto fail;
	fd = memfd_create("syscap-ring", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	if (fd < 0 || ftruncate(fd, (off_t)page + size) != 0 ||
	    fstat(fd, &st) != 0) {
		r = -errno;
		goto fail;
	}
	r = syc_ring_map(fd, &ring->shared, &ring->size);
	if (r != 0)
		goto fail;
	ring->inode = st.st_ino;
	ring->body = (const unsigned char *)ring->shared + page;
	ring->shared->offset = page;
	ring->shared->size = ring->size;
	ring->shared->recorder_version = 1;
	ring->shared->recorder_magic = SYC_RING_RECORDER_MAGIC;
	/* Seal the size, because a truncated file would kill the recorder with
	 * SIGBUS. */
	if (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) !=
	    0) {
		r = -errno;
		goto fail;
	}
	*ret_ring = ring;
	*ret_fd = fd;
	return 0;
fail:
	if (fd >= 0)
		close(fd);
	syc_ring_destroy(ring);
	return r;
}

void syc_ring_destroy(struct syc_ring *ring)
{
	if (ring == NULL)
		return;
	if (ring->shared != NULL && ring->arena == NULL)
		syc_ring_unmap(ring->shared, ring->size);
	syc_renumber_ring_done(&ring->counters);
	free(ring);
}

void syc_ring_look_for_client(struct syc_ring *ring)
{
	struct syc_ring_header *shared = ring->shared;
	int32_t pid, tid;

	if (ring->has_client_block ||
	    __atomic_load_n(&shared->client_magic, __ATOMIC_ACQUIRE) !=
	            SYC_RING_CLIENT_MAGIC)
		return;
	pid = __atomic_load_n(&shared->pid, __ATOMIC_RELAXED);
	tid = __atomic_load_n(&shared->tid, __ATOMIC_RELAXED);
	if (pid <= 0 || pid > SYC_PID_LIMIT || tid <= 0 || tid >= SYC_PID_LIMIT)
		return;
	/* A slot belongs to the process whose pid is in the slot's word */
	if (ring->arena != NULL && pid != ring->slot_pid)
		return;
	ring->used = true;
	ring->has_client_block = true;
	ring->pid = pid;
	ring->tid = tid;
}

static enum syc_drain_result note_broken(struct syc_ring *ring, const char *why)
{
	ring->why = why;
	return SYC_DRAIN_BROKEN;
}

/* Return whether the frame is the rest of a client's abandoned event, which
 * contains no names. */
static bool is_filler(const struct syscap_wire_frame *frame)
{
	const struct syscap_wire_jitmap *const jitmap = (const void *)frame;

	return frame->type == SYSCAP_FRAME_JITMAP && jitmap->n_jitmaps == 0;
}

/*
 * Pass on the whole frames among the @size bytes, and store the frames' size in
 * *ret_used.  If @all, no bytes follow, so half a frame is an error.
 */
static enum syc_drain_result
hand_on(struct syc_ring *ring, unsigned char *buffer, size_t size, bool all,
        const struct syc_drain_sink *sink, size_t *ret_used)
{
	size_t at = 0;

	while (at < size) {
		struct syscap_wire_frame *frame = (void *)(buffer + at);
		const char *why = NULL;
		int len;

		if (!all &&
		    (size - at < sizeof(*frame) || size - at < frame->len))
			break;
		len = syc_validate_frame(frame, size - at,
		                         ring->has_client_block ? ring->tid : 0,
		                         &why);
		if (len < 0)
			return note_broken(ring, why);
		at += (size_t)len;
		ring->position += (size_t)len;
		if (frame->type == SYSCAP_FRAME_RING_END)
			return SYC_DRAIN_ENDED;
		if (is_filler(frame))
			continue;
		why = sink->frame(sink->context, ring, frame);
		if (why != NULL)
			return note_broken(ring, why);
		ring->frames++;
	}
	*ret_used = at;
	return SYC_DRAIN_SOME;
}

/* Copy from the ring.  The body of an arena's ring is mapped only once, so a
 * copy may have two parts. */
static void copy_body(const struct syc_ring *ring, unsigned char *to,
                      uint32_t size)
{
	const uint32_t end = ring->size - ring->head;
	const uint32_t first = size < end ? size : end;

	memcpy(to, ring->body + ring->head, first);
	memcpy(to + first, ring->body, size - first);
}

enum syc_drain_result syc_drain(struct syc_ring *ring, unsigned char *buffer,
                                const struct syc_drain_sink *sink,
                                uint32_t *ret_bytes)
{
	const uint32_t tail =
		__atomic_load_n(&ring->shared->tail, __ATOMIC_ACQUIRE);
	enum syc_drain_result result = SYC_DRAIN_SOME;
	size_t kept = 0;
	uint32_t left;

	*ret_bytes = 0;
	if (tail == ring->head)
		return SYC_DRAIN_EMPTY;
	if (tail >= ring->size || tail % 8 != 0)
		return note_broken(ring, "the tail is not in the ring");
	ring->used = true;
	syc_ring_look_for_client(ring);
	left = tail > ring->head ? tail - ring->head
	                         : tail + (ring->size - ring->head);
	*ret_bytes = left;
	while (left > 0 && result == SYC_DRAIN_SOME) {
		const uint32_t max =
			ring->frames == 0 ? FIRST_CHUNK : SYC_DRAIN_CHUNK;
		const uint32_t n = left < max ? left : max;
		size_t used = 0;

		copy_body(ring, buffer + kept, n);
		ring->head += n;
		if (ring->head >= ring->size)
			ring->head -= ring->size;
		__atomic_store_n(&ring->shared->head, ring->head,
		                 __ATOMIC_RELEASE);
		left -= n;
		result =
			hand_on(ring, buffer, kept + n, left == 0, sink, &used);
		if (result == SYC_DRAIN_SOME) {
			kept += n - used;
			memmove(buffer, buffer + used, kept);
		}
	}
	return result;
}
