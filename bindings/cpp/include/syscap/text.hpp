/* SPDX-License-Identifier: BSD-2-Clause */
/* text.hpp - strings of any class as arguments. */
#ifndef SYSCAP_TEXT_HPP
#define SYSCAP_TEXT_HPP

#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>

#include <syscap.h>

/*
 * Functions are inline and hidden, since a shared symbol would make a plugin
 * emit through the program's copy of the library.
 */
#define SYC_CXX_INLINE \
	__attribute__((always_inline, visibility("hidden"))) inline
#define SYC_CXX_HIDDEN __attribute__((visibility("hidden")))
#define SYC_CXX_OUTLINE \
	__attribute__((noinline, cold, visibility("hidden"))) inline

#if __cplusplus >= 201703L
#define SYC_CXX_NODISCARD [[nodiscard]]
#else
#define SYC_CXX_NODISCARD
#endif

namespace syscap
{

namespace detail
{

template <class S> using data_of = decltype(std::declval<const S &>().data());

template <class S>
using if_text = typename std::enable_if<
	std::is_convertible<data_of<S>, const char *>::value &&
	std::is_convertible<decltype(std::declval<const S &>().size()),
                            std::size_t>::value>::type;

template <class S>
SYC_CXX_INLINE auto terminated(const S &s, int) noexcept
	-> decltype(s.c_str(), true)
{
	return true;
}

template <class S> SYC_CXX_INLINE bool terminated(const S &, long) noexcept
{
	return false;
}

/** Size of the buffer in which a text is terminated. */
constexpr std::size_t buffer_size = 1024;

} // namespace detail

/**
 * A reference to a caller's text for the time of a call: const char *,
 * std::string, std::string_view (C++17), and every class with data() and
 * size().  A text ends at its first NUL.  A text with c_str() is not copied.
 * Other texts of up to 1,023 bytes are copied to the stack, and longer messages
 * go through printf("%.*s").
 */
class text
{
      public:
	constexpr text() noexcept
	{
	}

	constexpr text(std::nullptr_t) noexcept
	{
	}

	constexpr text(const char *s) noexcept : data_(s)
	{
	}

	template <class S, class = detail::if_text<S>>
	SYC_CXX_INLINE text(const S &s) noexcept
	    : data_(s.data()), size_(s.size()),
	      terminated_(detail::terminated(s, 0))
	{
	}

	SYC_CXX_INLINE const char *data() const noexcept
	{
		return data_;
	}

	/** Length of an unterminated text. */
	SYC_CXX_INLINE std::size_t size() const noexcept
	{
		return size_;
	}

	SYC_CXX_INLINE bool is_terminated() const noexcept
	{
		return terminated_;
	}

	/** Copies at most @size - 1 bytes and a NUL to @to. */
	SYC_CXX_INLINE void copy(char *to, std::size_t size) const noexcept
	{
		const std::size_t n = data_ == nullptr ? 0
		                      : terminated_ ? ::strnlen(data_, size - 1)
		                      : size_ < size ? size_
		                                     : size - 1;

		if (n != 0)
			std::memcpy(to, data_, n);
		to[n] = '\0';
	}

      private:
	const char *data_ = nullptr;
	std::size_t size_ = 0;
	bool terminated_ = true;
};

} // namespace syscap

#endif
