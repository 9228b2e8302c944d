#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# types.sh - TypeScript's compiler checks the types in the comments of the
# page's modules, without output.
set -eu
: "${SYSCAP_SOURCE:?}"
here=$(cd "$(dirname "$0")" && pwd)
command -v node >/dev/null || { echo "skip: there is no node"; exit 77; }
tsc=${SYSCAP_NPM:-$SYSCAP_SOURCE/build/npm}/node_modules/typescript/bin/tsc
[ -f "$tsc" ] || { echo "skip: there is no typescript ($tsc;" \
	"npm install --prefix build/npm, with tests/report/package.json)"; exit 77; }
node "$tsc" --allowJs --checkJs --noEmit --strict --target es2022 \
	--module es2022 --moduleResolution node10 --lib es2022,dom,dom.iterable \
	"$here/../../src/report/page/types.d.ts" \
	"$here/../../src/report/page/start.js"
