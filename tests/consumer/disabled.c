/* SPDX-License-Identifier: BSD-2-Clause */
/* disabled.c - every macro, compiled with SYSCAP_DISABLE and linked without the
 * library; also compiled as C++11. */
#include <stdio.h>

#include <syscap.h>

SYSCAP_COUNTER(runs, "consumer", "runs", "Number of runs", SYSCAP_INT64);

static int n_evaluated;

static int64_t evaluate(int64_t value)
{
	n_evaluated++;
	return value;
}

static const char *text(void)
{
	n_evaluated++;
	return "text";
}

static int addresses(uint64_t *addrs, unsigned n, void *user)
{
	(void)addrs;
	(void)n;
	(void)user;
	n_evaluated++;
	return 0;
}

static void scopes(void)
{
	SYSCAP_SCOPE("consumer", "scope");
	SYSCAP_SCOPE_MESSAGE("consumer", "message", text());
	SYSCAP_INSTANT("consumer", "instant", text());
}

int main(void)
{
	const int64_t begin = syscap_begin();

	scopes();
	SYSCAP_MARK("consumer", "mark", evaluate(1), evaluate(2), text());
	SYSCAP_MARK_SINCE("consumer", "since", begin, text());
	SYSCAP_MARK_PRINTF("consumer", "printf", begin, evaluate(1), "%s",
	                   text());
	SYSCAP_COUNTER_SET(runs, evaluate(1));
	SYSCAP_COUNTER_UPDATE(runs, evaluate(1));
	SYSCAP_LOG(SYSCAP_INFO, "consumer", text());
	SYSCAP_LOG_PRINTF(SYSCAP_INFO, "consumer", "%s", text());
	SYSCAP_METADATA("id", text());
	SYSCAP_ALLOCATION((uint64_t)evaluate(1), evaluate(2), addresses, NULL);
	SYSCAP_SAMPLE(addresses, NULL);
	SYSCAP_ASYNC("consumer", "async", 1, evaluate(1), 2, text());
	SYSCAP_ASYNC_SINCE("consumer", "since", 1, begin, text());
	SYSCAP_ASYNC_BEGIN("consumer", "begin", 1, text());
	SYSCAP_ASYNC_STEP("consumer", "step", 1, text());
	SYSCAP_ASYNC_END("consumer", "end", 1, text());
	SYSCAP_FLOW_OUT("consumer", "out", 1, text());
	SYSCAP_FLOW_IN("consumer", "in", 1, text());
	puts(syscap_is_active() || syscap_clock() != 0 || begin != 0 ||
	                     n_evaluated != 0
	             ? "enabled"
	             : "disabled");
	return 0;
}
