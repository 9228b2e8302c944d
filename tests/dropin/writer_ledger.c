/* SPDX-License-Identifier: BSD-2-Clause */
/* writer_ledger.c - requests to a writer, and the writer's output. */
#define _GNU_SOURCE
#include "dropin/writer_ledger.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/test.h"

#define JIT_MARK   UINT64_C(0xE000000000000000)
#define NO_NAME    UINT64_C(0x1000)
#define N_COMMON   40u
#define N_COUNTERS 18u
#define IS_NEW     0x40000000u /* flag in the tid of a sample */
#define MAX_NAMES  (1u << 20)  /* a power of 2 */

struct ledger *ledger_new(void)
{
	void *const ledger =
		mmap(NULL, sizeof(struct ledger), PROT_READ | PROT_WRITE,
	             MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	CHECK(ledger != MAP_FAILED);
	return ledger;
}

void ledger_free(struct ledger *ledger)
{
	munmap(ledger, sizeof(*ledger));
}

bool ledger_has_room(const struct ledger *ledger)
{
	for (int i = 0; i < LEDGER_KINDS; i++) {
		if (ledger->n[i] > LEDGER_MAX - 5000)
			return false;
	}
	return true;
}

static uint32_t begin(struct ledger *ledger, enum ledger_kind kind)
{
	const uint32_t i =
		__atomic_fetch_add(&ledger->n[kind], 1, __ATOMIC_RELAXED);

	CHECK(i < LEDGER_MAX);
	ledger->states[kind][i] = LEDGER_UNDER_WAY;
	return i;
}

static bool end(struct ledger *ledger, enum ledger_kind kind, uint32_t i,
                bool is_added)
{
	ledger->states[kind][i] = is_added ? LEDGER_TRUE : LEDGER_FALSE;
	if (!is_added)
		__atomic_fetch_add(&ledger->n_refused, 1, __ATOMIC_RELAXED);
	return is_added;
}

/* No printf: this runs in handlers. */
static char *put_hex(char *at, uint32_t i)
{
	for (int shift = 28; shift >= 0; shift -= 4)
		*at++ = "0123456789abcdef"[i >> shift & 15];
	return at;
}

static void name_of(char name[40], bool is_new, uint32_t i)
{
	strcpy(put_hex(stpcpy(name, is_new ? "new " : "common "), i),
	       i % 3 ? "()" : " of a longer name");
}

static void line_of(char line[64], uint32_t i)
{
	strcpy(put_hex(line, i),
	       i % 5 ? " is short" : " is longer than one copied block");
}

/* Some stacks are large, so that a buffer's end often cuts them. */
static unsigned stack_size(uint32_t i)
{
	return i % 61 == 0 ? 300 : 2 + i % 16;
}

static uint64_t address_of(uint32_t i, unsigned at)
{
	return 0x400000u + (uint64_t)i * 1000 + at;
}

/* Literals take another path than texts unknown to the compiler. */
static bool add_mark(SysprofCaptureWriter *writer, uint32_t i)
{
	const char *volatile group = "ledger";
	const int64_t now = SYSPROF_CAPTURE_CURRENT_TIME;
	const char *const message = i % 7 ? "message" : NULL;

	if (i % 4 < 2)
		return sysprof_capture_writer_add_mark(
			writer, now, -1, 7, i, group, i % 2 ? "odd" : "even",
			message);
	if (i % 2)
		return sysprof_capture_writer_add_mark(
			writer, now, -1, 7, i, "ledger", "odd", message);
	return sysprof_capture_writer_add_mark(writer, now, -1, 7, i, "ledger",
	                                       "even", message);
}

bool ledger_mark(struct ledger *ledger, SysprofCaptureWriter *writer)
{
	const uint32_t i = begin(ledger, LEDGER_MARK);

	return end(ledger, LEDGER_MARK, i, add_mark(writer, i));
}

bool ledger_sample(struct ledger *ledger, SysprofCaptureWriter *writer,
                   bool is_new)
{
	const uint32_t i = begin(ledger, LEDGER_SAMPLE);
	SysprofCaptureAddress addrs[300];
	const unsigned n = stack_size(i);
	char name[40];

	if (is_new)
		__atomic_fetch_add(&ledger->n_names, 1, __ATOMIC_RELAXED);
	name_of(name, is_new, is_new ? i : i % N_COMMON);
	addrs[0] = sysprof_capture_writer_add_jitmap(writer, name);
	if (addrs[0] == 0)
		addrs[0] = NO_NAME;
	for (unsigned k = 1; k < n; k++)
		addrs[k] = address_of(i, k);
	return end(ledger, LEDGER_SAMPLE, i,
	           sysprof_capture_writer_add_sample(
			   writer, SYSPROF_CAPTURE_CURRENT_TIME, 0, 7,
			   (int32_t)(i | (is_new ? IS_NEW : 0)), addrs, n));
}

bool ledger_set(struct ledger *ledger, SysprofCaptureWriter *writer)
{
	const uint32_t i = begin(ledger, LEDGER_SET);
	SysprofCaptureCounterValue values[N_COUNTERS];
	unsigned ids[N_COUNTERS];

	for (unsigned k = 0; k < N_COUNTERS; k++) {
		ids[k] = k + 1;
		values[k].v64 = (int64_t)i * 100 + k;
	}
	return end(ledger, LEDGER_SET, i,
	           sysprof_capture_writer_set_counters(
			   writer, SYSPROF_CAPTURE_CURRENT_TIME, -1, 7, ids,
			   values, N_COUNTERS));
}

bool ledger_log(struct ledger *ledger, SysprofCaptureWriter *writer)
{
	const uint32_t i = begin(ledger, LEDGER_LOG);
	const char *volatile domain = "ledger";
	const int64_t now = SYSPROF_CAPTURE_CURRENT_TIME;
	char line[64];

	line_of(line, i);
	return end(ledger, LEDGER_LOG, i,
	           i % 4 == 0
	                   ? sysprof_capture_writer_add_log(writer, now, -1, 7,
	                                                    128, domain, line)
	                   : sysprof_capture_writer_add_log(
				     writer, now, -1, 7, 128, "ledger", line));
}

/* ------------------------------------------------------------ comparison */

struct name {
	uint64_t address; /* 0: free slot */
	const char *text;
};

struct checking {
	const struct ledger *ledger;
	uint8_t *seen[LEDGER_KINDS];
	struct name *names; /* by address */
};

static uint64_t load(const unsigned char *at, unsigned size)
{
	uint64_t value = 0;

	while (size--)
		value = value << 8 | at[size];
	return value;
}

/* The slot of @address, or a free slot for @address. */
static struct name *find_name(struct checking *c, uint64_t address)
{
	size_t i = (address * UINT64_C(0x9E3779B97F4A7C15)) >> 40;

	while (c->names[i % MAX_NAMES].address != 0 &&
	       c->names[i % MAX_NAMES].address != address)
		i++;
	return &c->names[i % MAX_NAMES];
}

static void see(struct checking *c, enum ledger_kind kind, uint64_t i)
{
	CHECK(i < c->ledger->n[kind]);
	if (c->seen[kind][i] < 255)
		c->seen[kind][i]++;
}

static void check_names(struct checking *c, const unsigned char *f,
                        unsigned len)
{
	const unsigned char *at = f + 28;

	for (uint64_t n = load(f + 24, 4); n > 0; n--) {
		CHECK(at + 9 <= f + len);
		const uint64_t address = load(at, 8);
		const char *const text = (const char *)at + 8;
		struct name *const name = find_name(c, address);

		/* A JIT address is JIT_MARK, with a number in the lower 32
		 * bits */
		CHECK_EQ(address >> 32, JIT_MARK >> 32);
		if (name->address != 0)
			CHECK_STR(text, name->text);
		name->address = address;
		name->text = text;
		at += 8 + strnlen(text, len) + 1;
		CHECK(at <= f + len);
	}
}

static void check_sample(struct checking *c, const unsigned char *f,
                         unsigned len)
{
	const uint32_t tid = (uint32_t)load(f + 28, 4), i = tid & ~IS_NEW;
	const unsigned n = (unsigned)load(f + 24, 2);
	const uint64_t first = load(f + 32, 8);
	char want[40];

	see(c, LEDGER_SAMPLE, i);
	CHECK_EQ(n, stack_size(i));
	CHECK_EQ(len, 32 + 8 * n);
	for (unsigned k = 1; k < n; k++)
		CHECK_EQ(load(f + 32 + 8 * k, 8), address_of(i, k));
	if (first == NO_NAME)
		return;
	name_of(want, tid & IS_NEW, tid & IS_NEW ? i : i % N_COMMON);
	CHECK_EQ(find_name(c, first)->address, first);
	CHECK_STR(find_name(c, first)->text, want);
}

static void check_set(struct checking *c, const unsigned char *f, unsigned len)
{
	const uint64_t i = load(f + 32 + 32, 8) / 100;

	CHECK_EQ(len, 32 + 3 * 96);
	CHECK_EQ(load(f + 24, 2), 3);
	for (unsigned k = 0; k < N_COUNTERS; k++) {
		const unsigned char *const group = f + 32 + k / 8 * 96;

		CHECK_EQ(load(group + k % 8 * 4, 4), k + 1);
		CHECK_EQ(load(group + 32 + k % 8 * 8, 8), i * 100 + k);
	}
	see(c, LEDGER_SET, i);
}

static void check_mark(struct checking *c, const unsigned char *f, unsigned len)
{
	const uint64_t i = load(f + 24, 8);

	see(c, LEDGER_MARK, i);
	CHECK_EQ(len, 104);
	CHECK_STR((const char *)f + 32, "ledger");
	CHECK_STR((const char *)f + 56, i % 2 ? "odd" : "even");
	CHECK_STR((const char *)f + 96, i % 7 ? "message" : "");
}

static void check_log(struct checking *c, const unsigned char *f, unsigned len)
{
	const uint32_t i = (uint32_t)strtoul((const char *)f + 64, NULL, 16);
	char want[64];

	see(c, LEDGER_LOG, i);
	line_of(want, i);
	CHECK_EQ(len, (64 + strlen(want) + 1 + 7) & ~7u);
	CHECK_EQ(load(f + 24, 8), 128);
	CHECK_STR((const char *)f + 32, "ledger");
	CHECK_STR((const char *)f + 64, want);
}

static void check_frame(struct checking *c, const unsigned char *f,
                        unsigned len)
{
	switch (f[16]) {
	case SYSPROF_CAPTURE_FRAME_SAMPLE:
		check_sample(c, f, len);
		break;
	case SYSPROF_CAPTURE_FRAME_JITMAP:
		check_names(c, f, len);
		break;
	case SYSPROF_CAPTURE_FRAME_CTRSET:
		check_set(c, f, len);
		break;
	case SYSPROF_CAPTURE_FRAME_MARK:
		check_mark(c, f, len);
		break;
	case SYSPROF_CAPTURE_FRAME_LOG:
		check_log(c, f, len);
		break;
	default:
		CHECK(f[16] > 0 && f[16] < SYSPROF_CAPTURE_FRAME_LAST);
		break;
	}
}

static void check_seen(const struct checking *c, bool is_killed)
{
	static const unsigned least[] = { 0, 0, 1, 0, 1 };
	static const unsigned most[] = { 0, 1, 1, 0, 2 };

	for (int kind = 0; kind < LEDGER_KINDS; kind++) {
		for (uint32_t i = 0; i < c->ledger->n[kind]; i++) {
			const unsigned state = c->ledger->states[kind][i];
			const unsigned n = c->seen[kind][i];

			if (n <= most[state] &&
			    (is_killed || n >= least[state]))
				continue;
			test_fail(__FILE__, __LINE__,
			          "kind %d number %u state %u: %u times", kind,
			          i, state, n);
		}
	}
}

void ledger_check(const struct ledger *ledger, const unsigned char *data,
                  size_t size, bool is_killed)
{
	struct checking c = { .ledger = ledger };
	size_t at = 256;

	c.names = calloc(MAX_NAMES, sizeof(*c.names));
	CHECK(c.names != NULL);
	for (int kind = 0; kind < LEDGER_KINDS; kind++) {
		c.seen[kind] = calloc(LEDGER_MAX, 1);
		CHECK(c.seen[kind] != NULL);
	}
	CHECK(size >= 256);
	CHECK(memcmp(data, "\x5E\x97\xCA\xFD\x01\x01", 6) == 0);
	while (at < size) {
		const unsigned len =
			size - at >= 24 ? (unsigned)load(data + at, 2) : 0;

		/* A kill within a write leaves a truncated frame */
		if (is_killed && (size - at < 24 || size - at < len))
			break;
		CHECK(len >= 24 && len % 8 == 0 && len <= size - at);
		check_frame(&c, data + at, len);
		at += len;
	}
	check_seen(&c, is_killed);
	free(c.names);
	for (int kind = 0; kind < LEDGER_KINDS; kind++)
		free(c.seen[kind]);
}

void ledger_check_file(const struct ledger *ledger, int fd, bool is_killed)
{
	struct stat st;
	void *data;

	CHECK_EQ(fstat(fd, &st), 0);
	CHECK(st.st_size > 0);
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	CHECK(data != MAP_FAILED);
	ledger_check(ledger, data, (size_t)st.st_size, is_killed);
	munmap(data, (size_t)st.st_size);
}
