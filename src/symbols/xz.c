/* SPDX-License-Identifier: BSD-2-Clause */
/* xz.c - decompress what a .gnu_debugdata section holds. */
#include "symbols/xz.h"

#include <errno.h>

#ifdef SYC_HAVE_LZMA

#include <lzma.h>
#include <stdlib.h>

#define OUTPUT_MAX (UINT64_C(1) << 28)
#define MEMORY_MAX (UINT64_C(1) << 28) /* of the decoder */

/* Twice the room, and never more than anybody needs. */
static int grow(unsigned char **output, size_t *capacity)
{
	const size_t wanted = *capacity == 0 ? 1 << 20 : 2 * *capacity;
	unsigned char *bigger;

	if (wanted > OUTPUT_MAX)
		return -EFBIG;
	bigger = realloc(*output, wanted);
	if (bigger == NULL)
		return -ENOMEM;
	*output = bigger;
	*capacity = wanted;
	return 0;
}

int syc_xz_decompress(const unsigned char *data, size_t size,
                      unsigned char **ret_data, size_t *ret_size)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	unsigned char *output = NULL;
	size_t capacity = 0, used;
	lzma_ret state;
	int r;

	if (lzma_stream_decoder(&stream, MEMORY_MAX, 0) != LZMA_OK)
		return -ENOMEM;
	stream.next_in = data;
	stream.avail_in = size;
	do {
		used = (size_t)stream.total_out;
		r = used == capacity ? grow(&output, &capacity) : 0;
		if (r < 0)
			goto fail;
		stream.next_out = output + used;
		stream.avail_out = capacity - used;
		state = lzma_code(&stream, LZMA_FINISH);
	} while (state == LZMA_OK);
	r = state == LZMA_MEM_ERROR ? -ENOMEM : -EILSEQ;
	if (state != LZMA_STREAM_END)
		goto fail;
	*ret_data = output;
	*ret_size = (size_t)stream.total_out;
	lzma_end(&stream);
	return 0;
fail:
	lzma_end(&stream);
	free(output);
	return r;
}

#else

int syc_xz_decompress(const unsigned char *data, size_t size,
                      unsigned char **ret_data, size_t *ret_size)
{
	(void)data;
	(void)size;
	(void)ret_data;
	(void)ret_size;
	return -ENOTSUP;
}

#endif
