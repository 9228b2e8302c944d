/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scopes.cpp - an instrumented program in C++.
 *
 *	syscap record -- syscap-cpp && syscap stat capture.syscap
 */
#include <syscap.hpp>

#include <algorithm>
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static syscap::counter<std::size_t> words_seen("words", "seen",
                                               "Words counted so far");

static std::string make_text(unsigned seed, std::size_t n_words)
{
	SYSCAP_SCOPE_FUNCTION("words");
	static const char *const some[] = { "mark", "scope", "counter",
		                            "log",  "ring",  "capture" };
	std::string text;

	for (std::size_t i = 0; i < n_words; i++) {
		seed = seed * 1103515245 + 12345;
		text += some[seed >> 16 & 3];
		text += ' ';
	}
	return text;
}

static std::map<std::string, int> count(const std::string &text)
{
	SYSCAP_SCOPE_AS(scope, "words", "count");
	std::map<std::string, int> counts;
	std::string word;
	std::size_t n = 0;

	for (const char c : text) {
		if (c != ' ') {
			word += c;
			continue;
		}
		counts[word]++;
		word.clear();
		if (++n % 1000 == 0)
			words_seen.set(n);
	}
	if (counts.empty())
		throw std::invalid_argument("no words"); /* ends the scope */
	/* calls to_string() only if recorded */
	if (scope.is_on())
		scope.end(std::to_string(counts.size()) + " words differ");
	return counts;
}

static void work(unsigned seed, std::size_t n_words)
{
	try {
		const auto counts = count(make_text(seed, n_words));
		const auto most = std::max_element(
			counts.begin(), counts.end(),
			[](const std::pair<const std::string, int> &a,
		           const std::pair<const std::string, int> &b) {
				return a.second < b.second;
			});

		syscap::log(syscap::severity::info, "words", most->first);
	} catch (const std::exception &error) {
		syscap::log(syscap::severity::warning, "words", error.what());
	}
}

int main()
{
	std::vector<std::thread> threads;

	for (unsigned i = 0; i < 4; i++)
		threads.emplace_back(work, i, i * 5000);
	for (std::thread &thread : threads)
		thread.join();
	std::puts(syscap::is_active() ? "recorded" : "not recorded");
}
