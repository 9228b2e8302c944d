/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sample_taken_over.c - handles the first signal of ticks, so that ticks use
 * another signal, and loads a library that brings a sampler.  Returns 1 if its
 * handler was called.
 *
 *	sample_taken_over LIBRARY
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>

#include "sampler/tick_signal.h"

static volatile sig_atomic_t n_urgent;

static void count_urgent(int signal)
{
	(void)signal;
	n_urgent++;
}

int main(int argc, char **argv)
{
	const struct sigaction action = { .sa_handler = count_urgent };

	if (argc != 2 || sigaction(SYC_TICK_SIGNAL, &action, NULL) != 0)
		return 2;
	if (dlopen(argv[1], RTLD_NOW) == NULL) {
		fprintf(stderr, "%s\n", dlerror());
		return 2;
	}
	return n_urgent != 0;
}
