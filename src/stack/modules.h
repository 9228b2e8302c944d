/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * modules.h - which program or library code is in, and where its table is.
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
#ifndef SYC_STACK_MODULES_H
#define SYC_STACK_MODULES_H

#include <stdbool.h>
#include <stdint.h>

#include "stack/bytes.h"

struct syc_loaded_module {
	uintptr_t low, high; /* its mappings, and what may lie between */
	uintptr_t header;    /* its PT_GNU_EH_FRAME; 0: it has none */
	/* Mapped, readable, and there for ever: what holds header.  Equal:
	 * it is not known to be so. */
	uintptr_t stays, stays_end;
};

/** Make the list.  0 or -errno.  Context: setup. */
int syc_modules_prepare(void);

/** Make it again if modules have come or gone.  Context: any-thread. */
void syc_modules_refresh(void);

/** The module that @pc is in.  Context: any-thread, signal-safe. */
bool syc_modules_find(uintptr_t pc, struct syc_loaded_module *ret_module);

/** Opens its bytes for the parsers of tables.  Context: any-thread,
 * signal-safe. */
void syc_modules_open(const struct syc_loaded_module *module,
                      struct syc_bytes *bytes);

/**
 * A table of @module is about to be believed: if another module was seen
 * where it lies, all rules are forgotten.
 *
 * Context: any-thread, signal-safe.
 */
void syc_modules_notice(const struct syc_loaded_module *module,
                        struct syc_bytes *bytes);

/** All rules are to be found anew.  Context: any-thread, signal-safe. */
void syc_modules_forget(void);

/** Changes when rules found before no longer hold.
 * Context: any-thread, signal-safe. */
uint64_t syc_modules_generation(void);

/** Changes when code may have got tables that had none.
 * Context: any-thread, signal-safe. */
uint64_t syc_modules_additions(void);

#endif
