# SPDX-License-Identifier: BSD-2-Clause
# needs.sh - sourced: finds programs for the tests in a browser, or skips with
# the reason. SYSCAP_NPM names a directory with node_modules of package.json;
# .ci/run installs these in build/npm.
skip() { echo "skip: $*"; exit 77; }
for program in python3 node; do
	command -v $program >/dev/null || skip "there is no $program"
done
CHROMIUM=$(command -v chromium || command -v chromium-browser || true)
[ -n "$CHROMIUM" ] || skip "there is no chromium"
NPM=${SYSCAP_NPM:-$SYSCAP_SOURCE/build/npm}
[ -d "$NPM/node_modules/playwright-core" ] &&
	[ -d "$NPM/node_modules/axe-core" ] ||
	skip "there are no playwright-core and axe-core in $NPM" \
		"(npm install --prefix build/npm, with tests/report/package.json)"
export CHROMIUM NPM PYTHONDONTWRITEBYTECODE=1
