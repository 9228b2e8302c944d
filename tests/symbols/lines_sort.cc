// SPDX-License-Identifier: BSD-2-Clause
// lines_sort.cc - for lines.sh: algorithms with lambdas, all of it inlined.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace shop {

struct item {
	std::string name;
	int price;
	double weight;
};

template <typename Key> static void order(std::vector<item> &items, Key key)
{
	std::sort(items.begin(), items.end(),
	          [&](const item &a, const item &b) { return key(a) < key(b); });
}

template <unsigned n> struct power {
	static long of(long x) { return x * power<n - 1>::of(x); }
};
template <> struct power<0> {
	static long of(long) { return 1; }
};

static long total(const std::vector<item> &items)
{
	return std::accumulate(items.begin(), items.end(), 0L,
	                       [](long sum, const item &i) {
		                       const auto twice = [&](int x) {
			                       return 2 * x + i.price;
		                       };
		                       return sum + twice(i.price) +
		                              power<3>::of(i.price % 5);
	                       });
}

} // namespace shop

int main(int argc, char **argv)
{
	std::vector<shop::item> items;
	std::function<double(const shop::item &)> heavy =
		[argc](const shop::item &i) { return i.weight * argc; };

	for (int i = 0; i < 1000 * argc; i++)
		items.push_back({ "item " + std::to_string(rand() % 100),
		                  rand() % 1000, rand() / 3.0 });
	shop::order(items, [](const shop::item &i) { return i.price; });
	shop::order(items, [](const shop::item &i) { return i.name; });
	shop::order(items, heavy);
	auto last = std::unique(items.begin(), items.end(),
	                        [](const auto &a, const auto &b) {
		                        return a.name == b.name;
	                        });
	items.erase(last, items.end());
	std::printf("%s %ld %zu\n", argv[0], shop::total(items), items.size());
}
