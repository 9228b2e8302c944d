/* SPDX-License-Identifier: BSD-2-Clause */
/* 05_async.c - overlapping operations, each with an arrow to the next
 * thread. */
#define _GNU_SOURCE
#include <pthread.h>
#include <unistd.h>

#include <syscap.h>

#define N_REQUESTS 3

static void *answer(void *unused)
{
	for (uint64_t id = 1; id <= N_REQUESTS; id++) {
		usleep(1000);
		SYSCAP_FLOW_IN("example", "take", id, NULL);
		SYSCAP_ASYNC_STEP("example", "first byte", id, NULL);
		usleep(1000);
		SYSCAP_ASYNC_END("example", "request", id, "200");
	}
	return unused;
}

int main(void)
{
	const int64_t begin = syscap_begin();
	pthread_t thread;

	/* All requests are under way at the same time. */
	for (uint64_t id = 1; id <= N_REQUESTS; id++) {
		SYSCAP_ASYNC_BEGIN("example", "request", id, "GET /");
		SYSCAP_FLOW_OUT("example", "give", id, NULL);
	}
	if (pthread_create(&thread, NULL, answer, NULL) != 0)
		return 1;
	pthread_join(thread, NULL);

	/* One mark is enough if the code at the end has the beginning's time.
	 */
	SYSCAP_ASYNC_SINCE("example", "all", N_REQUESTS + 1, begin, NULL);
	return 0;
}
