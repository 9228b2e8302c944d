/* SPDX-License-Identifier: BSD-2-Clause */
/* site.hpp - sites of marks, initialised at compile time. */
#ifndef SYSCAP_SITE_HPP
#define SYSCAP_SITE_HPP

#include <syscap/text.hpp>

namespace syscap
{

/**
 * Group and name of a mark.  Make a site static if all marks of a place use it:
 *
 *	static const syscap::site load = { "demo", "load" };
 *
 * A text that is too long does not compile.
 */
using site = ::syscap_mark_site;

namespace detail
{

template <std::size_t... I> struct indices {
};

template <std::size_t N, std::size_t... I>
struct make_indices : make_indices<N - 1, N - 1, I...> {
};

template <std::size_t... I> struct make_indices<0, I...> {
	using type = indices<I...>;
};

/** Number of the @n bytes at @s in complete characters. */
constexpr std::size_t whole(const char *s, std::size_t n)
{
	return n != 0 && (static_cast<unsigned char>(s[n]) & 0xC0) == 0x80
	               ? whole(s, n - 1)
	               : n;
}

/** Number of bytes that a field of @most bytes keeps of a text of @n. */
constexpr std::size_t kept(const char *s, std::size_t n, std::size_t most)
{
	return n <= most ? n : whole(s, most);
}

constexpr char at(const char *s, std::size_t n, std::size_t i)
{
	return i < n ? s[i] : '\0';
}

template <std::size_t... G, std::size_t... N>
constexpr site make_site(const char *group, std::size_t n_group,
                         const char *name, std::size_t n_name, indices<G...>,
                         indices<N...>)
{
	return site{ { at(group, n_group, G)... }, { at(name, n_name, N)... } };
}

/** Make a site whose name, such as a function's, is cut instead of refused. */
template <std::size_t G, std::size_t N>
constexpr site make_site(const char (&group)[G], const char (&name)[N])
{
	static_assert(G <= 24, "group: 23 bytes");
	return make_site(group, G - 1, name, kept(name, N - 1, 39),
	                 typename make_indices<24>::type(),
	                 typename make_indices<40>::type());
}

} // namespace detail

} // namespace syscap

/** Define @var, a static syscap::site; @group and @name are literals. */
#define SYSCAP_SITE(var, group, name)                          \
	static_assert(sizeof(group) <= 24, "group: 23 bytes"); \
	static_assert(sizeof(name) <= 40, "name: 39 bytes");   \
	static const ::syscap_mark_site var = { group, name }

#endif
