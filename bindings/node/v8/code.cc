/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * code.cc - names of the code that V8 makes, for the capture (code.h).
 *
 * V8 calls on_code() on any of its threads, in the middle of compiling and
 * collecting: nothing of V8 may be called there, and nobody may wait there.
 *
 * A name that is lost leaves an address bare in every stack that has it.  So
 * what finds no room is kept, up to kBytesMax, with its time, and told later
 * by a thread of our own (keeper()).  So is the code that is there already when
 * recording begins, a burst of more than a ring may hold.  Who reads the
 * capture goes by times, so the order in which names arrive does not matter.
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

constexpr size_t kBytesMax = 4 << 20; /* of events that are kept */
constexpr int64_t kPauseNs = 1000000; /* without a try, after one failed */
constexpr milliseconds kWaitMin{ 1 };
constexpr milliseconds kWaitMax{ 100 };

struct Event {
	int64_t time;
	uintptr_t start;
	uintptr_t to; /* 0: it is new at start */
	size_t len;
	std::string name;

	size_t bytes() const
	{
		return sizeof(*this) + name.size();
	}
};

/* What could not be told yet.  Never freed: the keeper may run at exit. */
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
thread_local bool is_listing = false; /* V8 tells what there is already */

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

/* A thread of ours, which may wait. */
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

/* Signals are for the program's threads.  Where there is no thread, what is
 * kept is told at the end. */
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
