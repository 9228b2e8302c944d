/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * linked_early.c - events before main() and before the library's constructor: in
 * an IFUNC resolver, in .preinit_array, in constructors.
 */
#include <stdint.h>

#include <syscap.h>

SYSCAP_COUNTER(counter, "early", "counter", "", SYSCAP_INT64);

static int resolved(void)
{
	return 0;
}

static void emit_all_kinds(void)
{
	const int64_t begin = syscap_begin();

	SYSCAP_INSTANT("early", "ifunc", NULL);
	SYSCAP_MARK_SINCE("early", "ifunc", begin, NULL);
	SYSCAP_SCOPE("early", "ifunc");
	syscap_mark("early", "ifunc", 1, 2, "message");
	syscap_mark_printf("early", "ifunc", 1, 2, "%d", 3);
	SYSCAP_ASYNC_BEGIN("early", "ifunc", 1, NULL);
	SYSCAP_COUNTER_SET(counter, 1);
	SYSCAP_COUNTER_UPDATE(counter, 2);
	SYSCAP_LOG(SYSCAP_INFO, "early", "ifunc");
	SYSCAP_METADATA("early", "ifunc");
}

/* A static program runs its resolver before thread-local storage exists. */
static int (*resolve(void))(void)
{
	emit_all_kinds();
	return resolved;
}

int chosen(void) __attribute__((ifunc("resolve")));

static void before_constructors(void)
{
	SYSCAP_INSTANT("early", "preinit", NULL);
}

__attribute__((section(".preinit_array"),
               used)) static void (*const preinit)(void) = before_constructors;

__attribute__((constructor(101))) static void first_of_program(void)
{
	SYSCAP_INSTANT("early", "constructor", NULL);
}

/* The constructor of linked_early_library.c calls this function. */
void early_from_library(void);
void early_from_library(void)
{
	SYSCAP_INSTANT("early", "library", NULL);
}

int main(void)
{
	SYSCAP_INSTANT("early", "main", NULL);
	return chosen();
}
