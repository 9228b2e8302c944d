/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * writer_names.c - names that a writer gives to addresses, and their frames.
 */
#define _GNU_SOURCE
#include <assert.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <syscap/emit.h>

#include "base/text.h"
#include "ring/clock.h"
#include "sysprof_compat/writer.h"

#define CHUNK_SIZE ((uint64_t)256 * 1024)

struct syc_name_chunk {
	struct syc_name_chunk *older;
	_Alignas(8)
		uint64_t used; /* used bytes of CHUNK_SIZE, with this header */
};

static inline uint64_t load_64(const char *at)
{
	uint64_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

static inline uint32_t load_32(const char *at)
{
	uint32_t word;

	memcpy(&word, at, sizeof(word));
	return word;
}

/* Load a text of less than eight bytes as one word.  Different texts of equal
 * length give different words. */
static inline uint64_t load_few(const char *text, size_t len)
{
	if (len >= 4)
		return (uint64_t)load_32(text) << 32 | load_32(text + len - 4);
	if (len == 0)
		return 0;
	return (uint64_t)(unsigned char)text[0] << 16 |
	       (uint64_t)(unsigned char)text[len / 2] << 8 |
	       (unsigned char)text[len - 1];
}

/* Mix @word into the hash.  The multiplication spreads bits upwards, and the
 * shift spreads bits down. */
static inline uint64_t mix(uint64_t h, uint64_t word)
{
	h = (h ^ word) * UINT64_C(0xBF58476D1CE4E5B9);
	return h ^ h >> 32;
}

/*
 * Hash eight bytes at a time.  The last eight bytes end with the text.  Names
 * are short, and a call for the last bytes would take longer than the whole
 * hash.
 */
static inline uint64_t hash_jit_name(const char *text, size_t len)
{
	uint64_t h = len * UINT64_C(0x9E3779B97F4A7C15);

	if (len < 8)
		return mix(h, load_few(text, len));
	for (size_t i = 0; i + 8 < len; i += 8)
		h = mix(h, load_64(text + i));
	return mix(h, load_64(text + len - 8));
}

static inline bool texts_equal(const char *a, const char *b, size_t len)
{
	if (len < 8)
		return load_few(a, len) == load_few(b, len);
	for (size_t i = 0; i + 8 < len; i += 8)
		if (load_64(a + i) != load_64(b + i))
			return false;
	return load_64(a + len - 8) == load_64(b + len - 8);
}

/*
 * Exchange a pointer.  Changes by a handler stay valid, because each exchange
 * is one instruction, and the caller repeats a failed exchange.
 */
static bool exchange_pointer(void *at, const void *expected,
                             const void *desired)
{
	return __atomic_compare_exchange_n((const void **)at, &expected,
	                                   desired, false, __ATOMIC_RELAXED,
	                                   __ATOMIC_RELAXED);
}

static struct syc_name_chunk *add_chunk(struct syc_names *names,
                                        struct syc_name_chunk *older)
{
	const int saved = errno;
	struct syc_name_chunk *const chunk =
		mmap(NULL, CHUNK_SIZE, PROT_READ | PROT_WRITE,
	             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (chunk == MAP_FAILED) {
		errno = saved;
		return NULL;
	}
	chunk->older = older;
	chunk->used = (sizeof(*chunk) + 15) / 16 * 16;
	if (!exchange_pointer(&names->chunk, older, chunk)) {
		munmap(chunk, CHUNK_SIZE); /* a handler has added a chunk */
		errno = saved;
		return __atomic_load_n(&names->chunk, __ATOMIC_RELAXED);
	}
	errno = saved;
	return chunk;
}

static void *take_memory(struct syc_names *names, uint64_t size)
{
	struct syc_name_chunk *chunk =
		__atomic_load_n(&names->chunk, __ATOMIC_RELAXED);

	size = (size + 15) / 16 * 16;
	for (;;) {
		if (chunk != NULL) {
			const uint64_t used =
				__atomic_load_n(&chunk->used, __ATOMIC_RELAXED);

			if (size <= CHUNK_SIZE - used) {
				if (syc_exchange_local(&chunk->used, used,
				                       used + size))
					return (char *)chunk + used;
				continue;
			}
		}
		chunk = add_chunk(names, chunk);
		if (chunk == NULL)
			return NULL;
	}
}

static uint64_t next_address(struct syc_names *names)
{
	for (;;) {
		const uint64_t next =
			__atomic_load_n(&names->next, __ATOMIC_RELAXED);

		if (syc_exchange_local(&names->next, next, next + 1))
			return next;
	}
}

static struct syc_name *make_name(struct syc_names *names, uint64_t h,
                                  const char *text, uint32_t len)
{
	struct syc_name *const name =
		take_memory(names, sizeof(*name) + len + 1);

	if (name == NULL)
		return NULL;
	name->hash = h;
	name->len = len;
	memcpy(name->text, text, len);
	name->text[len] = '\0';
	name->address = next_address(names);
	return name;
}

uint64_t syc_names_scattered(void)
{
	uint64_t x =
		(uint64_t)(uint32_t)getpid() ^ (uint64_t)syc_clock_kernel();

	x = (x ^ x >> 31) * UINT64_C(0xBF58476D1CE4E5B9);
	x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
	/* Return an address in the lower half, so that addresses do not run
	 * out.  The first 64 Ki addresses are for the only process of a file */
	return SYSCAP_JIT_MARK + (1u << 16) + (x >> 33);
}

/* The entry of @text.  Makes a missing entry.  Returns NULL if memory is
 * exhausted. */
static struct syc_name *get_name(struct syc_names *names, const char *text)
{
	size_t len = strlen(text);
	struct syc_name *mine = NULL;

	if (len > SYC_NAME_MAX)
		len = syc_text_cut(text, len, SYC_NAME_MAX);
	const uint64_t h = hash_jit_name(text, len);
	struct syc_name **slot = &names->roots[h % SYC_NAME_ROOTS];
	uint64_t way = h / SYC_NAME_ROOTS;
	for (;;) {
		struct syc_name *const name =
			__atomic_load_n(slot, __ATOMIC_RELAXED);

		if (name == NULL) {
			if (mine == NULL)
				mine = make_name(names, h, text, (uint32_t)len);
			if (mine == NULL)
				return NULL;
			SYC_SIGNAL_FENCE();
			if (exchange_pointer(slot, NULL, mine))
				return mine;
			continue; /* a handler has added a name here */
		}
		if (name->hash == h && name->len == len &&
		    texts_equal(name->text, text, len))
			return name;
		slot = &name->children[way % 4];
		way /= 4;
	}
}

void syc_names_fini(struct syc_names *names)
{
	struct syc_name_chunk *chunk = names->chunk;

	while (chunk != NULL) {
		struct syc_name_chunk *const older = chunk->older;

		munmap(chunk, CHUNK_SIZE);
		chunk = older;
	}
	names->chunk = NULL;
}

#define FIXED     SYSCAP_JITMAP_FIXED
#define BYTES_MAX (SYSCAP_FRAME_MAX - FIXED)

static_assert(SYSCAP_FRAME_MAX <= SYC_BUFFER_FRONT,
              "the frame fits in front of a buffer");

static uint32_t name_size(const struct syc_name *name)
{
	return 8 + name->len + 1;
}

/*
 * Let @name wait, for the frame numbered @reported.  Returns false if there is
 * no space.  The calling function has entered the buffer.  Context:
 * signal-safe, one thread at a time.
 */
static bool add_pending(struct syc_pending_names *pending,
                        struct syc_name *name, uint32_t reported)
{
	uint64_t waiting;

	do {
		waiting = __atomic_load_n(pending->waiting, __ATOMIC_RELAXED);
		if (waiting >> 32 == SYC_PENDING_NAMES_MAX ||
		    (uint32_t)waiting + name_size(name) > BYTES_MAX)
			return false;
	} while (!syc_exchange_local(pending->waiting, waiting,
	                             waiting + (UINT64_C(1) << 32) +
	                                     name_size(name)));
	pending->names[waiting >> 32] = name;
	SYC_SIGNAL_FENCE();
	name->reported = reported;
	return true;
}

/* Among the first @n names, find the next name from @i on that is not in frame
 * number @gathered yet.  Mark this name as gathered.  Returns NULL if no name
 * is left. */
static struct syc_name *next_ungathered(const struct syc_pending_names *pending,
                                        uint32_t *i, uint32_t n,
                                        uint32_t gathered)
{
	while (*i < n) {
		struct syc_name *const name = pending->names[(*i)++];

		if (name != NULL && name->gathered != gathered) {
			name->gathered = gathered;
			return name;
		}
	}
	return NULL;
}

/* Write the first @n names into a frame that ends at @end.  Returns the frame's
 * length, or 0. */
static uint32_t fill_names(struct syc_pending_names *pending, uint32_t n,
                           unsigned char *end, int64_t time, int32_t pid)
{
	uint32_t n_names = 0, size = FIXED, i = 0;
	const struct syc_name *name;

	pending->n_gathered++;
	while ((name = next_ungathered(pending, &i, n, pending->n_gathered)) !=
	       NULL) {
		size += name_size(name);
		n_names++;
	}
	if (n_names == 0)
		return 0;
	const uint32_t len = (size + 7) & ~7u;
	unsigned char *at = end - len;
	syc_frame_head_write(at, len, SYSCAP_FRAME_JITMAP, time, -1, pid);
	memcpy(at + SYC_AT(jitmap, n_jitmaps), &n_names, sizeof(n_names));
	at += FIXED;
	i = 0;
	pending->n_gathered++;
	while ((name = next_ungathered(pending, &i, n, pending->n_gathered)) !=
	       NULL) {
		memcpy(at, &name->address, 8);
		memcpy(at + 8, name->text, name->len + 1);
		at += name_size(name);
	}
	return len;
}

bool syc_pending_names_gather(struct syc_pending_names *pending,
                              struct syc_buffer *buffer, int64_t time,
                              int32_t pid)
{
	unsigned char *const end = syc_buffer_front(buffer);
	uint64_t waiting;

	if (end == NULL)
		return false;
	do {
		waiting = __atomic_load_n(pending->waiting, __ATOMIC_RELAXED);
		if (waiting == 0)
			return false;
		syc_buffer_put_front(
			buffer, fill_names(pending, (uint32_t)(waiting >> 32),
		                           end, time, pid));
		/* The exchange fails if a handler has added names since the
		 * load */
	} while (!syc_exchange_local(pending->waiting, waiting, 0));
	return true;
}

/* Write @name in a frame of its own, before its users. */
static bool write_name(SysprofCaptureWriter *self, const struct syc_name *name)
{
	const size_t fixed = SYSCAP_JITMAP_FIXED;
	struct syc_writer_life *const life = self->life;
	struct syc_adding a;

	if (!syc_adding_begin(self, &a,
	                      fixed + sizeof(name->address) + name->len + 1,
	                      SYSPROF_CAPTURE_FRAME_JITMAP, syc_clock_kernel(),
	                      -1, life->pid))
		return false;
	((struct syscap_wire_jitmap *)(void *)a.frame)->n_jitmaps = 1;
	memcpy(a.frame + fixed, &name->address, sizeof(name->address));
	syc_frame_text_copy(a.frame + fixed + sizeof(name->address), name->text,
	                    name->len);
	return syc_adding_end(&a);
}

/*
 * Let @name wait for other names.  If too many names wait, first write the
 * waiting names, except in a handler, which can't write.
 */
static SYC_COLD bool write_soon(SysprofCaptureWriter *self,
                                struct syc_name *name)
{
	struct syc_writer_life *const life = self->life;

	for (int i = 0; i < 2; i++) {
		const bool is_outermost = syc_buffer_enter(&self->buffer);
		const bool waits =
			add_pending(&self->pending, name, life->reported);

		if (!waits)
			__atomic_store_n(&life->buffer.wants_flush, true,
			                 __ATOMIC_RELAXED);
		if (is_outermost)
			syc_writer_leave_last(self);
		else
			syc_buffer_leave(&self->buffer);
		if (waits)
			return true;
	}
	const uint32_t reported = life->reported;
	if (!write_name(self, name))
		return false;
	name->reported = reported;
	return true;
}

uint64_t sysprof_capture_writer_add_jitmap(SysprofCaptureWriter *self,
                                           const char *name)
{
	if (self == NULL) {
		errno = EINVAL;
		return 0;
	}
	struct syc_writer_life *const life = self->life;
	if (SYC_UNLIKELY(life->reported == 0)) {
		/*
		 * In a new process the parent's names may not reach the file,
		 * and later names are not for this process's file.
		 */
		life->pid = getpid();
		if (life->pid != self->pid)
			self->names.next = syc_names_scattered();
		life->reported = ++self->n_reported;
	}
	struct syc_name *const entry =
		get_name(&self->names, name != NULL ? name : "");
	if (entry == NULL) {
		errno = ENOMEM;
		return 0;
	}
	if (SYC_UNLIKELY(entry->reported != life->reported) &&
	    !write_soon(self, entry))
		return 0;
	return entry->address;
}
