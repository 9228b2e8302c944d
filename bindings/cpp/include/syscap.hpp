/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * syscap.hpp - <syscap.h> for C++: scopes, counters and logs in C++ style.
 *
 *	#include <syscap.hpp>
 *
 *	static syscap::counter<int> frames("demo", "frames", "Frames drawn");
 *
 *	void draw(const std::string &what)
 *	{
 *		SYSCAP_SCOPE_AS(scope, "demo", "draw");
 *		...
 *		frames.add();
 *		syscap::log(syscap::severity::debug, "demo", what);
 *		scope.end(what);
 *	}
 *
 * C++ may use all of <syscap.h>: SYSCAP_SCOPE, SYSCAP_INSTANT,
 * SYSCAP_COUNTER_SET, SYSCAP_LOG_PRINTF...  This header adds scopes and
 * operations that are objects, texts of every string class, and counters with a
 * type.
 *
 * The headers need C++11, and work without exceptions and RTTI.  No function
 * throws, allocates or locks, except those of <syscap/session.hpp>.  Without a
 * recording, each call is one inline load and one branch.  A function's
 * arguments are always evaluated, a macro's only during a recording.
 *
 * Libraries share no symbol of these headers, so code always uses the copy of
 * the library with which it was linked.
 */
#ifndef SYSCAP_HPP
#define SYSCAP_HPP

#include <syscap.h>
#include <syscap/counter.hpp>
#include <syscap/event.hpp>
#include <syscap/operation.hpp>
#include <syscap/scope.hpp>
#include <syscap/session.hpp>
#include <syscap/site.hpp>
#include <syscap/text.hpp>

#endif
