/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unused.c - a program that is not recorded, with a copy of the library
 * (WITH_COPY), which prints the number of its private pages.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#ifdef WITH_COPY
#include <syscap.h>
#endif

/* Number of changed pages of the program's file, and of pages of its bss, the
 * mapping after the file. */
static unsigned long own_pages(void)
{
	const unsigned long kib = (unsigned long)sysconf(_SC_PAGESIZE) / 1024;
	unsigned long low, high, end = 0, n, sum = 0;
	char line[4096], name[4096];
	bool is_program = false;
	FILE *const smaps = fopen("/proc/self/smaps", "r");
	const ssize_t len = readlink("/proc/self/exe", name, sizeof(name) - 1);

	if (smaps == NULL || len <= 0)
		return 0;
	name[len] = '\0';
	while (fgets(line, sizeof(line), smaps) != NULL) {
		if (sscanf(line, "%lx-%lx ", &low, &high) == 2) {
			is_program = strstr(line, name) != NULL ||
			             (low == end && strchr(line, '/') == NULL &&
			              strchr(line, '[') == NULL);
			if (is_program)
				end = high;
		} else if (is_program &&
		           sscanf(line, "Anonymous: %lu", &n) == 1) {
			sum += n / kib;
		}
	}
	fclose(smaps);
	return sum;
}

int main(int argc, char **argv)
{
	(void)argv;
#ifdef WITH_COPY
	SYSCAP_INSTANT("test", "good", "0");
#endif
	if (argc > 1)
		printf("%lu\n", own_pages());
	return 0;
}
