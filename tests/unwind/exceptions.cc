/* SPDX-License-Identifier: BSD-2-Clause */
/* exceptions.cc - exceptions that pass through frames with destructors. */
#include "unwind/exceptions.h"

#include <cstring>
#include <stdexcept>

namespace
{
struct guard {
	void (*on_frame)(void);
	~guard()
	{
		on_frame();
	}
};
}

static volatile int sink;

__attribute__((noinline)) static void thrower(int depth, void (*on_frame)(void))
{
	volatile char bytes[200];

	for (unsigned i = 0; i < sizeof(bytes); i += 50)
		bytes[i] = static_cast<char>(depth);
	if (depth == 0)
		throw std::runtime_error("so");
	const guard each = { on_frame };
	thrower(depth - 1, on_frame);
	sink = sink + bytes[50];
}

__attribute__((noinline)) static void rethrower(int depth,
                                                void (*on_frame)(void))
{
	try {
		thrower(depth, on_frame);
	} catch (...) {
		on_frame();
		throw;
	}
	sink = sink + 1;
}

extern "C" __attribute__((noinline)) void
exceptions_throw(int depth, void (*on_frame)(void))
{
	try {
		thrower(depth, on_frame);
	} catch (const std::exception &) {
		on_frame();
	}
	sink = sink + 1;
}

extern "C" __attribute__((noinline)) void
exceptions_rethrow(int depth, void (*on_frame)(void))
{
	try {
		rethrower(depth, on_frame);
	} catch (const std::exception &) {
		on_frame();
	}
	sink = sink + 1;
}
