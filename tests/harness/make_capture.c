/* SPDX-License-Identifier: BSD-2-Clause */
/* make_capture.c - builder of captures in memory, in either byte order. */
#include "harness/make_capture.h"

#include <stdlib.h>
#include <string.h>

void make_bytes(struct make_capture *capture, const void *bytes, size_t size)
{
	if (capture->capacity - capture->size < size) {
		capture->capacity = 2 * (capture->size + size);
		capture->data = realloc(capture->data, capture->capacity);
		if (!capture->data)
			abort();
	}
	if (size)
		memcpy(capture->data + capture->size, bytes, size);
	capture->size += size;
}

static void store(unsigned char *at, bool big, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		at[big ? size - 1 - i : i] = (unsigned char)(value >> 8 * i);
}

static void append(struct make_capture *capture, uint64_t value, unsigned size)
{
	unsigned char bytes[8];

	store(bytes, capture->big, value, size);
	make_bytes(capture, bytes, size);
}

void make_u8(struct make_capture *capture, unsigned value)
{
	append(capture, value, 1);
}

void make_u16(struct make_capture *capture, unsigned value)
{
	append(capture, value, 2);
}

void make_u32(struct make_capture *capture, uint32_t value)
{
	append(capture, value, 4);
}

void make_u64(struct make_capture *capture, uint64_t value)
{
	append(capture, value, 8);
}

void make_zeros(struct make_capture *capture, size_t size)
{
	while (size--)
		make_u8(capture, 0);
}

void make_text(struct make_capture *capture, const char *text)
{
	make_bytes(capture, text, strlen(text) + 1);
}

void make_field(struct make_capture *capture, const char *text, size_t size)
{
	const size_t len = strlen(text);

	if (len > size)
		abort();
	make_bytes(capture, text, len);
	make_zeros(capture, size - len);
}

void make_begin(struct make_capture *capture, bool big, int64_t time,
                int64_t end)
{
	memset(capture, 0, sizeof(*capture));
	capture->big = big;
	make_bytes(capture, "\x5E\x97\xCA\xFD\x01", 5);
	make_u8(capture, big ? 0 : 1);
	make_u16(capture, 0);
	make_field(capture, "2026-01-02T03:04:05Z", 64);
	make_u64(capture, (uint64_t)time);
	make_u64(capture, (uint64_t)end);
	make_zeros(capture, 168);
	if (capture->size != 256)
		abort();
}

void make_free(struct make_capture *capture)
{
	free(capture->data);
	memset(capture, 0, sizeof(*capture));
}

void make_frame(struct make_capture *capture, unsigned type, int cpu,
                int32_t pid, int64_t time, uint32_t padding2)
{
	capture->frame = capture->size;
	make_u16(capture, 0);
	make_u16(capture, (uint16_t)cpu);
	make_u32(capture, (uint32_t)pid);
	make_u64(capture, (uint64_t)time);
	make_u8(capture, type);
	make_zeros(capture, 3);
	make_u32(capture, padding2);
}

void make_patch_u16(struct make_capture *capture, size_t offset, unsigned value)
{
	store(capture->data + capture->frame + offset, capture->big, value, 2);
}

void make_end(struct make_capture *capture)
{
	while (capture->size % 8)
		make_u8(capture, 0);
	if (capture->size - capture->frame > 65528)
		abort();
	make_patch_u16(capture, 0, (unsigned)(capture->size - capture->frame));
}

static uint32_t tag(int32_t tid)
{
	return tid ? 0x5C000000u | (uint32_t)tid : 0;
}

/* The value of a flag in the first bit of a bit-field. */
static unsigned first_bit(const struct make_capture *capture, bool value)
{
	if (!value)
		return 0;
	return capture->big ? 0x8000u : 1u;
}

void make_timestamp(struct make_capture *capture, int64_t time)
{
	make_frame(capture, 1, -1, -1, time, 0);
	make_end(capture);
}

void make_index(struct make_capture *capture, int64_t time, uint64_t previous)
{
	make_frame(capture, 1, -1, -1, time, 0x53504958u);
	make_u64(capture, previous);
	make_end(capture);
}

void make_stack(struct make_capture *capture, unsigned type, int32_t pid,
                int32_t tid, int64_t time, bool entering, const uint64_t *addrs,
                unsigned n_addrs)
{
	make_frame(capture, type, 0, pid, time, 0);
	make_u16(capture, n_addrs);
	make_u16(capture, first_bit(capture, entering));
	make_u32(capture, (uint32_t)tid);
	for (unsigned i = 0; i < n_addrs; i++)
		make_u64(capture, addrs[i]);
	make_end(capture);
}

void make_map(struct make_capture *capture, int32_t pid, int64_t time,
              uint64_t start, uint64_t end, const char *path,
              const char *build_id)
{
	make_frame(capture, 3, -1, pid, time, 0);
	make_u64(capture, start);
	make_u64(capture, end);
	make_u64(capture, 0x2000);
	make_u64(capture, 77);
	make_text(capture, path);
	if (build_id) {
		make_u8(capture, '@');
		make_text(capture, build_id);
	}
	make_end(capture);
}

void make_process(struct make_capture *capture, int32_t pid, int64_t time,
                  const char *cmdline)
{
	make_frame(capture, 4, -1, pid, time, 0);
	make_text(capture, cmdline);
	make_end(capture);
}

void make_fork(struct make_capture *capture, int32_t pid, int64_t time,
               int32_t child)
{
	make_frame(capture, 5, -1, pid, time, 0);
	make_u32(capture, (uint32_t)child);
	make_end(capture);
}

void make_exit(struct make_capture *capture, int32_t pid, int64_t time)
{
	make_frame(capture, 6, -1, pid, time, 0);
	make_end(capture);
}

void make_jitmap(struct make_capture *capture, int64_t time, uint64_t first,
                 const char *const *names, unsigned n)
{
	make_frame(capture, 7, -1, 4000, time, 0);
	make_u32(capture, n);
	for (unsigned i = 0; i < n; i++) {
		make_u64(capture, first + i);
		make_text(capture, names[i]);
	}
	make_end(capture);
}

void make_ctrdef(struct make_capture *capture, int32_t pid, int64_t time,
                 const struct make_counter *counters, unsigned n)
{
	make_frame(capture, 8, -1, pid, time, 0);
	make_u16(capture, n);
	make_zeros(capture, 6);
	for (unsigned i = 0; i < n; i++) {
		unsigned char id[4];

		make_field(capture, counters[i].category, 32);
		make_field(capture, counters[i].name, 32);
		make_field(capture, counters[i].description, 52);
		store(id, capture->big, counters[i].id, 3);
		make_bytes(capture, id, 3);
		make_u8(capture, counters[i].type);
		make_u64(capture, counters[i].bits);
	}
	make_end(capture);
}

void make_ctrset(struct make_capture *capture, int32_t pid, int64_t time,
                 const uint32_t *ids, const uint64_t *values, unsigned n)
{
	make_frame(capture, 9, 1, pid, time, 0);
	make_u16(capture, 1);
	make_zeros(capture, 6);
	for (unsigned i = 0; i < 8; i++)
		make_u32(capture, i < n ? ids[i] : 0);
	for (unsigned i = 0; i < 8; i++)
		make_u64(capture, i < n ? values[i] : 0);
	make_end(capture);
}

void make_mark(struct make_capture *capture, int32_t pid, int32_t tid,
               int64_t time, int64_t duration, const char *group,
               const char *name, const char *message)
{
	make_frame(capture, 10, 2, pid, time, tag(tid));
	make_u64(capture, (uint64_t)duration);
	make_field(capture, group, 24);
	make_field(capture, name, 40);
	make_text(capture, message);
	make_end(capture);
}

void make_metadata(struct make_capture *capture, int64_t time, const char *id,
                   const char *value)
{
	make_frame(capture, 11, -1, -1, time, 0);
	make_field(capture, id, 40);
	make_text(capture, value);
	make_end(capture);
}

void make_log(struct make_capture *capture, int32_t pid, int64_t time,
              unsigned severity, const char *domain, const char *message)
{
	make_frame(capture, 12, 0, pid, time, 0);
	make_u16(capture, severity);
	make_zeros(capture, 6);
	make_field(capture, domain, 32);
	make_text(capture, message);
	make_end(capture);
}

void make_file_chunk(struct make_capture *capture, int64_t time, bool is_last,
                     const char *path, const void *data, unsigned len)
{
	make_frame(capture, 13, -1, -1, time, 0);
	make_u16(capture, first_bit(capture, is_last));
	make_u16(capture, len);
	make_field(capture, path, 256);
	make_bytes(capture, data, len);
	make_end(capture);
}

void make_allocation(struct make_capture *capture, int32_t pid, int32_t tid,
                     int64_t time, uint64_t addr, int64_t size,
                     const uint64_t *addrs, unsigned n_addrs)
{
	make_frame(capture, 14, 3, pid, time, 0);
	make_u64(capture, addr);
	make_u64(capture, (uint64_t)size);
	make_u32(capture, (uint32_t)tid);
	make_u16(capture, n_addrs);
	make_u16(capture, 0);
	for (unsigned i = 0; i < n_addrs; i++)
		make_u64(capture, addrs[i]);
	make_end(capture);
}

void make_overlay(struct make_capture *capture, int32_t pid, int64_t time,
                  unsigned layer, const char *src, const char *dst)
{
	make_frame(capture, 15, -1, pid, time, 0);
	make_u8(capture, layer);
	make_zeros(capture, 3);
	make_u16(capture, (unsigned)strlen(src));
	make_u16(capture, (unsigned)strlen(dst));
	make_text(capture, src);
	make_text(capture, dst);
	make_end(capture);
}

void make_dbus_message(struct make_capture *capture, int64_t time,
                       unsigned bus_type, unsigned flags, const void *message,
                       unsigned len)
{
	make_frame(capture, 17, -1, 7, time, 0);
	make_u16(capture,
	         capture->big ? bus_type << 14 | flags : flags << 2 | bus_type);
	make_u16(capture, len);
	make_bytes(capture, message, len);
	make_end(capture);
}

uint64_t make_double(double value)
{
	uint64_t bits;

	memcpy(&bits, &value, sizeof(bits));
	return bits;
}

void make_everything(struct make_capture *capture, bool big)
{
	static const char *const names[] = { "parse", "eval" };
	const uint64_t jit = UINT64_C(0xE000000000000001);
	const uint64_t stack[] = { jit, 0x401000, jit + 1 };
	const struct make_counter counters[] = {
		{ "memory", "heap", "bytes in use", 300, 0, 5 },
		{ "load", "ratio", "", 0x123456, 1, make_double(0.5) },
	};
	const uint32_t ids[] = { 300, 0x123456 };
	const uint64_t values[] = { (uint64_t)-42, make_double(2.25) };

	make_begin(capture, big, 1000, 9000);
	make_process(capture, 7, 1001, "demo --fast");
	make_process(capture, 9, 1002, "child");
	make_map(capture, 7, 1003, 0x400000, 0x500000, "/usr/bin/demo",
	         "00ff12");
	make_map(capture, 7, 1004, 0x600000, 0x700000, "/lib/libc.so", NULL);
	make_timestamp(capture, 1005);
	make_index(capture, 1006, 256);
	make_jitmap(capture, 1007, jit, names, 2);
	make_ctrdef(capture, 7, 1008, counters, 2);
	make_ctrset(capture, 7, 1009, ids, values, 2);
	make_stack(capture, 2, 7, 8, 1010, false, stack, 3);
	make_stack(capture, 16, 7, 8, 1011, true, stack, 2);
	make_allocation(capture, 7, 8, 1012, 0xABC0, 64, stack, 1);
	make_allocation(capture, 7, 8, 1013, 0xABC0, 0, NULL, 0);
	make_mark(capture, 7, 8, 1014, 500, "render", "frame", "n = 1");
	make_log(capture, 7, 1015, 16, "Demo", "careful");
	make_metadata(capture, 1016, "demo.version", "1.2.3");
	make_file_chunk(capture, 1017, false, "/proc/x", "abcd", 4);
	make_file_chunk(capture, 1018, true, "/proc/x", "e", 1);
	make_overlay(capture, 7, 1019, 2, "/host/app", "/app");
	make_dbus_message(capture, 1020, 2, 1, "l\001\000\001", 4);
	make_fork(capture, 7, 1021, 9);
	make_exit(capture, 9, 1022);
}
