/* SPDX-License-Identifier: BSD-2-Clause */
/* untold.c - names that wait to be written. */
#include "dropin/untold.h"

#include <assert.h>
#include <string.h>

#include "dropin/frame_head.h"

#define FIXED     SYSCAP_JITMAP_FIXED
#define BYTES_MAX (SYSCAP_FRAME_MAX - FIXED)

static_assert(SYSCAP_FRAME_MAX <= SC_BUFFER_FRONT, "it fits in front");

static uint32_t size_of(const struct sc_name *name)
{
	return 8 + name->len + 1;
}

bool sc_untold_add(struct sc_untold *untold, struct sc_name *name,
                   uint32_t told)
{
	uint64_t waiting;

	do {
		waiting = __atomic_load_n(untold->waiting, __ATOMIC_RELAXED);
		if (waiting >> 32 == SC_UNTOLD_MAX ||
		    (uint32_t)waiting + size_of(name) > BYTES_MAX)
			return false;
	} while (!sc_exchange_local(untold->waiting, waiting,
	                            waiting + (UINT64_C(1) << 32) +
	                                    size_of(name)));
	untold->names[waiting >> 32] = name;
	SC_SIGNAL_FENCE();
	name->told = told;
	return true;
}

/* Each of the first @n once: from @i on the next that is not in frame number
 * @gathered yet, which it is from here on.  NULL: there is none. */
static struct sc_name *next(const struct sc_untold *untold, uint32_t *i,
                            uint32_t n, uint32_t gathered)
{
	while (*i < n) {
		struct sc_name *const name = untold->names[(*i)++];

		if (name != NULL && name->gathered != gathered) {
			name->gathered = gathered;
			return name;
		}
	}
	return NULL;
}

/* The first @n in a frame that ends at @end; its length, or 0. */
static uint32_t fill(struct sc_untold *untold, uint32_t n, unsigned char *end,
                     int64_t time, int32_t pid)
{
	uint32_t n_names = 0, size = FIXED, i = 0;
	const struct sc_name *name;

	untold->n_gathered++;
	while ((name = next(untold, &i, n, untold->n_gathered)) != NULL) {
		size += size_of(name);
		n_names++;
	}
	if (n_names == 0)
		return 0;
	const uint32_t len = (size + 7) & ~7u;
	unsigned char *at = end - len;
	sc_frame_head_write(at, len, SYSCAP_FRAME_JITMAP, time, -1, pid);
	memcpy(at + SC_AT(jitmap, n_jitmaps), &n_names, sizeof(n_names));
	at += FIXED;
	i = 0;
	untold->n_gathered++;
	while ((name = next(untold, &i, n, untold->n_gathered)) != NULL) {
		memcpy(at, &name->address, 8);
		memcpy(at + 8, name->text, name->len + 1);
		at += size_of(name);
	}
	return len;
}

bool sc_untold_gather(struct sc_untold *untold, struct sc_buffer *buffer,
                      int64_t time, int32_t pid)
{
	unsigned char *const end = sc_buffer_front(buffer);
	uint64_t waiting;

	if (end == NULL)
		return false;
	do {
		waiting = __atomic_load_n(untold->waiting, __ATOMIC_RELAXED);
		if (waiting == 0)
			return false;
		sc_buffer_put_front(buffer,
		                    fill(untold, (uint32_t)(waiting >> 32), end,
		                         time, pid));
		/* unless a handler has added to them meanwhile */
	} while (!sc_exchange_local(untold->waiting, waiting, 0));
	return true;
}
