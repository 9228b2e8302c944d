/* SPDX-License-Identifier: BSD-2-Clause */
/* counter.hpp - typed counters. */
#ifndef SYSCAP_COUNTER_HPP
#define SYSCAP_COUNTER_HPP

#include <cstdint>
#include <type_traits>

#include <syscap/event.hpp>
#include <syscap/site.hpp>
#include <syscap/text.hpp>

namespace syscap
{

namespace detail
{

/** The nearest signed 64-bit integer. */
template <class T> SYC_CXX_INLINE std::int64_t whole(T value) noexcept
{
	return std::is_unsigned<T>::value &&
	                       static_cast<std::uint64_t>(value) > INT64_MAX
	               ? INT64_MAX
	               : static_cast<std::int64_t>(value);
}

/** The two types of the format: doubles, and 64-bit integers. */
template <class T> struct counted {
	static_assert(std::is_arithmetic<T>::value,
	              "a counter is of integers or floating point");
	static constexpr std::uint32_t type =
		std::is_floating_point<T>::value ? SYSCAP_DOUBLE : SYSCAP_INT64;

	SYC_CXX_INLINE static void set(::syscap_counter &counter,
	                              T value) noexcept
	{
		if (type == SYSCAP_DOUBLE)
			::syscap_counter_set_double(&counter,
			                            static_cast<double>(value));
		else
			::syscap_counter_set_int64(&counter, whole(value));
	}

	SYC_CXX_INLINE static void update(::syscap_counter &counter,
	                                 T value) noexcept
	{
		if (type == SYSCAP_DOUBLE)
			::syscap_counter_update_double(
				&counter, static_cast<double>(value));
		else
			::syscap_counter_update_int64(&counter, whole(value));
	}
};

template <class N>
SYC_CXX_INLINE void add_to(::syscap_counter &counter, N n,
                           std::true_type /* integral */) noexcept
{
	::syscap_counter_add(&counter, whole(n));
}

template <class N>
SYC_CXX_INLINE void add_to(::syscap_counter &counter, N n,
                           std::false_type) noexcept
{
	::syscap_counter_add_double(&counter, static_cast<double>(n));
}

/* Add to a counter of values of type T */
template <class T, class N>
SYC_CXX_INLINE void add(::syscap_counter &counter, N n) noexcept
{
	static_assert(std::is_integral<N>::value ||
	                      std::is_floating_point<T>::value,
	              "counters of integers add whole numbers");
	add_to(counter, n, std::is_integral<N>());
}

template <std::size_t... C, std::size_t... D>
constexpr ::syscap_counter
make_counter(std::uint32_t type, const char *category, std::size_t n_category,
             const char *name, std::size_t n_name, const char *description,
             std::size_t n_description, indices<C...>, indices<D...>)
{
	return ::syscap_counter{ { at(category, n_category, C)... },
		                 { at(name, n_name, C)... },
		                 { at(description, n_description, D)... },
		                 type,
		                 0,
		                 0,
		                 0,
		                 0 };
}

} // namespace detail

/**
 * A counter.  Make the counter static, as it must exist until the process ends:
 *
 *	static syscap::counter<double> load("demo", "load", "Work waiting");
 *
 * A counter is initialised at compile time, so constructors of other static
 * objects may use the counter.  Integers are recorded as the nearest signed
 * 64-bit integer, floating point as double.  A counter is also a struct
 * syscap_counter, for SYSCAP_COUNTER_SET.
 *
 * Context: any-thread, signal-safe.
 */
template <class T> class counter : public ::syscap_counter
{
      public:
	/** Make a counter of literals.  A text that is too long does not
	 * compile. */
	template <std::size_t C, std::size_t N, std::size_t D = 1>
	constexpr counter(const char (&in)[C], const char (&called)[N],
	                  const char (&about)[D] = "") noexcept
	    : ::syscap_counter(detail::make_counter(
		      detail::counted<T>::type, in, C - 1, called, N - 1, about,
		      D - 1, typename detail::make_indices<32>::type(),
		      typename detail::make_indices<52>::type()))
	{
		static_assert(C <= 32, "category: 31 bytes");
		static_assert(N <= 32, "name: 31 bytes");
		static_assert(D <= 52, "description: 51 bytes");
	}

	counter(const counter &) = delete;
	counter &operator=(const counter &) = delete;

	/** Record the counter's value now. */
	SYC_CXX_INLINE void set(T value) noexcept
	{
		if (SYC_UNLIKELY(::syscap_is_active()))
			detail::counted<T>::set(*this, value);
	}

	/** Record the value, if it differs from the value of the last
	 * update. */
	SYC_CXX_INLINE void update(T value) noexcept
	{
		if (SYC_UNLIKELY(::syscap_is_active()))
			detail::counted<T>::update(*this, value);
	}

	/**
	 * Add a number, also without a recording, and record the sum.  Add only
	 * whole numbers to a counter of integers.  Threads may add at the same
	 * time.  Set and update no counter to which you add.
	 */
	template <class N = int> SYC_CXX_INLINE void add(N n = 1) noexcept
	{
		detail::add<T>(*this, n);
	}
};

/**
 * The counter for texts known only at run time.  Equal texts give the same
 * counter.  Keep the object, since a look-up costs more than setting the
 * counter.
 *
 * Context of the constructor: any-thread.  Context of other members:
 * any-thread, signal-safe.
 */
template <class T> class named_counter
{
      public:
	SYC_CXX_HIDDEN named_counter(const text &category, const text &name,
	                            const text &description = {}) noexcept
	    : counter_(find(category, name, description))
	{
	}

	/**
	 * False if the library's table (4,096) is full.  The counter then
	 * records nothing, and the capture has a warning.
	 */
	SYC_CXX_INLINE explicit operator bool() const noexcept
	{
		return counter_ != nullptr;
	}

	SYC_CXX_INLINE void set(T value) const noexcept
	{
		if (SYC_UNLIKELY(::syscap_is_active()) && counter_ != nullptr)
			detail::counted<T>::set(*counter_, value);
	}

	SYC_CXX_INLINE void update(T value) const noexcept
	{
		if (SYC_UNLIKELY(::syscap_is_active()) && counter_ != nullptr)
			detail::counted<T>::update(*counter_, value);
	}

	template <class N = int> SYC_CXX_INLINE void add(N n = 1) const noexcept
	{
		if (counter_ != nullptr)
			detail::add<T>(*counter_, n);
	}

      private:
	SYC_CXX_OUTLINE static ::syscap_counter *find(text category, text name,
	                                             text description) noexcept
	{
		/* cuts texts that are too long for the library */
		char texts[2][36], description_text[56];

		category.copy(texts[0], sizeof(texts[0]));
		name.copy(texts[1], sizeof(texts[1]));
		description.copy(description_text, sizeof(description_text));
		::syscap_counter *const found = ::syscap_counter_get(
			texts[0], texts[1], description_text,
			detail::counted<T>::type);
		if (found == nullptr && ::syscap_is_active())
			::syscap_log_printf(SYSCAP_WARNING, "syscap",
			                    "there are too many counters for "
			                    "\"%s\" of category \"%s\"",
			                    texts[1], texts[0]);
		return found;
	}

	::syscap_counter *counter_;
};

} // namespace syscap

#endif
