/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * format.h - the layout of a capture file and of its frames.
 *
 * A .syscap file is a 256-byte header and then frames until its end.  A file
 * has no trailer, no checksum and no count of frames.  Offset and length of
 * every frame are multiples of 8, and the length is between 24 and 65,528.
 * Integers are in the byte order that the header names.  This library writes
 * the order of its machine.
 *
 * The format is version 1 of GNOME Sysprof's format, with syscap's names.  A
 * ring between an application and a recorder carries the same frames.
 * docs/format.md has the rules for readers of frames.
 *
 * In syscap's captures, all padding is zero, except padding2 (below).  Texts
 * end with a NUL, and long texts are cut at a UTF-8 boundary.  Every pid has a
 * PROCESS frame.
 */
#ifndef SYSCAP_FORMAT_H
#define SYSCAP_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
#define SYSCAP_STATIC_ASSERT static_assert
#else
#define SYSCAP_STATIC_ASSERT __extension__ _Static_assert
#endif

/** The first four bytes of a capture, 5E 97 CA FD in every byte order, as a
 * number of this machine. */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define SYSCAP_MAGIC UINT32_C(0x5E97CAFD)
#else
#define SYSCAP_MAGIC UINT32_C(0xFDCA975E)
#endif

/** Longest frame: the largest multiple of 8 that 16 bits hold. */
#define SYSCAP_FRAME_MAX 65528u

/** Lowest address that names a JIT string and not code. */
#define SYSCAP_JIT_MARK UINT64_C(0xE000000000000000)

/** padding2 of a frame index (a 32-byte TIMESTAMP of newer Sysprof). */
#define SYSCAP_INDEX_MAGIC UINT32_C(0x53504958)

/**
 * Tag in padding2 of MARK, LOG, CTRDEF, CTRSET, METADATA and FILE_CHUNK, which
 * have no field for the thread id.  The tag is or'ed with the thread id, which
 * is below 2^22.  Other writers leave 0 or stale bytes in padding2.
 */
#define SYSCAP_TID_TAG      UINT32_C(0x5C000000)
#define SYSCAP_TID_TAG_MASK UINT32_C(0xFFC00000)

enum syscap_frame_type {
	SYSCAP_FRAME_TIMESTAMP = 1,
	SYSCAP_FRAME_SAMPLE = 2,
	SYSCAP_FRAME_MAP = 3,
	SYSCAP_FRAME_PROCESS = 4,
	SYSCAP_FRAME_FORK = 5,
	SYSCAP_FRAME_EXIT = 6,
	SYSCAP_FRAME_JITMAP = 7,
	SYSCAP_FRAME_CTRDEF = 8,
	SYSCAP_FRAME_CTRSET = 9,
	SYSCAP_FRAME_MARK = 10,
	SYSCAP_FRAME_METADATA = 11,
	SYSCAP_FRAME_LOG = 12,
	SYSCAP_FRAME_FILE_CHUNK = 13,
	SYSCAP_FRAME_ALLOCATION = 14,
	SYSCAP_FRAME_OVERLAY = 15,
	SYSCAP_FRAME_TRACE = 16,
	SYSCAP_FRAME_DBUS_MESSAGE = 17,
	SYSCAP_FRAME_LAST =
		18, /* first type that this version does not decode */
	/* The end of a thread's ring.  No file contains this type. */
	SYSCAP_FRAME_RING_END = 255
};

/** Every recorder's ring reader accepts the types below this number. */
#define SYSCAP_FRAME_RING_LIMIT 16

struct syscap_wire_file {
	uint32_t magic;        /* SYSCAP_MAGIC */
	uint8_t version;       /* 1 */
	uint8_t little_endian; /* bit 0, or bit 7 of big-endian writers */
	uint8_t padding[2];
	char capture_time[64]; /* UTC, YYYY-MM-DDTHH:MM:SSZ */
	int64_t time;          /* CLOCK_MONOTONIC ns: start of the capture */
	int64_t end_time;      /* ns; 0: not finished, use times of frames */
	uint64_t last_frame_index; /* offset; 0: no index */
	char suffix[160];
};

struct syscap_wire_frame {
	uint16_t len; /* length of the whole frame, with padding */
	int16_t cpu;  /* -1: unknown */
	int32_t pid;  /* -1: no process */
	int64_t time; /* CLOCK_MONOTONIC, ns */
	uint8_t type;
	uint8_t padding1[3];
	uint32_t padding2; /* see SYSCAP_TID_TAG */
};

/**
 * The stack's outer frames are omitted.  The bit is in the flags of SAMPLE and
 * TRACE, and in the padding of ALLOCATION.  Readers other than syscap's ignore
 * the bit.  Big-endian captures do not have it.
 */
#define SYSCAP_STACK_CUT 2u

/** The unwinder did not reach the outermost frame.  This bit is in the same
 * words as SYSCAP_STACK_CUT. */
#define SYSCAP_STACK_STOPPED 4u

/**
 * Tag in padding2 of a SAMPLE that represents more than one tick of its timer.
 * The lower bits have the number of ticks, up to 0xFFFFFF.  Other readers
 * ignore padding2.
 */
#define SYSCAP_WEIGHT_TAG      UINT32_C(0x5D000000)
#define SYSCAP_WEIGHT_TAG_MASK UINT32_C(0xFF000000)

/**
 * Tags in padding2 of a SAMPLE that no timer requested: the stack of a blocking
 * call, or the stack of a stalled loop.  The duration in µs is bits 0 to 19,
 * shifted to the left by the number in bits 20 to 23.
 */
#define SYSCAP_BLOCKED_TAG UINT32_C(0x5E000000)
#define SYSCAP_STALLED_TAG UINT32_C(0x5F000000)

/** padding2 of a SAMPLE that is the stack of a crash, and of no tick. */
#define SYSCAP_CRASHED_TAG UINT32_C(0x60000000)

struct syscap_wire_sample { /* also TRACE: entering is bit 0 of flags, or bit 15
                             * of big-endian writers */
	struct syscap_wire_frame frame;
	uint16_t n_addrs;
	uint16_t flags;
	int32_t tid;
	/* uint64_t addrs[n_addrs], the leaf first */
};

struct syscap_wire_map {
	struct syscap_wire_frame frame;
	uint64_t start;
	uint64_t end;
	uint64_t offset; /* offset in the mapped file, bytes */
	uint64_t inode;  /* 0: unknown */
			 /* path NUL, then optionally '@' build-id-in-hex NUL */
};

struct syscap_wire_fork {
	struct syscap_wire_frame frame;
	int32_t child_pid;
	uint32_t padding;
};

struct syscap_wire_jitmap {
	struct syscap_wire_frame frame;
	uint32_t n_jitmaps;
	/* then n times: 8-byte address (unaligned), name, NUL */
};

struct syscap_wire_counter {
	char category[32];
	char name[32];
	char description[52];
	uint8_t id[3]; /* in the file's byte order; with type, one u32 */
	uint8_t type;  /* 0 int64, 1 double */
	uint64_t value;
};

struct syscap_wire_ctrdef {
	struct syscap_wire_frame frame;
	uint16_t n_counters;
	uint16_t padding1;
	uint32_t padding2;
	/* struct syscap_wire_counter counters[n_counters] */
};

struct syscap_wire_values {
	uint32_t ids[8]; /* 0: slot unused; only the last group has holes */
	uint64_t values[8];
};

struct syscap_wire_ctrset {
	struct syscap_wire_frame frame;
	uint16_t n_groups;
	uint16_t padding1;
	uint32_t padding2;
	/* struct syscap_wire_values groups[n_groups] */
};

struct syscap_wire_mark {
	struct syscap_wire_frame frame; /* time: the start */
	int64_t duration;               /* ns; 0: an instant */
	char group[24];
	char name[40];
	/* message NUL */
};

struct syscap_wire_metadata {
	struct syscap_wire_frame frame;
	char id[40];
	/* value NUL */
};

struct syscap_wire_log {
	struct syscap_wire_frame frame;
	uint16_t severity; /* GLogLevelFlags */
	uint16_t padding1;
	uint32_t padding2;
	char domain[32];
	/* message NUL */
};

struct syscap_wire_file_chunk {
	struct syscap_wire_frame frame;
	uint16_t is_last; /* bit 0, or bit 15 of big-endian writers */
	uint16_t len;
	char path[256];
	/* data[len], at offset 284 */
};

struct syscap_wire_allocation {
	struct syscap_wire_frame frame;
	uint64_t addr;
	int64_t size; /* 0: freed */
	int32_t tid;
	uint16_t n_addrs;
	uint16_t padding;
	/* uint64_t addrs[n_addrs] */
};

struct syscap_wire_overlay {
	struct syscap_wire_frame frame;
	uint8_t layer;
	uint8_t padding[3];
	uint16_t src_len;
	uint16_t dst_len;
	/* src NUL dst NUL */
};

struct syscap_wire_dbus_message {
	struct syscap_wire_frame frame;
	uint16_t bus_type; /* bits 0-1; bit 2: the body was omitted */
	uint16_t message_len;
	/* message[message_len], at offset 28 */
};

SYSCAP_STATIC_ASSERT(sizeof(struct syscap_wire_file) == 256, "format");
SYSCAP_STATIC_ASSERT(sizeof(struct syscap_wire_frame) == 24, "format");
SYSCAP_STATIC_ASSERT(sizeof(struct syscap_wire_sample) == 32, "format");
SYSCAP_STATIC_ASSERT(sizeof(struct syscap_wire_map) == 56, "format");
SYSCAP_STATIC_ASSERT(sizeof(struct syscap_wire_fork) == 32, "format");
SYSCAP_STATIC_ASSERT(sizeof(struct syscap_wire_counter) == 128, "format");
SYSCAP_STATIC_ASSERT(sizeof(struct syscap_wire_ctrdef) == 32, "format");
SYSCAP_STATIC_ASSERT(sizeof(struct syscap_wire_values) == 96, "format");
SYSCAP_STATIC_ASSERT(sizeof(struct syscap_wire_ctrset) == 32, "format");
SYSCAP_STATIC_ASSERT(sizeof(struct syscap_wire_mark) == 96, "format");
SYSCAP_STATIC_ASSERT(sizeof(struct syscap_wire_metadata) == 64, "format");
SYSCAP_STATIC_ASSERT(sizeof(struct syscap_wire_log) == 64, "format");
SYSCAP_STATIC_ASSERT(sizeof(struct syscap_wire_allocation) == 48, "format");

/* Offset and size of a field in its frame: SYC_AT(mark, group).  Not an
 * interface. */
#define SYC_AT(type, field)   offsetof(struct syscap_wire_##type, field)
#define SYC_SIZE(type, field) sizeof(((struct syscap_wire_##type *)0)->field)

/** Bytes before the variable part, if sizeof includes tail padding. */
#define SYSCAP_JITMAP_FIXED     28u
#define SYSCAP_FILE_CHUNK_FIXED 284u
#define SYSCAP_OVERLAY_FIXED    32u
#define SYSCAP_DBUS_FIXED       28u

#endif
