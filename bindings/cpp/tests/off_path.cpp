/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * off_path.cpp - functions of one event each, whose machine code off_path.sh
 * examines.  This file is never linked.
 */
#include <syscap.hpp>

static syscap::counter<long> counter("test", "counter");
static const syscap::site site = { "test", "site" };

extern "C" {
void off_instant();
void off_mark(long begin, long duration);
void off_counter(long value);
void off_update(long value);
void off_log();
void off_metadata();
int off_scope(int a);
int off_object(int a);
int off_function(int a);
}

void off_instant()
{
	syscap::instant(site);
}

void off_mark(long begin, long duration)
{
	syscap::mark(site, begin, duration, "text");
}

void off_counter(long value)
{
	counter.set(value);
}

void off_update(long value)
{
	counter.update(value);
}

void off_log()
{
	syscap::log(syscap::severity::debug, "test", "text");
}

void off_metadata()
{
	syscap::metadata("test", "text");
}

int off_scope(int a)
{
	SYSCAP_SCOPE("test", "scope");
	__asm__ volatile("" ::: "memory"); /* work that may use memory */
	return a + 1;
}

int off_object(int a)
{
	SYSCAP_SCOPE_AS(scope, "test", "scope");
	__asm__ volatile("" ::: "memory");
	return a + 1;
}

int off_function(int a)
{
	SYSCAP_SCOPE_FUNCTION("test");
	__asm__ volatile("" ::: "memory");
	return a + 1;
}
