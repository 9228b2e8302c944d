/* SPDX-License-Identifier: BSD-2-Clause */
/* app.c - the smallest program that uses syscap; also compiled as C++11. */
#include <stdio.h>

#include <syscap.h>

SYSCAP_COUNTER(runs, "consumer", "runs", "Number of runs", SYSCAP_INT64);

int main(void)
{
	SYSCAP_SCOPE("consumer", "main");

	SYSCAP_INSTANT("consumer", "started", "hello");
	SYSCAP_COUNTER_SET(runs, 1);
	SYSCAP_LOG(SYSCAP_INFO, "consumer", "running");
	puts(syscap_is_active() ? "recorded" : "off");
	return 0;
}
