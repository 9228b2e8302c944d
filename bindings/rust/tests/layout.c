/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * layout.c - comparison of the declarations in src/ffi.rs with the headers.
 * The test compiles this file, but never links it.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <syscap.h>
#include <syscap/sampler.h>

#define IS(what, type)                                                       \
	_Static_assert(__builtin_types_compatible_p(__typeof__(what), type), \
	               #what)
#define AT(type, field, at) \
	_Static_assert(offsetof(struct type, field) == (at), #type "." #field)
#define SIZE(type, size) _Static_assert(sizeof(struct type) == (size), #type)

IS(syc_active, int);
IS(syscap_clock, int64_t(void));
IS(syscap_mark_at,
   void(const struct syscap_mark_site *, int64_t, int64_t, const char *));
IS(syscap_mark_printf,
   void(const char *, const char *, int64_t, int64_t, const char *, ...));
IS(syscap_linked_at, void(const struct syscap_mark_site *, unsigned, uint64_t,
                          int64_t, int64_t, const char *));
IS(syscap_counter_set_bits, void(struct syscap_counter *, uint64_t));
IS(syscap_counter_update_int64, void(struct syscap_counter *, int64_t));
IS(syscap_counter_update_double, void(struct syscap_counter *, double));
IS(syscap_counter_add, void(struct syscap_counter *, int64_t));
IS(syscap_log, void(unsigned, const char *, const char *));
IS(syscap_log_printf, void(unsigned, const char *, const char *, ...));
IS(syscap_metadata, void(const char *, const char *));
IS(syscap_file, int(const char *, const void *, size_t));
IS(syscap_start, int(struct syscap_options *));
IS(syscap_stop, int(void));
IS(syscap_drain, int(void));
IS(syscap_get_stats, void(struct syscap_stats *));
IS(syscap_sampler_start, int(struct syscap_sampler_options *));
IS(syscap_sampler_stop, int(void));

SIZE(syscap_mark_site, 64);
AT(syscap_mark_site, name, 24);
SIZE(syscap_counter, 144);
AT(syscap_counter, name, 32);
AT(syscap_counter, description, 64);
AT(syscap_counter, type, 116);
AT(syscap_counter, last, 136);
SIZE(syscap_options, 1064);
AT(syscap_options, output, 8);
AT(syscap_options, max_bytes, 16);
AT(syscap_options, ring_kib, 24);
AT(syscap_options, interval_ms, 28);
AT(syscap_options, exit_flush_ms, 32);
AT(syscap_options, flags, 36);
AT(syscap_options, message, 40);
SIZE(syscap_sampler_options, 288);
AT(syscap_sampler_options, hz, 8);
AT(syscap_sampler_options, clock, 12);
AT(syscap_sampler_options, signal, 16);
AT(syscap_sampler_options, max_depth, 20);
AT(syscap_sampler_options, stacks, 24);
AT(syscap_sampler_options, max_share, 28);
AT(syscap_sampler_options, message, 32);
SIZE(syscap_stats, 1328);
AT(syscap_stats, is_active, 8);
AT(syscap_stats, reason, 9);
AT(syscap_stats, n_dropped, 136);
AT(syscap_stats, n_abandoned, 144);
AT(syscap_stats, n_untold, 152);
AT(syscap_stats, n_rings, 160);
AT(syscap_stats, clock_is_tsc, 164);
AT(syscap_stats, n_written, 168);
AT(syscap_stats, output, 176);
AT(syscap_stats, n_copies, 1200);
AT(syscap_stats, why_alone, 1204);
_Static_assert(SYSCAP_DOUBLE == 1 && SYSCAP_NO_THREAD == 1, "numbers");
_Static_assert(SYSCAP_LINK_BEGIN == 1 && SYSCAP_LINK_IN == 5, "numbers");
_Static_assert(SYSCAP_SAMPLER_PERF == 3, "numbers");
