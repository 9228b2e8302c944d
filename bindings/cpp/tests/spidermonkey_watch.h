/* SPDX-License-Identifier: BSD-2-Clause */
/* spidermonkey_watch.h - counts of events in the sampler's handler. */
#ifndef SPIDERMONKEY_WATCH_H
#define SPIDERMONKEY_WATCH_H

#ifdef __cplusplus
extern "C" {
#endif

/** Print each count as a line "NAME NUMBER":
 *
 *	handled N	times that the handler ran
 *	walks N		walks in them that pushed a frame
 *	disorder N	frames pushed that lie inside of the one before
 *	deepest N	most frames of a walk
 *	allocations N	calls of malloc() and its like in the handler
 *	locks N		of pthread_mutex_lock()
 *	watched N	1 if allocations and locks are counted at all
 */
void spidermonkey_watch_report(void);

#ifdef __cplusplus
}
#endif
#endif
