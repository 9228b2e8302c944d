/* SPDX-License-Identifier: BSD-2-Clause */
/* unsampled.c - whether samples are asked for and nobody takes any. */
#define _GNU_SOURCE
#include "client/unsampled.h"

#include <stddef.h>

#include "base/diag.h"
#include "base/env.h"
#include "copies/claim.h"
#include "copies/notes.h"
#include "copies/sampler_note.h"

static bool is_unsampled;

static bool is_enough(const struct dl_phdr_info *object, uintptr_t at,
                      int32_t version, void *nothing)
{
	(void)object;
	(void)at;
	(void)version;
	(void)nothing;
	return true;
}

/* By the notes of what is loaded: a sampler of another object will do, and
 * our own may not have been at work yet. */
void sc_unsampled_look(void)
{
	if (sc_env_get(SC_ENV_SAMPLE) == NULL ||
	    sc_notes_each(SC_SAMPLER_NOTE_TYPE, is_enough, NULL))
		return;
	is_unsampled = true;
	sc_diag_say("sampling is off",
	            "SYSCAP_SAMPLE is set, but no sampler is linked");
}

/* A library that came later may have brought a sampler, to this process or to
 * the one that forked it. */
bool sc_unsampled_is(void)
{
	return is_unsampled && !sc_claim_is_taken(SC_CLAIM_SAMPLER);
}
