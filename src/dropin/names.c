/* SPDX-License-Identifier: BSD-2-Clause */
/* names.c - the names that a writer has given addresses to. */
#define _GNU_SOURCE
#include "dropin/names.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <syscap/emit.h>

#include "base/text.h"
#include "ring/clock.h"

#define CHUNK_SIZE ((uint64_t)256 * 1024)

struct syc_name_chunk {
	struct syc_name_chunk *older;
	uint64_t used; /* bytes of CHUNK_SIZE, with this header */
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

/* Texts below eight bytes as one word: different ones of one length differ. */
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

/* Multiplication spreads upwards, the shift down. */
static inline uint64_t mix(uint64_t h, uint64_t word)
{
	h = (h ^ word) * UINT64_C(0xBF58476D1CE4E5B9);
	return h ^ h >> 32;
}

/* Eight bytes at a time, the last ones so that they end with the text: names
 * are short, and a call for what is left would take longer than all of it. */
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

/* What a handler does meanwhile is undone, or adopted, by nobody: each
 * exchange is one instruction, and who loses tries again. */
static bool exchange_pointer(void *at, const void *expected,
                             const void *desired)
{
	return syc_exchange_local(at, (uintptr_t)expected, (uintptr_t)desired);
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
		munmap(chunk, CHUNK_SIZE); /* a handler's is there */
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
	/* Any place in the lower half, so that it does not run out; the first
	 * 64 Ki are for a process that has a file alone */
	return SYSCAP_JIT_MARK + (1u << 16) + (x >> 33);
}

struct syc_name *syc_names_get(struct syc_names *names, const char *text)
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
			continue; /* a handler was first, here */
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
