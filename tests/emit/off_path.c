/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * off_path.c - one event each; off_path.sh examines their machine code.  Never
 * linked.
 */
#include <syscap.h>

void off_instant(void);
void off_mark(long begin, long duration);
void off_counter(long value);
void off_update(long value);
void off_log(const char *text);
void off_metadata(const char *value);
int off_scope(int a);

SYSCAP_COUNTER(counter, "test", "counter", "", SYSCAP_INT64);

void off_instant(void)
{
	SYSCAP_INSTANT("test", "instant", NULL);
}

void off_mark(long begin, long duration)
{
	SYSCAP_MARK("test", "mark", begin, duration, NULL);
}

void off_counter(long value)
{
	SYSCAP_COUNTER_SET(counter, value);
}

void off_update(long value)
{
	SYSCAP_COUNTER_UPDATE(counter, value);
}

void off_log(const char *text)
{
	SYSCAP_LOG(SYSCAP_DEBUG, "test", text);
}

void off_metadata(const char *value)
{
	SYSCAP_METADATA("test", value);
}

int off_scope(int a)
{
	SYSCAP_SCOPE("test", "scope");
	__asm__ volatile("" ::: "memory"); /* work that may use memory */
	return a + 1;
}
