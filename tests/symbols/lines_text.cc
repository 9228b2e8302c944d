// SPDX-License-Identifier: BSD-2-Clause
// lines_text.cc - for lines.sh: a parser by recursion, regular expressions.
#include <cctype>
#include <cstdio>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

class parser {
	std::string_view rest;

	template <typename Test> std::string_view take(Test test)
	{
		size_t n = 0;

		while (n < rest.size() && test(rest[n]))
			n++;
		auto part = rest.substr(0, n);
		rest.remove_prefix(n);
		return part;
	}
	bool accept(char c)
	{
		take([](char x) { return std::isspace(x) != 0; });
		if (rest.empty() || rest.front() != c)
			return false;
		rest.remove_prefix(1);
		return true;
	}
	std::optional<double> atom()
	{
		if (accept('(')) {
			auto inner = sum();
			return accept(')') ? inner : std::nullopt;
		}
		take([](char x) { return std::isspace(x) != 0; });
		auto digits = take([](char x) { return std::isdigit(x) != 0; });
		return digits.empty() ? std::nullopt
		                      : std::optional(std::stod(
						std::string(digits)));
	}
	std::optional<double> product()
	{
		auto left = atom();

		while (left && accept('*')) {
			auto right = atom();
			left = right ? std::optional(*left * *right) : right;
		}
		return left;
	}

    public:
	explicit parser(std::string_view text) : rest(text)
	{
	}
	std::optional<double> sum()
	{
		auto left = product();

		while (left && accept('+')) {
			auto right = product();
			left = right ? std::optional(*left + *right) : right;
		}
		return left;
	}
};

int main(int argc, char **argv)
{
	const std::regex word("([a-z]+)[0-9]*(_x)?");
	std::set<std::tuple<std::string, int>> found;
	std::string text = "one2 three_x four 55 six7_x";

	for (std::sregex_iterator i(text.begin(), text.end(), word), end;
	     i != end; ++i)
		found.emplace(i->str(1), argc);
	std::printf("%f %zu\n",
	            parser(argc > 1 ? argv[1] : "1+2*(3+4)*5").sum().value_or(0),
	            found.size());
}
