/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_sanitized.c [leak] - a program that works for a fifth of a second of
 * processor time. record_sanitized.sh builds this file with each sanitizer.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifdef OWN_DEFAULTS
const char *__asan_default_options(void);

const char *__asan_default_options(void)
{
	return "exitcode=44";
}
#endif

static char *volatile leaked;

static void *work(void *unused)
{
	do
		for (int i = 0; i < 1000; i++) {
			char *volatile block = malloc(16 + i % 500);

			free(block);
		}
	while (clock() < CLOCKS_PER_SEC / 5);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t threads[4];

	for (int i = 0; i < 4; i++)
		if (pthread_create(&threads[i], NULL, work, NULL) != 0)
			return 1;
	for (int i = 0; i < 4; i++)
		if (pthread_join(threads[i], NULL) != 0)
			return 1;
	if (argc > 1 && strcmp(argv[1], "leak") == 0) {
		leaked = malloc(7);
		leaked = NULL;
	}
	return 0;
}
