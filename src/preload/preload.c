/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * preload.c - libsyscap-sampler.so, which `syscap record --sample` preloads:
 * the collector with its sampler.  The library exports only functions of the C
 * library (interpose.c).  `--io`, `--stalls` and `--logs` preload
 * libsyscap-io.so, and `--memory` libsyscap-memory.so, which are larger.
 * Environment variables select the roles of each library.
 *
 * If a program has a sampler of its own, this library's sampler stays off,
 * because runtimes attach their frame providers to the program's sampler.  An
 * ELF note marks such a program (sampler/autostart.c).  The library searches
 * all objects that are mapped at load time.  An object that is loaded later
 * takes the sampler over (sampler/sampler.h).
 *
 * The library also loads under a C library other than glibc, and then does
 * nothing.  A build may set the preload for all its programs, and a program
 * with an unresolved symbol does not start.  lint.musl lists the symbols that
 * every C library has.  Three more functions, which glibc has out of line, are
 * weak or reimplemented here.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/socket.h>

#include <syscap.h>
#include <syscap/sampler.h>

#include "base/elf_note.h"
#include "copies/copies.h"
#include "emit/process.h"
#include "os/env.h"
#include "preload/real_call.h"
#include "preload/tick_stack.h"
#include "sampler/interposed.h"
#include "sampler/sampler.h"
#include "sampler/thread_scan.h"

#define HIDDEN __attribute__((visibility("hidden")))
#define WEAK   __attribute__((weak))

extern void *__dso_handle HIDDEN;

/* The linker sets the start of this library, and the end of its code */
extern const char __ehdr_start[] HIDDEN;
extern const char etext[] HIDDEN;

WEAK const char *gnu_get_libc_version(void);
WEAK int __cxa_at_quick_exit(void (*function)(void *), void *object);
WEAK int __register_atfork(void (*prepare)(void), void (*parent)(void),
                           void (*child)(void), void *object);

bool syc_libc_is_foreign(void)
{
	return &gnu_get_libc_version == NULL;
}

void syc_own_code_bounds(uintptr_t *ret_low, uintptr_t *ret_high)
{
	*ret_low = (uintptr_t)__ehdr_start;
	*ret_high = (uintptr_t)etext;
}

HIDDEN int at_quick_exit(void (*function)(void))
{
	if (&__cxa_at_quick_exit == NULL)
		return -1;
	return __cxa_at_quick_exit((void (*)(void *))(uintptr_t)function,
	                           __dso_handle);
}

HIDDEN int pthread_atfork(void (*prepare)(void), void (*parent)(void),
                          void (*child)(void))
{
	if (&__register_atfork == NULL)
		return ENOSYS;
	return __register_atfork(prepare, parent, child, __dso_handle);
}

/*
 * clang uses an inline function of this name in the header as the definition.
 */
HIDDEN struct cmsghdr *find_next(struct msghdr *msg,
                                 struct cmsghdr *one) __asm__("__cmsg_nxthdr");

struct cmsghdr *find_next(struct msghdr *msg, struct cmsghdr *one)
{
	char *const end = (char *)msg->msg_control + msg->msg_controllen;
	char *const next = (char *)one + CMSG_ALIGN(one->cmsg_len);

	if (one->cmsg_len < sizeof(*one) || next > end ||
	    (size_t)(end - next) < sizeof(*one))
		return NULL;
	return (struct cmsghdr *)(void *)next;
}

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

/*
 * AddressSanitizer's shared runtime calls this function.  With default options,
 * the runtime ends a program that has loaded a library before the runtime.
 */
const char *__asan_default_options(void);

__attribute__((visibility("default"))) const char *__asan_default_options(void)
{
	return "verify_asan_link_order=0";
}

/*
 * ThreadSanitizer's shared runtime calls this function.  The runtime sees the C
 * library's memory accesses, but not the atomics in this library that order the
 * accesses.  Without these suppressions, ThreadSanitizer would report races
 * between ticks.  A program with suppressions of its own gets such reports.
 */
const char *__tsan_default_suppressions(void);

__attribute__((visibility("default"))) const char *
__tsan_default_suppressions(void)
{
	return "called_from_lib:libsyscap-\n";
}

__attribute__((constructor)) static void sample_at_load(void)
{
	const char *name;

	/* Ticks support only glibc's threads */
	if (syc_libc_is_foreign()) {
		if (syc_env_get(SYC_ENV_SAMPLE) == NULL)
			return;
		syc_setup_run();
		syc_diag_say("sampling is off", other_libc);
		syscap_metadata("syscap.sampler", other_libc);
		return;
	}
	syc_unloads_begin();
	/*
	 * Create the sampler's key first, so that a thread's ticks end before
	 * its ring.
	 */
	syc_thread_start_begin();
	syc_setup_run();
	if (syc_env_number(SYC_ENV_CRASHES) == 1)
		syscap_catch_crashes();
	if (syc_notes_each(SYC_SAMPLER_NOTE_TYPE, is_others, (void *)&name)) {
		syc_diag_say("the preloaded sampler yields to", name);
	} else {
		syc_handover_offer();
		syc_unwatched_prefer(true);
		syc_autostart();
		syc_tick_mask_update(0);
	}
}
