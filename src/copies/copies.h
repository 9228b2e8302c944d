/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * copies.h - the copies of this library in one process: which act as one, how
 * they find each other, and how the others stay apart.
 *
 * Copies with the same number act as one.  These copies share memory, so they
 * have to agree on every struct there, and on the order of the stores to its
 * fields.  Before 1.0 the layout may change (decision 0017): each change raises
 * the number.  tests/copies/layout.txt has the offsets and sizes of this
 * number.
 *
 * Copies with another number have their own block, rings and output.  The
 * kernel's record locks (session/trace.h), claims, and separate ranges of ids
 * keep such copies apart.
 */
#ifndef SYC_COPIES_COPIES_H
#define SYC_COPIES_COPIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef SYC_COPIES_NUMBER /* tests build copies of other numbers */
#define SYC_COPIES_NUMBER 32u
#endif

struct dl_phdr_info;
struct syc_block;

/**
 * The words of one copy.  If nothing is recorded, a copy loads one word of its
 * own (syc_active).  After an event, a copy loads another word of its own
 * (syc_look_due).  So a change of the process' word is stored into each
 * copy's word.
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
 * recorded: events before its constructor call syc_thread_first(). */
#define SYC_NOT_LOOKED (-2)

/** Value of syc_active while the decision is deferred
 * (sysprof_compat/lazy_init.h). */
#define SYC_INIT_DEFERRED (-1)

/**
 * Enter a copy, and store the present value into its word.  If the copy was
 * entered before, only store the value.  False: SYC_COPIES_MAX copies are
 * entered.
 */
bool syc_copies_enter(struct syc_block *block, int32_t *active,
                      uint32_t *look_due);

/** @active: the epoch, or 0. */
void syc_copies_set_active(int32_t active);

/** Do the same if the value is @from.  False: the value is another. */
bool syc_copies_change_active(int32_t from, int32_t to);

/** @look_due: 1, the next published event calls the ring source (look()). */
void syc_copies_set_look_due(uint32_t look_due);

/** This copy's destructors run.  True: the destructors of all other copies have
 * run. */
bool syc_copies_end(void);

/** Number of copies that act as one, with this copy. */
uint32_t syc_copies_count(void);

/**
 * ELF notes of this library: section .note.syscap, name "syscap", 4 bytes each.
 * Type 1 marks an object that has a sampler (sampler/autostart.c).  Type 2 has
 * the distance from its 4 bytes to the copy's struct syc_copy_words, once in a
 * copy.
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
 * value of the note's 4 bytes.  True: the search ends. */
typedef bool syc_note_fn(const struct dl_phdr_info *object, uintptr_t at,
                         int32_t value, void *data);

/**
 * Call @found for each note of @type.  True: one of the calls returned true.
 * The loader unmaps no listed object before the return: glibc holds a lock, and
 * musl never unmaps an object.
 *
 * Context: setup (takes the dynamic loader's lock, which is recursive).
 */
bool syc_notes_each(uint32_t type, syc_note_fn *found, void *data);

/** Whether @n bytes at @at lie in a readable segment of @object. */
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
 * The words of a copy with our number, to which the note at @note of @object
 * leads.  NULL: the copy has another number, or the note leads to no copy.  For
 * callbacks of syc_notes_each().
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
 * - If two copies make a block at the same time, the loader's lock decides.
 *
 * syc_discovery_find() finds the block of any copy.  Returns 0 and *@ret_block;
 * -ENOENT: no copy has a block; -EXDEV: dlmopen() loaded this copy, with a C
 * library of its own.
 *
 * Context of these functions: setup.
 */
int syc_discovery_find(struct syc_block **ret_block);

/** Publish @block, which is complete.  Returns 0; -EEXIST: another copy was
 * first. */
int syc_discovery_publish(struct syc_block *block);

/** Enter every loaded copy with our number into @block, and pin its object.  An
 * entered copy records from now on, and adopts the block at its first event. */
void syc_discovery_enter_loaded(struct syc_block *block);

/**
 * Rights that only one copy in a process may have, whatever its number.  The
 * copy that maps a claim's address first has the right.  No byte is written to
 * the mapping, or read from it.  A forked child does not have the right.
 *
 * These values never change: copies of all numbers use them.
 */
enum syc_claim {
	SYC_CLAIM_SAMPLER = 0, /* timers for every thread */
	SYC_CLAIM_SOCKET = 1,  /* writes to the socket of SYSPROF_TRACE_FD */
};

/** False: another copy has the right.  Context: signal-safe. */
bool syc_claim_take(enum syc_claim claim);

/** Only the copy that has the right calls this function, in the same process.
 * Context: signal-safe. */
void syc_claim_give(enum syc_claim claim);

/** Use of ids. */
enum syc_number_use {
	SYC_NUMBER_COUNTERS = 4,
	SYC_NUMBER_NAMES,
};

/** Giver of ids. */
enum syc_number_giver {
	SYC_NUMBER_TOGETHER, /* copies that act as one */
	SYC_NUMBER_ALONE,    /* a copy with a block that no other copy finds */
	SYC_NUMBER_EARLY,    /* a copy without a block (yet) */
};

/**
 * First id of @giver, among @n_ids ids in a circle.  The circle begins at a
 * hash of the process.  In its first half, sixteen successive numbers have an
 * equal share each.  In its second half, the other kinds of givers have a
 * quarter each, and begin anywhere in their quarter.
 *
 * Context: any-thread, signal-safe.
 */
uint32_t syc_number_first_id(enum syc_number_use use,
                             enum syc_number_giver giver, uint32_t n_ids);

#endif
