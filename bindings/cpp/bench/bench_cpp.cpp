/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_cpp.cpp - cost of events of <syscap.hpp> compared with C in the same
 * run, with and without a recording.
 *
 *	bench_cpp [DIRECTORY]	the capture's directory during the run
 */
#include <syscap.hpp>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include <unistd.h>

#include "plain_c.h"

static syscap::counter<unsigned> counter("bench", "C++");
static const syscap::site site = { "bench", "C++ mark" };
static const std::string name = "named";

template <class F> static void loop(unsigned n, F event)
{
	for (unsigned i = 0; i < n; i++) {
		event(i);
		__asm__ volatile("" ::: "memory");
	}
}

static void mark(unsigned n)
{
	loop(n, [](unsigned) { syscap::instant(site); });
}

static void scope(unsigned n)
{
	loop(n, [](unsigned) { SYSCAP_SCOPE_AS(s, "bench", "C++ scope"); });
}

static void function(unsigned n)
{
	loop(n, [](unsigned) { SYSCAP_SCOPE_FUNCTION("bench"); });
}

static void named(unsigned n)
{
	loop(n, [](unsigned) { syscap::named_scope s("bench", name); });
}

static void set(unsigned n)
{
	loop(n, [](unsigned i) { counter.set(i); });
}

static void log_text(unsigned n)
{
	loop(n, [](unsigned) {
		syscap::log(syscap::severity::debug, "bench", name);
	});
}

static struct op {
	const char *what;
	void (*run)(unsigned n);
	void (*beside)(unsigned n);
	double median;
} ops[] = {
	{ "empty loop", plain_c_empty, nullptr, 0 },
	{ "C: call of nothing", plain_c_call, nullptr, 0 },
	{ "C: mark", plain_c_mark, nullptr, 0 },
	{ "C: scope", plain_c_scope, nullptr, 0 },
	{ "C: counter", plain_c_counter, nullptr, 0 },
	{ "C: log", plain_c_log, nullptr, 0 },
	{ "mark", mark, plain_c_mark, 0 },
	{ "scope", scope, plain_c_scope, 0 },
	{ "scope of a function", function, plain_c_scope, 0 },
	{ "scope named at run time", named, plain_c_scope, 0 },
	{ "counter", set, plain_c_counter, 0 },
	{ "log of a std::string", log_text, plain_c_log, 0 },
};

static double median_of(void (*run)(unsigned n))
{
	for (const op &o : ops)
		if (o.run == run)
			return o.median;
	return 0;
}

static void measure(const char *title, unsigned n, unsigned rounds)
{
	std::vector<std::vector<double>> took(sizeof(ops) / sizeof(ops[0]));

	for (unsigned round = 0; round < rounds; round++)
		for (std::size_t i = 0; i < took.size(); i++) {
			/* a full ring would drop events, which is fast */
			::syscap_drain();
			const std::int64_t begin = syscap::now();
			ops[i].run(n);
			took[i].push_back(
				static_cast<double>(syscap::now() - begin) / n);
		}
	std::printf("%s\n", title);
	for (std::size_t i = 0; i < took.size(); i++) {
		std::sort(took[i].begin(), took[i].end());
		ops[i].median = took[i][took[i].size() / 2];
	}
	for (const op &o : ops) {
		std::printf("  %-26s %7.2f ns", o.what,
		            o.median - median_of(plain_c_empty));
		if (o.beside != nullptr)
			std::printf("  %5.2f x C",
			            o.median / median_of(o.beside));
		std::printf("\n");
	}
}

int main(int argc, char **argv)
{
	const std::string file =
		std::string(argc > 1 ? argv[1] : "/tmp") + "/bench-cpp.%p";
	::syscap_options options = {};
	::syscap_stats stats = {};

	if (syscap::is_active())
		return std::fputs("something records already\n", stderr), 1;
	measure("off", 20000, 300);
	options.output = file.c_str();
	options.flags = SYSCAP_NO_THREAD;
	options.ring_kib = 1024;
	syscap::recording recording(options);
	if (!recording)
		return std::fprintf(stderr, "%s\n", recording.message()), 1;
	measure("on", 500, 300);
	stats.size = sizeof(stats);
	::syscap_get_stats(&stats);
	recording.stop();
	::unlink(recording.message());
	std::printf("dropped: %llu\n",
	            static_cast<unsigned long long>(stats.n_dropped));
	return stats.n_dropped != 0;
}
