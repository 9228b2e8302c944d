/* SPDX-License-Identifier: BSD-2-Clause */
/* untold.c - names that wait to be written. */
#include "dropin/untold.h"

#include <assert.h>
#include <string.h>

#define FIXED     SYSCAP_JITMAP_FIXED
#define BYTES_MAX (SYSCAP_FRAME_MAX - FIXED)

static_assert(SYSCAP_FRAME_MAX <= SC_BUFFER_FRONT, "it fits in front");

static uint32_t size_of(const struct sc_name *name)
{
	return 8 + name->len + 1;
}

bool sc_untold_add(SysprofCaptureWriter *writer, struct sc_name *name)
{
	struct sc_writer_life *const life = writer->life;
	const uint32_t told = life->told;
	uint64_t untold;

	do {
		untold = __atomic_load_n(&life->untold, __ATOMIC_RELAXED);
		if (untold >> 32 == SC_UNTOLD_MAX ||
		    (uint32_t)untold + size_of(name) > BYTES_MAX)
			return false;
	} while (!sc_exchange_local(&life->untold, untold,
	                            untold + (UINT64_C(1) << 32) +
	                                    size_of(name)));
	writer->untold[untold >> 32] = name;
	SC_SIGNAL_FENCE();
	name->told = told;
	return true;
}

/* Each of the first @n once: from @i on the next that is not in frame number
 * @gathered yet, which it is from here on.  NULL: there is none. */
static struct sc_name *next(const SysprofCaptureWriter *writer, uint32_t *i,
                            uint32_t n, uint32_t gathered)
{
	while (*i < n) {
		struct sc_name *const name = writer->untold[(*i)++];

		if (name != NULL && name->gathered != gathered) {
			name->gathered = gathered;
			return name;
		}
	}
	return NULL;
}

/* The first @n in a frame that ends at @end; its length, or 0. */
static uint32_t fill(SysprofCaptureWriter *writer, uint32_t n,
                     unsigned char *end)
{
	uint32_t n_names = 0, size = FIXED, i = 0;
	const struct sc_name *name;

	writer->n_gathered++;
	while ((name = next(writer, &i, n, writer->n_gathered)) != NULL) {
		size += size_of(name);
		n_names++;
	}
	if (n_names == 0)
		return 0;
	const uint32_t len = (size + 7) & ~7u;
	unsigned char *at = end - len;
	sc_writer_head(at, len, SYSPROF_CAPTURE_FRAME_JITMAP, writer->flushed,
	               -1, writer->life->pid);
	memcpy(at + SC_AT(jitmap, n_jitmaps), &n_names, sizeof(n_names));
	at += FIXED;
	i = 0;
	writer->n_gathered++;
	while ((name = next(writer, &i, n, writer->n_gathered)) != NULL) {
		memcpy(at, &name->address, 8);
		memcpy(at + 8, name->text, name->len + 1);
		at += size_of(name);
	}
	return len;
}

void sc_untold_gather(SysprofCaptureWriter *writer)
{
	struct sc_writer_life *const life = writer->life;
	unsigned char *const end = sc_buffer_front(&writer->buffer);
	uint64_t untold;

	if (end == NULL)
		return;
	do {
		untold = __atomic_load_n(&life->untold, __ATOMIC_RELAXED);
		if (untold == 0)
			return;
		sc_buffer_put_front(
			&writer->buffer,
			fill(writer, (uint32_t)(untold >> 32), end));
		/* unless a handler has added to them meanwhile */
	} while (!sc_exchange_local(&life->untold, untold, 0));
	sc_writer_count(&writer->counts[SYSPROF_CAPTURE_FRAME_JITMAP]);
}
