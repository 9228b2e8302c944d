/* SPDX-License-Identifier: BSD-2-Clause */
/* join_jit.c - JIT addresses that are unique in a joined capture. */
#include "capture/join_jit.h"

#include "capture/frame.h"
#include "data/load.h"

/* Made without gaps, since all of its bytes are the key. */
struct pid_addr {
	uint64_t addr;
	int64_t pid;
};

/* What we hand out, and with it the only place where inputs can collide. */
static bool is_jit_address(uint64_t addr)
{
	return addr >> 32 == SYSCAP_JIT_MARK >> 32;
}

/*
 * Also the mark of 32-bit writers, which an address of code may have as well:
 * so only a name makes it one.
 */
static bool may_be_named(uint64_t addr)
{
	return addr >> 60 == SYSCAP_JIT_MARK >> 60 || addr >> 28 == 0xE;
}

void syc_join_jit_fini(struct syc_join_jit *jit)
{
	syc_map_fini(&jit->by_pid);
	syc_map_fini(&jit->by_addr);
	free(jit->of_pid.items);
	free(jit->of_addr.items);
	free(jit->frames.items);
}

static int add_addr(struct syc_join_jit *jit, uint64_t addr, uint32_t fresh)
{
	size_t number;
	const int r = syc_map_put(&jit->by_addr, &addr, sizeof(addr), &number);

	return r > 0 ? syc_array_push(&jit->of_addr, fresh) : r;
}

static int add_name(struct syc_join_jit *jit, int32_t pid, uint64_t addr,
                    uint32_t *last)
{
	const struct pid_addr key = { addr, pid };
	size_t number;
	const int r = syc_map_put(&jit->by_pid, &key, sizeof(key), &number);

	if (r <= 0)
		return r;
	if (*last == UINT32_MAX)
		return -ENOSPC;
	if (syc_array_push(&jit->of_pid, *last + 1) < 0)
		return -ENOMEM;
	*last += 1;
	return add_addr(jit, addr, *last);
}

int syc_join_jit_scan(struct syc_join_jit *jit,
                      const struct syscap_frame *frame, bool big,
                      uint32_t *last)
{
	size_t cursor = 0;
	const char *name;
	uint64_t addr;
	int r = syc_array_push(&jit->frames, frame->bytes);

	while (r == 0 && syc_frame_jit_name(frame, big, &cursor, &addr, &name))
		if (may_be_named(addr))
			r = add_name(jit, frame->pid, addr, last);
	return r;
}

static uint64_t translate(const struct syc_join_jit *jit, int32_t pid,
                          uint64_t addr)
{
	const struct pid_addr key = { addr, pid };
	size_t number;

	if (syc_map_get(&jit->by_pid, &key, sizeof(key), &number))
		return SYSCAP_JIT_MARK | jit->of_pid.items[number];
	if (syc_map_get(&jit->by_addr, &addr, sizeof(addr), &number))
		return SYSCAP_JIT_MARK | jit->of_addr.items[number];
	return addr;
}

void syc_join_jit_names(const struct syc_join_jit *jit,
                        const struct syscap_frame *frame, unsigned char *buffer)
{
	struct syscap_frame copy = *frame;
	size_t cursor = 0, at = SYSCAP_JITMAP_FIXED;
	const char *name;
	uint64_t addr;

	copy.bytes = buffer;
	while (syc_frame_jit_name(&copy, false, &cursor, &addr, &name)) {
		if (may_be_named(addr))
			syc_store_u64(buffer + at,
			              translate(jit, frame->pid, addr));
		at = cursor & 0xFFFF;
	}
}

int syc_join_jit_stack(struct syc_join_jit *jit, int32_t pid,
                       unsigned char *addrs, unsigned n, uint32_t *last)
{
	for (; n > 0; n--, addrs += 8) {
		const uint64_t addr = syc_load_u64(addrs, false);
		uint64_t translated;

		if (!may_be_named(addr))
			continue;
		translated = translate(jit, pid, addr);
		if (translated == addr && is_jit_address(addr)) {
			/* Nameless, or given to itself: the same then. */
			size_t number;

			if (!syc_map_get(&jit->by_addr, &addr, sizeof(addr),
			                 &number)) {
				if (*last == UINT32_MAX)
					return -ENOSPC;
				*last += 1;
				if (add_addr(jit, addr, *last) < 0)
					return -ENOMEM;
				translated = SYSCAP_JIT_MARK | *last;
			}
		}
		syc_store_u64(addrs, translated);
	}
	return 0;
}
