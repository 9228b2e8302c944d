/* SPDX-License-Identifier: BSD-2-Clause */
/* uses.h - what the two units of the test program share. */
#ifndef SYC_TEST_USES_H
#define SYC_TEST_USES_H

#ifdef __cplusplus

#include <syscap.hpp>

/** The same function, with its places, in both units. */
inline void in_both()
{
	SYSCAP_SCOPE("uses", "both units");
	SYSCAP_SCOPE_AS(scope, "uses", "both units, as");
}

void more();

#endif
#endif
