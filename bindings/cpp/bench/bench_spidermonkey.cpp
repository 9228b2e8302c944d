/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_spidermonkey.cpp - cost of a tick with JavaScript on the stack, and of
 * the engine's profiling mode.
 *
 *	bench_spidermonkey [ROUNDS]
 *
 * The bench measures a tick with and without the provider.  "profiled" is the
 * ratio of the script's times with and without the profiling mode.  "sampled"
 * is the ratio of its times with and without the provider, at 5,000 samples a
 * second.
 *
 * A handler around the sampler's handler measures each tick (--wrap=sigaction).
 * The figures are medians.  The variants take turns, so that a busy machine
 * affects all variants equally.
 */
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string>
#include <vector>

#include <js/CompilationAndEvaluation.h>
#include <js/Initialization.h>
#include <js/SourceText.h>
#include <jsapi.h>

#include <unistd.h>

#include <syscap.h>
#include <syscap/sampler.h>
#include <syscap/spidermonkey.hpp>

extern "C" {
int __real_sigaction(int number, const struct sigaction *action,
                     struct sigaction *old);
int __wrap_sigaction(int number, const struct sigaction *action,
                     struct sigaction *old);
}

namespace
{

enum way {
	plain,
	profiled,
	ticks,
	both,
	n_ways
};

struct what {
	const char *name;
	bool interpreted;
	const char *text;
};

const what all_whats[] = {
	{ "machine code, 4 functions", false,
	  "function leaf(x){let h=x;for(let i=0;i<20000;i++)"
	  "h=Math.imul(h^i,16777619);return h}"
	  "function b(n){return leaf(n)^leaf(n+1)}"
	  "function a(n){let s=0;for(let i=0;i<n;i++)s^=b(i);return s}"
	  "a(2000)" },
	{ "JS, C++, JS, C++, JS, 10 functions", false,
	  "function leaf(x){let h=x;for(let i=0;i<20000;i++)"
	  "h=Math.imul(h^i,16777619);return h}"
	  "function n(k){return k===0?leaf(k):call(()=>n(k-1))}"
	  "function a(k){let s=0;for(let i=0;i<k;i++)s^=n(2);return s}"
	  "a(4000)" },
	{ "interpreter, 21 functions", true,
	  "function leaf(x){let h=x;for(let i=0;i<2000;i++)"
	  "h=Math.imul(h^i,16777619);return h}"
	  "function d(k){return k===0?leaf(k):d(k-1)}"
	  "for(let i=0;i<300;i++)d(18)" },
};

struct result {
	std::vector<double> handler, script; /* ns */
};

struct sigaction real_actions[65];
std::vector<int64_t> taken;
pid_t main_thread;

void on_signal(int number, siginfo_t *info, void *context)
{
	const int64_t begin = syscap_clock();

	real_actions[number].sa_sigaction(number, info, context);
	if (gettid() == main_thread && taken.size() < taken.capacity())
		taken.push_back(syscap_clock() - begin);
}

double median(std::vector<double> *of)
{
	if (of->empty())
		return 0;
	std::sort(of->begin(), of->end());
	return (*of)[of->size() / 2];
}

bool call(JSContext *cx, unsigned argc, JS::Value *vp)
{
	JS::CallArgs args = JS::CallArgsFromVp(argc, vp);
	JS::RootedValue function(cx, args.get(0));

	return JS_CallFunctionValue(cx, nullptr, function,
	                            JS::HandleValueArray::empty(), args.rval());
}

/* Processor time of this thread in ns, which other programs do not affect. */
double processor_time()
{
	timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return double(t.tv_sec) * 1e9 + double(t.tv_nsec);
}

double run(JSContext *cx, const std::string &text)
{
	JS::CompileOptions options(cx);
	JS::SourceText<mozilla::Utf8Unit> source;
	JS::RootedValue result(cx);
	const double begin = processor_time();

	options.setFileAndLine("bench.js", 1);
	if (!source.init(cx, text.data(), text.size(),
	                 JS::SourceOwnership::Borrowed) ||
	    !JS::Evaluate(cx, options, source, &result)) {
		std::fprintf(stderr, "the script failed\n");
		std::exit(1);
	}
	return processor_time() - begin;
}

void measure(JSContext *cx, const what &w, way how, result *ret)
{
	const bool attaches = how == profiled || how == both;
	const bool samples = how == ticks || how == both;
	auto *const attached =
		attaches ? new syscap::spidermonkey::attachment(cx) : nullptr;
	syscap_sampler_options options = {};

	/* these calls make the engine compile to machine code */
	run(cx, w.text);
	options.size = sizeof(options);
	options.hz = 5000;
	options.clock = SYSCAP_SAMPLER_WALL;
	if (samples && syscap_sampler_start(&options) != 0) {
		std::fprintf(stderr, "%s\n", options.message);
		std::exit(1);
	}
	taken.clear();
	ret->script.push_back(run(cx, w.text));
	if (samples)
		syscap_sampler_stop();
	std::vector<double> ns(taken.begin(), taken.end());
	if (samples && !ns.empty())
		ret->handler.push_back(median(&ns));
	delete attached;
}

void set_interpreted(JSContext *cx, bool interpreted)
{
	for (auto option :
	     { JSJITCOMPILER_BASELINE_INTERPRETER_ENABLE,
	       JSJITCOMPILER_BASELINE_ENABLE, JSJITCOMPILER_ION_ENABLE })
		JS_SetGlobalJitCompilerOption(cx, option, !interpreted);
}

void bench(JSContext *cx, const what &w, int rounds)
{
	result results[n_ways];

	set_interpreted(cx, w.interpreted);
	for (int round = 0; round < rounds; round++)
		for (int how = 0; how < n_ways; how++)
			measure(cx, w, way(how), &results[how]);
	const double native = median(&results[ticks].handler);
	const double merged = median(&results[both].handler);
	const double script = median(&results[plain].script);

	std::printf("%-36s %6.2f us %6.2f us %5.2f %9.3f %9.3f\n", w.name,
	            native / 1e3, merged / 1e3, merged / native,
	            median(&results[profiled].script) / script,
	            median(&results[both].script) /
	                    median(&results[ticks].script));
}

void bench_all(JSContext *cx, int rounds)
{
	static const JSClass global_class = { "global",
		                              JSCLASS_GLOBAL_FLAGS,
		                              &JS::DefaultGlobalClassOps,
		                              nullptr,
		                              nullptr,
		                              nullptr };
	JS::RealmOptions realm;
	JS::RootedObject global(
		cx, JS_NewGlobalObject(cx, &global_class, nullptr,
	                               JS::FireOnNewGlobalHook, realm));
	JSAutoRealm in_realm(cx, global);

	JS_DefineFunction(cx, global, "call", call, 1, 0);
	std::printf("%-36s %9s %9s %5s %9s %9s\n", "a tick in", "native",
	            "with JS", "ratio", "profiled", "sampled");
	for (const what &w : all_whats)
		bench(cx, w, rounds);
}

} /* namespace */

int __wrap_sigaction(int number, const struct sigaction *action,
                     struct sigaction *old)
{
	const struct sigaction before = real_actions[number];
	struct sigaction ours;

	if (action != nullptr)
		ours = *action;
	if (action != nullptr && (action->sa_flags & SA_SIGINFO) != 0) {
		real_actions[number] = *action;
		ours.sa_sigaction = on_signal;
	}
	const int r = __real_sigaction(
		number, action != nullptr ? &ours : nullptr, old);
	if (r == 0 && old != nullptr && old->sa_sigaction == on_signal)
		old->sa_sigaction = before.sa_sigaction;
	return r;
}

int main(int argc, char **argv)
{
	const char *const temp = std::getenv("TMPDIR");
	std::string folder = std::string(temp != nullptr ? temp : "/tmp") +
	                     "/bench-spidermonkey-XXXXXX";
	syscap_options options = {};
	syscap_stats stats = {};

	if (mkdtemp(folder.data()) == nullptr)
		return 1;
	const std::string path = folder + "/bench.syscap";
	options.size = sizeof(options);
	options.output = path.c_str();
	options.ring_kib = 16384;
	if (syscap_start(&options) != 0 || !JS_Init())
		return 1;
	main_thread = gettid();
	taken.reserve(100000);
	JSContext *const cx = JS_NewContext(64 << 20);
	if (cx == nullptr || !JS::InitSelfHostedCode(cx))
		return 1;
	bench_all(cx, argc > 1 ? std::atoi(argv[1]) : 9);
	JS_DestroyContext(cx);
	JS_ShutDown();
	stats.size = sizeof(stats);
	syscap_get_stats(&stats);
	std::printf("dropped frames: %llu\n",
	            static_cast<unsigned long long>(stats.n_dropped));
	syscap_stop();
	unlink(path.c_str());
	rmdir(folder.c_str());
	return 0;
}
