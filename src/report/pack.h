/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pack.h - bytes, deflated (no header of zlib or gzip) and then base64, onto a
 * stream.  Built without zlib they are stored: valid all the same, and larger.
 */
#ifndef SYC_REPORT_PACK_H
#define SYC_REPORT_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct syc_pack {
	FILE *out;      /* NULL: only counts what it would write */
	void *deflater; /* kept from one run to the next; or NULL */
	size_t n_packed;
	uint64_t written; /* characters, of all runs */
	unsigned char packed[3 * 16384];
};

/** Whether what is written is smaller than it was. */
bool syc_pack_has_zlib(void);

void syc_pack_init(struct syc_pack *pack, FILE *out);
void syc_pack_fini(struct syc_pack *pack);

/** Each run: begin, add as often as you like, end.  0 or -ENOMEM. */
int syc_pack_begin(struct syc_pack *pack);
int syc_pack_add(struct syc_pack *pack, const void *bytes, size_t n);
int syc_pack_end(struct syc_pack *pack);

#endif
