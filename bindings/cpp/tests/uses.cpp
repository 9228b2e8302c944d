/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * uses.cpp - every way to write an event in C++, compiled with each standard.
 * The program emits the events that uses_test.py expects.  The second unit is
 * uses_more.cpp.
 */
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <ucontext.h>
#include <vector>

#include <syscap.hpp>

#if defined(__cpp_impl_coroutine)
#include <coroutine>
#endif

#if __cplusplus >= 201703L
#include <optional>
#include <string_view>
#endif

#include "uses.h"

SYSCAP_COUNTER(of_c, "uses", "of C", "Made by the macro", SYSCAP_DOUBLE);
static syscap::counter<int> of_cpp("uses", "of C++", "Made by the class");
static syscap::counter<double> real("uses", "real");

/* A static object's constructor may run before all other code */
static struct early {
	early()
	{
		of_cpp.set(1);
	}
} early;

/* A foreign class without c_str() */
struct view {
	const char *at;
	std::size_t n;

	const char *data() const
	{
		return at;
	}
	std::size_t size() const
	{
		return n;
	}
};

static int evaluated;

static int evaluate()
{
	return ++evaluated;
}

static std::string made(const char *text)
{
	return std::string(text) + " made";
}

template <class T> static T in_template(T value)
{
	SYSCAP_SCOPE("uses", "template");
	SYSCAP_COUNTER_SET(of_c, static_cast<double>(value) + 0.5);
	SYSCAP_SCOPE_FUNCTION("uses function");
	return value;
}

static void macros()
{
	SYSCAP_SCOPE_MESSAGE("uses", "scope", "whole");
	{
		SYSCAP_SCOPE("uses", "inner scope");
	}
	SYSCAP_INSTANT("uses", "temporary", made("a").c_str());
	SYSCAP_LOG(SYSCAP_INFO, "uses", (made("b") + "!").c_str());
	SYSCAP_MARK("uses", "mark", syscap_clock(), 5, nullptr);
	SYSCAP_MARK_PRINTF("uses", "printf", syscap_clock(), 6, "%d", 42);
	SYSCAP_LOG_PRINTF(SYSCAP_DEBUG, "uses", "%s", "printed");
	SYSCAP_METADATA("uses.fact", made("c").c_str());
	SYSCAP_FLOW_OUT("uses", "arrow", 7, nullptr);
	SYSCAP_FLOW_IN("uses", "arrow", 7, nullptr);
	SYSCAP_COUNTER_SET(of_cpp, evaluate());
	const auto lambda = [](int n) {
		SYSCAP_SCOPE("uses", "lambda");
		SYSCAP_SCOPE_FUNCTION("uses function");
		return n;
	};
	lambda(in_template(1) + static_cast<int>(in_template(2.0)));
	const std::int64_t begin = syscap_begin();
	SYSCAP_MARK_SINCE("uses", "since", begin, "then");
	if (syscap_is_active())
		SYSCAP_INSTANT("uses", "if", nullptr);
	else
		SYSCAP_INSTANT("uses", "else", nullptr);
}

static void thrower()
{
	SYSCAP_SCOPE("uses", "thrown through");
	SYSCAP_SCOPE_AS(scope, "uses", "object thrown through");
#if defined(__cpp_exceptions)
	throw 1;
#endif
}

static syscap::scope started()
{
	static const syscap::site site = { "uses", "moved" };

	return syscap::scope(site);
}

static void scopes()
{
	static const syscap::site site = { "uses", "object" };

	{
		syscap::scope scope(site, "to the end");
	}
	{
		syscap::scope scope(site);
		scope.end(made("d"));
		scope.end("never");
	}
	{
		syscap::scope scope(site);
		scope.cancel();
	}
	syscap::scope one = started();
	syscap::scope two(std::move(one));
	two.end("once");
	SYSCAP_SCOPE_AS(as, "uses", "as");
	as.end(view{ "viewed and more", 6 });
	{
		const std::string name = "named at run time";
		syscap::named_scope named(view{ "usesful", 4 }, name);
	}
	{
		/* 38 bytes, and a character of two bytes that does not fit */
		syscap::named_scope cut(
			"uses", made("0123456789012345678901234567890123456"
		                     "7\u00e9"));
		cut.end(std::string(2000, 'x'));
	}
	syscap::scope here(site);
	std::thread([&here] { here.end("on another thread"); }).join();
#if defined(__cpp_exceptions)
	try {
		thrower();
	} catch (int) {
	}
#else
	thrower();
#endif
}

static void functions()
{
	static const syscap::site site = { "uses", "function" };
	const std::string many(3000, 'y');

	syscap::instant(site);
	syscap::instant(site, made("e"));
	syscap::instant(site, view{ "view", 3 });
	syscap::instant(site, view{ many.data(), many.size() });
	syscap::mark(site, syscap::now(), 11, nullptr);
	syscap::mark_since(site, syscap::begin(), "since");
	syscap::mark_since(site, 0, "never");
	syscap::linked(site, syscap::link::begin, 9);
	syscap::linked(site, syscap::link::end, 9, view{ "done", 4 });
	syscap::operation_since(site, 10, syscap::begin(), made("f"));
	syscap::log(syscap::severity::warning, "uses", "plain");
	syscap::log(syscap::severity::warning, std::string("uses"), made("g"));
	syscap::log(syscap::severity::warning, view{ "uses it", 4 },
	            view{ "viewed", 4 });
	syscap::log(syscap::severity::warning, "uses",
	            view{ many.data(), many.size() });
	syscap::metadata("uses.function", made("h"));
	syscap::metadata("uses.view", view{ many.data(), many.size() });
	of_cpp.update(3);
	of_cpp.update(3);
	real.set(1.5);
	const std::string counter_name = "found";
	const syscap::named_counter<unsigned> found("uses", counter_name);
	const syscap::named_counter<unsigned> same("uses", "found");
	if (found && same) {
		found.set(17);
		same.set(18);
	}
	static syscap::counter<std::uint64_t> huge("uses", "huge");
	huge.set(UINT64_MAX);
	huge.set(17);
	huge.update(UINT64_MAX - 1);
	const syscap::named_counter<std::int64_t> whole("uses", "of two types");
	const syscap::named_counter<double> halves("uses", "of two types");
	whole.set(INT64_MIN);
	halves.set(0.5);
	syscap::mark(site, 1000, -7, "below zero");
#if __cplusplus >= 201703L
	syscap::instant(site, std::string_view("a view").substr(2));
	std::optional<syscap::scope> maybe;
	maybe.emplace(site, "optional");
	maybe.reset();
#endif
}

#if defined(__SANITIZE_THREAD__)
/* The sanitizer does not follow a stack to another thread. */
static void fibres()
{
	SYSCAP_OPERATION_AS(operation, "uses operation", "fibre");
	operation.step("began");
	std::thread([&operation] {
		operation.step("resumed", view{ "elsewhere and more", 9 });
		operation.end();
	}).join();
}
#else
/* Runs on a stack of its own, which two threads resume. */
static ucontext_t resumer, fibre;
static char fibre_stack[1 << 17];

static void in_fibre()
{
	SYSCAP_OPERATION_AS(operation, "uses operation", "fibre");
	operation.step("began");
	swapcontext(&fibre, &resumer);
	operation.step("resumed", view{ "elsewhere and more", 9 });
}

static void resume_fibre()
{
	swapcontext(&resumer, &fibre);
}

static void fibres()
{
	getcontext(&fibre);
	fibre.uc_stack.ss_sp = fibre_stack;
	fibre.uc_stack.ss_size = sizeof(fibre_stack);
	fibre.uc_link = &resumer;
	makecontext(&fibre, in_fibre, 0);
	resume_fibre();
	std::thread(resume_fibre).join();
}
#endif

#if defined(__cpp_impl_coroutine)
struct task {
	struct promise_type {
		task get_return_object()
		{
			return { std::coroutine_handle<
				promise_type>::from_promise(*this) };
		}
		std::suspend_never initial_suspend() noexcept
		{
			return {};
		}
		std::suspend_never final_suspend() noexcept
		{
			return {};
		}
		void return_void()
		{
		}
		void unhandled_exception()
		{
		}
	};
	std::coroutine_handle<promise_type> handle;
};

static task in_coroutine()
{
	SYSCAP_OPERATION_AS(operation, "uses operation", "coroutine");
	co_await std::suspend_always();
}

static void coroutines()
{
	const task first = in_coroutine();
	const task second = in_coroutine();

	std::thread([first] { first.handle.resume(); }).join();
	second.handle.destroy();
}
#else
static void coroutines()
{
	for (int i = 0; i < 2; i++) {
		SYSCAP_OPERATION_AS(operation, "uses operation", "coroutine");
	}
}
#endif

static void operations()
{
	static const syscap::site site = { "uses operation", "object" };

	syscap::operation first(site, "to the end");
	syscap::operation second(site);
	std::thread([](syscap::operation &&moved) { moved.end(made("moved")); },
	            std::move(first))
		.join();
	first.end("never");
	second.cancel();
	second = syscap::operation(site, "assigned");
	if (second.id() != second.id())
		std::abort();
	syscap::operation cancelled(site, "with a step");
	cancelled.step(std::string(50, 's'));
	cancelled.cancel();
	cancelled.step("never");
	fibres();
	coroutines();
}

static void sums()
{
	static syscap::counter<int> sum("uses", "sum");
	static syscap::counter<double> real_sum("uses", "real sum");
	const syscap::named_counter<unsigned> named("uses", "named sum");
	std::vector<std::thread> threads;

	for (int i = 0; i < 4; i++)
		threads.emplace_back([named] {
			for (int k = 0; k < 1000; k++) {
				sum.add();
				named.add(2u);
			}
		});
	for (std::thread &thread : threads)
		thread.join();
	sum.add(-1000);
	real_sum.add(3);
	real_sum.add(-1L);
	real_sum.add(0.25f);
	real_sum.add(0.5);
}

static void too_many()
{
	for (int i = 0; i < 4096; i++)
		syscap::named_counter<int>("uses many", std::to_string(i));
	const syscap::named_counter<int> more("uses", "one too many");
	more.set(1);
	more.update(2);
	if (more)
		std::abort();
}

int main(int argc, char **argv)
{
	if (argc > 1) {
		syscap::recording recording(argv[1]);

		if (!recording) {
			std::fprintf(stderr, "%s\n", recording.message());
			return 1;
		}
		macros();
		if (recording.stop() != 0)
			return 1;
		macros();
		return std::printf("%s\n", recording.message()) < 0;
	}
	macros();
	scopes();
	functions();
	more();
	std::vector<std::thread> threads;
	for (int i = 0; i < 4; i++)
		threads.emplace_back(more);
	for (std::thread &thread : threads)
		thread.join();
	operations();
	sums();
	too_many();
	/* the argument is evaluated only if recorded */
	return evaluated == (syscap_is_active() ? 1 : 0) ? 0 : 1;
}
