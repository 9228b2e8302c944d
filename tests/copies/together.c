/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * together.c - a program with a copy, which loads two libraries with a copy
 * each. Exits 0 if the three act as one.  Scripts build it in several ways.
 */
#include <dlfcn.h>
#include <stdio.h>

#include "copies/part.h"

static const struct part *load(const char *path)
{
	void *const handle = dlopen(path, RTLD_NOW);
	const struct part *(*get)(void) = NULL;

	if (handle != NULL)
		*(void **)&get = dlsym(handle, "part_get");
	return get != NULL ? get() : NULL;
}

int main(void)
{
	const struct part *const parts[] = { part_get(), load("./a.so"),
		                             load("./b.so") };
	struct syscap_stats stats = { .size = sizeof(stats) };

	for (int i = 0; i < 3; i++) {
		if (parts[i] == NULL)
			return printf("%s\n", dlerror()), 1;
		parts[i]->mark(1, 1);
	}
	for (int i = 0; i < 3; i++) {
		parts[i]->stats(&stats);
		if (stats.n_copies != 3 || stats.why_alone[0] != '\0') {
			printf("%s: %u copies, alone: %s\n", parts[i]->name,
			       stats.n_copies, stats.why_alone);
			return 1;
		}
	}
	return 0;
}
