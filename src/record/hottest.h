/* SPDX-License-Identifier: BSD-2-Clause */
/* hottest.h - where the time went, in three lines at a recording's end. */
#ifndef SYC_RECORD_HOTTEST_H
#define SYC_RECORD_HOTTEST_H

/**
 * Say on stderr which three functions of the capture @path took the most
 * themselves.  Nothing where it can't be read, which others tell, or where
 * nothing was sampled; nor where it is so large that it would take a while.
 * Context: offline.
 */
void syc_hottest_print(const char *path);

#endif
