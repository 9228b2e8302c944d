/* SPDX-License-Identifier: BSD-2-Clause */
/* jitmap.c - JITMAP frames, which publish the names in stacks. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <syscap.h>

#include "emit/event.h"
#include "emit/process.h"
#include "emit/sample.h"

/* A larger frame would fit into a ring less often. */
#define MAX_NAMES 32u
#define MAX_LEN   8192u

/*
 * For each name, the recording that has the name: pid << 32 | epoch.  A thread
 * stores this word after it has published the name's frame.  A value of an
 * older recording counts as empty.  If one thread is still in an older
 * recording, other threads publish twice, which is harmless.
 *
 * A forked child finds the array zeroed.  An emit in which the process forked
 * ends in the child, and stores the parent's pid, which counts as empty, too.
 *
 * All copies share one array, for shared names.  This array is for the names of
 * this copy from before the block.
 */
static uint64_t *published_early;

struct names {
	unsigned n;
	uint32_t len; /* length of the frame */
	uint32_t indices[MAX_NAMES];
	uint64_t addrs[MAX_NAMES];
};

static uint64_t *map_published(uint64_t **at)
{
	const size_t size = SYC_NAMES_MAX * sizeof(**at);
	const int saved = errno;
	uint64_t *other = NULL;
	uint64_t *const mine =
		mmap(NULL, size, PROT_READ | PROT_WRITE,
	             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	if (mine == MAP_FAILED) {
		errno = saved;
		return NULL;
	}
	(void)madvise(mine, size, MADV_WIPEONFORK); /* Linux 4.14 */
	const bool was_stored = __atomic_compare_exchange_n(
		at, &other, mine, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
	if (!was_stored) /* another thread or a handler was faster */
		munmap(mine, size);
	errno = saved;
	return was_stored ? mine : other;
}

static uint64_t *get_published(uint64_t **at)
{
	uint64_t *const known = __atomic_load_n(at, __ATOMIC_ACQUIRE);

	return known != NULL ? known : map_published(at);
}

/* The word that stores the recording with the name at @index, or NULL. */
static uint64_t *publication_mark(uint32_t index)
{
	uint64_t *const marks = get_published(
		index < SYC_NAMES_MAX ? &syc_block->names.published
				      : &published_early);

	return marks != NULL ? &marks[index % SYC_NAMES_MAX] : NULL;
}

static bool is_published(uint32_t index, uint64_t recording)
{
	const uint64_t *const mark = publication_mark(index);

	return mark == NULL ||
	       __atomic_load_n(mark, __ATOMIC_RELAXED) == recording;
}

static uint64_t recording_key(const struct syc_thread *st)
{
	/* A forked child's state has no pid until its first frame */
	const int32_t pid = st->pid != 0 ? st->pid : getpid();

	return (uint64_t)(uint32_t)pid << 32 | (uint32_t)st->epoch;
}

static bool has_name(const struct names *names, uint32_t index)
{
	for (unsigned i = 0; i < names->n; i++)
		if (names->indices[i] == index)
			return true;
	return false;
}

/* Collect unpublished names of @addrs, for one frame.  Returns the number of
 * checked addresses. */
static unsigned gather_names(struct names *names, uint64_t recording,
                             const uint64_t *addrs, unsigned n)
{
	uint32_t index;
	size_t len;

	names->n = 0;
	names->len = SYSCAP_JITMAP_FIXED;
	for (unsigned i = 0; i < n; i++) {
		if (!syc_names_index(addrs[i], &index) ||
		    is_published(index, recording) || has_name(names, index))
			continue;
		syc_names_text(index, &len);
		const uint32_t more = 8 + (uint32_t)len + 1;
		if (names->n == MAX_NAMES || names->len + more > MAX_LEN)
			return i;
		names->indices[names->n] = index;
		names->addrs[names->n++] = addrs[i];
		names->len += more;
	}
	return n;
}

/* Copy a name, and replace its NULs.  A NUL would end the name for a reader,
 * and make the frame malformed. */
static void copy_name(unsigned char *at, const char *name, size_t len)
{
	memcpy(at, name, len);
	for (unsigned char *nul = memchr(at, '\0', len); nul != NULL;
	     nul = memchr(nul, '\0', (size_t)(at + len - nul)))
		*nul = '?';
	at[len] = '\0';
}

static void fill_jitmap(unsigned char *frame, uint32_t len,
                        const struct names *names)
{
	struct syscap_wire_jitmap *const jitmap = (void *)frame;
	unsigned char *at = frame + SYSCAP_JITMAP_FIXED;

	syc_store_word(frame + len - 8, 0);
	jitmap->n_jitmaps = names->n;
	for (unsigned i = 0; i < names->n; i++) {
		size_t name_len;
		const char *const name =
			syc_names_text(names->indices[i], &name_len);

		memcpy(at, &names->addrs[i], 8);
		copy_name(at + 8, name, name_len);
		at += 8 + name_len + 1;
	}
}

/* Returns false if there is no space.  @ret_published: the frame is published,
 * not only complete. */
static bool emit_jitmap(struct syc_thread *st, const struct names *names,
                        bool *ret_published)
{
	const uint32_t len = (names->len + 7) & ~UINT32_C(7);
	volatile uintptr_t token;
	struct syc_event event;

	if (!syc_event_begin(&event, st, &token, len, SYSCAP_FRAME_JITMAP,
	                     syc_clock(st)))
		return false;
	fill_jitmap(event.frame, len, names);
	syc_event_end(&event, st, &token,
	              SYC_WORD(frame, type, SYSCAP_FRAME_JITMAP));
	*ret_published = event.is_outermost;
	return true;
}

void syc_jitmap_publish_some(const uint64_t *addrs, unsigned n)
{
	struct names names;
	bool is_out;

	/* Skip addresses of code: names have higher addresses, and most stacks
	 * have no names */
	for (; n > 0 && *addrs >> 60 == 0; addrs++)
		n--;
	if (n == 0 || !syscap_is_active())
		return;
	struct syc_thread *const st = syc_thread_get(SYSCAP_FRAME_JITMAP);
	if (st == NULL)
		return;
	/* Load the epoch now: a frame of this recording is never published in
	 * another recording */
	const uint64_t recording = recording_key(st);
	while (n != 0) {
		const unsigned seen = gather_names(&names, recording, addrs, n);

		addrs += seen;
		n -= seen;
		if (names.n == 0)
			continue;
		if (!emit_jitmap(st, &names, &is_out))
			return;
		/* A frame that is nested in another emit is published at the
		 * end of the other emit, or never if the other emit dies */
		for (unsigned i = 0; is_out && i < names.n; i++)
			__atomic_store_n(publication_mark(names.indices[i]),
			                 recording, __ATOMIC_RELEASE);
	}
}
