/* SPDX-License-Identifier: BSD-2-Clause */
/* machine_capture.c - a program with a known number of events of each kind, for
 * machine.sh. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap.h>
#include <syscap/runtime.h>

SYSCAP_COUNTER(whole, "app", "whole", "", SYSCAP_INT64);
SYSCAP_COUNTER(half, "app", "half", "", SYSCAP_DOUBLE);

static uint64_t name;

static int stack(uint64_t *addrs, unsigned n, void *user)
{
	(void)n;
	(void)user;
	addrs[0] = 0x401000;
	addrs[1] = name;
	return 2;
}

static void *mark(void *arg)
{
	for (int i = 0; i < 1000; i++)
		syscap_mark("thread", "step", 0x0102030405060708, 0x1112, "m");
	return arg;
}

int main(void)
{
	pthread_t threads[2];

	name = syscap_jit_intern("a name", 6);
	for (int i = 0; i < 100; i++) {
		syscap_counter_set_int64(&whole, 42);
		syscap_counter_set_double(&half, 2.5);
		syscap_log(16, "domain", "text");
		syscap_sample(stack, NULL);
		syscap_allocation(0x1000, 7, stack, NULL);
	}
	syscap_metadata("key", "value");
	syscap_file("/file", "content", 7);
	for (int i = 0; i < 2; i++)
		if (pthread_create(&threads[i], NULL, mark, NULL) != 0)
			abort();
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	if (fork() == 0) {
		mark(NULL);
		_exit(0);
	}
	wait(NULL);
	return 0;
}
