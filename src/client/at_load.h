/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * at_load.h - what the constructor in client/process.c calls for the layers
 * above: they may include the client, the client not them.
 */
#ifndef SC_AT_LOAD_H
#define SC_AT_LOAD_H

/**
 * Do what SYSCAP_SAMPLE and SYSCAP_TOGGLE_SIGNAL ask for.  Once, after it is
 * decided whether the process records: without a recording there is nothing
 * to put samples into yet, but there may be one later.
 *
 * Context: setup.
 */
void sc_sampler_at_load(void);

/**
 * This thread is in no signal handler and holds no lock of the C library:
 * what a forked child put off may be done.  Returns at once where nothing
 * was.  For who makes a thread anyway.
 *
 * Context: setup; any thread.
 */
void sc_sampler_at_rest(void);

#endif
