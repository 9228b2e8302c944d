/* SPDX-License-Identifier: BSD-2-Clause */
/* uses_more.cpp - the second unit of the test program. */
#include "uses.h"

namespace
{

syscap::counter<long long> big("uses", "big");

struct member {
	void call()
	{
		SYSCAP_SCOPE_FUNCTION("uses function");
	}
	syscap::scope lives;
};

} // namespace

void more()
{
	static const syscap::site site = { "uses", "member" };

	in_both();
	big.set(1LL << 40);
	member m{ syscap::scope(site) };
	m.call();
}
