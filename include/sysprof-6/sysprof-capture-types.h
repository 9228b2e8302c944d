/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sysprof-capture-types.h - layout of a capture file.
 *
 * A capture is a SysprofCaptureFileHeader and then frames.  Each frame begins
 * with a SysprofCaptureFrame, whose len (of the whole frame) is a multiple of 8
 * between 24 and 65,528.  Numbers are in the byte order that the header states.
 * Texts end with a NUL within their field or frame.  Times are CLOCK_MONOTONIC
 * in ns.  <syscap/format.h> describes the fields.
 */
#ifndef SYSPROF_CAPTURE_TYPES_H
#define SYSPROF_CAPTURE_TYPES_H

#if defined(__cplusplus) && defined(__GNUC__)
/* -pedantic has no way to allow arrays without elements in C++. */
#pragma GCC system_header
#endif

#include <assert.h>
#include <endian.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sysprof-clock.h"
#include "sysprof-macros.h"
#include "sysprof-version-macros.h"

SYSPROF_BEGIN_DECLS

#if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define SYSPROF_CAPTURE_MAGIC UINT32_C(0x5E97CAFD)
#else
#define SYSPROF_CAPTURE_MAGIC UINT32_C(0xFDCA975E)
#endif
#define SYSPROF_CAPTURE_ALIGN          (sizeof(SysprofCaptureAddress))
#define SYSPROF_CAPTURE_ADDRESS_FORMAT "0x%016" PRIx64
#if UINTPTR_MAX > 0xFFFFFFFFu
#define SYSPROF_CAPTURE_JITMAP_MARK SYSPROF_UINT64_CONSTANT(0xE000000000000000)
#else
#define SYSPROF_CAPTURE_JITMAP_MARK SYSPROF_UINT64_CONSTANT(0xE0000000)
#endif
#define SYSPROF_CAPTURE_CURRENT_TIME      (sysprof_clock_get_current_time())
#define SYSPROF_CAPTURE_COUNTER_INT64     0
#define SYSPROF_CAPTURE_COUNTER_DOUBLE    1
#define SYSPROF_CAPTURE_FRAME_INDEX_MAGIC 0x53504958u

#define SYSPROF_CAPTURE_DBUS_TYPE_SYSTEM             0
#define SYSPROF_CAPTURE_DBUS_TYPE_SESSION            1
#define SYSPROF_CAPTURE_DBUS_TYPE_A11Y               2
#define SYSPROF_CAPTURE_DBUS_TYPE_OTHER              3
#define SYSPROF_CAPTURE_DBUS_FLAGS_MESSAGE_TOO_LARGE (1 << 0)

#if defined(__GNUC__)
#define SYSPROF_ALIGNED_BEGIN(n)
#define SYSPROF_ALIGNED_END(n) __attribute__((aligned(n)))
#define SYSPROF_NO_ELEMENTS    __extension__
#else
#define SYSPROF_ALIGNED_BEGIN(n) __declspec(align(n))
#define SYSPROF_ALIGNED_END(n)
#define SYSPROF_NO_ELEMENTS
#endif

/** Objects of the interface. */
typedef struct _SysprofCaptureReader SysprofCaptureReader;
typedef struct _SysprofCaptureWriter SysprofCaptureWriter;
typedef struct _SysprofCaptureCursor SysprofCaptureCursor;
typedef struct _SysprofCaptureCondition SysprofCaptureCondition;

/** An address in a stack. */
typedef uint64_t SysprofCaptureAddress;

/** Numbers of frames by type.  Types 16 and 17 are counted in padding. */
typedef struct {
	size_t frame_count[16];
	size_t padding[48];
} SysprofCaptureStat;

/** A counter's value. */
typedef union {
	int64_t v64;
	double vdbl;
} SysprofCaptureCounterValue;

/**
 * A callback that stores up to @n_addrs addresses at @addrs, the innermost
 * first, and returns their number.  A negative number means no stack.  The
 * callback runs once, during the call that receives it as an argument.  The
 * callback may write up to two addresses before @addrs, so that unwinders can
 * drop their own two frames.
 */
typedef int (*SysprofBacktraceFunc)(SysprofCaptureAddress *addrs,
                                    unsigned int n_addrs, void *user_data);

/** Types of frames. */
typedef enum {
	SYSPROF_CAPTURE_FRAME_TIMESTAMP = 1,
	SYSPROF_CAPTURE_FRAME_SAMPLE = 2,
	SYSPROF_CAPTURE_FRAME_MAP = 3,
	SYSPROF_CAPTURE_FRAME_PROCESS = 4,
	SYSPROF_CAPTURE_FRAME_FORK = 5,
	SYSPROF_CAPTURE_FRAME_EXIT = 6,
	SYSPROF_CAPTURE_FRAME_JITMAP = 7,
	SYSPROF_CAPTURE_FRAME_CTRDEF = 8,
	SYSPROF_CAPTURE_FRAME_CTRSET = 9,
	SYSPROF_CAPTURE_FRAME_MARK = 10,
	SYSPROF_CAPTURE_FRAME_METADATA = 11,
	SYSPROF_CAPTURE_FRAME_LOG = 12,
	SYSPROF_CAPTURE_FRAME_FILE_CHUNK = 13,
	SYSPROF_CAPTURE_FRAME_ALLOCATION = 14,
	SYSPROF_CAPTURE_FRAME_OVERLAY = 15,
	SYSPROF_CAPTURE_FRAME_TRACE = 16,
	SYSPROF_CAPTURE_FRAME_DBUS_MESSAGE = 17,
} SysprofCaptureFrameType;

/* A macro, so that the preprocessor can compare the number. */
#define SYSPROF_CAPTURE_FRAME_LAST 18

/* Structures are 1-aligned, since they may be anywhere in a file. */

SYSPROF_ALIGNED_BEGIN(1)
typedef struct {
	uint32_t magic;
	uint32_t version : 8;
	uint32_t little_endian : 1;
	uint32_t padding : 23;
	char capture_time[64]; /* ISO 8601, UTC */
	int64_t time;          /* start of the capture */
	int64_t end_time;      /* 0: not finished */
	__extension__ union {
		char suffix[168];
		struct {
			uint64_t last_frame_index;
			char padding[160];
		} frame_index;
	};
} SysprofCaptureFileHeader SYSPROF_ALIGNED_END(1);

SYSPROF_ALIGNED_BEGIN(1)
typedef struct {
	uint16_t len;
	int16_t cpu; /* -1: unknown */
	int32_t pid; /* -1: no process */
	int64_t time;
	uint32_t type : 8;
	uint32_t padding1 : 24;
	uint32_t padding2;
	SYSPROF_NO_ELEMENTS uint8_t data[0];
} SysprofCaptureFrame SYSPROF_ALIGNED_END(1);

/** Directory @dst of the process is directory @src of the host. */
SYSPROF_ALIGNED_BEGIN(1)
typedef struct {
	SysprofCaptureFrame frame;
	uint32_t layer : 8;
	uint32_t padding : 24;
	uint32_t src_len : 16;
	uint32_t dst_len : 16;
	SYSPROF_NO_ELEMENTS char data[0]; /* src, NUL, dst, NUL */
} SysprofCaptureOverlay SYSPROF_ALIGNED_END(1);

SYSPROF_ALIGNED_BEGIN(1)
typedef struct {
	SysprofCaptureFrame frame;
	uint64_t start;
	uint64_t end;
	uint64_t offset;
	uint64_t inode;
	/* If a build-id is known, "@" and the id in hex follow the NUL. */
	SYSPROF_NO_ELEMENTS char filename[0];
} SysprofCaptureMap SYSPROF_ALIGNED_END(1);

SYSPROF_ALIGNED_BEGIN(1)
typedef struct {
	SysprofCaptureFrame frame;
	uint32_t n_jitmaps;
	SYSPROF_NO_ELEMENTS uint8_t data[0]; /* address, name, NUL; ... */
} SysprofCaptureJitmap SYSPROF_ALIGNED_END(1);

SYSPROF_ALIGNED_BEGIN(1)
typedef struct {
	SysprofCaptureFrame frame;
	SYSPROF_NO_ELEMENTS char cmdline[0];
} SysprofCaptureProcess SYSPROF_ALIGNED_END(1);

SYSPROF_ALIGNED_BEGIN(1)
typedef struct {
	SysprofCaptureFrame frame;
	uint32_t n_addrs : 16;
	uint32_t padding1 : 16;
	int32_t tid;
	SYSPROF_NO_ELEMENTS SysprofCaptureAddress addrs[0];
} SysprofCaptureSample SYSPROF_ALIGNED_END(1);

SYSPROF_ALIGNED_BEGIN(1)
typedef struct {
	SysprofCaptureFrame frame;
	uint32_t n_addrs : 16;
	uint32_t entering : 1;
	uint32_t padding1 : 15;
	int32_t tid;
	SYSPROF_NO_ELEMENTS SysprofCaptureAddress addrs[0];
} SysprofCaptureTrace SYSPROF_ALIGNED_END(1);

SYSPROF_ALIGNED_BEGIN(1)
typedef struct {
	SysprofCaptureFrame frame;
	int32_t child_pid;
} SysprofCaptureFork SYSPROF_ALIGNED_END(1);

SYSPROF_ALIGNED_BEGIN(1)
typedef struct {
	SysprofCaptureFrame frame;
} SysprofCaptureExit SYSPROF_ALIGNED_END(1);

SYSPROF_ALIGNED_BEGIN(1)
typedef struct {
	SysprofCaptureFrame frame;
} SysprofCaptureTimestamp SYSPROF_ALIGNED_END(1);

/** A TIMESTAMP with SYSPROF_CAPTURE_FRAME_INDEX_MAGIC in padding2. */
SYSPROF_ALIGNED_BEGIN(1)
typedef struct {
	SysprofCaptureFrame frame;
	uint64_t previous_frame_index; /* offset in the file; 0: the first */
} SysprofCaptureFrameIndex SYSPROF_ALIGNED_END(1);

SYSPROF_ALIGNED_BEGIN(1)
typedef struct {
	char category[32];
	char name[32];
	char description[52];
	uint32_t id : 24;  /* not 0 */
	uint32_t type : 8; /* SYSPROF_CAPTURE_COUNTER_INT64 or _DOUBLE */
	SysprofCaptureCounterValue value;
} SysprofCaptureCounter SYSPROF_ALIGNED_END(1);

SYSPROF_ALIGNED_BEGIN(1)
typedef struct {
	SysprofCaptureFrame frame;
	uint32_t n_counters : 16;
	uint32_t padding1 : 16;
	uint32_t padding2;
	SYSPROF_NO_ELEMENTS SysprofCaptureCounter counters[0];
} SysprofCaptureCounterDefine SYSPROF_ALIGNED_END(1);

/** Values of eight counters.  At id 0, this and the following slots are
 * unused. */
SYSPROF_ALIGNED_BEGIN(1)
typedef struct {
	uint32_t ids[8];
	SysprofCaptureCounterValue values[8];
} SysprofCaptureCounterValues SYSPROF_ALIGNED_END(1);

SYSPROF_ALIGNED_BEGIN(1)
typedef struct {
	SysprofCaptureFrame frame;
	uint32_t n_values : 16; /* number of groups of eight */
	uint32_t padding1 : 16;
	uint32_t padding2;
	SYSPROF_NO_ELEMENTS SysprofCaptureCounterValues values[0];
} SysprofCaptureCounterSet SYSPROF_ALIGNED_END(1);

SYSPROF_ALIGNED_BEGIN(1)
typedef struct {
	SysprofCaptureFrame frame; /* frame.time: beginning of the mark */
	int64_t duration;
	char group[24];
	char name[40];
	SYSPROF_NO_ELEMENTS char message[0];
} SysprofCaptureMark SYSPROF_ALIGNED_END(1);

SYSPROF_ALIGNED_BEGIN(1)
typedef struct {
	SysprofCaptureFrame frame;
	char id[40];
	SYSPROF_NO_ELEMENTS char metadata[0];
} SysprofCaptureMetadata SYSPROF_ALIGNED_END(1);

SYSPROF_ALIGNED_BEGIN(1)
typedef struct {
	SysprofCaptureFrame frame;
	uint32_t severity : 16; /* GLogLevelFlags */
	uint32_t padding1 : 16;
	uint32_t padding2 : 32;
	char domain[32];
	SYSPROF_NO_ELEMENTS char message[0];
} SysprofCaptureLog SYSPROF_ALIGNED_END(1);

SYSPROF_ALIGNED_BEGIN(1)
typedef struct {
	SysprofCaptureFrame frame;
	uint32_t is_last : 1;
	uint32_t padding1 : 15;
	uint32_t len : 16;
	char path[256];
	SYSPROF_NO_ELEMENTS uint8_t data[0];
} SysprofCaptureFileChunk SYSPROF_ALIGNED_END(1);

SYSPROF_ALIGNED_BEGIN(1)
typedef struct {
	SysprofCaptureFrame frame;
	SysprofCaptureAddress alloc_addr;
	int64_t alloc_size; /* 0: freed */
	int32_t tid;
	uint32_t n_addrs : 16;
	uint32_t padding1 : 16;
	SYSPROF_NO_ELEMENTS SysprofCaptureAddress addrs[0];
} SysprofCaptureAllocation SYSPROF_ALIGNED_END(1);

SYSPROF_ALIGNED_BEGIN(1)
typedef struct {
	SysprofCaptureFrame frame;
	uint16_t bus_type : 2; /* in practice GBusType: 1 system, 2 session */
	uint16_t flags : 14;
	uint16_t message_len;
	SYSPROF_NO_ELEMENTS uint8_t message[0];
} SysprofCaptureDBusMessage SYSPROF_ALIGNED_END(1);

#ifndef __GI_SCANNER__

SYSPROF_STATIC_ASSERT(sizeof(SysprofCaptureFileHeader) == 256, "file header");
SYSPROF_STATIC_ASSERT(sizeof(SysprofCaptureFrame) == 24, "frame");
SYSPROF_STATIC_ASSERT(sizeof(SysprofCaptureOverlay) == 32, "overlay");
SYSPROF_STATIC_ASSERT(sizeof(SysprofCaptureMap) == 56, "map");
SYSPROF_STATIC_ASSERT(sizeof(SysprofCaptureJitmap) == 28, "jitmap");
SYSPROF_STATIC_ASSERT(sizeof(SysprofCaptureProcess) == 24, "process");
SYSPROF_STATIC_ASSERT(sizeof(SysprofCaptureSample) == 32, "sample");
SYSPROF_STATIC_ASSERT(sizeof(SysprofCaptureTrace) == 32, "trace");
SYSPROF_STATIC_ASSERT(sizeof(SysprofCaptureFork) == 28, "fork");
SYSPROF_STATIC_ASSERT(sizeof(SysprofCaptureExit) == 24, "exit");
SYSPROF_STATIC_ASSERT(sizeof(SysprofCaptureTimestamp) == 24, "timestamp");
SYSPROF_STATIC_ASSERT(sizeof(SysprofCaptureFrameIndex) == 32, "frame index");
SYSPROF_STATIC_ASSERT(sizeof(SysprofCaptureCounter) == 128, "counter");
SYSPROF_STATIC_ASSERT(sizeof(SysprofCaptureCounterDefine) == 32, "ctrdef");
SYSPROF_STATIC_ASSERT(sizeof(SysprofCaptureCounterValues) == 96, "values");
SYSPROF_STATIC_ASSERT(sizeof(SysprofCaptureCounterSet) == 32, "ctrset");
SYSPROF_STATIC_ASSERT(sizeof(SysprofCaptureMark) == 96, "mark");
SYSPROF_STATIC_ASSERT(sizeof(SysprofCaptureMetadata) == 64, "metadata");
SYSPROF_STATIC_ASSERT(sizeof(SysprofCaptureLog) == 64, "log");
SYSPROF_STATIC_ASSERT(sizeof(SysprofCaptureFileChunk) == 284, "file chunk");
SYSPROF_STATIC_ASSERT(sizeof(SysprofCaptureAllocation) == 48, "allocation");
SYSPROF_STATIC_ASSERT(sizeof(SysprofCaptureDBusMessage) == 28, "dbus message");

/** Compare two addresses: -1, 0 or 1. */
static inline int sysprof_capture_address_compare(SysprofCaptureAddress a,
                                                  SysprofCaptureAddress b)
{
	return (a > b) - (a < b);
}

#endif

/**
 * Group and name of a mark, for this header's inline functions only.  If both
 * are literals, the compiler stores them.
 */
struct syscap_dropin_site {
	char group[24];
	char name[40];
};

/** Domain of a log line, for this header's inline functions only. */
struct syscap_dropin_domain {
	char text[32];
};

#if defined(__GNUC__) && !defined(SYSPROF_DROPIN_NO_INLINE)
/* Fill @site.  True, known at compile time, if both texts are literals that
 * fit. */
extern __inline__
	__attribute__((__gnu_inline__, __always_inline__, __artificial__)) bool
	syscap_dropin_site_fill(struct syscap_dropin_site *site,
                                const char *group_, const char *name_)
{
	const char *const group = group_ != 0 ? group_ : "";
	const char *const name = name_ != 0 ? name_ : "";

	if (!__builtin_constant_p(__builtin_strlen(group)) ||
	    !__builtin_constant_p(__builtin_strlen(name)) ||
	    __builtin_strlen(group) >= sizeof(site->group) ||
	    __builtin_strlen(name) >= sizeof(site->name))
		return false;
	__builtin_memset(site, 0, sizeof(*site));
	__builtin_memcpy(site->group, group, __builtin_strlen(group));
	__builtin_memcpy(site->name, name, __builtin_strlen(name));
	return true;
}

extern __inline__ __attribute__((__gnu_inline__, __always_inline__,
                                 __artificial__)) bool
syscap_dropin_domain_fill(struct syscap_dropin_domain *to, const char *domain_)
{
	const char *const domain = domain_ != 0 ? domain_ : "";

	if (!__builtin_constant_p(__builtin_strlen(domain)) ||
	    __builtin_strlen(domain) >= sizeof(to->text))
		return false;
	__builtin_memset(to, 0, sizeof(*to));
	__builtin_memcpy(to->text, domain, __builtin_strlen(domain));
	return true;
}
#endif

SYSPROF_END_DECLS

#endif
