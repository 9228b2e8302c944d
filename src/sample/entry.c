/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * entry.c - the calls that bring the sampler into a program.
 *
 * A linker takes this file, and with it all of the sampler, where the program
 * refers to one of them; then SYSCAP_SAMPLE counts as well, from load on.
 * Nothing of the library itself refers to it: who calls none of them has no
 * sampler.  The preloaded library has a constructor of its own.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include <syscap/runtime.h>
#include <syscap/sampler.h>

#include "emit/names.h"
#include "emit/setup.h"
#include "sample/attach.h"
#include "sample/autostart.h"
#include "sample/handover.h"
#include "sample/sampler.h"
#include "sample/state.h"
#include "sample/target.h"

__attribute__((constructor)) static void sample_at_load(void)
{
	syc_setup_run();
	syc_autostart();
}

int syscap_sampler_start(struct syscap_sampler_options *given)
{
	const size_t fixed = offsetof(struct syscap_sampler_options, message);
	struct syscap_sampler_options options;
	const size_t size =
		given->size < sizeof(options) ? given->size : sizeof(options);

	if (size < fixed + 64)
		return -EINVAL;
	memset(&options, 0, sizeof(options));
	memcpy(&options, given, fixed);
	int r = syc_sampler_begin(&options, false);
	if (r == -EALREADY && syc_handover_ask())
		r = syc_sampler_begin(&options, false);
	size_t room = size - fixed; /* the struct ends in padding */
	if (room > sizeof(options.message))
		room = sizeof(options.message);
	options.message[room - 1] = '\0';
	memcpy(given->message, options.message, room);
	return r;
}

int syscap_sampler_stop(void)
{
	return syc_sampler_end();
}

void syscap_sampler_get_stats(struct syscap_sampler_stats *stats)
{
	struct syscap_sampler_stats all = { .size = sizeof(all) };
	const struct syc_sampler *const s =
		__atomic_load_n(&syc_sampler, __ATOMIC_ACQUIRE);
	const uint32_t n = s != NULL ? syc_target_count() : 0;

	for (uint32_t i = 0; i < n; i++) {
		const struct syc_target *const t = syc_target_at(i);

		all.n_samples +=
			__atomic_load_n(&t->n_samples, __ATOMIC_RELAXED);
		all.n_due += __atomic_load_n(&t->n_due, __ATOMIC_RELAXED);
		all.n_cut += __atomic_load_n(&t->n_cut, __ATOMIC_RELAXED);
		all.n_stopped +=
			__atomic_load_n(&t->n_stopped, __ATOMIC_RELAXED);
		all.n_skipped +=
			__atomic_load_n(&t->n_skipped, __ATOMIC_RELAXED);
		all.n_refused +=
			__atomic_load_n(&t->n_refused, __ATOMIC_RELAXED);
	}
	if (s != NULL) {
		all.n_foreign =
			__atomic_load_n(&s->n_foreign, __ATOMIC_RELAXED);
		all.n_threads =
			__atomic_load_n(&s->n_threads, __ATOMIC_RELAXED);
		all.n_unsampled =
			__atomic_load_n(&s->n_unsampled, __ATOMIC_RELAXED);
		all.signal = __atomic_load_n(&s->signal, __ATOMIC_RELAXED);
		all.clock = __atomic_load_n(&s->clock, __ATOMIC_RELAXED);
		all.hz = __atomic_load_n(&s->hz, __ATOMIC_RELAXED);
	}
	all.n_names_lost = syc_names_lost();
	all.size = stats->size < sizeof(all) ? stats->size : sizeof(all);
	memcpy(stats, &all, all.size);
}

struct syscap_attachment *
syscap_attach_thread(const struct syscap_provider *provider, void *thread_data)
{
	return syc_attach_thread(provider, thread_data,
	                         (uintptr_t)__builtin_dwarf_cfa());
}
