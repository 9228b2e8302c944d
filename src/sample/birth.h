/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * birth.h - threads that an interposer is told of make their own timers, and
 * delete them as they end.
 *
 * What pthread_create() is given is kept in a slot, and the thread begins in
 * code of ours that takes it out, makes the timer and jumps to where it was to
 * begin: the program's function is the outermost one, as without us.  A thread
 * that finds no slot, and one that ends unseen, is met by a look (scan.h).
 *
 * Only the preloaded library links this.
 */
#ifndef SYC_SAMPLE_BIRTH_H
#define SYC_SAMPLE_BIRTH_H

#include <stdbool.h>

/** The function that a thread begins with, and its argument. */
struct syc_birth {
	void *(*run)(void *);
	void *arg;
};

/** Threads that end will say so.  Context: setup, before sampling begins. */
void syc_birth_begin(void);

/**
 * A thread is about to be made that begins with @birth: now that is to be our
 * code.  False: nothing changed; nobody samples, or there is no room.  One
 * that @is_cramped on its stack is to have no ticks.
 *
 * Context: any-thread, signal-safe.
 */
bool syc_birth_prepare(struct syc_birth *birth, bool is_cramped);

/** What was prepared is not going to happen.  any-thread, signal-safe. */
void syc_birth_cancel(const struct syc_birth *birth);

#endif
