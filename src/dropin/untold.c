/* SPDX-License-Identifier: BSD-2-Clause */
/* untold.c - names that wait to be written. */
#include "dropin/untold.h"

#include <assert.h>
#include <string.h>

#include "dropin/frame_head.h"

#define FIXED     SYSCAP_JITMAP_FIXED
#define BYTES_MAX (SYSCAP_FRAME_MAX - FIXED)

static_assert(SYSCAP_FRAME_MAX <= SYC_BUFFER_FRONT, "it fits in front");

static uint32_t name_size(const struct syc_name *name)
{
	return 8 + name->len + 1;
}

bool syc_untold_add(struct syc_untold *untold, struct syc_name *name,
                    uint32_t told)
{
	uint64_t waiting;

	do {
		waiting = __atomic_load_n(untold->waiting, __ATOMIC_RELAXED);
		if (waiting >> 32 == SYC_UNTOLD_MAX ||
		    (uint32_t)waiting + name_size(name) > BYTES_MAX)
			return false;
	} while (!syc_exchange_local(untold->waiting, waiting,
	                             waiting + (UINT64_C(1) << 32) +
	                                     name_size(name)));
	untold->names[waiting >> 32] = name;
	SYC_SIGNAL_FENCE();
	name->told = told;
	return true;
}

/* Each of the first @n once: from @i on the next that is not in frame number
 * @gathered yet, which it is from here on.  NULL: there is none. */
static struct syc_name *next_ungathered(const struct syc_untold *untold,
                                        uint32_t *i, uint32_t n,
                                        uint32_t gathered)
{
	while (*i < n) {
		struct syc_name *const name = untold->names[(*i)++];

		if (name != NULL && name->gathered != gathered) {
			name->gathered = gathered;
			return name;
		}
	}
	return NULL;
}

/* The first @n in a frame that ends at @end; its length, or 0. */
static uint32_t fill_names(struct syc_untold *untold, uint32_t n,
                           unsigned char *end, int64_t time, int32_t pid)
{
	uint32_t n_names = 0, size = FIXED, i = 0;
	const struct syc_name *name;

	untold->n_gathered++;
	while ((name = next_ungathered(untold, &i, n, untold->n_gathered)) !=
	       NULL) {
		size += name_size(name);
		n_names++;
	}
	if (n_names == 0)
		return 0;
	const uint32_t len = (size + 7) & ~7u;
	unsigned char *at = end - len;
	syc_frame_head_write(at, len, SYSCAP_FRAME_JITMAP, time, -1, pid);
	memcpy(at + SYC_AT(jitmap, n_jitmaps), &n_names, sizeof(n_names));
	at += FIXED;
	i = 0;
	untold->n_gathered++;
	while ((name = next_ungathered(untold, &i, n, untold->n_gathered)) !=
	       NULL) {
		memcpy(at, &name->address, 8);
		memcpy(at + 8, name->text, name->len + 1);
		at += name_size(name);
	}
	return len;
}

bool syc_untold_gather(struct syc_untold *untold, struct syc_buffer *buffer,
                       int64_t time, int32_t pid)
{
	unsigned char *const end = syc_buffer_front(buffer);
	uint64_t waiting;

	if (end == NULL)
		return false;
	do {
		waiting = __atomic_load_n(untold->waiting, __ATOMIC_RELAXED);
		if (waiting == 0)
			return false;
		syc_buffer_put_front(
			buffer, fill_names(untold, (uint32_t)(waiting >> 32),
		                           end, time, pid));
		/* unless a handler has added to them meanwhile */
	} while (!syc_exchange_local(untold->waiting, waiting, 0));
	return true;
}
