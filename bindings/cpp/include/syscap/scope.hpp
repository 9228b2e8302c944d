/* SPDX-License-Identifier: BSD-2-Clause */
/* scope.hpp - marks from the construction of an object to its end. */
#ifndef SYSCAP_SCOPE_HPP
#define SYSCAP_SCOPE_HPP

#include <cstdint>

#include <syscap/event.hpp>
#include <syscap/site.hpp>
#include <syscap/text.hpp>

namespace syscap
{

/**
 * A mark from the object's construction to end(), or to the end of its life.  A
 * scope that begins without a recording makes no mark.
 *
 * Construction and end may be on different threads.  A moved-from scope makes
 * no mark.
 *
 * Context: any-thread, signal-safe.
 */
class scope
{
      public:
	/** @place and @message must exist as long as the scope. */
	SYC_CXX_NODISCARD SYC_CXX_INLINE explicit scope(
		const site &place, const char *message = nullptr) noexcept
	    : begin_(::syscap_begin()), site_(&place), message_(message)
	{
	}

	scope(site &&, const char * = nullptr) = delete;

	SYC_CXX_INLINE scope(scope &&other) noexcept
	    : begin_(other.begin_), site_(other.site_), message_(other.message_)
	{
		other.begin_ = 0;
	}

	scope(const scope &) = delete;
	scope &operator=(const scope &) = delete;
	scope &operator=(scope &&) = delete;

	SYC_CXX_INLINE ~scope() noexcept
	{
		end();
	}

	/** True while end() would make a mark. */
	SYC_CXX_INLINE bool is_on() const noexcept
	{
		return begin_ != 0;
	}

	/** End the scope. */
	SYC_CXX_INLINE void end() noexcept
	{
		end(message_);
	}

	/** End the scope with a message. */
	SYC_CXX_INLINE void end(const text &message) noexcept
	{
		if (__builtin_expect(begin_ == 0, 1))
			return;
		detail::mark(*site_, begin_, ::syscap_clock() - begin_,
		             message);
		begin_ = 0;
	}

	/** End the scope without a mark. */
	SYC_CXX_INLINE void cancel() noexcept
	{
		begin_ = 0;
	}

      private:
	std::int64_t begin_;
	const site *site_;
	const char *message_;
};

/**
 * A scope with texts that are known only at run time, and that the object
 * copies.  This class costs four more bounded copies per scope.
 */
class named_scope
{
      public:
	SYC_CXX_NODISCARD SYC_CXX_INLINE named_scope(const text &group,
	                                           const text &name) noexcept
	    : begin_(0)
	{
		if (SYC_LIKELY(!::syscap_is_active()))
			return;
		group.copy(group_, sizeof(group_));
		name.copy(name_, sizeof(name_));
		begin_ = ::syscap_clock();
	}

	named_scope(const named_scope &) = delete;
	named_scope &operator=(const named_scope &) = delete;

	SYC_CXX_INLINE ~named_scope() noexcept
	{
		end();
	}

	SYC_CXX_INLINE bool is_on() const noexcept
	{
		return begin_ != 0;
	}

	SYC_CXX_INLINE void end(const text &message = {}) noexcept
	{
		if (__builtin_expect(begin_ == 0, 1))
			return;
		finish(message);
		begin_ = 0;
	}

	SYC_CXX_INLINE void cancel() noexcept
	{
		begin_ = 0;
	}

      private:
	SYC_CXX_OUTLINE void finish(text message) noexcept
	{
		const std::int64_t duration = ::syscap_clock() - begin_;

		if (message.is_terminated())
			::syscap_mark(group_, name_, begin_, duration,
			              message.data());
		else
			::syscap_mark_printf(group_, name_, begin_, duration,
			                     "%.*s",
			                     static_cast<int>(message.size()),
			                     message.data());
	}

	std::int64_t begin_;
	/* cuts texts that are too long, between characters */
	char group_[24 + 4];
	char name_[40 + 4];
};

} // namespace syscap

/** Define @var, a syscap::scope from here on; texts are literals. */
#define SYSCAP_SCOPE_AS(var, group, name)                 \
	SYSCAP_SITE(SYC_JOIN(syc_site_, var), group, name); \
	::syscap::scope var(SYC_JOIN(syc_site_, var))

/** SYSCAP_SCOPE with the function's name (its first 39 bytes). */
#define SYSCAP_SCOPE_FUNCTION(group)                                      \
	static constexpr ::syscap_mark_site SYC_JOIN(syc_site_, __LINE__) = \
		::syscap::detail::make_site(group, __func__);             \
	const ::syscap::scope SYC_JOIN(syc_scope_,                          \
	                              __LINE__)(SYC_JOIN(syc_site_, __LINE__))

#endif
