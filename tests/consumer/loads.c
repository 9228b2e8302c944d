/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * loads.c LIBRARY CAPTURE - a program that records itself by a libsyscap.so
 * loaded with dlopen(), like language bindings: one mark, one counter, one log.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#define SYSCAP_NO_INLINE
#include <syscap.h>

SYSCAP_COUNTER(loads, "consumer", "loads", "", SYSCAP_INT64);

static void *library;

static void *get(const char *name)
{
	void *const function = dlsym(library, name);

	if (function == NULL) {
		fprintf(stderr, "%s\n", dlerror());
		exit(1);
	}
	return function;
}

/* The function `name`, with its type from the header */
#define CALL(name) ((__typeof__(&name))get(#name))

int main(int argc, char **argv)
{
	struct syscap_options options = { .size = sizeof(options) };
	int64_t begin;

	if (argc != 3)
		return 2;
	library = dlopen(argv[1], RTLD_NOW);
	if (library == NULL) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	options.output = argv[2];
	if (CALL(syscap_is_active)() || CALL(syscap_start)(&options) != 0 ||
	    !CALL(syscap_is_active)())
		return 1;
	begin = CALL(syscap_begin)();
	CALL(syscap_mark)
	("consumer", "loaded", begin, CALL(syscap_clock)() - begin, "by C");
	CALL(syscap_counter_set_int64)(&loads, 5);
	CALL(syscap_log)(SYSCAP_INFO, "consumer", "loaded");
	return CALL(syscap_stop)() != 0;
}
