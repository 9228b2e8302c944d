/* SPDX-License-Identifier: BSD-2-Clause */
/* logs.c - whether what the program says is recorded, and by whom already. */
#define _GNU_SOURCE
#include "preload/logs.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <syscap.h>

#include "emit/setup.h"
#include "os/env.h"
#include "os/seccomp_state.h"
#include "preload/other_libc.h"

uint32_t syc_logs_role;

static _Thread_local volatile int n_told
	__attribute__((tls_model("initial-exec")));

void syc_logs_decide(void)
{
	/* Nor does the C library know its environment yet */
	if (environ == NULL)
		return;
	const char *const text = syc_env_get(SYC_ENV_LOGS);
	const int saved = errno;
	bool is_wanted = false;

	/* What this calls is not looked at */
	__atomic_store_n(&syc_logs_role, SYC_LOGS_OFF, __ATOMIC_RELAXED);
	if (text != NULL && syc_other_libc_is())
		syc_diag_say("the logs role is off",
		             "the C library is not glibc");
	else if (text != NULL && strcmp(text, "1") != 0)
		syc_diag_say("the logs role is off", "SYSCAP_LOGS wants 1");
	else
		is_wanted = text != NULL;
	if (is_wanted) {
		syc_setup_run();
		__atomic_store_n(&syc_logs_role, SYC_LOGS_ON, __ATOMIC_RELAXED);
	}
	errno = saved;
}

bool syc_logs_is_on(void)
{
	return syc_logs_are_wanted() && !syc_seccomp_is_closed() &&
	       syscap_is_active();
}

void syc_logs_begin_told(void)
{
	n_told++;
}

void syc_logs_end_told(void)
{
	n_told--;
}

bool syc_logs_is_told(void)
{
	return n_told > 0;
}
