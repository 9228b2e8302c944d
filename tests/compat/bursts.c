/* SPDX-License-Identifier: BSD-2-Clause */
/* bursts.c - events faster than sysprof-cli reads rings: 20 threads that end
 * after 300 marks, and 20,000 marks before exit. */
#include <pthread.h>

#include <syscap.h>

static void burst(int n)
{
	for (int i = 0; i < n; i++)
		SYSCAP_INSTANT("burst", "mark", "a message");
}

static void *run(void *unused)
{
	burst(300);
	return unused;
}

int main(void)
{
	pthread_t threads[20];

	for (int i = 0; i < 20; i++)
		if (pthread_create(&threads[i], NULL, run, NULL) != 0)
			return 1;
	for (int i = 0; i < 20; i++)
		pthread_join(threads[i], NULL);
	burst(20000);
	return 0;
}
