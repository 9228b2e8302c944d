/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * copies.h - copies of this library in one process: their shared data, their
 * list, discovery of other copies, and rights of a single copy.
 *
 * A program and the libraries that it loads may each have a static copy.
 * Copies with the same number act as one.  The first copy that records makes a
 * block and publishes it, and the other copies adopt the block.  A copy that
 * can't adopt the block has a block of its own, and records separately.
 *
 * No copy calls code of another copy, except for MAP frames: each copy runs its
 * own code on shared data.  So all copies with one number agree on the structs
 * to which the block leads, and on the order of the stores to their fields.
 * Before 1.0 the layout may change (decision 0017), and each change raises the
 * number.  tests/copies/layout.txt has the offsets and sizes of the current
 * number.
 *
 * Forked children inherit the block.  Data that a child must not inherit is in
 * struct syc_process and the thread states, in memory that is zero in a child.
 * The mapping of this memory is made with the block, and never moves.
 *
 * Copies with another number have their own block, rings and output.  The
 * kernel's record locks (session/sink.h), claims, and separate ranges of ids
 * keep such copies apart.
 */
#ifndef SYC_COPIES_COPIES_H
#define SYC_COPIES_COPIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef SYC_COPIES_NUMBER /* tests build copies with other numbers */
#define SYC_COPIES_NUMBER 37u
#endif

/* --------------------------------------------------------- shared data */

struct syc_names_table;
struct syc_handed_arena;
struct syc_map_frames;
struct syc_origin;
struct syc_plan;
struct syc_destination;
struct syc_process;
struct syc_ring_header;
struct syc_state;
struct sockaddr_un;

/** Greatest number of copies that act as one. */
#define SYC_COPIES_MAX 64u

/** A copy's own words, to which other copies store.  The copy is pinned, so its
 * words stay mapped. */
struct syc_copy {
	int32_t *active;    /* stored last, release; NULL: not entered yet */
	uint32_t *look_due; /* 1: a publishing emit calls its ring source */
	uint32_t has_ended; /* its destructors ran */
};

/** A socket that leads to the recorder. */
struct syc_control_socket {
	int32_t fd; /* -1: none */
	uint64_t dev, ino;
	bool peer_is_syscap; /* certainly a recorder of this library */
};

/** Resources of a thread that a child inherits, and releases. */
struct syc_mapped {
	struct syc_ring_header *header;
	uint32_t size;
	bool is_emitting; /* for the child: whether the thread was in an emit */
	bool is_left;     /* F1: no thread of this process gets the state */
	struct syc_control_socket connection; /* fd 0: none, or closed */
};

/** Names of addresses in stacks. */
struct syc_names_root {
	struct syc_names_table *table; /* release; NULL: none yet */
	uint64_t *published;           /* release; emit/jitmap.c */
	uint32_t lost_hash;            /* 0: not chosen; a child has the same
	                                * hash */
	uint32_t n_lost;
	uint32_t has_names;
};

/** Ids of counters: number of used ids in the sequence that begins at base. */
struct syc_numbers {
	uint32_t base; /* 0: not chosen */
	uint32_t n_given;
};

/** Unless a comment says otherwise, all fields are written before the block is
 * published, or by relaxed atomic accesses. */
/** State of a recording that a recorder begins in a process that runs already
 * (session/own_recording.c). */
enum {
	SYC_ATTACH_NOTHING = 0,
	SYC_ATTACH_REQUESTED, /* by the recorder: the next event begins */
	SYC_ATTACH_RUNNING,   /* by the process */
	SYC_ATTACH_FAILED,    /* by the process; block->reason is the reason */
	SYC_ATTACH_OVER,      /* by the recorder: events no longer begin */
	SYC_ATTACH_READ,      /* by the recorder: the process frees the rings */
};

/**
 * Request of a recorder, which stores all other fields, and then state.  The
 * recorder changes one byte of state, because its stores may be torn.
 */
struct syc_attach {
	uint32_t is_allowed; /* 1: the process accepts requests */
	uint32_t state;
	int32_t n_filters; /* seccomp filters when the process allowed this */
	int32_t pid;       /* the process that is requested, not its children */
	int32_t recorder;  /* pid, and its start, in ticks after boot */
	uint32_t ring_kib;
	uint64_t recorder_start;
	char path[1024]; /* of the capture to make, as for syscap_start() */
};

struct syc_block {
	bool is_alone; /* no other copy finds the block */

	struct syc_process *process; /* zeroed in children, like the states */
	struct syc_state *states;
	struct syc_mapped *mapped; /* one for each state */
	uint32_t states_ever;      /* number of states that this process and its
	                            * ancestors used */
	uint32_t exit_key;         /* 1 + a pthread key; 0: none */

	/* The epoch; 0: nothing is recorded.  Each store is sequentially
	 * consistent, and precedes the stores to each copy's own word
	 *. */
	int32_t active;
	int32_t last_epoch;
	const char *reason; /* static, in a pinned copy */

	/* Destination of events.  `is_started` and `started` change under the
	 * life lock of the process. */
	uint32_t is_started; /* 1: syscap_start()'s; 0: the environment's */
	struct syc_control_socket control; /* the inherited one */
	/* Address family 0: no recorder; static, in a pinned copy */
	const struct sockaddr_un *recorder;
	struct syc_control_socket parked; /* emit/recorder_socket.c */
	uint32_t parking;
	/* emit/handed_arena.c: body size of the rings that the recorder
	 * requests (0: none), and the arena with these rings (NULL: none
	 * yet) */
	uint32_t arena_body;
	struct syc_handed_arena *hand_over;
	const struct syc_destination
		*environment; /* static, in pinned copies */
	const struct syc_destination *started;
	/* Static, in a pinned copy; stored with release at the start of a
	 * recording.  NULL: no copy emits addresses */
	const struct syc_map_frames *map_frames;

	struct syc_attach attach;
	struct syc_plan *attach_plan; /* static, in a pinned copy */

	/* The arena of the present recording, for forked children: see
	 * session/session.h.  NULL: no arena was offered yet. */
	struct syc_origin *origin;

	/* The socket to which this process writes, and to which later
	 * recordings append (session/trace_stream.c).  Only the thread that
	 * opens, writes or closes a trace changes these fields.  If stream_pid
	 * is 0, there is no socket.  If stream_pid is another pid, the socket
	 * is the parent's */
	uint64_t stream_dev, stream_ino;
	int32_t stream_pid;
	uint8_t stream_has_header;
	uint8_t stream_is_within_frame;

	/* ring/clock.c */
	uint64_t clock_first_ticks, clock_first_ns;
	uint64_t clock_measured, clock_trusted;
	uint32_t clock_is_tsc;

	struct syc_numbers counters; /* emit/counter_id.c */
	struct syc_names_root names; /* emit/names.c */

	/* sampler/sampler.h */
	uint32_t sampler_yields; /* a signal, or 0 */
	uint32_t sampler_wanted;

	uint32_t n_copies; /* [0, n_copies) are entered, or will be soon */
	struct syc_copy copies[SYC_COPIES_MAX];
};

/**
 * The block of this copy.  NULL: this copy has never had a destination for
 * events.  The pointer is stored once, with release.  After
 * syc_block_is_there() has returned true, plain loads are sufficient.
 */
extern struct syc_block *syc_block;

static inline bool syc_block_is_there(void)
{
	return __atomic_load_n(&syc_block, __ATOMIC_ACQUIRE) != NULL;
}

/* ------------------------------------------------------------- copies */

struct dl_phdr_info;

/**
 * The words of one copy.  If nothing is recorded, a copy loads one word of its
 * own (syc_active).  After an event, a copy loads another word of its own
 * (syc_look_due).  So the copy that changes the process' word stores the new
 * value into each copy's word.
 *
 *	thread that changes the word    copy that enters
 *	STORE block->active  (A1)       STORE copy->active   (E1)
 *	LOAD  copy->active   (A2)       LOAD  block->active  (E2)
 *	STORE *copy->active             STORE *copy->active
 *	LOAD  block->active  (A3)       LOAD  block->active  (E3)
 *
 * All accesses are sequentially consistent.  Either A2 sees the copy, or E2
 * sees the new value.  Each side repeats its store until the last stored value
 * equals the block's value (A3, E3).  So the last store has the newest value.
 *
 * Context of these functions: any-thread, signal-safe.
 */
extern int syc_active __attribute__((visibility("hidden")));
extern uint32_t syc_look_due __attribute__((visibility("hidden")));

/** Value of syc_active until this copy has checked whether something is
 * recorded.  Events before the copy's constructor call syc_thread_first(). */
#define SYC_NOT_LOOKED (-2)

/** Value of syc_active while the decision is deferred
 * (sysprof_compat/lazy_init.h). */
#define SYC_INIT_DEFERRED (-1)

/** A recorder sets the highest byte of a copy's word, and no other byte, to
 * call the process's attention to block->attach.  The next event restores the
 * word. */
#define SYC_ATTENTION_BYTE 0x80

static inline bool syc_active_has_attention(int32_t active)
{
	return ((uint32_t)active >> 24) == SYC_ATTENTION_BYTE;
}

/**
 * Enter a copy, and store the present value into the copy's word.  If the copy
 * was entered before, only store the value.  Returns false if SYC_COPIES_MAX
 * copies are entered.
 */
bool syc_copies_enter(struct syc_block *block, int32_t *active,
                      uint32_t *look_due);

/** Store @active, the epoch or 0, into the block and into each copy's word. */
void syc_copies_set_active(int32_t active);

/** Like syc_copies_set_active(), if the value is @from.  Returns false if the
 * value is another. */
bool syc_copies_change_active(int32_t from, int32_t to);

/** Store @look_due into each copy's word.  1: the next published event calls
 * the ring source (look()). */
void syc_copies_set_look_due(uint32_t look_due);

/** Store that this copy's destructors run.  Returns true if the destructors of
 * all other copies have run. */
bool syc_copies_end(void);

/** Number of copies that act as one, including this copy. */
uint32_t syc_copies_count(void);

/**
 * ELF notes of this library, in section .note.syscap, with the name "syscap"
 * and 4 bytes of value.  Type 1 marks an object that has a sampler
 * (sampler/autostart.c).  Type 2 occurs once in a copy, and has the distance
 * from the value to the copy's struct syc_copy_words.
 */
#define SYC_COPY_NOTE(words)                                \
	__asm__(".pushsection .note.syscap, \"a\", %note\n" \
	        "	.balign 4\n"                              \
	        "	.long 7, 4, 2\n"                          \
	        "	.asciz \"syscap\"\n"                      \
	        "	.balign 4\n"                              \
	        "	.long " #words " - .\n"             \
	        "	.popsection\n")

/** Function that is called for each note of one type, with the address and the
 * value of the note's 4 bytes.  If the function returns true, the search
 * ends. */
typedef bool syc_note_fn(const struct dl_phdr_info *object, uintptr_t at,
                         int32_t value, void *data);

/**
 * Call @found for each note of @type.  Returns true if one of the calls
 * returned true.  The loader unmaps no listed object before the return, because
 * glibc holds a lock, and musl never unmaps an object.
 *
 * Context: setup (takes the dynamic loader's lock, which is recursive).
 */
bool syc_notes_each(uint32_t type, syc_note_fn *found, void *data);

/** Return whether @n bytes at @at lie in a readable segment of @object. */
bool syc_notes_is_in(const struct dl_phdr_info *object, uintptr_t at, size_t n);

#define SYC_COPY_WORDS_MAGIC UINT32_C(0x64726163)

/** A copy's own words, for other copies with its number.  Copies with another
 * number read only the first two fields. */
struct syc_copy_words {
	uint32_t magic;
	uint32_t number; /* SYC_COPIES_NUMBER */
	int32_t *active;
	uint32_t *look_due;
	struct syc_block *block; /* release; NULL: the copy uses no block yet */
};

/** This copy's words. */
extern struct syc_copy_words syc_own_words
	__attribute__((visibility("hidden")));

/**
 * Find the words of a copy with this copy's number, to which the note at @note
 * of @object leads.  Returns NULL if the copy has another number, or the note
 * leads to no copy.  Callbacks of syc_notes_each() call this function.
 */
struct syc_copy_words *syc_copy_words_at(const struct dl_phdr_info *object,
                                         uintptr_t note, int32_t distance);

/**
 * Discovery: notes of all loaded objects lead to the copies' words, and the
 * words lead to the block.
 *
 * - The copy that makes a block publishes the block in its own words.  A copy
 *   that is loaded later finds the block in its constructor.
 * - syscap_start() publishes the block first, and then enters the copies that
 *   were loaded before.  So a copy that is loaded in between is in the list, or
 *   finds the block itself.
 * - If two copies make a block at the same time, the loader's lock decides
 *   which block is published.
 *
 * syc_discovery_find() finds the block of any copy.  Returns 0 and *@ret_block;
 * -ENOENT: no copy has a block; -EXDEV: dlmopen() loaded this copy, with a C
 * library of its own.
 *
 * Context of these functions: setup.
 */
int syc_discovery_find(struct syc_block **ret_block);

/** Publish @block, which is complete.  Returns 0; -EEXIST: another copy has
 * already published a block. */
int syc_discovery_publish(struct syc_block *block);

/** Enter every loaded copy with this copy's number into @block, and pin the
 * copy's object.  An entered copy records from then on, and adopts the block at
 * its first event. */
void syc_discovery_enter_loaded(struct syc_block *block);

/**
 * Rights that only one copy in a process may have, with any number.  The first
 * copy that maps a claim's address has the right.  No thread reads or writes
 * the mapping.  A forked child does not have the right.
 *
 * These values never change, because copies with all numbers use them.
 */
enum syc_claim {
	SYC_CLAIM_SAMPLER = 0, /* timers for every thread */
	SYC_CLAIM_SOCKET = 1,  /* writes to the socket of SYSPROF_TRACE_FD */
};

/** Claim a right that only one copy may have.  Returns false if another copy
 * has the right.  Context: signal-safe. */
bool syc_claim_take(enum syc_claim claim);

/** Release a right.  Only the copy that has the right calls this function, in
 * the same process.  Context: signal-safe. */
void syc_claim_give(enum syc_claim claim);

/** Kinds of ids. */
enum syc_number_use {
	SYC_NUMBER_COUNTERS = 4,
	SYC_NUMBER_NAMES,
};

/** Group of copies that takes ids from one range. */
enum syc_number_giver {
	SYC_NUMBER_TOGETHER, /* copies that act as one */
	SYC_NUMBER_ALONE,    /* a copy with a block that no other copy finds */
	SYC_NUMBER_EARLY,    /* a copy without a block (yet) */
};

/**
 * First id of @giver, among @n_ids ids in a circle.  The circle begins at a
 * hash of the process.  The first half of the circle has sixteen equal ranges,
 * one for each of sixteen successive ABI numbers.  In the second half, each
 * other kind of giver has a quarter of the circle, and begins anywhere in the
 * quarter.
 *
 * Context: any-thread, signal-safe.
 */
uint32_t syc_number_first_id(enum syc_number_use use,
                             enum syc_number_giver giver, uint32_t n_ids);

#endif
