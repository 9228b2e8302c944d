/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spidermonkey_shell.cpp - a JavaScript shell that samples itself, and watches
 * the provider.  spidermonkey_test.py runs this program.
 *
 *	spidermonkey_shell MODE HZ FILE [SECONDS]
 *
 * MODE is the code that the engine may make: ion, baseline, blinterp, interp.
 * The script runs once, or repeatedly for SECONDS.  The shell prints counts as
 * lines "NAME NUMBER", and exits with 0 if the script ended without an error.
 */
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include <js/CompilationAndEvaluation.h>
#include <js/Exception.h>
#include <js/Initialization.h>
#include <js/SourceText.h>
#include <jsapi.h>

#include <syscap.h>
#include <syscap/sampler.h>
#include <syscap/spidermonkey.hpp>

#include "spidermonkey_watch.h"

namespace
{

const JSClassOps *const global_ops = &JS::DefaultGlobalClassOps;
const JSClass global_class = { "global",   JSCLASS_GLOBAL_FLAGS,
	                       global_ops, nullptr,
	                       nullptr,    nullptr };

syscap::spidermonkey::attachment *attached;
ProfilingStack own_stack;

/* callBack(f): calls f() through C++ */
bool call_back(JSContext *cx, unsigned argc, JS::Value *vp)
{
	syscap::spidermonkey::label label(cx, "native callBack");
	JS::CallArgs args = JS::CallArgsFromVp(argc, vp);
	JS::RootedValue function(cx, args.get(0));

	return JS_CallFunctionValue(cx, nullptr, function,
	                            JS::HandleValueArray::empty(), args.rval());
}

/* burn(us): works for that time in C++ */
bool burn(JSContext *cx, unsigned argc, JS::Value *vp)
{
	syscap::spidermonkey::label label(cx, "native", "burn");
	JS::CallArgs args = JS::CallArgsFromVp(argc, vp);
	const int64_t until =
		syscap_clock() + args.get(0).toInt32() * INT64_C(1000);

	while (syscap_clock() < until)
		continue;
	args.rval().setUndefined();
	return true;
}

bool gc(JSContext *cx, unsigned argc, JS::Value *vp)
{
	JS_GC(cx);
	JS::CallArgsFromVp(argc, vp).rval().setUndefined();
	return true;
}

/* attach(), detach(): begin and end profiling, with JavaScript on the stack */
bool attach(JSContext *cx, unsigned argc, JS::Value *vp)
{
	attached = new syscap::spidermonkey::attachment(cx);
	JS::CallArgsFromVp(argc, vp).rval().setBoolean(bool(*attached));
	return true;
}

bool detach(JSContext *, unsigned argc, JS::Value *vp)
{
	delete attached;
	attached = nullptr;
	JS::CallArgsFromVp(argc, vp).rval().setUndefined();
	return true;
}

void set_mode(JSContext *cx, const std::string &mode)
{
	if (mode == "interp")
		JS_SetGlobalJitCompilerOption(
			cx, JSJITCOMPILER_BASELINE_INTERPRETER_ENABLE, 0);
	if (mode == "interp" || mode == "blinterp")
		JS_SetGlobalJitCompilerOption(cx, JSJITCOMPILER_BASELINE_ENABLE,
		                              0);
	if (mode != "ion")
		JS_SetGlobalJitCompilerOption(cx, JSJITCOMPILER_ION_ENABLE, 0);
}

bool complain(JSContext *cx)
{
	JS::ExceptionStack stack(cx);
	JS::ErrorReportBuilder report(cx);

	if (JS::StealPendingExceptionStack(cx, &stack) &&
	    report.init(cx, stack, JS::ErrorReportBuilder::NoSideEffects))
		std::fprintf(stderr, "%s\n", report.toStringResult().c_str());
	return false;
}

bool run(JSContext *cx, const char *file, double seconds)
{
	std::ifstream in(file);
	const std::string text{ std::istreambuf_iterator<char>(in), {} };
	const char *const slash = std::strrchr(file, '/');
	const int64_t until = syscap_clock() + int64_t(seconds * 1e9);
	JS::CompileOptions options(cx);
	JS::RootedValue result(cx);

	options.setFileAndLine(slash != nullptr ? slash + 1 : file, 1);
	do {
		JS::SourceText<mozilla::Utf8Unit> source;

		if (!source.init(cx, text.data(), text.size(),
		                 JS::SourceOwnership::Borrowed) ||
		    !JS::Evaluate(cx, options, source, &result))
			return complain(cx);
	} while (syscap_clock() < until);
	return true;
}

bool run_sampled(JSContext *cx, uint32_t hz, const char *file, double seconds)
{
	const bool attaches = std::getenv("SHELL_ATTACHES") == nullptr;
	JS::RealmOptions realm;
	JS::RootedObject global(
		cx, JS_NewGlobalObject(cx, &global_class, nullptr,
	                               JS::FireOnNewGlobalHook, realm));
	JSAutoRealm in_realm(cx, global);
	syscap_sampler_options options = {};

	JS_DefineFunction(cx, global, "callBack", call_back, 1, 0);
	JS_DefineFunction(cx, global, "burn", burn, 1, 0);
	JS_DefineFunction(cx, global, "gc", gc, 0, 0);
	JS_DefineFunction(cx, global, "attach", attach, 0, 0);
	JS_DefineFunction(cx, global, "detach", detach, 0, 0);
	if (std::getenv("SHELL_OWN_STACK") != nullptr) {
		js::SetContextProfilingStack(cx, &own_stack);
		js::EnableContextProfilingStack(cx, true);
	}
	if (attaches) {
		attached = new syscap::spidermonkey::attachment(cx);
		if (!*attached)
			return false;
	}
	options.size = sizeof(options);
	options.hz = hz;
	options.clock = SYSCAP_SAMPLER_WALL;
	if (hz != 0 && syscap_sampler_start(&options) != 0) {
		std::fprintf(stderr, "%s\n", options.message);
		return false;
	}
	const bool ok = run(cx, file, seconds);
	if (hz != 0)
		syscap_sampler_stop();
	delete attached;
	if (js::GetContextProfilingStackIfEnabled(cx) != nullptr) {
		std::printf("own_stack_stays %d\n",
		            js::GetContextProfilingStackIfEnabled(cx) ==
		                    &own_stack);
		js::EnableContextProfilingStack(cx, false);
		js::SetContextProfilingStack(cx, nullptr);
	}
	return ok;
}

void report()
{
	syscap_sampler_stats stats = {};

	stats.size = sizeof(stats);
	syscap_sampler_get_stats(&stats);
	std::printf("samples %llu\nrefused %llu\nnames_lost %u\n",
	            static_cast<unsigned long long>(stats.n_samples),
	            static_cast<unsigned long long>(stats.n_refused),
	            stats.n_names_lost);
	spidermonkey_watch_report();
}

} /* namespace */

int main(int argc, char **argv)
{
	if (argc < 4 || !JS_Init())
		return 2;
	JSContext *const cx = JS_NewContext(64 << 20);
	if (cx == nullptr || !JS::InitSelfHostedCode(cx))
		return 2;
	set_mode(cx, argv[1]);
	const bool ok =
		run_sampled(cx, uint32_t(std::strtoul(argv[2], nullptr, 10)),
	                    argv[3], argc > 4 ? std::atof(argv[4]) : 0);
	JS_DestroyContext(cx);
	JS_ShutDown();
	report();
	return ok ? 0 : 1;
}
