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
#include "clock/clock.h"

#define CHUNK_SIZE ((uint64_t)256 * 1024)

struct sc_name_chunk {
	struct sc_name_chunk *older;
	uint64_t used; /* bytes of CHUNK_SIZE, with this header */
};

/* Eight bytes at a time; multiplication spreads upwards, the shift down. */
static uint64_t hash(const char *text, size_t len)
{
	uint64_t h = len * UINT64_C(0x9E3779B97F4A7C15);
	uint64_t word = 0;

	for (; len >= 8; text += 8, len -= 8) {
		memcpy(&word, text, 8);
		h = (h ^ word) * UINT64_C(0xBF58476D1CE4E5B9);
		h ^= h >> 32;
	}
	word = 0;
	memcpy(&word, text, len);
	h = (h ^ word) * UINT64_C(0x94D049BB133111EB);
	return h ^ h >> 29;
}

/* What a handler does meanwhile is undone, or adopted, by nobody: each
 * exchange is one instruction, and who loses tries again. */
static bool exchange_pointer(void *at, const void *expected,
                             const void *desired)
{
	return sc_exchange_local(at, (uintptr_t)expected, (uintptr_t)desired);
}

static struct sc_name_chunk *add_chunk(struct sc_names *names,
                                       struct sc_name_chunk *older)
{
	const int saved = errno;
	struct sc_name_chunk *const chunk =
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

static void *take(struct sc_names *names, uint64_t size)
{
	struct sc_name_chunk *chunk =
		__atomic_load_n(&names->chunk, __ATOMIC_RELAXED);

	size = (size + 15) / 16 * 16;
	for (;;) {
		if (chunk != NULL) {
			const uint64_t used =
				__atomic_load_n(&chunk->used, __ATOMIC_RELAXED);

			if (size <= CHUNK_SIZE - used) {
				if (sc_exchange_local(&chunk->used, used,
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

static uint64_t next_address(struct sc_names *names)
{
	for (;;) {
		const uint64_t next =
			__atomic_load_n(&names->next, __ATOMIC_RELAXED);

		if (sc_exchange_local(&names->next, next, next + 1))
			return next;
	}
}

static struct sc_name *make(struct sc_names *names, uint64_t h,
                            const char *text, uint32_t len)
{
	struct sc_name *const name = take(names, sizeof(*name) + len + 1);

	if (name == NULL)
		return NULL;
	name->hash = h;
	name->len = len;
	memcpy(name->text, text, len);
	name->text[len] = '\0';
	name->address = next_address(names);
	return name;
}

uint64_t sc_names_scattered(void)
{
	uint64_t x = (uint64_t)(uint32_t)getpid() ^ (uint64_t)sc_clock_kernel();

	x = (x ^ x >> 31) * UINT64_C(0xBF58476D1CE4E5B9);
	x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
	/* Any place in the lower half, so that it does not run out; the first
	 * 64 Ki are for who has a file alone */
	return SYSCAP_JIT_MARK + (1u << 16) + (x >> 33);
}

struct sc_name *sc_names_get(struct sc_names *names, const char *text)
{
	size_t len = strnlen(text, SC_NAME_MAX + 1);
	struct sc_name *mine = NULL;

	if (len > SC_NAME_MAX)
		len = sc_text_cut(text, len, SC_NAME_MAX);
	const uint64_t h = hash(text, len);
	struct sc_name **slot = &names->roots[h % SC_NAME_ROOTS];
	uint64_t way = h / SC_NAME_ROOTS;
	for (;;) {
		struct sc_name *const name =
			__atomic_load_n(slot, __ATOMIC_RELAXED);

		if (name == NULL) {
			if (mine == NULL)
				mine = make(names, h, text, (uint32_t)len);
			if (mine == NULL)
				return NULL;
			SC_SIGNAL_FENCE();
			if (exchange_pointer(slot, NULL, mine))
				return mine;
			continue; /* a handler was first, here */
		}
		if (name->hash == h && name->len == len &&
		    memcmp(name->text, text, len) == 0)
			return name;
		slot = &name->children[way % 4];
		way /= 4;
	}
}

void sc_names_fini(struct sc_names *names)
{
	struct sc_name_chunk *chunk = names->chunk;

	while (chunk != NULL) {
		struct sc_name_chunk *const older = chunk->older;

		munmap(chunk, CHUNK_SIZE);
		chunk = older;
	}
	names->chunk = NULL;
}
