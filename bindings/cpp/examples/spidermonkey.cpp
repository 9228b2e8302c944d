/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spidermonkey.cpp - a JavaScript shell whose samples name functions.
 *
 *	SYSCAP_SAMPLE=1000 syscap record -- syscap-spidermonkey spidermonkey.js
 */
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>

#include <js/CompilationAndEvaluation.h>
#include <js/Exception.h>
#include <js/Initialization.h>
#include <js/SourceText.h>
#include <jsapi.h>

#include <syscap/spidermonkey.hpp>

static const JSClassOps *const ops = &JS::DefaultGlobalClassOps;
static const JSClass global_class = { "global", JSCLASS_GLOBAL_FLAGS, ops, 0, 0,
	                              0 };

/* callBack(f): calls f() through C++ */
static bool call_back(JSContext *cx, unsigned argc, JS::Value *vp)
{
	syscap::spidermonkey::label label(cx, "callBack");
	JS::CallArgs args = JS::CallArgsFromVp(argc, vp);
	JS::RootedValue function(cx, args.get(0));

	return JS_CallFunctionValue(cx, nullptr, function,
	                            JS::HandleValueArray::empty(), args.rval());
}

static bool complain(JSContext *cx)
{
	JS::ExceptionStack stack(cx);
	JS::ErrorReportBuilder report(cx);

	if (JS::StealPendingExceptionStack(cx, &stack) &&
	    report.init(cx, stack, JS::ErrorReportBuilder::NoSideEffects))
		std::fprintf(stderr, "%s\n", report.toStringResult().c_str());
	return false;
}

static bool run(JSContext *cx, const char *file)
{
	std::ifstream in(file);
	const std::string text{ std::istreambuf_iterator<char>(in), {} };
	JS::RealmOptions realm;
	JS::RootedObject global(
		cx, JS_NewGlobalObject(cx, &global_class, nullptr,
	                               JS::FireOnNewGlobalHook, realm));
	JSAutoRealm in_realm(cx, global);
	JS::CompileOptions options(cx);
	JS::SourceText<mozilla::Utf8Unit> source;
	JS::RootedValue result(cx);

	JS_DefineFunction(cx, global, "callBack", call_back, 1, 0);
	options.setFileAndLine(file, 1);
	return (source.init(cx, text.data(), text.size(),
	                    JS::SourceOwnership::Borrowed) &&
	        JS::Evaluate(cx, options, source, &result)) ||
	       complain(cx);
}

int main(int argc, char **argv)
{
	if (argc < 2 || !JS_Init())
		return 2;
	JSContext *cx = JS_NewContext(JS::DefaultHeapMaxBytes);
	bool ok = cx != nullptr && JS::InitSelfHostedCode(cx);
	{
		syscap::spidermonkey::attachment attached(cx);
		ok = ok && attached && run(cx, argv[1]);
	}
	JS_DestroyContext(cx);
	JS_ShutDown();
	return ok ? 0 : 1;
}
