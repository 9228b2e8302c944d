/* SPDX-License-Identifier: BSD-2-Clause */
/* operation.hpp - operations from the construction of an object to its end. */
#ifndef SYSCAP_OPERATION_HPP
#define SYSCAP_OPERATION_HPP

#include <cstdint>

#include <syscap/event.hpp>
#include <syscap/site.hpp>
#include <syscap/text.hpp>

namespace syscap
{

namespace detail
{

/** A number that no other operation of this copy of the headers has. */
SYC_CXX_OUTLINE std::uint64_t next_operation() noexcept
{
	static std::uint64_t last;

	return __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
}

SYC_CXX_OUTLINE void part(const site &place, link kind, std::uint64_t id,
                          std::int64_t begin, std::int64_t duration,
                          text message) noexcept
{
	const unsigned of = static_cast<unsigned>(kind);

	if (message.is_terminated())
		::syscap_linked_at(&place, of, id, begin, duration,
		                   message.data());
	else
		linked_copied(place, of, id, begin, duration, message);
}

} // namespace detail

/**
 * An operation from the object's construction to end(), or to the end of its
 * life.  An operation may overlap other operations and scopes of its thread.  A
 * coroutine or fibre holds an operation over its suspensions:
 *
 *	task<void> serve(request r)
 *	{
 *		SYSCAP_OPERATION_AS(operation, "server", "request");
 *		co_await read(r);
 *		operation.step("has read");
 *		co_await answer(r);
 *	}
 *
 * Construction, steps and end may be on different threads, one after the other.
 * An operation that begins without a recording makes no mark.  A moved-from
 * operation makes no mark.
 *
 * Without steps, an operation is one mark.  The first step also makes a mark
 * for the begin.
 *
 * Context: any-thread, signal-safe.
 */
class operation
{
      public:
	/** @place and @message must exist as long as the operation. */
	SYC_CXX_NODISCARD SYC_CXX_INLINE explicit operation(
		const site &place, const char *message = nullptr) noexcept
	    : begin_(::syscap_begin()), id_(0), site_(&place),
	      message_(message), has_steps_(false)
	{
	}

	operation(site &&, const char * = nullptr) = delete;

	SYC_CXX_INLINE operation(operation &&other) noexcept
	    : begin_(other.begin_), id_(other.id_), site_(other.site_),
	      message_(other.message_), has_steps_(other.has_steps_)
	{
		other.begin_ = 0;
	}

	/** End this operation, and take over another. */
	SYC_CXX_INLINE operation &operator=(operation &&other) noexcept
	{
		if (this != &other) {
			end();
			begin_ = other.begin_;
			id_ = other.id_;
			site_ = other.site_;
			message_ = other.message_;
			has_steps_ = other.has_steps_;
			other.begin_ = 0;
		}
		return *this;
	}

	operation(const operation &) = delete;
	operation &operator=(const operation &) = delete;

	SYC_CXX_INLINE ~operation() noexcept
	{
		end();
	}

	/** True while end() would make a mark. */
	SYC_CXX_INLINE bool is_on() const noexcept
	{
		return begin_ != 0;
	}

	/** The operation's number, which other code passes to linked(). */
	SYC_CXX_INLINE std::uint64_t id() noexcept
	{
		if (id_ == 0)
			id_ = detail::next_operation();
		return id_;
	}

	/** Record a step now.  Longer names are cut to 39 bytes. */
	SYC_CXX_INLINE void step(const text &name,
	                         const text &message = {}) noexcept
	{
		if (__builtin_expect(begin_ != 0, 0))
			record_step(name, message);
	}

	/** End the operation. */
	SYC_CXX_INLINE void end() noexcept
	{
		end(message_);
	}

	/** End the operation with a message. */
	SYC_CXX_INLINE void end(const text &message) noexcept
	{
		if (__builtin_expect(begin_ == 0, 1))
			return;
		finish(message);
		begin_ = 0;
	}

	/** End the operation without a mark, if no step was recorded. */
	SYC_CXX_INLINE void cancel() noexcept
	{
		if (has_steps_)
			end();
		begin_ = 0;
	}

      private:
	SYC_CXX_OUTLINE void record_step(text name, text message) noexcept
	{
		/* The library cuts a name that is too long, between
		 * characters */
		char called[40 + 4], buffer[detail::buffer_size];

		if (!has_steps_)
			detail::part(*site_, link::begin, id(), begin_, 0,
			             message_);
		has_steps_ = true;
		name.copy(called, sizeof(called));
		if (!message.is_terminated())
			message.copy(buffer, sizeof(buffer));
		::syscap_linked(site_->group, called, SYSCAP_LINK_STEP, id(),
		                message.is_terminated() ? message.data()
		                                        : buffer);
	}

	SYC_CXX_OUTLINE void finish(text message) noexcept
	{
		const std::int64_t now = ::syscap_clock();

		if (has_steps_)
			detail::part(*site_, link::end, id(), now, 0, message);
		else
			detail::part(*site_, link::whole, id(), begin_,
			             now - begin_, message);
	}

	std::int64_t begin_;
	std::uint64_t id_; /* 0: not assigned */
	const site *site_;
	const char *message_;
	bool has_steps_;
};

} // namespace syscap

/** Define @var, a syscap::operation from here on; texts are literals. */
#define SYSCAP_OPERATION_AS(var, group, name)               \
	SYSCAP_SITE(SYC_JOIN(syc_site_, var), group, name); \
	::syscap::operation var(SYC_JOIN(syc_site_, var))

#endif
