/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * page.h - the rendezvous of copies of one number: a read-only page at an
 * address that all of them know (addresses.h).
 *
 * It comes with the first recording, complete from its first instant, and is
 * never unmapped.  mmap() with MAP_FIXED_NOREPLACE decides who was first.
 * What it holds is masked and authenticated with a keyed hash; the key is the
 * kernel's AT_RANDOM of this image.  docs/copies.md has the layout, and what
 * an attacker learns from it.
 */
#ifndef SYC_PAGE_H
#define SYC_PAGE_H

struct syc_block;

/**
 * The block that the page leads to.  0 and *@ret_block; -ENOENT, there is
 * nothing at the place; or why there is no knowing: -EADDRINUSE, something
 * else is there; -ENOTSUP, this machine has no place; other -errno.
 *
 * Never touches memory that may not be readable.
 *
 * Context: any-thread, signal-safe.
 */
int syc_page_find(struct syc_block **ret_block);

/**
 * Publish @block, which is complete.  0; -EEXIST, another copy was first, or
 * something else is there; or why it can't be.
 *
 * Context: any-thread, signal-safe.
 */
int syc_page_publish(const struct syc_block *block);

#endif
