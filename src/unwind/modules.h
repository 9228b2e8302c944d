/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * modules.h - the program and libraries by address, and their tables.
 *
 * _dl_find_object() of glibc 2.35 and later works in handlers too.  Beside it
 * there is a list, which syc_modules_refresh() makes in normal context.  It
 * marks modules that stay as long as the process, whose tables may be read in
 * place.  Without _dl_find_object() the list is the only source.
 *
 * The list is in two halves that take turns.  A reader copies entries and then
 * checks that the list's version has not changed.  A handler that interrupted
 * the writer reads the other half.
 */
#ifndef SYC_UNWIND_MODULES_H
#define SYC_UNWIND_MODULES_H

#include <stdbool.h>
#include <stdint.h>

struct syc_bytes;

struct syc_loaded_module {
	uintptr_t low, high; /* its mappings, with gaps */
	uintptr_t header;    /* its PT_GNU_EH_FRAME; 0: it has none */
	/*
	 * Memory around header that stays mapped and readable.  Equal: it may
	 * be unmapped.
	 */
	uintptr_t stays, stays_end;
};

/** Make the list.  0 or -errno.  Context: setup. */
int syc_modules_prepare(void);

/** Renew the list if modules have come or gone.  Context: any-thread. */
void syc_modules_refresh(void);

/** The module that contains @pc.  Context: any-thread, signal-safe. */
bool syc_modules_find(uintptr_t pc, struct syc_loaded_module *ret_module);

/**
 * Call before the tables of @module are used.  If another module was seen at
 * its addresses, all rules are forgotten.
 *
 * Context: any-thread, signal-safe.
 */
void syc_modules_notice(const struct syc_loaded_module *module,
                        struct syc_bytes *bytes);

/** Forget all rules.  Context: any-thread, signal-safe. */
void syc_modules_forget(void);

/** Changes when rules found before no longer hold.
 * Context: any-thread, signal-safe. */
uint64_t syc_modules_generation(void);

/** Changes when code may have got tables that had none.
 * Context: any-thread, signal-safe. */
uint64_t syc_modules_additions(void);

#endif
