/* SPDX-License-Identifier: BSD-2-Clause */
/* uses.h - shared parts of the two units of the test program. */
#ifndef SYC_TEST_USES_H
#define SYC_TEST_USES_H

#ifdef __cplusplus

#include <syscap.hpp>

/** The same inline function, with its sites, in both units. */
inline void in_both()
{
	SYSCAP_SCOPE("uses", "both units");
	SYSCAP_SCOPE_AS(scope, "uses", "both units, as");
}

void more();

#endif
#endif
