/* SPDX-License-Identifier: BSD-2-Clause */
/* peer_arena.c - the peer's half of an arena's handover. */
#define _GNU_SOURCE
#include "harness/peer_arena.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/test.h"
#include "ring/ring_file.h"

void peer_arena_take(struct peer *peer, int fd)
{
	const uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);
	const uint32_t front = syc_ring_file_front(page);
	const int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
	struct stat st;

	CHECK(peer->takes_arenas && fd >= 0);
	CHECK(peer->n_arenas < PEER_MAX_ARENAS);
	CHECK_EQ(fcntl(fd, F_GET_SEALS) & seals, seals);
	CHECK_EQ(fstat(fd, &st), 0);
	struct peer_arena *const arena = &peer->arenas[peer->n_arenas++];
	arena->fd = fd;
	arena->page = page;
	arena->size = (size_t)st.st_size;
	arena->front =
		mmap(NULL, front, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	CHECK(arena->front != MAP_FAILED);
	const struct syc_ring_file *const facts = (const void *)arena->front;
	CHECK(memcmp(facts->magic, "SCARENA1", 8) == 0);
	CHECK_EQ(facts->version, SYC_RING_FILE_VERSION);
	CHECK_EQ(facts->front, front);
	CHECK_EQ(facts->page_size, page);
	arena->body = facts->body_size;
	arena->n_slots = facts->n_slots;
	arena->sender = facts->pid;
	CHECK(facts->n_slots > 1 && facts->n_slots <= SYC_RING_FILE_SLOTS);
	CHECK_EQ(arena->size,
	         front + (size_t)facts->n_slots * (page + facts->body_size));
	arena->rings = calloc(arena->n_slots, sizeof(*arena->rings));
	CHECK(arena->rings != NULL);
}

static uint32_t *word_of(const struct peer_arena *arena, uint32_t i)
{
	return (uint32_t *)(void *)(arena->front +
	                            syc_ring_file_words(arena->page)) +
	       i;
}

static uint32_t state_of(const struct peer_arena *arena, uint32_t i)
{
	return __atomic_load_n(word_of(arena, i), __ATOMIC_ACQUIRE) & 0xFF;
}

static off_t place_of(const struct peer_arena *arena, uint32_t i)
{
	return (off_t)(syc_ring_file_front(arena->page) +
	               (size_t)i * (arena->page + arena->body));
}

static void find_rings(struct peer *peer, struct peer_arena *arena)
{
	CHECK_EQ(*word_of(arena, 0), 0);
	for (uint32_t i = 1; i < arena->n_slots; i++) {
		const uint32_t state = state_of(arena, i);

		if (arena->rings[i] != 0 ||
		    (state != SYC_SLOT_LIVE && state != SYC_SLOT_ENDED))
			continue;
		struct peer_ring *const ring = peer_add_ring(peer);
		CHECK_EQ(syc_ring_map_at(arena->fd,
		                         (uint64_t)place_of(arena, i),
		                         arena->body, &ring->header),
		         0);
		ring->size = arena->body;
		CHECK_EQ(ring->header->offset, arena->page);
		CHECK_EQ(ring->header->size, arena->body);
		CHECK_EQ(ring->header->client_magic, SYC_RING_CLIENT_MAGIC);
		CHECK_EQ(ring->header->pid, (int32_t)(*word_of(arena, i) >> 8));
		arena->rings[i] = peer->n_rings;
	}
}

static void give_back(const struct peer *peer, struct peer_arena *arena)
{
	for (uint32_t i = 1; i < arena->n_slots; i++) {
		if (arena->rings[i] == 0 ||
		    state_of(arena, i) != SYC_SLOT_ENDED)
			continue;
		/* The client stores ENDED after its end marker */
		if (!peer->rings[arena->rings[i] - 1].has_ended)
			continue;
		CHECK_EQ(fallocate(arena->fd,
		                   FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
		                   place_of(arena, i),
		                   (off_t)arena->page + arena->body),
		         0);
		arena->rings[i] = 0;
		__atomic_store_n(word_of(arena, i), 0, __ATOMIC_RELEASE);
	}
}

void peer_arena_find_rings(struct peer *peer)
{
	for (unsigned i = 0; i < peer->n_arenas; i++)
		find_rings(peer, &peer->arenas[i]);
}

void peer_arena_give_back(struct peer *peer)
{
	for (unsigned i = 0; i < peer->n_arenas && !peer->keeps_slots; i++)
		give_back(peer, &peer->arenas[i]);
}

void peer_arena_free(struct peer *peer)
{
	for (unsigned i = 0; i < peer->n_arenas; i++) {
		struct peer_arena *const arena = &peer->arenas[i];

		munmap(arena->front, syc_ring_file_front(arena->page));
		close(arena->fd);
		free(arena->rings);
	}
}
