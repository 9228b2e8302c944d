/* SPDX-License-Identifier: BSD-2-Clause */
/* 03_log.c - logs, metadata, and the state of recording with its reason. */
#include <stdio.h>

#include <syscap.h>

int main(void)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	SYSCAP_METADATA("example.version", "1.0");
	SYSCAP_LOG(SYSCAP_MESSAGE, "example", "a line of text");
	SYSCAP_LOG_PRINTF(SYSCAP_DEBUG, "example", "%d lines", 2);

	syscap_get_stats(&stats);
	printf("recording is %s: %s\n", stats.is_active ? "on" : "off",
	       stats.reason);
	return 0;
}
