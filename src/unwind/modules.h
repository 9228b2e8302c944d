/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * modules.h - the program and libraries by address, and their tables.
 *
 * _dl_find_object() of glibc 2.35 and later works in handlers too.  In
 * addition, syc_modules_refresh() makes a list outside of handlers.  The list
 * marks permanent modules, which are never unmapped, and whose tables may be
 * read in place.  Without _dl_find_object() the list is the only source.
 *
 * The list has two halves that take turns.  A reader copies entries and then
 * checks that the list's version has not changed.  A handler that interrupted
 * the writer reads the other half.
 */
#ifndef SYC_UNWIND_MODULES_H
#define SYC_UNWIND_MODULES_H

#include <stdbool.h>
#include <stdint.h>

struct syc_bytes;

struct syc_loaded_module {
	uintptr_t low, high; /* the module's mappings, with gaps */
	uintptr_t header;    /* the module's PT_GNU_EH_FRAME; 0: none */
	/*
	 * Memory around header that stays mapped and readable.  Equal values:
	 * the module may be unmapped.
	 */
	uintptr_t stays, stays_end;
};

/** Make the list.  Returns 0 or -errno.  Context: setup. */
int syc_modules_prepare(void);

/** Renew the list if modules were loaded or unloaded.  Context: any-thread. */
void syc_modules_refresh(void);

/** The module that contains @pc.  Context: any-thread, signal-safe. */
bool syc_modules_find(uintptr_t pc, struct syc_loaded_module *ret_module);

/**
 * Call before the tables of @module are used.  If another module was seen at
 * the same addresses, all rules are dropped.
 *
 * Context: any-thread, signal-safe.
 */
void syc_modules_notice(const struct syc_loaded_module *module,
                        struct syc_bytes *bytes);

/** Drop all rules.  Context: any-thread, signal-safe. */
void syc_modules_forget(void);

/** A number that changes when earlier rules become invalid.  Context:
 * any-thread, signal-safe. */
uint64_t syc_modules_generation(void);

/** A number that changes when code without tables may have got tables.
 * Context: any-thread, signal-safe. */
uint64_t syc_modules_additions(void);

#endif
