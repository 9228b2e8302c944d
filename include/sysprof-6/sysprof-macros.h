/* SPDX-License-Identifier: BSD-2-Clause */
/* sysprof-macros.h - macros of the other headers. */
#ifndef SYSPROF_MACROS_H
#define SYSPROF_MACROS_H

#include <limits.h>
#include <stdint.h>

#if defined(__GNUC__)
#define SYSPROF_GNUC_CHECK_VERSION(major, minor) \
	(__GNUC__ > (major) ||                   \
	 (__GNUC__ == (major) && __GNUC_MINOR__ >= (minor)))
#else
#define SYSPROF_GNUC_CHECK_VERSION(major, minor) 0
#endif

#ifdef __cplusplus
#define SYSPROF_BEGIN_DECLS extern "C" {
#define SYSPROF_END_DECLS   }
#define SYSPROF_RESTRICT
#define SYSPROF_STATIC_ASSERT(expr, msg) static_assert(expr, msg)
#else
#define SYSPROF_BEGIN_DECLS
#define SYSPROF_END_DECLS
#define SYSPROF_RESTRICT                 restrict
#define SYSPROF_STATIC_ASSERT(expr, msg) _Static_assert(expr, msg)
#endif

/* Constants, signed or unsigned according to their names.  In the reference
 * library, a negative time divided by SYSPROF_NSEC_PER_SEC is huge. */
#if UINTPTR_MAX > 0xFFFFFFFFu
#define SYSPROF_INT64_CONSTANT(x)  (x##L)
#define SYSPROF_UINT64_CONSTANT(x) (x##UL)
#else
#define SYSPROF_INT64_CONSTANT(x)  (x##LL)
#define SYSPROF_UINT64_CONSTANT(x) (x##ULL)
#endif

#if defined(__GNUC__)
#define SYSPROF_INTERNAL    __attribute__((visibility("hidden")))
#define SYSPROF_LIKELY(e)   (__builtin_expect(!!(e), 1))
#define SYSPROF_UNLIKELY(e) (__builtin_expect(!!(e), 0))
#define SYSPROF_PRINTF(fmt, arg) \
	__attribute__((__format__(__printf__, fmt, arg)))
#else
#define SYSPROF_INTERNAL
#define SYSPROF_LIKELY(e)   (!!(e))
#define SYSPROF_UNLIKELY(e) (!!(e))
#define SYSPROF_PRINTF(fmt, arg)
#endif

#endif
