/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * syscap.hpp - <syscap.h> for C++: scopes, counters and logs as C++ has them.
 *
 *	#include <syscap.hpp>
 *
 *	static syscap::counter<int> frames("demo", "frames", "Frames drawn");
 *
 *	void draw(const std::string &what)
 *	{
 *		SYSCAP_SCOPE_AS(scope, "demo", "draw");
 *		...
 *		frames.set(++n);
 *		syscap::log(syscap::severity::debug, "demo", what);
 *		scope.end(what);
 *	}
 *
 * What <syscap.h> has works from C++ as it is: SYSCAP_SCOPE, SYSCAP_INSTANT,
 * SYSCAP_COUNTER_SET, SYSCAP_LOG_PRINTF...  Here is what C++ adds: scopes that
 * are objects, texts of every string class, counters with a type.
 *
 * Header only; C++11 and later; without exceptions and RTTI too.  Nothing
 * here throws, allocates or locks, but for <syscap/session.hpp>.  While
 * nothing is recorded each call is one load and one branch not taken, inline.
 * Functions have their arguments evaluated even then, macros have not.
 *
 * Nothing of this is a symbol that libraries share: each copy of the library
 * in a process is used by the code that was linked with it.
 */
#ifndef SYSCAP_HPP
#define SYSCAP_HPP

#include <syscap.h>
#include <syscap/counter.hpp>
#include <syscap/event.hpp>
#include <syscap/scope.hpp>
#include <syscap/session.hpp>
#include <syscap/site.hpp>
#include <syscap/text.hpp>

#endif
