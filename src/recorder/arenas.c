/* SPDX-License-Identifier: BSD-2-Clause */
/* arenas.c - arenas of rings that processes created and handed over. */
#define _GNU_SOURCE

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/text.h"
#include "common/now.h"
#include "recorder/processes.h"
#include "recorder/rings.h"

/*
 * Limits far above the needs of processes that follow the protocol.  A process
 * that calls exec() repeatedly hands over an arena for each program
 * (syc_arenas_has_many()).
 */
#define ARENAS_MAX    16384u
#define ARENAS_OF_ONE 256u
#define RINGS_MAX     65536u
#define SECOND        INT64_C(1000000000)
#define ADDRESSES_MAX (UINT64_C(1) << 45)

/* Number of new slots handled per turn, because each may need an examination of
 * a process. */
#define SLOTS_AT_ONCE 256u
#define SLOTS_OF_ONE  64u

/* Value for the pointer to the ring of a slot that must no longer be used. */
static struct syc_ring closed_slot;

static void destroy_arena(struct syc_arena_taken *arena)
{
	munmap(arena->map.base, arena->map.size);
	free(arena->users.items);
	free(arena->seen_at);
	free(arena->cmdline);
	free(arena);
}

void syc_arenas_free(struct syc_arenas *arenas)
{
	for (size_t i = 0; i < arenas->all.n; i++)
		destroy_arena(arenas->all.items[i]);
	free(arenas->all.items);
	syc_missing_arenas_free(&arenas->missing);
}

/* ------------------------------------------------------------------ take */

static struct syc_arena_taken *refuse_arena(struct syc_arenas *arenas,
                                            int32_t pid, const char *why)
{
	syc_console_print(arenas->console, "cannot record process %d: %s", pid,
	                  why);
	syc_missing_arenas_note_lost(&arenas->missing, pid);
	return NULL;
}

bool syc_arenas_has_many(const struct syc_arenas *arenas, int32_t pid)
{
	unsigned n = 0;

	for (size_t i = 0; i < arenas->all.n; i++)
		n += arenas->all.items[i]->requester == pid;
	return n >= ARENAS_OF_ONE;
}

static const char *check_limits(const struct syc_arenas *arenas, int32_t pid)
{
	if (arenas->all.n >= ARENAS_MAX)
		return "too many processes record at once; record fewer";
	return syc_arenas_has_many(arenas, pid)
	               ? "the process sent too many arenas"
	               : NULL;
}

/*
 * Return whether the requester sent an arena before its last exec().  All
 * arenas from between two exec() calls report the same start time.
 */
static bool has_older(const struct syc_arenas *arenas,
                      const struct syc_arena_taken *arena)
{
	const uint32_t image =
		syc_processes_image(arenas->processes, arena->requester);

	for (size_t i = 0; i < arenas->all.n; i++)
		if (arenas->all.items[i]->requester == arena->requester &&
		    arenas->all.items[i]->image == image &&
		    arenas->all.items[i]->began != arena->began)
			return true;
	return false;
}

/* Return whether the requester still maps the arena, and is not dead or running
 * another program. */
static bool has_mapped(const struct syc_arena_taken *arena)
{
	return syc_ring_mapped(arena->requester, arena->inode) !=
	       SYC_RING_NOT_MAPPED;
}

/*
 * Find by how much the clock of an ended process is ahead.  The time namespace
 * is unknown, but the process has read both of its clocks together.
 * CLOCK_REALTIME may have been set in the meantime, so a difference below a
 * second does not prove another namespace.
 */
static int64_t find_clock_ahead(int32_t pid, int64_t realtime_ahead)
{
	int64_t ahead = 0;

	if (syc_procfs_clock_ahead(pid, &ahead) == 0 || realtime_ahead == 0)
		return ahead;
	ahead = syc_now_of(CLOCK_REALTIME) - syc_now() - realtime_ahead;
	return ahead > -SECOND && ahead < SECOND ? 0 : ahead;
}

/* Write the PROCESS frame of the requester before its other frames. */
static void meet_requester(struct syc_arenas *arenas,
                           struct syc_arena_taken *arena,
                           const struct syc_arena_file *file)
{
	const struct syc_procfs_seen *const seen =
		syc_processes_see(arenas->processes, arena->requester);
	const char *known = file->cmdline[0] != 0 ? file->cmdline : NULL;
	int64_t began;

	arena->clock_ahead =
		find_clock_ahead(arena->requester, file->realtime_ahead);
	arena->began = file->began;
	began = file->began - arena->clock_ahead;
	/*
	 * Check the mapping last, so that the data read before belongs to the
	 * creator's program
	 */
	arena->is_past = !has_mapped(arena);
	if (arena->is_past) {
		syc_processes_past_image(arenas->processes, arena->requester,
		                         has_older(arenas, arena), began,
		                         known);
	} else {
		if (seen->is_there)
			arena->start = seen->identity.start_time;
		syc_processes_meet(arenas->processes, arena->requester, began,
		                   known);
	}
	if (known == NULL)
		known = syc_processes_cmdline(arenas->processes,
		                              arena->requester);
	arena->cmdline = known != NULL ? strdup(known) : NULL;
	arena->image = syc_processes_image(arenas->processes, arena->requester);
}

struct syc_arena_taken *syc_arenas_take(struct syc_arenas *arenas, int32_t pid,
                                        int fd)
{
	struct syc_arena_file file;
	struct syc_arena_taken *arena;
	const char *why =
		fd < 0 ? "the recorder has no free fd; raise ulimit -n"
		       : check_limits(arenas, pid);

	if (why != NULL) {
		if (fd >= 0)
			syc_arena_file_refuse(fd);
		return refuse_arena(arenas, pid, why);
	}
	why = syc_arena_file_map(fd, &file);
	if (why != NULL)
		return refuse_arena(arenas, pid, why);
	arena = calloc(1, sizeof(*arena) +
	                          file.arena.n_slots * sizeof(arena->slots[0]));
	if (arena != NULL && file.pid != pid)
		arena->seen_at =
			calloc(file.arena.n_slots, sizeof(*arena->seen_at));
	if (arena == NULL || (file.pid != pid && arena->seen_at == NULL) ||
	    syc_array_room(&arenas->all) < 0)
		why = "the recorder is out of memory";
	else if (arenas->addresses + file.arena.size > ADDRESSES_MAX)
		why = "the arenas of all processes are too large; choose a "
		      "smaller --buffer";
	if (why != NULL) {
		if (arena != NULL)
			free(arena->seen_at);
		free(arena);
		syc_arena_file_refuse(fd);
		munmap(file.arena.base, file.arena.size);
		return refuse_arena(arenas, pid, why);
	}
	arena->map = file.arena;
	arena->inode = file.inode;
	arena->requester = pid;
	arena->own_pid = file.pid;
	arena->searches = 1;
	meet_requester(arenas, arena, &file);
	arenas->addresses += arena->map.size;
	arenas->all.items[arenas->all.n++] = arena;
	__atomic_store_n(&syc_arena_head(&arena->map)->reader,
	                 syc_slot_word(0, SYC_ARENA_DRAINED), __ATOMIC_SEQ_CST);
	return arena;
}

/* ----------------------------------------------------------------- slots */

static struct syc_ring *make_ring(struct syc_arena_taken *arena, uint32_t slot,
                                  int32_t pid)
{
	struct syc_ring *const ring = calloc(1, sizeof(*ring));

	if (ring == NULL)
		return NULL;
	ring->arena = arena;
	ring->slot = slot;
	ring->slot_pid = pid;
	ring->shared = syc_arena_ring(&arena->map, slot);
	ring->body = syc_arena_body(&arena->map, ring->shared);
	ring->size = arena->map.body;
	ring->inode = arena->inode;
	return ring;
}

/* Begin to read a slot.  Returns false if the slot cannot be used now. */
static bool begin_slot(struct syc_arenas *arenas, struct syc_arena_taken *arena,
                       uint32_t slot, int32_t pid,
                       const struct syc_arenas_sink *sink)
{
	struct syc_ring *ring;

	if (arenas->n_rings >= RINGS_MAX) {
		syc_console_print(
			arenas->console,
			"process %d gets no ring: too many threads record at "
			"once",
			arena->requester);
		return false;
	}
	ring = make_ring(arena, slot, pid);
	if (ring == NULL)
		return false;
	if (!syc_arena_owner_find(arenas->processes, ring) ||
	    !sink->begin(sink->context, ring)) {
		free(ring);
		return false;
	}
	if (arena->seen_at != NULL)
		arena->seen_at[slot] = 0;
	arena->slots[slot] = ring;
	arena->n_rings++;
	arenas->n_rings++;
	return true;
}

/* Examine the slots' words.  Returns the number of slots that came into use, at
 * most @max. */
static unsigned look_at_words(struct syc_arenas *arenas,
                              struct syc_arena_taken *arena, unsigned max,
                              const struct syc_arenas_sink *sink)
{
	const uint32_t n_used = syc_arena_used(&arena->map);
	unsigned n = 0;

	for (uint32_t i = 1; i < n_used && n < max; i++) {
		const uint32_t word = __atomic_load_n(
			syc_arena_word(&arena->map, i), __ATOMIC_ACQUIRE);
		const uint32_t state = syc_slot_state(word);

		if (word == SYC_SLOT_FREE || arena->slots[i] != NULL ||
		    (state != SYC_SLOT_LIVE && state != SYC_SLOT_ENDED) ||
		    syc_slot_pid(word) <= 0)
			continue;
		n += begin_slot(arenas, arena, i, syc_slot_pid(word), sink);
	}
	return n;
}

bool syc_arenas_look(struct syc_arenas *arenas, bool all,
                     const struct syc_arenas_sink *sink)
{
	const size_t n_arenas = arenas->all.n;
	bool more = false;
	unsigned n = 0;

	for (size_t i = 0; i < n_arenas; i++) {
		/* Arenas may be added during the loop, but not removed */
		const unsigned max = all ? SYC_RING_FILE_SLOTS : SLOTS_OF_ONE;
		struct syc_arena_taken *const arena =
			arenas->all.items[(arenas->first + i) % n_arenas];
		const unsigned found = look_at_words(arenas, arena, max, sink);

		if (arena->wants_search)
			syc_arena_owner_search(arena, &arenas->searched);
		n += found;
		more |= found == max;
		if (n >= SLOTS_AT_ONCE && !all) {
			more = true;
			arenas->first = (arenas->first + i + 1) % n_arenas;
			break;
		}
	}
	return more;
}

bool syc_arenas_begin_pass(struct syc_arenas *arenas)
{
	const uint32_t changes = syc_processes_changes(arenas->processes);
	const bool changed = changes != arenas->changes;

	arenas->changes = changes;
	return changed;
}

bool syc_arenas_is_over(struct syc_arenas *arenas, struct syc_ring *ring,
                        bool look)
{
	const uint32_t word =
		__atomic_load_n(syc_arena_word(&ring->arena->map, ring->slot),
	                        __ATOMIC_ACQUIRE);

	if (!ring->is_over)
		ring->is_over =
			word == syc_slot_word(ring->slot_pid, SYC_SLOT_ENDED) ||
			(look &&
		         !syc_arena_owner_lives(arenas->processes, ring));
	return ring->is_over;
}

/*
 * Free the slot, unless its word is no longer @word.  The kernel frees the
 * slot's memory, which then reads as 0.
 */
static bool free_slot(const struct syc_arena *map, uint32_t slot, uint32_t word)
{
	uint32_t *const at = syc_arena_word(map, slot);

	return __atomic_load_n(at, __ATOMIC_ACQUIRE) == word &&
	       madvise(syc_arena_ring(map, slot), map->page + map->body,
	               MADV_REMOVE) == 0 &&
	       __atomic_compare_exchange_n(at, &word, SYC_SLOT_FREE, false,
	                                   __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
}

/* Free the slot.  After a failure, further frames of the ring's thread stay in
 * memory until the arena's end. */
void syc_arenas_give_back(struct syc_arenas *arenas, struct syc_ring *ring)
{
	struct syc_arena_taken *const arena = ring->arena;

	if (ring->why != NULL)
		(void)madvise(syc_unconst(ring->body), ring->size, MADV_REMOVE);
	const uint32_t word = __atomic_load_n(
		syc_arena_word(&arena->map, ring->slot), __ATOMIC_ACQUIRE);
	arena->slots[ring->slot] =
		ring->why == NULL && word != SYC_SLOT_FREE &&
				syc_slot_pid(word) == ring->slot_pid &&
				free_slot(&arena->map, ring->slot, word)
			? NULL
			: &closed_slot;
	arena->n_rings--;
	arenas->n_rings--;
	syc_ring_destroy(ring);
}

void syc_arenas_free_claimed(struct syc_arenas *arenas)
{
	for (size_t k = 0; k < arenas->all.n; k++) {
		struct syc_arena_taken *const arena = arenas->all.items[k];
		const uint32_t n_used = syc_arena_used(&arena->map);

		for (uint32_t i = 1; i < n_used; i++) {
			const uint32_t word =
				__atomic_load_n(syc_arena_word(&arena->map, i),
			                        __ATOMIC_ACQUIRE);

			/* The word has changed if the owner filled the ring
			 * before its end */
			if (syc_slot_state(word) == SYC_SLOT_BUSY &&
			    arena->slots[i] == NULL &&
			    syc_arena_owner_is_gone(arena, i,
			                            syc_slot_pid(word)))
				free_slot(&arena->map, i, word);
		}
	}
}

/* ------------------------------------------------------------------- end */

bool syc_arenas_is_suspect(const struct syc_arenas *arenas,
                           const struct syc_arena_taken *arena)
{
	return arena->n_rings == 0 &&
	       (!syc_processes_alive(arenas->processes, arena->requester) ||
	        syc_processes_image(arenas->processes, arena->requester) !=
	                arena->image);
}

void syc_arenas_close(struct syc_arenas *arenas)
{
	for (size_t i = 0; i < arenas->all.n; i++)
		__atomic_store_n(
			&syc_arena_head(&arenas->all.items[i]->map)->reader,
			syc_slot_word(0, SYC_ARENA_CLOSED), __ATOMIC_SEQ_CST);
}

void syc_arenas_forget(struct syc_arenas *arenas, size_t i)
{
	struct syc_arena_taken *const arena = arenas->all.items[i];

	arenas->addresses -= arena->map.size;
	arenas->all.items[i] = arenas->all.items[--arenas->all.n];
	arenas->first = 0;
	destroy_arena(arena);
}
