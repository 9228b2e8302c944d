/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * code.cc - names of V8's code, for the capture (code.h).
 *
 * V8 calls on_code() on any of its threads, during compilation and collection,
 * so on_code() must neither call V8 nor wait.
 *
 * A lost name leaves an address without a name in every stack that contains it.
 * So the addon keeps events without space, up to kBytesMax, with their time,
 * and a separate thread (keeper()) records these events later.  The addon also
 * keeps existing code at the start of a recording that does not fit into a
 * ring.  Readers of the capture use times, so names may have any order.
 */
#include "code.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <deque>
#include <mutex>
#include <pthread.h>
#include <string>
#include <string_view>

namespace syscap_v8
{
namespace
{

using std::chrono::milliseconds;

constexpr size_t kBytesMax = 4 << 20; /* maximum size of kept events */
constexpr int64_t kPauseNs = 1000000; /* pause after a failed try */
constexpr milliseconds kWaitMin{ 1 };
constexpr milliseconds kWaitMax{ 100 };

struct Event {
	int64_t time;
	uintptr_t start;
	uintptr_t to; /* 0: new code at the address `start` */
	size_t len;
	std::string name;

	size_t bytes() const
	{
		return sizeof(*this) + name.size();
	}
};

/* Events not recorded yet.  Never freed, as the keeper may run at exit. */
struct Kept {
	std::mutex mutex;
	std::condition_variable filled;
	std::deque<Event> events;
	size_t n_bytes = 0;
	bool has_keeper = false;
};

Kept &kept = *new Kept;
std::atomic<const struct sn_functions *> told_by{ nullptr };
std::atomic<uint64_t> n_lost{ 0 };
std::atomic<int64_t> next_try{ 0 };
thread_local bool is_listing = false; /* V8 lists existing code */

bool tell(const struct sn_functions *functions, const Event &event)
{
	return event.to != 0
	               ? functions->code_move(event.time, event.start, event.to,
	                                      event.len) != 0
	               : functions->code_add(event.time, event.start, event.len,
	                                     event.name.c_str()) != 0;
}

bool take(Event *event)
{
	const std::lock_guard<std::mutex> lock(kept.mutex);

	if (kept.events.empty())
		return false;
	*event = std::move(kept.events.front());
	kept.events.pop_front();
	kept.n_bytes -= event->bytes();
	return true;
}

void put_back(Event &&event)
{
	const std::lock_guard<std::mutex> lock(kept.mutex);

	kept.n_bytes += event.bytes();
	kept.events.push_front(std::move(event));
}

/* Runs in the thread that may wait. */
void *keeper(void *)
{
	milliseconds wait = kWaitMin;

	pthread_setname_np(pthread_self(), "syscap-names");
	for (;;) {
		std::unique_lock<std::mutex> lock(kept.mutex);

		kept.filled.wait(lock, [] { return !kept.events.empty(); });
		lock.unlock();
		if (tell_kept()) {
			wait = kWaitMin;
			continue;
		}
		lock.lock();
		kept.filled.wait_for(lock, wait);
		wait = std::min(2 * wait, kWaitMax);
	}
	return nullptr;
}

/* Blocks signals, which are for the program's threads.  If the thread cannot be
 * made, kept events are recorded at the end. */
bool start_keeper()
{
	pthread_attr_t attributes;
	sigset_t all, before;
	pthread_t thread;

	if (pthread_attr_init(&attributes) != 0)
		return false;
	pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	const int error = pthread_create(&thread, &attributes, keeper, nullptr);
	pthread_sigmask(SIG_SETMASK, &before, nullptr);
	pthread_attr_destroy(&attributes);
	return error == 0;
}

void keep(Event &&event)
{
	bool is_first;

	{
		const std::lock_guard<std::mutex> lock(kept.mutex);

		if (kept.n_bytes + event.bytes() > kBytesMax) {
			n_lost++;
			return;
		}
		is_first = kept.events.empty();
		kept.n_bytes += event.bytes();
		kept.events.push_back(std::move(event));
		if (!kept.has_keeper)
			kept.has_keeper = start_keeper();
	}
	if (is_first)
		kept.filled.notify_one();
}

/*
 * Converts "LazyCompile:*paint /srv/app.js:10:14" to "paint
 * (/srv/app.js:10:14)", since a function's name must not change with its
 * compiler.  Code that is not a JavaScript function keeps V8's name.
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

void on_code(const v8::JitCodeEvent *code)
{
	const struct sn_functions *const functions = told_by.load();
	Event event = {};

	if (functions == nullptr || !functions->is_active())
		return;
	event.time = functions->clock();
	event.start = reinterpret_cast<uintptr_t>(code->code_start);
	event.len = code->code_len;
	if (code->type == v8::JitCodeEvent::CODE_ADDED)
		event.name = name_of(
			std::string_view(code->name.str, code->name.len));
	else if (code->type == v8::JitCodeEvent::CODE_MOVED)
		event.to = reinterpret_cast<uintptr_t>(code->new_code_start);
	else
		return;
	if (!is_listing && event.time >= next_try.load()) {
		if (tell(functions, event))
			return;
		next_try.store(event.time + kPauseNs);
	}
	keep(std::move(event));
}

} // namespace

bool tell_kept()
{
	const struct sn_functions *const functions = told_by.load();
	Event event;

	while (functions != nullptr && take(&event)) {
		if (!tell(functions, event)) {
			put_back(std::move(event));
			return false;
		}
	}
	return true;
}

void tell_code(v8::Isolate *isolate, const struct sn_functions *functions)
{
	told_by.store(functions);
	is_listing = true;
	isolate->SetJitCodeEventHandler(v8::kJitCodeEventEnumExisting, on_code);
	is_listing = false;
}

void forget_code(v8::Isolate *isolate)
{
	isolate->SetJitCodeEventHandler(v8::kJitCodeEventDefault, nullptr);
}

uint64_t n_code_lost()
{
	const std::lock_guard<std::mutex> lock(kept.mutex);

	return n_lost.load() + kept.events.size();
}

} // namespace syscap_v8
