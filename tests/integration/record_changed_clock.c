/* SPDX-License-Identifier: BSD-2-Clause */
/* record_changed_clock.c - a program that emits for a while, allocates, blocks
 * and ends. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <syscap.h>

static int64_t read_cpu(void)
{
	struct timespec time;

	syscall(SYS_clock_gettime, CLOCK_PROCESS_CPUTIME_ID, &time);
	return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
}

int main(void)
{
	const int64_t begin = read_cpu();

	while (read_cpu() - begin < 200000000) {
		SYSCAP_INSTANT("changed", "clock", NULL);
		void *volatile block = malloc(100);
		free(block);
		for (volatile int i = 0; i < 1000000; i++)
			;
	}
	usleep(20000);
	return 0;
}
