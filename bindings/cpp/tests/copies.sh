#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# copies.sh LIBRARY - test of the exports of a plugin with its own copy of the
# library: no symbol of the library or of <syscap.hpp>.  Otherwise the plugin
# would emit through the program's copy, or the program through the plugin's.
#
# The test reads CXX, SYSCAP_SOURCE, SYSCAP_SANITIZE.
set -eu
if [ -n "${SYSCAP_SANITIZE:-}" ]; then
	echo "skip: sanitizers add symbols of their own"
	exit 77
fi
library=$1
tests=$SYSCAP_SOURCE/bindings/cpp/tests
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

for level in -O0 -O2; do
	"$CXX" -std=c++17 $level -fPIC -shared -I"$SYSCAP_SOURCE/include" \
		-I"$SYSCAP_SOURCE/bindings/cpp/include" \
		"$tests/uses.cpp" "$tests/uses_more.cpp" "$library" \
		-pthread -o plugin.so
	# texts and std:: templates of syscap's types refer to no copy
	if nm -DC --defined-only plugin.so | sed 's/^[0-9a-f ]* [A-Za-z] //' |
		grep -E '^(syscap_|syc_|syscap::)' |
		grep -vE '^syscap::text::text\(| std::'; then
		echo "... are shown, with $level"
		exit 1
	fi
	nm -DC --defined-only plugin.so | grep -q ' in_both()' || {
		echo "nm shows nothing"
		exit 1
	}
done
