/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * event.hpp - marks, logs and facts about the run, as functions.
 *
 * Context of all functions: any-thread, signal-safe.
 */
#ifndef SYSCAP_EVENT_HPP
#define SYSCAP_EVENT_HPP

#include <cstdint>

#include <syscap/site.hpp>
#include <syscap/text.hpp>

namespace syscap
{

/** GLib's levels. */
enum class severity : unsigned {
	error = SYSCAP_ERROR,
	critical = SYSCAP_CRITICAL,
	warning = SYSCAP_WARNING,
	message = SYSCAP_MESSAGE,
	info = SYSCAP_INFO,
	debug = SYSCAP_DEBUG
};

/** Relation of a mark to other marks with the same id; see docs/marks.md. */
enum class link : unsigned {
	whole = SYSCAP_LINK_WHOLE,
	begin = SYSCAP_LINK_BEGIN,
	step = SYSCAP_LINK_STEP,
	end = SYSCAP_LINK_END,
	out = SYSCAP_LINK_OUT,
	in = SYSCAP_LINK_IN
};

namespace detail
{

/*
 * These functions take texts by value, since a text whose address escapes would
 * have to be in memory even without a recording.
 */
SYC_CXX_OUTLINE void mark_copied(const site &place, std::int64_t begin,
                                std::int64_t duration, text message) noexcept
{
	char buffer[buffer_size];

	if (message.size() >= sizeof(buffer)) {
		::syscap_mark_printf(place.group, place.name, begin, duration,
		                     "%.*s", static_cast<int>(message.size()),
		                     message.data());
		return;
	}
	message.copy(buffer, sizeof(buffer));
	::syscap_mark_at(&place, begin, duration, buffer);
}

SYC_CXX_OUTLINE void linked_copied(const site &place, unsigned part,
                                  std::uint64_t id, std::int64_t begin,
                                  std::int64_t duration, text message) noexcept
{
	char buffer[buffer_size];

	message.copy(buffer, sizeof(buffer));
	::syscap_linked_at(&place, part, id, begin, duration, buffer);
}

SYC_CXX_OUTLINE void log_copied(unsigned level, text domain,
                               text message) noexcept
{
	/* cuts a text that is too long for a domain */
	char name[36];
	char buffer[buffer_size];

	domain.copy(name, sizeof(name));
	if (message.is_terminated()) {
		::syscap_log(level, name, message.data());
	} else if (message.size() >= sizeof(buffer)) {
		::syscap_log_printf(level, name, "%.*s",
		                    static_cast<int>(message.size()),
		                    message.data());
	} else {
		message.copy(buffer, sizeof(buffer));
		::syscap_log(level, name, buffer);
	}
}

SYC_CXX_OUTLINE void metadata_copied(const char *id, text value) noexcept
{
	char buffer[65464 + 4];

	value.copy(buffer, sizeof(buffer));
	::syscap_metadata(id, buffer);
}

/** Callers call this function only during a recording. */
SYC_CXX_INLINE void mark(const site &place, std::int64_t begin,
                        std::int64_t duration, const text &message) noexcept
{
	if (message.is_terminated())
		::syscap_mark_at(&place, begin, duration, message.data());
	else
		mark_copied(place, begin, duration, message);
}

} // namespace detail

/** True while events may be recorded. */
SYC_CXX_INLINE bool is_active() noexcept
{
	return ::syscap_is_active();
}

/** The current time on the capture's clock, the count of steady_clock. */
SYC_CXX_INLINE std::int64_t now() noexcept
{
	return ::syscap_clock();
}

/** The start time for a later mark; 0 without a recording. */
SYC_CXX_INLINE std::int64_t begin() noexcept
{
	return ::syscap_begin();
}

/** Record an instant, now. */
SYC_CXX_INLINE void instant(const site &place, const text &message = {}) noexcept
{
	if (SYC_UNLIKELY(::syscap_is_active()))
		detail::mark(place, ::syscap_clock(), 0, message);
}

/** Record a mark of @duration ns from @begin on. */
SYC_CXX_INLINE void mark(const site &place, std::int64_t begin,
                        std::int64_t duration,
                        const text &message = {}) noexcept
{
	if (SYC_UNLIKELY(::syscap_is_active()))
		detail::mark(place, begin, duration, message);
}

/** Record a mark from @begin, a result of syscap::begin(), until now. */
SYC_CXX_INLINE void mark_since(const site &place, std::int64_t begin,
                              const text &message = {}) noexcept
{
	if (SYC_UNLIKELY(::syscap_is_active()) && begin != 0)
		detail::mark(place, begin, ::syscap_clock() - begin, message);
}

/**
 * Record a mark now, as a part of the operation or arrow @id.  An unterminated
 * message is cut to 1,023 bytes.
 */
SYC_CXX_INLINE void linked(const site &place, link kind, std::uint64_t id,
                          const text &message = {}) noexcept
{
	const unsigned part = static_cast<unsigned>(kind);

	if (SYC_LIKELY(!::syscap_is_active()))
		return;
	if (message.is_terminated())
		::syscap_linked_at(&place, part, id, ::syscap_clock(), 0,
		                   message.data());
	else
		detail::linked_copied(place, part, id, ::syscap_clock(), 0,
		                      message);
}

/** Record the operation @id from @begin, a result of begin(), until now. */
SYC_CXX_INLINE void operation_since(const site &place, std::uint64_t id,
                                    std::int64_t begin,
                                    const text &message = {}) noexcept
{
	if (SYC_LIKELY(!::syscap_is_active()) || begin == 0)
		return;
	const std::int64_t duration = ::syscap_clock() - begin;
	if (message.is_terminated())
		::syscap_linked_at(&place, SYSCAP_LINK_WHOLE, id, begin,
		                   duration, message.data());
	else
		detail::linked_copied(place, SYSCAP_LINK_WHOLE, id, begin,
		                      duration, message);
}

/** Record a log line. */
SYC_CXX_INLINE void log(severity level, const text &domain,
                       const text &message) noexcept
{
	if (SYC_LIKELY(!::syscap_is_active()))
		return;
	if (domain.is_terminated() && message.is_terminated())
		::syscap_log(static_cast<unsigned>(level), domain.data(),
		             message.data());
	else
		detail::log_copied(static_cast<unsigned>(level), domain,
		                   message);
}

/**
 * Record a fact about the run.  The copy of an unterminated value needs 64 KiB
 * of stack.
 */
SYC_CXX_INLINE void metadata(const char *id, const text &value) noexcept
{
	if (SYC_LIKELY(!::syscap_is_active()))
		return;
	if (value.is_terminated())
		::syscap_metadata(id, value.data());
	else
		detail::metadata_copied(id, value);
}

} // namespace syscap

#endif
