/* SPDX-License-Identifier: BSD-2-Clause */
/* unsampled.c - whether samples are asked for and nobody takes any. */
#define _GNU_SOURCE
#include "emit/unsampled.h"

#include <stddef.h>

#include "os/diag.h"
#include "os/env.h"
#include "share/claim.h"
#include "share/notes.h"
#include "share/sampler_note.h"

static bool is_unsampled;

static bool stop_at_first(const struct dl_phdr_info *object, uintptr_t at,
                          int32_t version, void *nothing)
{
	(void)object;
	(void)at;
	(void)version;
	(void)nothing;
	return true;
}

/* The notes of all loaded objects are asked: a sampler of another object will
 * do, and our own may not have begun yet. */
void syc_unsampled_look(void)
{
	if (syc_env_get(SYC_ENV_SAMPLE) == NULL ||
	    syc_notes_each(SYC_SAMPLER_NOTE_TYPE, stop_at_first, NULL))
		return;
	is_unsampled = true;
	syc_diag_say("sampling is off",
	             "SYSCAP_SAMPLE is set, but no sampler is linked");
}

/* A library that came later may have brought a sampler, to this process or to
 * the one that forked it. */
bool syc_unsampled_is(void)
{
	return is_unsampled && !syc_claim_is_taken(SYC_CLAIM_SAMPLER);
}
