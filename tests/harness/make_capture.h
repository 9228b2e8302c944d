/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * make_capture.h - builder of captures in memory, in either byte order.
 *
 * The builder follows the description of the format, byte by byte, without the
 * library's writer and structs.  So tests with the builder find mistakes in the
 * library's writer and structs.  A failure calls abort().
 *
 *	struct make_capture capture;
 *
 *	make_begin(&capture, false, 1000, 0);
 *	make_mark(&capture, 7, 8, 1500, 10, "group", "name", "message");
 *	... capture.data, capture.size ...
 *	make_free(&capture);
 */
#ifndef SYSCAP_MAKE_CAPTURE_H
#define SYSCAP_MAKE_CAPTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct make_capture {
	unsigned char *data;
	size_t size, capacity;
	size_t frame; /* offset of the latest frame */
	bool big;
};

struct make_counter {
	const char *category, *name, *description;
	uint32_t id;
	uint8_t type; /* 0 int64, 1 double */
	uint64_t bits;
};

/** The file header; @end 0 makes an unfinished capture. */
void make_begin(struct make_capture *capture, bool big, int64_t time,
                int64_t end);
void make_free(struct make_capture *capture);

/* Parts of frames. */
void make_u8(struct make_capture *capture, unsigned value);
void make_u16(struct make_capture *capture, unsigned value);
void make_u32(struct make_capture *capture, uint32_t value);
void make_u64(struct make_capture *capture, uint64_t value);
void make_bytes(struct make_capture *capture, const void *bytes, size_t size);
/** @text and its NUL. */
void make_text(struct make_capture *capture, const char *text);
/** @text in a field of @size bytes, filled up with zeros. */
void make_field(struct make_capture *capture, const char *text, size_t size);
void make_zeros(struct make_capture *capture, size_t size);

/** The 24 bytes that all frames begin with. */
void make_frame(struct make_capture *capture, unsigned type, int cpu,
                int32_t pid, int64_t time, uint32_t padding2);
/** Fill the latest frame up to a multiple of 8, and store its length. */
void make_end(struct make_capture *capture);
/** Overwrite 16 bits at @offset of the latest frame. */
void make_patch_u16(struct make_capture *capture, size_t offset,
                    unsigned value);

/* Whole frames.  @tid 0 omits the tagged thread id. */
void make_timestamp(struct make_capture *capture, int64_t time);
void make_index(struct make_capture *capture, int64_t time, uint64_t previous);
void make_stack(struct make_capture *capture, unsigned type, int32_t pid,
                int32_t tid, int64_t time, bool entering, const uint64_t *addrs,
                unsigned n_addrs);
void make_map(struct make_capture *capture, int32_t pid, int64_t time,
              uint64_t start, uint64_t end, const char *path,
              const char *build_id);
void make_process(struct make_capture *capture, int32_t pid, int64_t time,
                  const char *cmdline);
void make_fork(struct make_capture *capture, int32_t pid, int64_t time,
               int32_t child);
void make_exit(struct make_capture *capture, int32_t pid, int64_t time);
void make_jitmap(struct make_capture *capture, int64_t time, uint64_t first,
                 const char *const *names, unsigned n);
void make_ctrdef(struct make_capture *capture, int32_t pid, int64_t time,
                 const struct make_counter *counters, unsigned n);
/** @n up to 8: one group. */
void make_ctrset(struct make_capture *capture, int32_t pid, int64_t time,
                 const uint32_t *ids, const uint64_t *values, unsigned n);
void make_mark(struct make_capture *capture, int32_t pid, int32_t tid,
               int64_t time, int64_t duration, const char *group,
               const char *name, const char *message);
void make_metadata(struct make_capture *capture, int64_t time, const char *id,
                   const char *value);
void make_log(struct make_capture *capture, int32_t pid, int64_t time,
              unsigned severity, const char *domain, const char *message);
void make_file_chunk(struct make_capture *capture, int64_t time, bool is_last,
                     const char *path, const void *data, unsigned len);
void make_allocation(struct make_capture *capture, int32_t pid, int32_t tid,
                     int64_t time, uint64_t addr, int64_t size,
                     const uint64_t *addrs, unsigned n_addrs);
void make_overlay(struct make_capture *capture, int32_t pid, int64_t time,
                  unsigned layer, const char *src, const char *dst);
void make_dbus_message(struct make_capture *capture, int64_t time,
                       unsigned bus_type, unsigned flags, const void *message,
                       unsigned len);

/** The bits of a double. */
uint64_t make_double(double value);

/**
 * A sound capture with a frame of every type, begun at 1000 ns: processes 7
 * ("demo --fast") and 9, thread 8 of process 7.
 */
void make_everything(struct make_capture *capture, bool big);

#endif
