/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * preload.c - libsyscap-sampler.so, which `syscap record --sample` preloads:
 * the collector with its sampler.  What anybody can call are functions of the
 * C library (interpose.c).  libsyscap-memory.so, which `--memory` preloads, is
 * the same and what allocates besides (memory_wrap.c); what either does is
 * said by the environment.
 *
 * A program that has a sampler of its own is left to that: frame providers of
 * runtimes are attached there.  It says so by a note (sample/autostart.c), which
 * is looked for in all objects that are mapped when we are loaded.  To one
 * that is loaded later it is handed over (sample/handover.h).
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdint.h>

#include <syscap.h>

#include "base/elf_note.h"
#include "emit/setup.h"
#include "os/env.h"
#include "preload/deferred.h"
#include "preload/other_libc.h"
#include "preload/unloads.h"
#include "sample/autostart.h"
#include "sample/birth.h"
#include "sample/handover.h"
#include "sample/unwatched.h"
#include "share/notes.h"

static bool is_others(const struct dl_phdr_info *object, uintptr_t at,
                      int32_t version, void *name)
{
	(void)at;
	(void)version;
	if (syc_notes_is_in(object, (uintptr_t)is_others, 1))
		return false;
	*(const char **)name = object->dlpi_name[0] != '\0' ? object->dlpi_name
	                                                    : "the program";
	return true;
}

static const char other_libc[] = "none: the C library is not glibc";

/* Asked by AddressSanitizer's shared runtime, which else ends a program that
 * has a library in front of it. */
const char *__asan_default_options(void);

__attribute__((visibility("default"))) const char *__asan_default_options(void)
{
	return "verify_asan_link_order=0";
}

/* Called by ThreadSanitizer's shared runtime.  It sees the memory that our calls
 * of the C library touch, and not the atomics that order them: it would report
 * races between ticks.  In a program with suppressions of its own it does. */
const char *__tsan_default_suppressions(void);

__attribute__((visibility("default"))) const char *
__tsan_default_suppressions(void)
{
	return "called_from_lib:libsyscap-\n";
}

__attribute__((constructor)) static void sample_at_load(void)
{
	const char *name;

	/* Ticks know glibc's threads; those that wait for signals are not seen */
	if (syc_other_libc_is()) {
		if (syc_env_get(SYC_ENV_SAMPLE) == NULL)
			return;
		syc_setup_run();
		syc_diag_say("sampling is off", other_libc);
		syscap_metadata("syscap.sampler", other_libc);
		return;
	}
	syc_unloads_begin();
	/* The sampler's key comes first: a thread's ticks end before its ring
	 * does */
	syc_birth_begin();
	syc_setup_run();
	if (syc_notes_each(SYC_SAMPLER_NOTE_TYPE, is_others, (void *)&name)) {
		syc_diag_say("the preloaded sampler leaves it to", name);
	} else {
		syc_handover_offer();
		syc_unwatched_prefer(true);
		syc_autostart();
		syc_deferred_follow(0);
	}
}
