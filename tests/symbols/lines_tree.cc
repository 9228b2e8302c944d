// SPDX-License-Identifier: BSD-2-Clause
// lines_tree.cc - for lines.sh: classes, exceptions, containers.
#include <iostream>
#include <map>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <unordered_map>
#include <variant>

namespace {

struct node;
using tree = std::unique_ptr<node>;
using value = std::variant<int, double, std::string>;

struct node {
	value what;
	std::map<std::string, tree> children;

	template <typename Visit> void walk(Visit &&visit, int depth = 0) const
	{
		visit(*this, depth);
		for (const auto &[name, child] : children)
			child->walk(visit, depth + 1);
	}
};

tree grow(int depth, std::unordered_map<std::string, int> &seen)
{
	auto made = std::make_unique<node>();

	if (depth == 0)
		throw std::runtime_error("too deep");
	if (depth % 3 == 0)
		made->what = depth;
	else if (depth % 3 == 1)
		made->what = depth / 2.0;
	else
		made->what = std::to_string(depth);
	for (int i = 0; i < 3; i++) {
		std::ostringstream name;

		name << "child " << i << " at " << depth;
		seen[name.str()]++;
		try {
			made->children[name.str()] = grow(depth - 1, seen);
		} catch (const std::exception &e) {
			made->children.erase(name.str());
			seen[e.what()]++;
		}
	}
	return made;
}

struct print {
	std::ostream &out;
	void operator()(int i) const { out << i << '\n'; }
	void operator()(double d) const { out << d / 2 << '\n'; }
	void operator()(const std::string &s) const { out << '"' << s << '"'; }
};

} // namespace

int main(int argc, char **)
{
	std::unordered_map<std::string, int> seen;
	tree root = grow(3 + argc, seen);
	std::ostringstream out;

	root->walk([&](const node &n, int depth) {
		out << std::string(depth, ' ');
		std::visit(print{ out }, n.what);
	});
	for (const auto &[name, n] : seen)
		out << name << ": " << n << '\n';
	std::cout << out.str().size() << '\n';
}
