/* SPDX-License-Identifier: BSD-2-Clause */
/* session.hpp - recording and sampling of this process, by objects. */
#ifndef SYSCAP_SESSION_HPP
#define SYSCAP_SESSION_HPP

#include <syscap.h>
#include <syscap/sampler.h>
#include <syscap/text.hpp>

namespace syscap
{

/**
 * A recording of this process into its own capture, until the end of the
 * object.  docs/trace-yourself.md is the guide.
 *
 *	syscap::recording recording("run-%p.syscap");
 *	if (!recording)
 *		std::cerr << recording.message() << '\n';
 *
 * Context: setup.  Allocates.
 */
class recording
{
      public:
	/** In @output, %p is the pid, %n the program, %% a percent sign. */
	SYC_CXX_NODISCARD
	SYC_CXX_HIDDEN explicit recording(const char *output) noexcept
	    : options_()
	{
		options_.output = output;
		start();
	}

	/** The constructor sets @options->size and message. */
	SYC_CXX_NODISCARD SYC_CXX_HIDDEN explicit recording(
		const ::syscap_options &options) noexcept
	    : options_(options)
	{
		start();
	}

	recording(const recording &) = delete;
	recording &operator=(const recording &) = delete;

	SYC_CXX_HIDDEN ~recording() noexcept
	{
		if (error_ == 0)
			::syscap_stop();
	}

	/** True if the recording was started. */
	SYC_CXX_HIDDEN explicit operator bool() const noexcept
	{
		return error_ == 0;
	}

	/** 0, or the negative errno of syscap_start() or stop(). */
	SYC_CXX_HIDDEN int error() const noexcept
	{
		return error_;
	}

	/** The name of the capture, or the reason of a failure. */
	SYC_CXX_HIDDEN const char *message() const noexcept
	{
		return options_.message;
	}

	/** End the recording, and return the result of syscap_stop(). */
	SYC_CXX_HIDDEN int stop() noexcept
	{
		const int error = error_ == 0 ? ::syscap_stop() : error_;

		error_ = error != 0 ? error : -1;
		return error;
	}

      private:
	SYC_CXX_HIDDEN void start() noexcept
	{
		options_.size = sizeof(options_);
		error_ = ::syscap_start(&options_);
	}

	::syscap_options options_;
	int error_;
};

/**
 * Sampling of the threads of this process, until the end of the object;
 * <syscap/sampler.h>.
 *
 * Context: setup.  Allocates, since the object starts a thread.
 */
class sampling
{
      public:
	/** @hz: samples per second and thread; 0: 1,000. */
	SYC_CXX_NODISCARD SYC_CXX_HIDDEN explicit sampling(
		unsigned hz = 0,
		::syscap_sampler_clock clock = SYSCAP_SAMPLER_AUTO) noexcept
	    : options_()
	{
		options_.hz = hz;
		options_.clock = clock;
		start();
	}

	SYC_CXX_NODISCARD SYC_CXX_HIDDEN explicit sampling(
		const ::syscap_sampler_options &options) noexcept
	    : options_(options)
	{
		start();
	}

	sampling(const sampling &) = delete;
	sampling &operator=(const sampling &) = delete;

	SYC_CXX_HIDDEN ~sampling() noexcept
	{
		if (error_ == 0)
			::syscap_sampler_stop();
	}

	SYC_CXX_HIDDEN explicit operator bool() const noexcept
	{
		return error_ == 0;
	}

	/** 0, or the negative errno of syscap_sampler_start(). */
	SYC_CXX_HIDDEN int error() const noexcept
	{
		return error_;
	}

	/** A description of the sampling, or the reason of a failure. */
	SYC_CXX_HIDDEN const char *message() const noexcept
	{
		return options_.message;
	}

      private:
	SYC_CXX_HIDDEN void start() noexcept
	{
		options_.size = sizeof(options_);
		error_ = ::syscap_sampler_start(&options_);
	}

	::syscap_sampler_options options_;
	int error_;
};

} // namespace syscap

#endif
