/* SPDX-License-Identifier: BSD-2-Clause */
/* at_load.c - what the environment asks of the sampler, when it is loaded. */
#include "sample/at_load.h"

#include <errno.h>
#include <stddef.h>

#include <syscap/sampler.h>

#include "os/diag.h"
#include "os/env.h"
#include "sample/asked.h"
#include "sample/sampler.h"
#include "sample/toggle.h"
#include "sample/yield.h"
#include "share/sampler_note.h"

SYC_SAMPLER_NOTE;

void syc_sampler_at_load(void)
{
	const char *const sample = syc_env_get(SYC_ENV_SAMPLE);
	const char *const toggle = syc_env_get(SYC_ENV_TOGGLE_SIGNAL);
	const char *const thread = syc_env_get(SYC_ENV_THREAD);
	struct syscap_sampler_options options = { .size = sizeof(options) };
	const char *why = NULL;

	/* children of who calls syscap_sampler_start() are looked after too */
	syc_sampler_watch_forks();
	if (sample == NULL && toggle == NULL)
		return;
	if (thread != NULL && thread[0] == '0' && thread[1] == '\0')
		why = "SYSCAP_THREAD=0 wants no thread of ours, sampling "
		      "needs one";
	else if (sample != NULL)
		why = syc_asked_parse(sample, &options);
	if (why == NULL && toggle != NULL)
		why = syc_toggle_install(syc_asked_parse_signal(toggle),
		                         &options);
	else if (why == NULL && /* it says itself why not */
	         syc_sampler_begin(&options, true) == -EALREADY &&
	         syc_yield_ask())
		syc_sampler_begin(&options, true);
	if (why != NULL)
		syc_diag_say("sampling is off", why);
}
