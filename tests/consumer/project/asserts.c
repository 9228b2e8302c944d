/* SPDX-License-Identifier: BSD-2-Clause */
/* asserts.c - a program that exits with 3 if syscap.h has not changed
 * assert(). */
#include <assert.h>
#include <signal.h>
#include <stdlib.h>

#include <syscap.h>

static void on_abort(int signal)
{
	(void)signal;
	_Exit(3);
}

int main(void)
{
	signal(SIGABRT, on_abort);
	assert(syscap_is_active() == 2);
	return 0;
}
