/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * spidermonkey.hpp - JavaScript functions in the sampler's stacks, for
 * programs that embed SpiderMonkey (mozjs-102).
 *
 *	JSContext *cx = JS_NewContext(JS::DefaultHeapMaxBytes);
 *	...
 *	{
 *		syscap::spidermonkey::attachment profile(cx);
 *
 *		... run scripts; <syscap/sampler.h> samples ...
 *	}
 *	JS_DestroyContext(cx);
 *
 * The engine reports interpreted functions and labels in a ProfilingStack, and
 * functions in machine code through a frame iterator.  Each source has frames
 * that the other source lacks.  This header merges the two stacks by the
 * addresses of their frames.
 *
 * The header needs C++17, and works without exceptions and RTTI.  <syscap.h>
 * defines the words for contexts.
 */
#ifndef SYSCAP_SPIDERMONKEY_HPP
#define SYSCAP_SPIDERMONKEY_HPP

#include <js/ProfilingStack.h>
#include <js/RootingAPI.h>
#include <new>

#include <syscap/runtime.h>
#include <syscap/spidermonkey_walk.hpp>

namespace syscap::spidermonkey
{

/**
 * While the object lives, samples of the calling thread contain the JavaScript
 * functions of @cx.
 *
 * The object switches the engine's profiling mode on and later off.  Both
 * switches discard all of the context's machine code.  The object uses a
 * ProfilingStack of the program without changing it, and the program's stack
 * must outlive the object.
 *
 * A context may have one attachment.  Make and destroy the object on the
 * context's thread, before JS_DestroyContext().  A running function appears
 * from its next call on.
 *
 * Context: setup.
 */
class attachment
{
      public:
	/** operator bool() returns whether the attachment succeeded. */
	explicit attachment(JSContext *cx) noexcept
	{
		state_ = new (std::nothrow) detail::state();
		if (state_ == nullptr)
			return;
		state_->cx = cx;
		if (!begin())
			end();
	}

	~attachment()
	{
		if (state_ != nullptr)
			end();
	}

	attachment(const attachment &) = delete;
	attachment &operator=(const attachment &) = delete;

	/** False if there is no memory, or if the thread has the maximum number
	 * of attachments. */
	explicit operator bool() const noexcept
	{
		return state_ != nullptr;
	}

      private:
	bool begin() noexcept
	{
		js::GeckoProfilerThread &profiler = engine_profiler();
		syscap_provider provider = {};

		if (!profiler.infraInstalled()) {
			state_->stack = new (std::nothrow) ProfilingStack();
			if (state_->stack == nullptr)
				return false;
			js::SetContextProfilingStack(state_->cx, state_->stack);
		}
		if (profiler.getProfilingStackIfEnabled() == nullptr) {
			js::EnableContextProfilingStack(state_->cx, true);
			state_->enabled_here = true;
		}
		provider.size = sizeof(provider);
		provider.name = "SpiderMonkey";
		provider.caps = SYSCAP_PROVIDER_SIGNAL | SYSCAP_PROVIDER_SP;
		provider.walk = detail::walk;
		provider.step_out = detail::step_out;
		state_->attachment = syscap_attach_thread(&provider, state_);
		return state_->attachment != nullptr;
	}

	void end() noexcept
	{
		if (state_->attachment != nullptr)
			syscap_detach_thread(state_->attachment);
		if (state_->enabled_here)
			js::EnableContextProfilingStack(state_->cx, false);
		give_up_stack();
		delete state_;
		state_ = nullptr;
	}

	/*
	 * Calls in progress pop their frames from the stack when they return,
	 * so the context then keeps the stack.  The context also keeps the
	 * stack if the program has set another stack, since unknown calls may
	 * pop from it.
	 */
	void give_up_stack() noexcept
	{
		js::GeckoProfilerThread &profiler = engine_profiler();

		if (state_->stack == nullptr ||
		    state_->stack->stackSize() != 0 ||
		    profiler.getProfilingStack() != state_->stack)
			return;
		js::SetContextProfilingStack(state_->cx, nullptr);
		delete state_->stack;
	}

	js::GeckoProfilerThread &engine_profiler() const noexcept
	{
		return JS::RootingContext::get(state_->cx)->geckoProfiler();
	}

	detail::state *state_ = nullptr;
};

/**
 * A name for a part of a C++ function in stacks, while the object lives.  The
 * name is @text, followed by @dynamic if @dynamic is not NULL.  The arguments
 * must outlive the object.  Without profiling of the context, the object does
 * nothing.
 *
 * Context: on the context's thread, in the order last in, first out.
 */
class label
{
      public:
	explicit label(JSContext *cx, const char *text,
	               const char *dynamic = nullptr) noexcept
	    : stack_(js::GetContextProfilingStackIfEnabled(cx))
	{
		if (stack_ != nullptr)
			stack_->pushLabelFrame(
				text, dynamic, this,
				JS::ProfilingCategoryPair::OTHER);
	}

	~label()
	{
		if (stack_ != nullptr)
			stack_->pop();
	}

	label(const label &) = delete;
	label &operator=(const label &) = delete;

      private:
	ProfilingStack *stack_;
};

} /* namespace syscap::spidermonkey */

#endif
