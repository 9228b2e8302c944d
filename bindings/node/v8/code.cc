/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * code.cc - names of the code that V8 makes, for the capture (code.h).
 *
 * V8 calls on_code() on any of its threads, in the middle of compiling and
 * collecting: nothing of V8 may be called there.
 *
 * A name that is lost leaves an address bare in every stack that has it, and
 * the code that is there already comes in one burst, of more than a ring may
 * hold.  So where the library dropped an event, it is told again, after a
 * moment in which the ring is emptied.
 */
#include "code.h"

#include <atomic>
#include <cstring>
#include <ctime>
#include <string>
#include <string_view>

namespace syscap_v8
{
namespace
{

constexpr int kTries = 40; /* of a millisecond each */

std::atomic<const struct sn_functions *> told_by{ nullptr };
std::atomic<uint64_t> n_lost{ 0 };
std::atomic<uint64_t> dropped_so_far{ 0 };

void wait_a_moment()
{
	const struct timespec moment = { 0, 1000000 };

	nanosleep(&moment, nullptr);
}

template <typename Tell>
void tell(const struct sn_functions *functions, Tell event)
{
	uint64_t dropped;

	for (int i = 0; i < kTries; i++) {
		event();
		/* Another thread's loss makes us say it twice: no harm */
		if (!functions->state(&dropped) ||
		    dropped_so_far.exchange(dropped) == dropped)
			return;
		wait_a_moment();
	}
	n_lost++;
}

/*
 * "LazyCompile:*paint /srv/app.js:10:14" as "paint (/srv/app.js:10:14)": what
 * a function is compiled by changes, and it stays the same function.  What is
 * no JavaScript function stays as V8 calls it.
 */
std::string name_of(std::string_view text)
{
	const size_t colon = text.find(':');
	const std::string_view kind = text.substr(0, colon);

	if (colon == std::string_view::npos ||
	    (kind != "JS" && kind != "LazyCompile" && kind != "Function" &&
	     kind != "Script" && kind != "Eval"))
		return std::string(text);
	text.remove_prefix(colon + 1);
	while (!text.empty() && std::strchr("~^+*'", text.front()) != nullptr)
		text.remove_prefix(1);
	const size_t space = text.find(' ');
	if (space == std::string_view::npos)
		return text.empty() ? "(anonymous)" : std::string(text);
	const std::string_view function =
		space == 0 ? "(anonymous)" : text.substr(0, space);
	return std::string(function)
	        .append(" (")
	        .append(text.substr(space + 1))
	        .append(")");
}

void on_code(const v8::JitCodeEvent *event)
{
	const struct sn_functions *const functions = told_by.load();
	const uintptr_t start = reinterpret_cast<uintptr_t>(event->code_start);

	if (functions == nullptr)
		return;
	if (event->type == v8::JitCodeEvent::CODE_ADDED) {
		const std::string name = name_of(
			std::string_view(event->name.str, event->name.len));

		tell(functions, [&] {
			functions->code_add(start, event->code_len,
			                    name.c_str());
		});
	} else if (event->type == v8::JitCodeEvent::CODE_MOVED) {
		const uintptr_t to =
			reinterpret_cast<uintptr_t>(event->new_code_start);

		tell(functions,
		     [&] { functions->code_move(start, to, event->code_len); });
	}
}

} // namespace

void tell_code(v8::Isolate *isolate, const struct sn_functions *functions)
{
	uint64_t dropped;

	functions->state(&dropped);
	dropped_so_far.store(dropped);
	told_by.store(functions);
	isolate->SetJitCodeEventHandler(v8::kJitCodeEventEnumExisting, on_code);
}

void forget_code(v8::Isolate *isolate)
{
	isolate->SetJitCodeEventHandler(v8::kJitCodeEventDefault, nullptr);
}

uint64_t n_code_lost()
{
	return n_lost.load();
}

} // namespace syscap_v8
