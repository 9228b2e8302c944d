/* SPDX-License-Identifier: BSD-2-Clause */
/* soak_throw.cc - exceptions through frames with cleanups. */
#include <stdexcept>
#include <string>

extern "C" void soak_throw(void);

namespace
{
__attribute__((noinline)) void dive(int depth)
{
	std::string kept(static_cast<std::size_t>(depth) + 1, 'x');

	if (depth == 0)
		throw std::runtime_error("bottom");
	dive(depth - 1);
	kept[0] = 'y';
}
}

void soak_throw(void)
{
	for (int i = 0; i < 20; i++) {
		try {
			dive(30);
		} catch (const std::runtime_error &) {
		}
	}
}
