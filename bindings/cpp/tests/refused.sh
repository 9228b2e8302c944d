#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# refused.sh - calls with too long, dangling or senseless texts, which do not
# compile.
#
# The test reads CXX, SYSCAP_SOURCE.
set -eu
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

# compiles CODE: compiles CODE as the body of a function
compiles() {
	printf '%s\n' '#include <syscap.hpp>' '#include <string>' \
		'void f();' 'void f()' '{' "$1" '}' >"$work/case.cpp"
	"$CXX" -std=c++17 -fsyntax-only -Wall -Werror \
		-I"$SYSCAP_SOURCE/include" \
		-I"$SYSCAP_SOURCE/bindings/cpp/include" \
		"$work/case.cpp" 2>"$work/errors"
}

# refused CODE WHY: WHY is a part of the compiler's message
refused() {
	if compiles "$1"; then
		echo "compiles: $1"
		status=1
	elif ! grep -q "$2" "$work/errors"; then
		echo "refused without '$2': $1"
		sed -n 1,5p "$work/errors"
		status=1
	fi
}

g24=123456789012345678901234
n40=1234567890123456789012345678901234567890
compiles "SYSCAP_SCOPE_AS(a, \"${g24%4}\", \"${n40%0}\");" || {
	cat "$work/errors"
	exit 1
}
# Two events on one line have their own names, or are refused
compiles 'SYSCAP_SCOPE_AS(a, "g", "n"); SYSCAP_SCOPE_AS(b, "g", "n");'
refused 'SYSCAP_SCOPE("g", "n"); SYSCAP_SCOPE("g", "m");' "redefinition\|redecl"
refused 'SYSCAP_SCOPE_FUNCTION("g"); SYSCAP_SCOPE_FUNCTION("h");' \
	"redefinition\|redecl"
refused "SYSCAP_SCOPE_AS(a, \"$g24\", \"name\");" "group: 23 bytes"
refused "SYSCAP_SCOPE_AS(a, \"group\", \"$n40\");" "name: 39 bytes"
refused "SYSCAP_SCOPE_FUNCTION(\"$g24\");" "group: 23 bytes"
refused "static const syscap::site s = { \"$g24\", \"name\" };" "too long"
refused "static syscap::counter<int> c(\"c\", \"$n40\");" "name: 31 bytes"
refused 'static syscap::counter<std::string> c("c", "n");' "of integers"
refused 'syscap::scope s(syscap::site{ "g", "n" });' "deleted"
refused 'static const syscap::site s = { "g", "n" }; syscap::scope{ s };' \
	"nodiscard\|unused"
refused 'SYSCAP_SCOPE_AS(a, "g", "n"); syscap::scope b(a);' "deleted"
refused 'syscap::operation o(syscap::site{ "g", "n" });' "deleted"
refused 'SYSCAP_OPERATION_AS(a, "g", "n"); syscap::operation b(a);' "deleted"
refused 'static syscap::counter<int> c("c", "n"); c.add(0.5);' \
	"whole numbers"
refused 'syscap::log(syscap::severity::info, "d", 7);' "text\|convert"
exit $status
