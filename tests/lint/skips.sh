#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# skips.sh - check that ctest prints the reason of each test that it skips.
set -eu
: "${SYSCAP_BINARY:?names the build}" "${CMAKE:?}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$SYSCAP_BINARY/CTestCustom.cmake" "$work/"
cat >"$work/CTestTestfile.cmake" <<'END'
add_test(a.lazy "sh" "-c" "echo 'skip: there is no moon'; exit 77")
set_tests_properties(a.lazy PROPERTIES SKIP_RETURN_CODE 77)
add_test(a.busy "true")
END
cd "$work"
"$(dirname "$CMAKE")/ctest" >out 2>&1 || { cat out; exit 1; }
grep -qx 'a.lazy: there is no moon' out || { cat out; exit 1; }
! grep '^a.busy:' out
